/** Names that call nobody. */
import { hasMark, marked, textOf } from "../shared/spans.ts";
import type { Span } from "../shared/spans.ts";

// Telegram: a name is 4 to 32 of A-Za-z0-9_; shorter ones exist too. No word character stands before the @.
const NAME = /(?<!\w)@(\w{2,32})(?!\w)/g;

interface Name {
  readonly start: number;
  readonly end: number;
  readonly url: string;
}

/**
 * Telegram turns `@name` into a mention that notifies, without being asked, wherever the text has one: it is looked for
 * in the joined text, as `@**name**` is one too. A text_link to the profile keeps the text as it is and takes the
 * mention's place, which notifies nobody. Code and links are safe already.
 */
export function unpinged(spans: readonly Span[]): Span[] {
  const names = namesIn(textOf(spans));
  if (names.length === 0) return [...spans];
  const safe: Span[] = [];
  let [at, next] = [0, 0];
  for (const span of spans) {
    const end = at + span.text.length;
    while ((names[next]?.end ?? Infinity) <= at) next += 1;
    safe.push(...covered(span, at, namesBefore(names, next, end)));
    at = end;
  }
  return safe;
}

const namesIn = (text: string): Name[] =>
  Array.from(text.matchAll(NAME), ({ 0: found, 1: name, index }) => ({
    start: index,
    end: index + found.length,
    url: `https://t.me/${name}`,
  }));

function namesBefore(names: readonly Name[], from: number, end: number): Name[] {
  const found: Name[] = [];
  for (let name = names[from]; name && name.start < end; name = names[from + found.length]) found.push(name);
  return found;
}

/** A span that begins at `start`, with its share of each name as a link. */
function covered(span: Span, start: number, names: readonly Name[]): Span[] {
  if (names.length === 0 || (["code", "pre", "link"] as const).some((type) => hasMark(span, type))) return [span];
  let at = 0;
  const pieces: Span[] = [];
  for (const name of names) {
    const [from, to] = [Math.max(0, name.start - start), Math.min(span.text.length, name.end - start)];
    const linked = { ...span, text: span.text.slice(from, to) };
    pieces.push({ ...span, text: span.text.slice(at, from) }, ...marked([linked], { type: "link", url: name.url }));
    at = to;
  }
  return [...pieces, { ...span, text: span.text.slice(at) }].filter((piece) => piece.text !== "");
}
