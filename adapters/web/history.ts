/** What was said in a thread, from what the store keeps of it. Pure. */
import type { Earlier, Entry, PostRef } from "../../gateway/contract.ts";
import { replyOf } from "./part.ts";

/** Words of people and final replies before `before`, oldest first; cards, questions and files are left out. */
export function earlier(entries: readonly Entry[], before: PostRef, limit: number, bot: string): readonly Earlier[] {
  const end = entries.findIndex((entry) => entry.post === before);
  const said = entries.slice(0, end < 0 ? entries.length : end).flatMap((entry) => words(entry, bot));
  return said.slice(Math.max(0, said.length - limit));
}

function words(entry: Entry, bot: string): readonly Earlier[] {
  if (entry.type === "inbound") return [{ author: entry.author, text: entry.text, byBot: false }];
  const text = replyOf(entry.part);
  return text === undefined ? [] : [{ author: bot, text, byBot: true }];
}
