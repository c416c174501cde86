/** A reply that is still being written, as far as there is room for it. */
import { boundaryBefore } from "./graphemes.ts";
import { fits, takeAll } from "./limit.ts";
import type { Limit } from "./limit.ts";
import { blockSpans } from "./markdown-spans.ts";
import { plain, textOf } from "./spans.ts";
import type { Span } from "./spans.ts";
import { stableBlocks } from "./stable-prefix.ts";

/** It is drawn again with every edit: no more is read than a message of any platform can show, addresses included. */
const LONGEST_SOURCE = 8000;
const ELLIPSIS = plain(" …");

/**
 * What has been shown stays while more comes. Once there is no more room the beginning stands still, with `…` at its end.
 * Empty: nothing can be shown so far.
 */
export function growingSpans(markdown: string, room: Limit): Span[] {
  const all = Array.from(blockSpans(stableBlocks(markdown.slice(0, LONGEST_SOURCE)))).flat();
  const roomBefore = withEllipsis(room);
  const isWhole = markdown.length <= LONGEST_SOURCE && fits(all, roomBefore);
  const shown = isWhole ? all : beginning(all, roomBefore);
  if (textOf(shown).trim() === "") return [];
  return isWhole ? shown : [...shown, ELLIPSIS];
}

function withEllipsis(room: Limit): Limit {
  return () => {
    const meter = room();
    takeAll(meter, [ELLIPSIS]);
    return meter;
  };
}

/**
 * As many characters as fit. Not up to a better place to cut: such a place may come further on, or be further back than
 * what has been shown.
 */
function beginning(spans: readonly Span[], room: Limit): Span[] {
  const text = textOf(spans);
  let [fitting, tooMany] = [0, text.length + 1];
  while (tooMany - fitting > 1) {
    const middle = (fitting + tooMany) >> 1;
    if (fits(upTo(spans, middle), room)) fitting = middle;
    else tooMany = middle;
  }
  return fitting === 0 ? [] : upTo(spans, fitting === text.length ? fitting : boundaryBefore(text, fitting));
}

function upTo(spans: readonly Span[], end: number): Span[] {
  const kept: Span[] = [];
  let at = 0;
  for (const span of spans) {
    if (at >= end) break;
    kept.push({ ...span, text: span.text.slice(0, end - at) });
    at += span.text.length;
  }
  return kept;
}
