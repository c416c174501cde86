/** A button whose token says on the server what it means. */
import { element } from "./element.js";

/**
 * While a press is under way the button is off; it comes back when the press changed nothing.
 * @param {{ token: string, label: string }} button
 * @param {import("./acts.js").Acts} acts
 * @param {{ class?: string, busy?: string }} [look]
 */
export function pressButton({ token, label }, acts, look = {}) {
  const node = element("button", {
    type: "button",
    class: look.class ?? "choice",
    "data-focus": token,
    dir: "auto",
    text: label,
  });
  const press = async () => {
    if (node.getAttribute("aria-disabled") === "true") return;
    node.setAttribute("aria-disabled", "true");
    node.textContent = look.busy ?? label;
    const took = await acts.press(token);
    if (took) return;
    node.removeAttribute("aria-disabled");
    node.textContent = label;
  };
  node.addEventListener("click", () => void press());
  return node;
}
