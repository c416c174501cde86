/** Names that call nobody. */
import { hasMark, marked } from "../shared/spans.ts";
import type { Span } from "../shared/spans.ts";

// Telegram: a name is 4 to 32 of A-Za-z0-9_; shorter ones exist too. No word character stands before the @.
const NAME = /(?<!\w)@(\w{2,32})(?!\w)/g;

/**
 * Telegram turns `@name` into a mention that notifies, without being asked. A text_link to the profile keeps the text
 * as it is and takes the mention's place, which notifies nobody. Code and links are safe already.
 */
export function unpinged(spans: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    if ((["code", "pre", "link"] as const).some((type) => hasMark(span, type))) return [span];
    let at = 0;
    const pieces: Span[] = [];
    for (const found of span.text.matchAll(NAME)) {
      pieces.push({ ...span, text: span.text.slice(at, found.index) });
      const name = { ...span, text: found[0] };
      pieces.push(...marked([name], { type: "link", url: `https://t.me/${found[1]}` }));
      at = found.index + found[0].length;
    }
    return [...pieces, { ...span, text: span.text.slice(at) }].filter((piece) => piece.text !== "");
  });
}
