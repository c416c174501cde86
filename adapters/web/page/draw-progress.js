/** The one progress message of a run. */
import { element } from "./element.js";
import { pressButton } from "./press-button.js";

const STATES = /** @type {Record<string, string>} */ ({
  pending: "queued",
  running: "running",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  timed_out: "timed out",
  polling_timed_out: "timed out",
});

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

function drawTask({ icon, title, details, state }) {
  return element(
    "li",
    { "data-state": state },
    element(
      "span",
      { class: "row-mark", role: "img", "aria-label": STATES[state] ?? state, "data-state": state },
      icon,
    ),
    element("span", { class: "row-title", dir: "auto", text: title }),
    element("span", { class: "row-details", text: details }),
  );
}
