/** A message without blocks, for when Slack refuses it with them. Pure. */
import type { Json, Part } from "../../gateway/contract.ts";
import { escaped } from "./escaped.ts";
import { readPart } from "./part.ts";

/** Its whole text, addresses behind their labels; Slack reads no marks in it (`mrkdwn` is off). */
export function plain(part: Part): Part {
  const { text, blocks, file } = readPart(part);
  if (blocks.length === 0) return part;
  const words = blocks.map(wordsOf).filter((one) => one !== "");
  return { text: escaped(words.join("\n")) || text, blocks: [], ...(file && { file }) };
}

type Node = Json | undefined;
const isNode = (node: Node): node is { readonly [key: string]: Json } =>
  typeof node === "object" && node !== null && !Array.isArray(node);
const list = (node: Node): readonly Json[] => (Array.isArray(node) ? node : []);

/** Of a block or an element of one, whatever its kind: what is inline runs on, all else is a line of its own. */
function wordsOf(node: Json): string {
  if (!isNode(node)) return typeof node === "string" ? node : "";
  const { type, text, elements, rows } = node;
  if (type === "actions") return "";
  if (type === "link") return linkText(node);
  if (type === "table")
    return list(rows)
      .map((row) => list(row).map(wordsOf).join(" | "))
      .join("\n");
  if (INLINE.some((one) => one === type)) return list(elements).map(wordsOf).join("");
  return typeof text === "string" ? text : lines(node);
}

/** Their elements run on in a line. */
const INLINE = ["rich_text_section", "rich_text_preformatted", "rich_text_quote"];

const lines = (node: { readonly [key: string]: Json }): string =>
  [...(node["text"] === undefined ? [] : [node["text"]]), ...list(node["elements"])].map(wordsOf).join("\n");

function linkText({ text, url }: { readonly [key: string]: Json }): string {
  if (typeof url !== "string") return "";
  if (typeof text !== "string") return url;
  return URL.parse(text)?.href === URL.parse(url)?.href ? text : `${text} (${url})`;
}
