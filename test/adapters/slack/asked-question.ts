/** The running adapter with a question of the bot in a thread. */
import { expect } from "vitest";
import { formatThread } from "../../../adapters/slack/thread-key.ts";
import type { Inbound, Part, ViewOf } from "../../../gateway/contract.ts";
import { eventually, runAdapter } from "./running-adapter.ts";

export const question: ViewOf<"question"> = {
  type: "question",
  icon: "🔀",
  question: "Which region?",
  options: ["North", "South"].map((label, index) => ({ token: `token-${index}`, label })),
  asked: "Ana",
};
export const only = (parts: readonly Part[]): Part => parts[0] ?? {};
export const messages = (inbound: readonly Inbound[]) => inbound.filter((event) => event.type === "message");

/** With a question of the bot in a thread that Ana opened. */
export async function withQuestion(view: ViewOf<"question"> = question) {
  const running = await runAdapter();
  const { server, adapter, ana, team, inbound } = running;
  const root = ana.mention(team, "hello");
  await eventually(() => expect(messages(inbound)).toHaveLength(2));
  const thread = formatThread(server.team.id, team.id, root.ts);
  const { post } = await adapter.send(thread, only(adapter.render(view)), "question:1/0/0");
  const asked = team.messages.at(-1);
  if (!asked) throw new Error("Expected the question in the channel.");
  return { running, ...running, root, thread, post, asked };
}
