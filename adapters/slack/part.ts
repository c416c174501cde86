/** One Slack message as data: what `render` makes, the outbox stores, and `send` and `edit` read. */
import { z } from "zod";
import { AdapterError } from "../../gateway/contract.ts";
import type { Json, Part } from "../../gateway/contract.ts";
import { eachBlock, plain, textOf } from "../shared/spans.ts";
import type { Span, Text } from "../shared/spans.ts";
import { shorten } from "../shared/graphemes.ts";
import { withoutLinksOver } from "../shared/long-links.ts";
import { split } from "../shared/split.ts";
import { MESSAGE } from "./meter.ts";
import { richText } from "./rich-text.ts";

export type Fields = { readonly [key: string]: Json | undefined };
export type Block = Fields;

/** Slack: an address has at most 3000 characters. */
const MAX_URL = 3000;

const partSchema = z.object({
  /** What notifications and screen readers say; escaped. */
  text: z.string().min(1),
  /** None: the text is all there is. */
  blocks: z.array(z.record(z.string(), z.json())),
  /** By which an upload is recognised. */
  file: z.object({ name: z.string(), sizeBytes: z.number() }).exactOptional(),
});
export type SlackPart = z.output<typeof partSchema>;

/** Throws `AdapterError` invalid for a part that this adapter did not make. */
export function readPart(part: Part): SlackPart {
  const read = partSchema.safeParse(part);
  if (!read.success) throw new AdapterError("invalid", `Expected a part of Slack's: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** At least one part; `actions` are below the last one. Text without anything visible becomes `…`. */
export function toParts(text: Text, actions: readonly Block[] = []): Part[] {
  const linked = eachBlock(text, (block) => withoutLinksOver(block, MAX_URL));
  const drawn = Array.from(split(linked, MESSAGE), draw);
  const shown = drawn.length > 0 ? drawn : [draw([plain("…")])];
  return shown.map(({ text, block }, index) => ({
    text,
    blocks: [block, ...(index === shown.length - 1 ? actions : [])],
  }));
}

const draw = (spans: readonly Span[]) => ({ text: fallback(textOf(spans)), block: richText(spans) });

/** The edit's limit holds for this text too; each of `&<>` becomes up to five bytes. */
const FALLBACK_BYTES = 3000;

function fallback(text: string): string {
  const candidates = [2000, 1000, 500].map((length) => escaped(shorten(text, length)));
  return candidates.find((one) => Buffer.byteLength(one) <= FALLBACK_BYTES) ?? "…";
}

/** Slack reads `<…>` as mentions and links: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
