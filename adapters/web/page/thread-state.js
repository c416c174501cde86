/**
 * What is known of the open thread. Changes may overtake the loaded thread and it may overtake them: each change has a
 * revision, a loaded thread the revision it is at least as new as, and for each message the newer of both counts.
 *
 * @typedef {{ type: "said" | "shown", key: string, at: number, pending?: "sending" | "failed" | "refused", [more: string]: any }} Item
 * @typedef {{ thread: string | undefined, items: Map<string, Item>, revisions: Map<string, number> }} ThreadState
 */

/** @param {string} [thread] @returns {ThreadState} */
export const emptyThread = (thread) => ({ thread, items: new Map(), revisions: new Map() });

/** A change that was pushed. @param {ThreadState} state @param {any} change */
export function applyChange(state, change) {
  const { revision, thread: _thread, ...item } = change;
  state.revisions.set(item.key, revision);
  if (item.type === "removed") state.items.delete(item.key);
  else state.items.set(item.key, { ...item, at: state.items.get(item.key)?.at ?? item.at });
}

/** The thread as it was loaded. @param {ThreadState} state @param {{ revision: number, entries: Item[] }} loaded */
export function mergeLoaded(state, loaded) {
  const isNewer = (/** @type {string} */ key) => (state.revisions.get(key) ?? -1) > loaded.revision;
  const merged = new Map();
  for (const entry of loaded.entries) {
    // Its time stays as it was first known, so that only what really changed is drawn again.
    if (!isNewer(entry.key)) merged.set(entry.key, { ...entry, at: state.items.get(entry.key)?.at ?? entry.at });
    else if (state.items.has(entry.key)) merged.set(entry.key, state.items.get(entry.key));
  }
  for (const [key, item] of state.items) {
    if (!merged.has(key) && (item.pending || isNewer(key))) merged.set(key, item);
  }
  state.items = merged;
}

/** A new connection counts its changes anew. @param {ThreadState} state */
export function forgetRevisions(state) {
  state.revisions.clear();
}
