/** A message of the person. */
import { fileAddress } from "./api.js";
import { element } from "./element.js";
import { readableSize, shortTime } from "./time.js";

/**
 * @param {import("./thread-state.js").Item} item
 * @param {import("./acts.js").Acts} acts
 */
export function drawSaid(item, acts) {
  return [
    element(
      "div",
      { class: "bubble" },
      item.text && element("p", { dir: "auto", text: item.text }),
      item.files.length > 0 &&
        element("ul", { class: "said-files" }, ...item.files.map((file) => drawFile(file, acts.thread()))),
    ),
    element("p", { class: "under" }, ...below(item, acts)),
  ];
}

function below(item, acts) {
  if (item.pending === "sending") return ["Sending…"];
  if (!item.pending) return [shortTime(item.at)];
  const problem = element("span", { class: "problem", text: "Not sent." });
  // The server would say no again.
  if (item.pending === "refused") return [problem];
  const again = element("button", {
    type: "button",
    class: "text-button",
    text: "Try again",
    onClick: () => acts.sendAgain(item),
  });
  return [problem, " ", again];
}

function drawFile(file, thread) {
  const name = element("a", { href: fileAddress(thread, file.id), download: file.name, text: file.name });
  return element(
    "li",
    {},
    name,
    file.sizeBytes !== undefined && element("small", { text: readableSize(file.sizeBytes) }),
  );
}
