/** What Telegram refuses. Limits: https://core.telegram.org/bots/api and facts of the platform named at each rule. */
import type { WireButton, WireEntity } from "./telegram-world.ts";

/** An answer with `ok: false`. */
export class Refusal extends Error {
  readonly status: number;
  readonly parameters: Readonly<Record<string, number>>;
  constructor(status: number, description: string, parameters: Readonly<Record<string, number>> = {}) {
    super(description);
    this.status = status;
    this.parameters = parameters;
  }
}
export const badRequest = (what: string): Refusal => new Refusal(400, `Bad Request: ${what}`);

/** Text 1 to 4096 UTF-16 units, of which something must be visible. */
export function checkText(text: string, max = 4096): void {
  if (!/[^\p{Z}\p{C}\s]/u.test(text)) throw badRequest("message text is empty");
  if (text.length > max) throw badRequest("message is too long");
  if (Buffer.from(text).toString() !== text) throw badRequest("strings must be encoded in UTF-8");
}

const ENTITY_TYPES = [
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "code",
  "pre",
  "text_link",
  "blockquote",
];

/** All entities of a message together, about: tdlib/telegram-bot-api issue 165. */
const ENTITIES_BYTES = 9500;
/** As the server writes one down: kind, offset and length, then its address or language. */
const bytesOf = ({ url = "", language = "" }: WireEntity): number => 12 + Buffer.byteLength(url + language);

/** Returns what Telegram would mend in silence, and a strict test must not overlook. */
export function checkEntities(text: string, entities: readonly WireEntity[]): string[] {
  const bytes = entities.reduce((sum, entity) => sum + bytesOf(entity), 0);
  if (entities.length > 100 || bytes > ENTITIES_BYTES) throw badRequest("ENTITIES_TOO_LONG");
  for (const { offset, length } of entities) {
    if (
      offset < 0 ||
      length < 1 ||
      offset + length > text.length ||
      tears(text, offset) ||
      tears(text, offset + length)
    ) {
      throw badRequest(`ENTITY_BOUNDS_INVALID: ${offset}+${length} of ${text.length}`);
    }
  }
  return [...entities.flatMap(checkEntity), ...crossings(entities)];
}

/** A place inside a surrogate pair. */
const tears = (text: string, at: number): boolean => /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) && at > 0;

function checkEntity(entity: WireEntity): string[] {
  if (!ENTITY_TYPES.includes(entity.type)) throw badRequest(`can't parse entities: unknown type "${entity.type}"`);
  const lost = entity.type === "text_link" && !/^(https?|tg|ton):/.test(entity.url ?? "");
  return lost ? [`a text_link to "${entity.url}" is dropped by Telegram`] : [];
}

function crossings(entities: readonly WireEntity[]): string[] {
  return entities.flatMap((a, index) =>
    entities.slice(index + 1).flatMap((b) => {
      const [start, end] = [Math.max(a.offset, b.offset), Math.min(a.offset + a.length, b.offset + b.length)];
      if (start >= end) return [];
      const inner = Math.min(a.length, b.length) === end - start;
      if (!inner) return [`entities ${a.type} and ${b.type} cross`];
      const types = [a.type, b.type];
      const exclusive = types.some((type) => type === "pre" || type === "code") && !types.includes("blockquote");
      return exclusive || a.type === b.type ? [`entities ${a.type} and ${b.type} cannot share text`] : [];
    }),
  );
}

/** callback_data 1 to 64 bytes; 8 buttons a row, 100 in all. */
export function checkKeyboard(rows: readonly (readonly WireButton[])[]): void {
  const buttons = rows.flat();
  if (buttons.length > 100 || rows.some((row) => row.length > 8)) throw badRequest("REPLY_MARKUP_TOO_LONG");
  for (const { text, callback_data: data, url } of buttons) {
    if (text.trim() === "") throw badRequest("inline keyboard button text must be non-empty");
    if (url === undefined && data === undefined) throw badRequest("text buttons are unallowed in the inline keyboard");
    const bytes = Buffer.byteLength(data ?? "x");
    if (bytes < 1 || bytes > 64) throw badRequest("BUTTON_DATA_INVALID");
  }
}

const COMMAND = /(?<![\w/@<>])\/(\w{1,32})(?:@(\w{2,32}))?(?!\w)/g;
const MENTION = /(?<!\w)@(\w{2,32})(?!\w)/g;

/** What Telegram marks by itself in what a person writes. */
export function automaticEntities(text: string): WireEntity[] {
  const at = (type: string, found: RegExpMatchArray) => ({ type, offset: found.index ?? 0, length: found[0].length });
  const commands = [...text.matchAll(COMMAND)].map((found) => at("bot_command", found));
  const mentions = [...text.matchAll(MENTION)].map((found) => at("mention", found));
  const free = mentions.filter((one) => !commands.some((command) => overlap(one, command)));
  return [...commands, ...free].toSorted((a, b) => a.offset - b.offset);
}

/** Names in a text of the bot that no code and no link covers. */
export function pingedBy(text: string, entities: readonly WireEntity[]): string[] {
  const covers = entities.filter(({ type }) => ["code", "pre", "text_link"].includes(type));
  return automaticEntities(text)
    .filter((entity) => entity.type === "mention" && !covers.some((cover) => overlap(entity, cover)))
    .map(({ offset, length }) => text.slice(offset, offset + length));
}

const overlap = (a: WireEntity, b: WireEntity): boolean =>
  a.offset < b.offset + b.length && b.offset < a.offset + a.length;
