/** Files of the message that is being written: uploaded at once, named below the text, removable until it is sent. */
import { Refused, upload } from "./api.js";
import { byId, element } from "./element.js";
import { note } from "./notes.js";

const list = byId("attachments", HTMLUListElement);
/** @type {{ label: HTMLElement, stored: Promise<any> }[]} */
let attached = [];

/** @param {Iterable<File>} files */
export function attach(files) {
  for (const file of files) add(file);
}

/** @param {File} file */
function add(file) {
  const name = file.name || "pasted file";
  const remove = element("button", {
    type: "button",
    class: "icon-button small",
    "aria-label": `Remove ${name}`,
    text: "×",
  });
  const label = element(
    "li",
    { class: "attachment", "data-state": "uploading" },
    element("span", { dir: "auto", text: name }),
    remove,
  );
  const stored = upload(file).then(
    (answer) => {
      label.dataset.state = "ready";
      return answer;
    },
    (error) => {
      drop(one);
      note(error instanceof Refused ? `${name}: ${error.message}` : `${name} could not be read.`);
      return undefined;
    },
  );
  const one = { label, stored };
  remove.addEventListener("click", () => {
    drop(one);
    byId("text", HTMLTextAreaElement).focus();
  });
  attached.push(one);
  list.append(label);
  list.hidden = false;
}

/** @param {{ label: HTMLElement }} one */
function drop(one) {
  attached = attached.filter((other) => other !== one);
  one.label.remove();
  list.hidden = attached.length === 0;
}

export const hasAttachments = () => attached.length > 0;

/** Empties the list at once; resolves with those that could be uploaded when all of them have ended. */
export async function takeAttachments() {
  const taken = attached;
  taken.forEach(drop);
  const stored = await Promise.all(taken.map((one) => one.stored));
  return stored.filter((file) => file !== undefined);
}
