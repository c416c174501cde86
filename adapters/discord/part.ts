/** One Discord message as data: what `render` makes, the outbox stores, and `send`, `edit` and `find` read. */
import { z } from "zod";
import { AdapterError } from "../../gateway/contract.ts";
import type { Part } from "../../gateway/contract.ts";
import { eachBlock, plain } from "../shared/spans.ts";
import type { Text } from "../shared/spans.ts";
import { split } from "../shared/split.ts";
import { rowSchema } from "./components.ts";
import type { Row } from "./components.ts";
import { discordMarkdown, withoutLongLinks } from "./discord-markdown.ts";
import { MESSAGE } from "./meter.ts";

const partSchema = z.object({
  content: z.string(),
  components: z.array(rowSchema).exactOptional(),
  /** Rings nobody. */
  silent: z.boolean().exactOptional(),
  /** The file that is uploaded instead of the text. */
  file: z.object({ name: z.string(), sizeBytes: z.number() }).exactOptional(),
  /** The name of the Discord thread that begins with it. */
  title: z.string().exactOptional(),
});
export type MessagePart = z.output<typeof partSchema>;

/** Throws `AdapterError` invalid for a part that this adapter did not make. */
export function readPart(part: Part): MessagePart {
  const read = partSchema.safeParse(part);
  if (!read.success) throw new AdapterError("invalid", `Expected a part of Discord's: ${z.prettifyError(read.error)}`);
  return read.data;
}

interface Extras {
  readonly rows?: readonly Row[];
  readonly silent?: boolean;
  readonly file?: NonNullable<MessagePart["file"]>;
  /** For the first part. */
  readonly title?: string;
}

/** At least one part; the buttons are on the last one. Text without anything visible becomes `…`. */
export function toParts(text: Text, { rows = [], silent = false, file, title }: Extras = {}): Part[] {
  const drawn = Array.from(split(eachBlock(text, withoutLongLinks), MESSAGE), (group) => discordMarkdown(group));
  const shown = drawn.length > 0 ? drawn : [discordMarkdown([plain("…")])];
  return shown.map((content, index) => ({
    content,
    ...(rows.length > 0 && index === shown.length - 1 && { components: rows }),
    ...(silent && { silent }),
    ...(file && { file }),
    ...(title !== undefined && index === 0 && { title }),
  }));
}
