/** A message of ours: one drawing for each kind of part. */
import { fileAddress } from "./api.js";
import { drawProgress } from "./draw-progress.js";
import { drawQuestion } from "./draw-question.js";
import { element } from "./element.js";
import { pressButton } from "./press-button.js";
import { readableSize } from "./time.js";

/**
 * @param {import("./thread-state.js").Item} item
 * @param {import("./acts.js").Acts} acts
 */
export function drawShown(item, acts) {
  const { part } = item;
  switch (part.type) {
    case "progress":
      return drawProgress(part, acts);
    case "question":
      return drawQuestion(part, acts);
    case "reply":
      return drawReply(part);
    case "notice":
      return drawNotice(part, acts);
    case "file":
      return drawFile(part, fileAddress(acts.thread(), item.key));
    default:
      return [element("p", { text: "This message is newer than the page. Reload it." })];
  }
}

function drawReply(part) {
  const copy = element("button", { type: "button", class: "text-button", "data-focus": "copy", text: "Copy" });
  const told = (/** @type {string} */ word) => () => void (copy.textContent = word);
  copy.addEventListener("click", () => {
    void navigator.clipboard.writeText(part.markdown).then(told("Copied"), told("Not allowed to copy"));
  });
  return [
    element("div", { class: "prose", html: part.html }),
    element("p", { class: "under" }, part.footer && element("span", { text: part.footer }), copy),
  ];
}

function drawNotice(part, acts) {
  return [
    element("div", { class: "prose notice-text", "data-tone": part.tone, html: part.html }),
    part.actions.length > 0 &&
      element("div", { class: "choices" }, ...part.actions.map((action) => pressButton(action, acts))),
  ];
}

function drawFile(part, address) {
  return [
    element(
      "a",
      { class: "card file-card", href: address, download: part.name },
      element("span", { class: "file-mark", "aria-hidden": "true", text: ending(part.name) }),
      element("span", { class: "file-name", dir: "auto", text: part.name }),
      element("small", { text: `Save · ${readableSize(part.sizeBytes)}` }),
    ),
  ];
}

const ending = (name) => (/\.(\w{1,4})$/.exec(name)?.[1] ?? "file").toLowerCase();
