/**
 * What becomes of a post of which nobody can say whether the platform took it: there is no search (Telegram), or the bot
 * may not read there. Pure.
 *
 * - A reply, a file that belongs to it, an open question: sent again. Said twice rather than never.
 * - A progress message: left alone until there is more to tell, which is a task that began or ended since, or the end of
 *   a run with tasks. Then a new one is sent; the first one, where there is one, stays as it was.
 * - All else (a notice, the quote of a request, a closed question): given up. Said once or never.
 */
import type { View } from "./contract.ts";
import type { Slot } from "./store-contract.ts";

export type Resolution = "send_again" | "send_new" | "leave" | "give_up";

/** `since`: when the post was intended, epoch ms. By the slot, since a reply may be a notice: that the run has failed. */
export function resolveUnknown(slot: Slot, view: View, final: boolean, since: number): Resolution {
  const isOf = (type: View["type"]) => slot.startsWith(`${type}:`);
  if (isOf("reply") || isOf("file")) return "send_again";
  if (isOf("question")) return view.type === "question" && view.closed ? "give_up" : "send_again";
  if (!isOf("progress")) return "give_up";
  if (hasNews(view, final, since)) return "send_new";
  return final ? "give_up" : "leave";
}

function hasNews(view: View, final: boolean, since: number): boolean {
  if (view.type !== "progress") return false;
  if (final) return view.tasks.length > 0;
  return view.tasks.some(({ startedAt, endedAt }) => Math.max(startedAt, endedAt ?? 0) > since);
}
