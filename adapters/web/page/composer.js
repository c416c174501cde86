/** Where a message is written: Enter sends, Shift+Enter starts a line; files by button, drop or paste. */
import { attach, hasAttachments, takeAttachments } from "./attachments.js";
import { byId } from "./element.js";
import { note } from "./notes.js";

// The server stores no longer one.
const MOST_CHARACTERS = 200_000;

const form = byId("composer", HTMLFormElement);
const text = byId("text", HTMLTextAreaElement);
const files = byId("files", HTMLInputElement);
const main = byId("main", HTMLElement);
const dropSign = byId("drop", HTMLDivElement);
/** @type {Map<string | undefined, string>} */
const drafts = new Map();

/**
 * What is typed or opened while files are still on their way belongs to the next message.
 * @param {(text: string, files: Promise<any[]>) => void} send
 */
export function startComposer(send) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const written = text.value.trim();
    if (!written && !hasAttachments()) return;
    if (written.length > MOST_CHARACTERS) return note(tooLong(written.length));
    setText("");
    send(written, takeAttachments());
  });
  text.addEventListener("keydown", (event) => {
    // While an input method composes, Enter picks a candidate.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  text.addEventListener("input", fit);
  takeFiles();
}

/** @param {number} length */
const tooLong = (length) =>
  `A message holds at most ${MOST_CHARACTERS.toLocaleString("en")} characters, this one has ${length.toLocaleString("en")}. Shorten it, or attach the text as a file.`;

function takeFiles() {
  byId("attach", HTMLButtonElement).addEventListener("click", () => files.click());
  files.addEventListener("change", () => {
    attach(files.files ?? []);
    files.value = "";
  });
  text.addEventListener("paste", (event) => {
    const pasted = event.clipboardData?.files ?? [];
    if (pasted.length === 0) return;
    event.preventDefault();
    attach(pasted);
  });
  main.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    dropSign.hidden = false;
  });
  main.addEventListener("dragleave", (event) => {
    if (!main.contains(/** @type {Node | null} */ (event.relatedTarget))) dropSign.hidden = true;
  });
  main.addEventListener("drop", (event) => {
    event.preventDefault();
    dropSign.hidden = true;
    attach(event.dataTransfer?.files ?? []);
  });
}

/** Each thread keeps what was begun in it. @param {string | undefined} from @param {string | undefined} to */
export function switchDraft(from, to) {
  drafts.set(from, text.value);
  setText(drafts.get(to) ?? "");
}

/** Not on a touch screen, where it would bring up the keyboard unasked. */
export function focusComposer() {
  if (!matchMedia("(pointer: coarse)").matches) text.focus();
}

/** @param {string} value */
function setText(value) {
  text.value = value;
  fit();
}

/** As high as its text, up to what the style allows. */
function fit() {
  text.style.height = "auto";
  text.style.height = `${text.scrollHeight}px`;
}
