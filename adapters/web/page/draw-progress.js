/** The one progress message of a run. */
import { element } from "./element.js";
import { pressButton } from "./press-button.js";

export function drawProgress(part, acts) {
  return [
    element(
      "div",
      { class: "card progress-card", "data-state": part.state },
      element(
        "div",
        { class: "card-head" },
        element("span", { class: "state-mark", "data-state": part.state, "aria-hidden": "true" }),
        element("strong", { text: part.heading }),
        element("span", { class: "card-figures", text: part.footer }),
        part.stopToken &&
          pressButton({ token: part.stopToken, label: "Stop" }, acts, { class: "stop", busy: "Stopping…" }),
      ),
      part.rows.length > 0 && element("ul", { class: "rows", "aria-label": "Tasks" }, ...part.rows.map(drawTask)),
      part.previewHtml && element("div", { class: "prose preview", html: part.previewHtml }),
    ),
  ];
}

function drawTask({ icon, status, title, details, state }) {
  return element(
    "li",
    { "data-state": state },
    element(
      "span",
      // An earlier version stored no words of a row's state.
      { class: "row-mark", role: "img", "aria-label": status ?? state, "data-state": state },
      icon,
    ),
    element("span", { class: "row-title", dir: "auto", text: title }),
    element("span", { class: "row-details", text: details }),
  );
}
