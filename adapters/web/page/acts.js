/**
 * What a person can do to a message of the open thread. The server's word for that person alone is shown here.
 *
 * @typedef {{
 *   thread: () => string,
 *   press: (token: string) => Promise<boolean>,
 *   submit: (token: string, values: Record<string, unknown>) => Promise<{ took: boolean, errors?: Record<string, string> }>,
 *   sendAgain: (item: any) => void,
 * }} Acts
 */
import { post, Refused } from "./api.js";
import { drawForm } from "./draw-form.js";
import { byId, element } from "./element.js";
import { note } from "./notes.js";

/** @param {() => string} thread @param {(item: any) => void} sendAgain @returns {Acts} */
export function createActs(thread, sendAgain) {
  /** @type {Acts} */
  const acts = {
    thread,
    sendAgain,
    press: async (token) => (await tell(thread(), { type: "press", token }, acts)).took,
    submit: (token, values) => tell(thread(), { type: "form", token, values }, acts),
  };
  return acts;
}

/** @param {string} thread @param {Record<string, unknown>} event @param {Acts} acts */
async function tell(thread, event, acts) {
  try {
    const { accepted, reply } = await post(thread, { id: crypto.randomUUID(), ...event });
    showReply(reply, acts);
    return { took: accepted && reply?.type !== "form" && reply?.type !== "invalid", errors: reply?.errors };
  } catch (error) {
    note(error instanceof Refused ? error.message : String(error));
    return { took: false };
  }
}

/** @param {any} reply @param {Acts} acts */
export function showReply(reply, acts) {
  if (reply?.type === "notice") note(reply.text);
  if (reply?.type === "form") openDialog(reply.form, acts);
}

/** A form that belongs to no message. @param {any} form @param {Acts} acts */
function openDialog(form, acts) {
  const dialog = byId("form-dialog", HTMLDialogElement);
  const close = element("button", {
    type: "button",
    class: "icon-button",
    "aria-label": "Close",
    text: "×",
    onClick: () => dialog.close(),
  });
  const head = element(
    "div",
    { class: "dialog-head" },
    element("h2", { id: "form-dialog-title", dir: "auto", text: form.title }),
    close,
  );
  dialog.replaceChildren(
    head,
    drawForm(form, acts, () => dialog.close()),
  );
  dialog.showModal();
}
