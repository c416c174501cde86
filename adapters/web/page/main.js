/** Wiring: the address names the open thread, changes come in, messages go out, and everything is drawn from the state. */
import { createActs, showReply } from "./acts.js";
import { loadThread, loadThreads, post, Refused } from "./api.js";
import { followChanges } from "./changes.js";
import { focusComposer, startComposer, switchDraft } from "./composer.js";
import { showConnected, showLost } from "./connection.js";
import { byId } from "./element.js";
import { clearMessages, drawMessages } from "./message-list.js";
import { announce, note } from "./notes.js";
import { setPresence } from "./presence.js";
import { showEnd, startReader } from "./reader.js";
import { closeSidebar, startSidebar } from "./sidebar.js";
import { drawThreadList } from "./thread-list.js";
import { threadName } from "./thread-name.js";
import { applyChange, emptyThread, forgetRevisions, mergeLoaded } from "./thread-state.js";

const title = byId("title", HTMLHeadingElement);
const start = byId("start", HTMLElement);

let state = emptyThread(addressed());
/** @type {Awaited<ReturnType<typeof loadThreads>>} */
let threads = [];
const acts = createActs(
  () => state.thread ?? "",
  (item) => void sendItem(item),
);

/** The thread in the address, as `#web:<uuid>`. */
function addressed() {
  const [, thread] = /^#(web:[0-9a-f-]{36})$/.exec(location.hash) ?? [];
  return thread;
}

function draw() {
  const name = threads.find(({ thread }) => thread === state.thread)?.title;
  const firstWords = [...state.items.values()].find((item) => item.type === "said")?.text;
  title.textContent = threadName(name || firstWords);
  document.title = state.thread ? `${title.textContent} · Threadline` : "Threadline";
  start.hidden = state.thread !== undefined;
  drawMessages(state, acts);
  drawThreadList(threads, state.thread);
}

async function reload() {
  const opened = state;
  try {
    const [list, loaded] = await Promise.all([loadThreads(), opened.thread ? loadThread(opened.thread) : undefined]);
    threads = list;
    if (loaded) mergeLoaded(opened, loaded);
    draw();
  } catch (error) {
    if (!(error instanceof Refused && error.worthRepeating))
      note(error instanceof Error ? error.message : String(error));
  }
}

/** Many changes, one look at the list. */
const LIST_AFTER_MS = 250;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let listTimer;
function refreshListSoon() {
  clearTimeout(listTimer);
  listTimer = setTimeout(() => void refreshList(), LIST_AFTER_MS);
}
async function refreshList() {
  // While the server is away the list stays as it is; the next connection loads it again.
  threads = await loadThreads().catch(() => threads);
  draw();
}

function onChange(change) {
  refreshListSoon();
  if (change.thread !== state.thread) return;
  if (change.type === "presence") return setPresence(change.on, change.forMs);
  if (change.type === "deleted") return void reload();
  const isNew = change.type === "shown" && !state.items.has(change.key);
  applyChange(state, change);
  if (isNew) setPresence(false);
  draw();
  if (isNew) announce(change.part);
}

function openAddressed() {
  const thread = addressed();
  if (thread === state.thread) return;
  switchDraft(state.thread, thread);
  state = emptyThread(thread);
  clearMessages();
  setPresence(false);
  closeSidebar();
  draw();
  void reload();
  focusComposer();
}

async function send(text, uploads) {
  if (!state.thread) {
    state.thread = `web:${crypto.randomUUID()}`;
    history.pushState(null, "", `#${state.thread}`);
  }
  const item = { type: "said", key: crypto.randomUUID(), at: Date.now(), text, files: [] };
  const sentIn = state;
  sentIn.items.set(item.key, { ...item, pending: "sending" });
  draw();
  showEnd();
  const files = await uploads;
  if (text || files.length > 0) return sendItem({ ...item, files }, sentIn);
  sentIn.items.delete(item.key);
  draw();
}

/** Shown at once; the stored message takes its place under the same key. */
async function sendItem(item, sentIn = state) {
  const put = (pending) => {
    if (sentIn.revisions.has(item.key)) return;
    sentIn.items.set(item.key, { ...item, pending });
    if (sentIn === state) draw();
  };
  put("sending");
  try {
    const files = item.files.map(({ id, name, mime }) => ({ id, name, mime }));
    const { accepted, reply } = await post(sentIn.thread ?? "", {
      type: "message",
      id: item.key,
      text: item.text,
      files,
    });
    put(accepted ? undefined : "failed");
    showReply(reply, acts);
    refreshListSoon();
  } catch (error) {
    put(error instanceof Refused && !error.worthRepeating ? "refused" : "failed");
    note(error instanceof Refused ? error.message : String(error));
  }
}

startComposer((text, uploads) => void send(text, uploads));
startSidebar();
startReader();
window.addEventListener("hashchange", openAddressed);
window.addEventListener("popstate", openAddressed);
byId("new-thread", HTMLButtonElement).addEventListener("click", () => {
  if (state.thread) history.pushState(null, "", "/");
  openAddressed();
  closeSidebar();
  focusComposer();
});
// Also for the thread that is open already, where the address does not change.
byId("thread-list", HTMLUListElement).addEventListener("click", () => {
  closeSidebar();
  focusComposer();
});
byId("skip", HTMLAnchorElement).addEventListener("click", (event) => {
  event.preventDefault();
  byId("text", HTMLTextAreaElement).focus();
});
for (const example of document.querySelectorAll(".example")) {
  example.addEventListener("click", () => void send(example.getAttribute("data-text") ?? "", []));
}
draw();
focusComposer();
followChanges({
  connected: () => {
    forgetRevisions(state);
    showConnected();
    void reload();
  },
  lost: showLost,
  change: onChange,
});
