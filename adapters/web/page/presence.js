/** The sign that something is going on before there is anything to show. */
import { byId } from "./element.js";

const sign = byId("presence", HTMLParagraphElement);
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** @param {boolean} on @param {number} [forMs] */
export function setPresence(on, forMs = 0) {
  clearTimeout(timer);
  sign.hidden = !on;
  if (on) timer = setTimeout(() => setPresence(false), forMs);
}
