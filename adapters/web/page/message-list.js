/** The messages of the open thread: each is drawn once and then changed in place. */
import { drawShown } from "./draw-shown.js";
import { drawSaid } from "./draw-said.js";
import { byId, element } from "./element.js";
import { arriveAtEnd, isAtEnd, isTall, offerNewest, showBeginning, showEnd } from "./reader.js";
import { shortTime } from "./time.js";

const list = byId("messages", HTMLOListElement);
/** @typedef {{ row: HTMLElement, drawn: string, item: import("./thread-state.js").Item }} Row */
/** @type {Map<string, Row>} */
let rows = new Map();

/**
 * @param {import("./thread-state.js").ThreadState} state
 * @param {import("./acts.js").Acts} acts
 */
export function drawMessages(state, acts) {
  const before = rows;
  const lastBefore = list.lastElementChild;
  const wasTall = isTall(lastBefore);
  rows = new Map();
  for (const item of state.items.values()) rows.set(item.key, drawRow(before.get(item.key), item, acts));
  for (const [key, { row }] of before) if (!rows.has(key)) row.remove();
  keepOrder();
  const changed = [...rows].filter(([key, { drawn }]) => before.get(key)?.drawn !== drawn).map(([, { row }]) => row);
  if (changed.length === 0) return;
  const last = list.lastElementChild;
  const grewTall = isTall(last) && !(wasTall && last === lastBefore);
  if (!isAtEnd()) changed.forEach(offerNewest);
  else if (last && grewTall && before.size > 0) showBeginning(last);
  else showEnd();
}

/** Another thread: nothing of the old one stays. */
export function clearMessages() {
  rows = new Map();
  list.replaceChildren();
  arriveAtEnd();
}

/** Moves only what is in the wrong place, so that focus and selections stay. */
function keepOrder() {
  let at = list.firstElementChild;
  for (const { row } of rows.values()) {
    if (row === at) at = at.nextElementSibling;
    else list.insertBefore(row, at);
  }
}

/**
 * @param {Row | undefined} known
 * @param {import("./thread-state.js").Item} item
 * @param {import("./acts.js").Acts} acts
 */
function drawRow(known, item, acts) {
  if (known?.item === item) return known;
  const drawn = JSON.stringify(item);
  if (known?.drawn === drawn) return { ...known, item };
  const article = drawArticle(item, acts);
  if (!known) return { row: element("li", { class: `from-${item.type}` }, article), drawn, item };
  keepFocus(known.row, () => known.row.replaceChildren(article));
  return { row: known.row, drawn, item };
}

/** @param {import("./thread-state.js").Item} item @param {import("./acts.js").Acts} acts */
function drawArticle(item, acts) {
  const who = item.type === "said" ? "You" : "Threadline";
  const body = item.type === "said" ? drawSaid(item, acts) : drawShown(item, acts);
  const kind = item.type === "said" ? "said" : item.part.type;
  const label = `${who}, ${shortTime(item.at)}`;
  return element("article", { class: `message ${kind}`, "aria-label": label, tabindex: "-1" }, ...body);
}

/** Whoever was on a button that is drawn again is on it again; if it has gone, on the message. @param {HTMLElement} row @param {() => void} redraw */
function keepFocus(row, redraw) {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !row.contains(active)) return redraw();
  const name = active.dataset.focus;
  redraw();
  const again = name && row.querySelector(`[data-focus="${CSS.escape(name)}"]:not(:disabled)`);
  const target = again || row.querySelector("article");
  if (target instanceof HTMLElement) target.focus({ preventScroll: true });
}
