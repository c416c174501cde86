/** How Slack counts a message. */
import type { Meter } from "../shared/limit.ts";
import type { Mark, Span } from "../shared/spans.ts";
import { isTable, leadsToTable } from "./table.ts";

/** Slack: 40,000 characters a post, but `chat.update` fails above about 4,000 bytes, and every post may be edited later. */
const MAX_BYTES = 4000;
/**
 * What is not text in the JSON of the blocks: elements, styles, addresses. Slack names no figure; several times the
 * text leaves room for any ordinary one, and keeps four hundred long links from being a megabyte.
 */
const MAX_MARKUP = 24_000;
/**
 * Slack, undocumented: 11,341 characters in rich text were `msg_blocks_too_long` (slackapi/bolt-js issue 2867). Whether
 * the cells of a table count there is not known.
 */
const MAX_WITH_TABLE = 11_000;
/** `{"type":"text","text":"","style":{}},`, with what a container adds. */
const ELEMENT_BYTES = 80;
/** `"strike":true,` and the like. */
const STYLE_BYTES = 16;

/** Room for one message. */
export function MESSAGE(): Meter {
  let bytes = 0;
  let markup = 0;
  let table = 0;
  let last: Span | undefined;
  return {
    take(span, start, end) {
      if (isTable(span)) {
        const isSecond = table > 0;
        table += span.characters;
        return !isSecond && bytes + table <= MAX_WITH_TABLE;
      }
      if (leadsToTable(span) && table > 0) return false;
      if (span !== last) markup += ELEMENT_BYTES + span.marks.reduce((sum, mark) => sum + markBytes(mark), 0);
      last = span;
      bytes += utf8Bytes(span.text, start, end);
      return bytes <= MAX_BYTES && markup <= MAX_MARKUP && (table === 0 || bytes + table <= MAX_WITH_TABLE);
    },
  };
}

const markBytes = (mark: Mark): number =>
  STYLE_BYTES + (mark.type === "link" ? Buffer.byteLength(mark.url) : 0) + (mark.type === "pre" ? 60 : 0);

/** Without copying the text: each unit of a surrogate pair is half of four bytes. */
function utf8Bytes(text: string, start: number, end: number): number {
  let bytes = end - start;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
