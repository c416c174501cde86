/** One field of a form: its label, its input and the line for its error. */
import { element } from "./element.js";

/** @param {any} field @param {string} id */
export function drawField(field, id) {
  const label = [
    element("span", { dir: "auto", text: field.label }),
    !field.required && element("small", { text: "optional" }),
  ];
  const error = element("p", { class: "field-error", id: `${id}-error` });
  const shared = {
    "aria-describedby": `${id}-error`,
    "aria-required": field.required && field.type !== "checkbox" ? "true" : undefined,
  };
  if (field.type === "multi_select") {
    const boxes = field.options.map((option) =>
      drawCheck({ ...shared, value: option.id, "aria-required": undefined }, option.label),
    );
    return element("fieldset", { class: "field" }, element("legend", {}, ...label), ...boxes, error);
  }
  if (field.type === "checkbox") return element("div", { class: "field" }, drawCheck(shared, field.label), error);
  const input = drawInput(field, { ...shared, id, name: field.name, placeholder: field.placeholder, dir: "auto" });
  return element("div", { class: "field" }, element("label", { for: id }, ...label), input, error);
}

function drawCheck(props, label) {
  return element(
    "label",
    { class: "check" },
    element("input", { type: "checkbox", ...props }),
    element("span", { dir: "auto", text: label }),
  );
}

function drawInput(field, props) {
  if (field.type === "textarea") return element("textarea", { ...props, rows: 4 });
  if (field.type === "number") return element("input", { ...props, type: "number", step: "any", inputmode: "decimal" });
  if (field.type === "date") return element("input", { ...props, type: "date" });
  if (field.type !== "select") return element("input", { ...props, type: "text" });
  const none = element("option", { value: "", text: field.placeholder || "Choose…" });
  const options = field.options.map((option) => element("option", { value: option.id, text: option.label }));
  return element("select", props, none, ...options);
}

/** What was filled in: text, number, boolean, or the ids of what was chosen; undefined for a number left empty. */
export function readField(field, box) {
  if (field.type === "multi_select") return [...box.querySelectorAll("input:checked")].map((input) => input.value);
  const input = box.querySelector("input, select, textarea");
  if (field.type === "checkbox") return input.checked;
  if (field.type === "number") return Number.isNaN(input.valueAsNumber) ? undefined : input.valueAsNumber;
  return input.value;
}
