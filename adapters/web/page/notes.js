/** What the server tells this person alone, and what a screen reader hears of new messages. */
import { byId, element } from "./element.js";

const notes = byId("notes", HTMLDivElement);
const announcer = byId("announcer", HTMLDivElement);
const SHOWN_MS = 7000;

/** A short line that goes by itself. @param {string} text */
export function note(text) {
  const line = element("p", { class: "note", dir: "auto", text });
  notes.append(line);
  setTimeout(() => line.remove(), SHOWN_MS);
}

const SPOKEN = /** @type {Record<string, (part: any) => string>} */ ({
  reply: (part) => words(part.html),
  question: (part) => `Question: ${words(part.html)}`,
  notice: (part) => words(part.html),
  file: (part) => `File: ${part.name}`,
});

/** Says a new message once; progress and edits stay quiet. @param {any} part */
export function announce(part) {
  const text = SPOKEN[part.type]?.(part);
  if (text) announcer.replaceChildren(element("p", { text: `Threadline: ${text}` }));
}

const words = (html) => element("div", { html }).textContent ?? "";
