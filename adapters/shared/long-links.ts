/** Links that no message could hold. */
import { readAddress } from "./address.ts";
import { linkOf } from "./link.ts";
import type { Span } from "./spans.ts";

/** To be called before a text is split: an address longer than `max` is text behind its label, which can be cut. */
export function withoutLinksOver(spans: readonly Span[], max: number): Span[] {
  return spans.flatMap((span, index) => {
    const url = linkOf(span)?.url ?? "";
    if (url.length <= max) return [span];
    const bare = { ...span, marks: span.marks.filter((mark) => mark.type !== "link") };
    const next = spans[index + 1];
    const goesOn = next !== undefined && linkOf(next)?.url === url;
    return readAddress(span.text)?.href === url || goesOn ? [bare] : [bare, beside(span, url)];
  });
}

/** In the quote and the list item that the label is in. */
const beside = ({ marks, item }: Span, url: string): Span => ({
  text: ` (${url})`,
  marks: marks.filter((mark) => mark.type === "quote"),
  ...(item && { item }),
});
