/**
 * Where the reader is in the open thread. At the end: the end stays in sight, whatever comes and however the window
 * changes. Scrolled up: nothing moves. Missing something: scrolled up while something came below, and a button leads to
 * it. Scrolling up leaves the end; scrolling down to it, the button, one's own message and another thread lead back.
 */
import { byId } from "./element.js";

const scroller = byId("scroll", HTMLDivElement);
const list = byId("messages", HTMLOListElement);
const newest = byId("to-newest", HTMLButtonElement);

// Nearer than this to the end, the reader follows what comes.
const NEAR_PX = 120;
let atEnd = true;
let measured = "";

export const isAtEnd = () => atEnd;
/** Whether a message is higher than the window. @param {Element | null} row */
export const isTall = (row) => (row?.clientHeight ?? 0) > scroller.clientHeight;

export function showEnd() {
  scroller.scrollTop = scroller.scrollHeight;
  arriveAtEnd();
}

/** A message that is higher than the window is read from its beginning. @param {Element} row */
export function showBeginning(row) {
  row.scrollIntoView({ block: "start" });
  atEnd = isNearEnd();
}

/** Offers the way to a message that came or changed out of sight. @param {Element} row */
export function offerNewest(row) {
  if (row.getBoundingClientRect().bottom > scroller.getBoundingClientRect().bottom) newest.hidden = false;
}

/** The reader of another thread begins at its end. */
export function arriveAtEnd() {
  atEnd = true;
  newest.hidden = true;
}

const isNearEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
const sizes = () => `${scroller.clientHeight} ${scroller.clientWidth} ${scroller.scrollHeight}`;

export function startReader() {
  scroller.addEventListener("scroll", () => {
    // Where sizes have just changed it was not the reader who scrolled; what that means is decided below.
    if (sizes() !== measured) return;
    atEnd = isNearEnd();
    if (atEnd) newest.hidden = true;
  });
  const observer = new ResizeObserver(() => {
    if (atEnd && list.childElementCount > 0) scroller.scrollTop = scroller.scrollHeight;
    measured = sizes();
  });
  for (const part of [scroller, list, byId("presence", HTMLParagraphElement)]) observer.observe(part);
  newest.addEventListener("click", () => {
    showEnd();
    list.lastElementChild?.querySelector("article")?.focus({ preventScroll: true });
  });
}
