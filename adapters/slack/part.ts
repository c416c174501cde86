/** One Slack message as data: what `render` makes, the outbox stores, and `send` and `edit` read. */
import { z } from "zod";
import { AdapterError } from "../../gateway/contract.ts";
import type { Json, Part } from "../../gateway/contract.ts";
import { eachBlock, plain } from "../shared/spans.ts";
import type { Span, Text } from "../shared/spans.ts";
import { shorten } from "../shared/graphemes.ts";
import { split } from "../shared/split.ts";
import { escaped } from "./escaped.ts";
import { trimmedEnd, trimmedStart, withoutLongLinks } from "./inline.ts";
import { MESSAGE } from "./meter.ts";
import { richText } from "./rich-text.ts";
import { isTable } from "./table.ts";

/** An answer of more messages is shown as a file. */
export const ANSWER_PARTS = 5;

export type Fields = { readonly [key: string]: Json | undefined };
export type Block = Fields;

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
  const linked = eachBlock(text, withoutLongLinks);
  const drawn = Array.from(split(linked, MESSAGE), draw);
  const shown = drawn.length > 0 ? drawn : [draw([plain("…")])];
  return shown.map(({ text, blocks }, index) => ({
    text,
    blocks: [...blocks, ...(index === shown.length - 1 ? actions : [])],
  }));
}

const draw = (spans: readonly Span[]) => ({ text: fallback(wordsOf(spans)), blocks: blocksOf(spans) });

const wordsOf = (spans: readonly Span[]): string =>
  spans.map((span) => (isTable(span) ? span.words : span.text)).join("");

function blocksOf(spans: readonly Span[]): Block[] {
  const table = spans.find(isTable);
  if (!table) return [richText(spans)];
  const at = spans.indexOf(table);
  return [...textBlock(trimmedEnd(spans.slice(0, at))), table.block, ...textBlock(trimmedStart(spans.slice(at + 1)))];
}

const textBlock = (spans: readonly Span[]): Block[] => (spans.length > 0 ? [richText(spans)] : []);

/** The edit's limit holds for this text too; each of `&<>` becomes up to five bytes. */
const FALLBACK_BYTES = 3000;

function fallback(text: string): string {
  const candidates = [2000, 1000, 500].map((length) => escaped(shorten(text, length)));
  return candidates.find((one) => Buffer.byteLength(one) <= FALLBACK_BYTES) ?? "…";
}
