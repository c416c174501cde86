/** The list of threads on the left. */
import { byId, element } from "./element.js";
import { threadName } from "./thread-name.js";
import { shortTime } from "./time.js";

const STATES = /** @type {Record<string, string>} */ ({ working: "working", waiting: "needs an answer" });
const list = byId("thread-list", HTMLUListElement);

/**
 * @param {{ thread: string, title: string, updatedAt: number, state: string }[]} threads
 * @param {string | undefined} open
 */
export function drawThreadList(threads, open) {
  const focused = document.activeElement?.getAttribute("href");
  const newestFirst = threads.toSorted((a, b) => b.updatedAt - a.updatedAt);
  list.replaceChildren(...newestFirst.map((one) => element("li", {}, drawThread(one, one.thread === open))));
  const again = focused && [...list.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused);
  if (again) again.focus();
}

/** @param {{ thread: string, title: string, updatedAt: number, state: string }} one @param {boolean} isOpen */
function drawThread({ thread, title, updatedAt, state }, isOpen) {
  const word = STATES[state];
  return element(
    "a",
    { href: `#${thread}`, class: "thread", "data-state": state, "aria-current": isOpen && "page" },
    element("span", { class: "thread-title", dir: "auto", text: threadName(title) }),
    element(
      "span",
      { class: "thread-meta" },
      element("time", { datetime: new Date(updatedAt).toISOString(), text: shortTime(updatedAt) }),
      word && element("span", { class: "thread-state", text: word }),
    ),
  );
}
