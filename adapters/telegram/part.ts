/** One Telegram message as data: what `render` makes, the outbox stores, and `send` and `edit` read. */
import { z } from "zod";
import { AdapterError } from "../../gateway/contract.ts";
import type { Part } from "../../gateway/contract.ts";
import { withoutLinksOver } from "../shared/long-links.ts";
import { eachBlock, plain, textOf } from "../shared/spans.ts";
import type { Span, Text } from "../shared/spans.ts";
import { split } from "../shared/split.ts";
import { toEntities } from "./entities.ts";
import { MESSAGE } from "./meter.ts";
import { unpinged } from "./unpinged.ts";

/** Telegram names no limit but the 9,500 bytes of all entities; browsers take about 2000 characters. */
const MAX_URL = 2000;

const button = z.object({ text: z.string(), callback_data: z.string() });
const keyboard = z.object({ inline_keyboard: z.array(z.array(button)) });

const at = { offset: z.number(), length: z.number() };
const entity = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["bold", "italic", "strikethrough", "code", "blockquote"]), ...at }),
  z.object({ type: z.literal("pre"), language: z.string().exactOptional(), ...at }),
  z.object({ type: z.literal("text_link"), url: z.string(), ...at }),
]);

const partSchema = z.object({
  text: z.string(),
  entities: z.array(entity),
  keyboard: keyboard.exactOptional(),
  /** Rings nobody. */
  silent: z.boolean().exactOptional(),
});

export type Button = z.output<typeof button>;
export type Keyboard = z.output<typeof keyboard>;
export type TextPart = z.output<typeof partSchema>;

/** Throws `AdapterError` invalid for a part that this adapter did not make. */
export function readPart(part: Part): TextPart {
  const read = partSchema.safeParse(part);
  if (!read.success) throw new AdapterError("invalid", `Expected a part of Telegram's: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** At least one part; the buttons are on the last one. Text without anything visible becomes `…`. */
export function toParts(
  blocks: Text,
  {
    buttons = [],
    silent = false,
  }: { readonly buttons?: readonly (readonly Button[])[]; readonly silent?: boolean } = {},
): Part[] {
  const drawn = Array.from(split(eachBlock(blocks, linkable), MESSAGE), draw);
  const shown = drawn.length > 0 ? drawn : [draw([plain("…")])];
  return shown.map((message, index) => ({
    ...message,
    ...(silent && { silent }),
    ...(buttons.length > 0 && index === shown.length - 1 && { keyboard: { inline_keyboard: buttons } }),
  }));
}

/** Without what no message could hold beside its label, and without names that call somebody. */
export const linkable = (spans: readonly Span[]): Span[] => unpinged(withoutLinksOver(spans, MAX_URL));

/** A cut beside an `@` can make a name of what was none. */
function draw(group: readonly Span[]) {
  const spans = unpinged(group);
  return { text: textOf(spans), entities: toEntities(spans) };
}
