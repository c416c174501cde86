/** What becomes of a modal when its submission is acknowledged. */
import { z } from "zod";
import { readView } from "./slack-views.ts";
import type { WireView } from "./slack-world.ts";

const answer = z.discriminatedUnion("response_action", [
  z.strictObject({ response_action: z.literal("errors"), errors: z.record(z.string(), z.string().min(1)) }),
  z.strictObject({ response_action: z.literal("clear") }),
  z.strictObject({ response_action: z.enum(["update", "push"]), view: z.unknown() }),
]);

/** Nothing closes it; errors, by block id, keep it open. Throws for what Slack would show as a broken form. */
export function applyAnswer(
  view: WireView,
  payload: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  if (Object.keys(payload).length === 0) {
    view.open = false;
    return {};
  }
  const read = answer.parse(payload);
  if (read.response_action === "clear") view.open = false;
  if ("view" in read) view.fields = readView(read.view);
  if (read.response_action !== "errors") return {};
  const inputs = view.fields.blocks.flatMap((block) => (block.type === "input" ? [block.block_id] : []));
  const lost = Object.keys(read.errors).filter((id) => !inputs.includes(id));
  if (lost.length > 0)
    throw new Error(`Expected errors by the block ids ${inputs.join(", ")}, got ${lost.join(", ")}.`);
  return read.errors;
}
