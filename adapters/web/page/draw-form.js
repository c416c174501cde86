/** A form: drawn natively, checked here for what is missing and by the server for the rest. */
import { element } from "./element.js";
import { drawField, readField } from "./form-field.js";

let drawn = 0;

/**
 * @param {{ token: string, title: string, fields: any[] }} form
 * @param {import("./acts.js").Acts} acts
 * @param {() => void} [done] Called once the form was taken.
 */
export function drawForm(form, acts, done) {
  drawn += 1;
  const prefix = `form${drawn}`;
  const fields = form.fields.map((field, index) => ({ field, box: drawField(field, `${prefix}-${index}`) }));
  const submit = element("button", { type: "submit", class: "choice primary", text: "Send" });
  const node = element(
    "form",
    { class: "form", novalidate: true, "aria-label": form.title || "Form" },
    ...fields.map(({ box }) => box),
    element("p", { class: "form-end" }, submit),
  );
  const send = async () => {
    const values = Object.fromEntries(fields.map(({ field, box }) => [field.name, readField(field, box)]));
    if (showErrors(fields, missing(form.fields, values))) return;
    submit.setAttribute("disabled", "");
    const result = await acts.submit(form.token, withoutEmpty(values));
    if (result.took) return done?.();
    submit.removeAttribute("disabled");
    showErrors(fields, result.errors ?? {});
  };
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
  return node;
}

/** `false` is an answer to a checkbox, so only empty text and empty lists are missing. */
const isEmpty = (value) => value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

function missing(fields, values) {
  const empty = fields.filter((field) => field.required && isEmpty(values[field.name]));
  return Object.fromEntries(empty.map((field) => [field.name, "Please fill this in."]));
}

const withoutEmpty = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => !isEmpty(value)));

/** Says each error at its field and goes to the first. @returns whether there was one */
function showErrors(fields, errors) {
  let first;
  for (const { field, box } of fields) {
    const input = box.querySelector("input, select, textarea");
    const line = box.querySelector(".field-error");
    const error = errors[field.name] ?? "";
    line.textContent = error;
    if (error) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    if (error) first ??= input;
  }
  first?.focus();
  return first !== undefined;
}
