/** What a message carries below its text: tables that were pasted in, and messages that were forwarded with it. */
import { z } from "zod";

const cell = z.looseObject({ type: z.string() });
const table = z.object({ type: z.literal("table"), rows: z.array(z.array(cell)) });
const attachment = z.object({
  /** A message that somebody shares; previews of links have none. */
  is_share: z.boolean().optional(),
  author_name: z.string().optional(),
  text: z.string().optional(),
  blocks: z.array(z.unknown()).optional(),
});

/** Lines to stand below the text; in Slack's encoding, as the text itself. */
export function attachedText(attachments: readonly unknown[]): string[] {
  return attachments.flatMap((raw) => {
    const read = attachment.safeParse(raw);
    if (!read.success) return [];
    const { is_share, author_name, text, blocks = [] } = read.data;
    const shared = is_share && text ? [`${author_name ?? "Somebody"} wrote: ${text}`] : [];
    return [...shared, ...blocks.flatMap(tableText)];
  });
}

/** A line a row. */
function tableText(block: unknown): string[] {
  const read = table.safeParse(block);
  return read.success ? [read.data.rows.map((row) => row.map(textIn).join(" | ")).join("\n")] : [];
}

const leaf = z.object({ text: z.string().optional(), value: z.union([z.string(), z.number()]).optional() });

/** All text in a cell, whatever it is nested in. */
function textIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textIn).join("");
  if (typeof value !== "object" || value === null) return "";
  const read = leaf.safeParse(value);
  const own = read.success ? (read.data.text ?? read.data.value) : undefined;
  return own === undefined ? textIn("elements" in value ? value.elements : []) : String(own);
}
