/** List items of a text as Slack's own lists. */
import type { Json } from "../../gateway/contract.ts";
import { hasMark, INDENT } from "../shared/spans.ts";
import type { Item, Span } from "../shared/spans.ts";
import { inline, trimmedEnd } from "./inline.ts";
import type { Fields } from "./part.ts";

/** What is known of one item, and the list that it would be alone in. */
export interface ListItem {
  readonly list: Fields;
  readonly item: Item;
  readonly spans: readonly Span[];
}

/** Slack: an indent of 0 to 8. */
const DEEPEST = 8;

export function listOf(span: Span, { depth, number }: Item): Fields {
  return {
    type: "rich_text_list",
    style: number === undefined ? "bullet" : "ordered",
    indent: Math.min(depth, DEEPEST),
    ...(number !== undefined && number > 1 && { offset: number - 1 }),
    ...(hasMark(span, "quote") && { border: 1 }),
  };
}

export const isBetweenItems = (span: Span, next: Span | undefined): boolean =>
  span.text.trim() === "" && next?.item !== undefined && next.starts === "item";

/** A list holds neither code nor a second list: what an item says after one of these is a text of its own. */
export const goesOn = ({ item }: ListItem, span: Span): boolean =>
  span.item?.depth === item.depth && !hasMark(span, "pre");

/** An item without its bullet and the indent of its lines, which Slack draws. */
export function listed({ item, spans }: ListItem): Fields[] {
  const indent = `\n${INDENT.repeat(item.depth + 1)}`;
  const [sign, ...rest] = spans.map((span) => ({ ...span, text: span.text.replaceAll(indent, "\n") }));
  const own = sign ? [{ ...sign, text: sign.text.replace(/^(?:• |\d+\. )/, "") }, ...rest] : rest;
  const shown = trimmedEnd(own).filter((span) => span.text !== "");
  return shown.length > 0 ? shown.map(inline) : [{ type: "text", text: " " }];
}

/** Items of one list that follow each other are in one element; Slack counts them on. */
export function oneList(elements: readonly Fields[]): Fields[] {
  const joined: { readonly fields: Fields; readonly items: Json[] }[] = [];
  for (const { elements: items, ...fields } of elements) {
    const last = joined.at(-1);
    const more = Array.isArray(items) ? items : [];
    if (last && continuesList(last.fields, last.items.length, fields)) last.items.push(...more);
    else joined.push({ fields, items: [...more] });
  }
  return joined.map(({ fields, items }) => ({ ...fields, elements: items }));
}

function continuesList(list: Fields, items: number, next: Fields): boolean {
  if (list["type"] !== "rich_text_list" || next["type"] !== "rich_text_list") return false;
  const counted = next["style"] === "bullet" || Number(next["offset"] ?? 0) === Number(list["offset"] ?? 0) + items;
  return counted && (["style", "indent", "border"] as const).every((key) => list[key] === next[key]);
}
