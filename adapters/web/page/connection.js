/** One quiet line: nothing while all is well. */
import { byId } from "./element.js";

const line = byId("connection", HTMLParagraphElement);
const GONE_AFTER_MS = 3000;
let wasLost = false;

export function showLost() {
  wasLost = true;
  line.textContent = "Reconnecting…";
}

export function showConnected() {
  line.textContent = wasLost ? "Connected again" : "";
  wasLost = false;
  setTimeout(() => {
    if (!wasLost) line.textContent = "";
  }, GONE_AFTER_MS);
}
