/** A message without entities and buttons, for when Telegram refuses it with them. Pure. */
import type { Part } from "../../gateway/contract.ts";
import { readPart } from "./part.ts";
import type { TextPart } from "./part.ts";

/** Telegram: UTF-16 units of text. */
const MAX_TEXT = 4096;

/** Addresses stand behind their labels, where there is room for them all. */
export function plain(part: Part): Part {
  const { text, entities, silent } = readPart(part);
  const spelled = withAddresses(text, entities);
  return {
    text: unpinged(spelled.length <= MAX_TEXT ? spelled : text),
    entities: [],
    ...(silent && { silent }),
  };
}

function withAddresses(text: string, entities: TextPart["entities"]): string {
  const links = entities.filter((entity) => entity.type === "text_link").toSorted((a, b) => a.offset - b.offset);
  let at = 0;
  let spelled = "";
  for (const { offset, length, url } of links) {
    const end = offset + length;
    const label = text.slice(offset, end);
    spelled += text.slice(at, end);
    // The link on a name is ours, and only keeps it from calling anybody.
    if (URL.parse(label)?.href !== url && !label.startsWith("@")) spelled += ` (${url})`;
    at = end;
  }
  return spelled + text.slice(at);
}

/** With no entity to cover it, `@name` would notify that person: a sign of the same look and length does not. */
const unpinged = (text: string): string => text.replaceAll(/(?<!\w)@(?=\w)/g, "＠");
