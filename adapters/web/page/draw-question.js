/** A question: its buttons or its form while it is open, its answer afterwards. */
import { drawForm } from "./draw-form.js";
import { element } from "./element.js";
import { drawQuestionIcon } from "./question-icon.js";
import { pressButton } from "./press-button.js";

export function drawQuestion(part, acts) {
  return [
    element(
      "div",
      { class: "card question-card", "data-closed": part.closed ? "yes" : "no" },
      part.contextHtml && element("div", { class: "prose question-context", html: part.contextHtml }),
      element(
        "div",
        { class: "question-line" },
        drawQuestionIcon(part.icon),
        element("div", { class: "prose", html: part.html }),
      ),
      ...(part.closed ? [drawClosed(part.closed)] : drawOpen(part, acts)),
    ),
  ];
}

function drawOpen(part, acts) {
  if (part.form) return [drawForm(part.form, acts)];
  const hasOptions = part.options.length > 0;
  return [
    hasOptions &&
      element(
        "div",
        { class: "choices", role: "group", "aria-label": "Answers" },
        ...part.options.map((option) => pressButton(option, acts)),
      ),
    element("p", { class: "under", text: hasOptions ? "Or type your own answer below." : "Type your answer below." }),
  ];
}

function drawClosed(closed) {
  if (closed.type === "given_up") return element("p", { class: "closed", dir: "auto", text: closed.reason });
  return element(
    "p",
    { class: "closed answered" },
    element("span", { class: "answer", dir: "auto", text: closed.answer }),
    element("small", { text: `answered by ${closed.by}` }),
  );
}
