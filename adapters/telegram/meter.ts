/** How Telegram counts a message. */
import type { Meter } from "../shared/limit.ts";
import { markKey } from "../shared/spans.ts";
import type { Mark, Span } from "../shared/spans.ts";

/** Telegram: 1 to 4096 UTF-16 units of visible text, fewer than 100 entities; a cut can make two names of what was none. */
const MAX_UNITS = 4096;
const MAX_ENTITIES = 97;
/** Telegram refuses about 9,500 bytes of entities in all: https://github.com/tdlib/telegram-bot-api/issues/165 */
const MAX_ENTITY_BYTES = 9000;
/** Type, offset and length. */
const ENTITY_BYTES = 24;

/** Room for one message. */
export function MESSAGE(): Meter {
  let units = 0;
  let entities = 0;
  let bytes = 0;
  let last: Span | undefined;
  let open: readonly string[] = [];
  /** Neighbours with the same mark share one entity. */
  const mark = (span: Span) => {
    if (span === last) return;
    last = span;
    const keys = span.marks.map(markKey);
    for (const [index, one] of span.marks.entries()) {
      if (open.includes(keys[index] ?? "")) continue;
      entities += 1;
      bytes += ENTITY_BYTES + extraBytes(one);
    }
    open = keys;
  };
  return {
    take(span, start, end) {
      mark(span);
      units += end - start;
      return units <= MAX_UNITS && entities <= MAX_ENTITIES && bytes <= MAX_ENTITY_BYTES;
    },
  };
}

function extraBytes(mark: Mark): number {
  if (mark.type === "link") return Buffer.byteLength(mark.url);
  return mark.type === "pre" ? Buffer.byteLength(mark.language ?? "") : 0;
}
