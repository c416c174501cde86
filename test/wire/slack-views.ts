/** Modals as views.open and the answer to a submission give them. */
import { z } from "zod";
import { readBlocks } from "./slack-blocks.ts";
import { plainText } from "./slack-elements.ts";
import { Refusal } from "./slack-rules.ts";
import type { ViewFields } from "./slack-world.ts";

/** Title, submit and close 24 characters, private_metadata 3000: https://docs.slack.dev/reference/views/modal-views */
const view = z.strictObject({
  type: z.literal("modal"),
  title: plainText(24),
  blocks: z.array(z.unknown()),
  submit: plainText(24).nullish(),
  close: plainText(24).nullish(),
  private_metadata: z.string().max(3000).default(""),
  callback_id: z.string().max(255).default(""),
  clear_on_close: z.boolean().default(false),
  notify_on_close: z.boolean().default(false),
  submit_disabled: z.boolean().exactOptional(),
  external_id: z.string().max(255).exactOptional(),
});

/** Throws `invalid_arguments` or what is wrong with its blocks. */
export function readView(given: unknown): ViewFields {
  const read = view.safeParse(given);
  if (!read.success) throw new Refusal("invalid_arguments", [z.prettifyError(read.error)]);
  const blocks = readBlocks(read.data.blocks, "modal");
  const asks = blocks.some(({ type }) => type === "input");
  if (asks && !read.data.submit) throw new Refusal("invalid_arguments", ["a modal with inputs needs submit"]);
  return { ...read.data, blocks };
}
