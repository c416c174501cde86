/** Links that say where they lead, and names that call nobody. */
import { safeUrl } from "../shared/markdown.ts";
import { hasMark, marked, plain, textOf, toEntities } from "./spans.ts";
import type { Span } from "./spans.ts";

/** A citation is written `[citation:Title](URL)`. */
const CITATION = /^citation:\s*/;

/** The label as a link; an address that may not become live, or that the label belies, stands beside it as text. */
export function linkSpans(label: readonly Span[], url: string): Span[] {
  const name = uncited(label.map(uncoded), url);
  const shown = textOf(name);
  const href = safeUrl(url);
  // Telegram: a text_link leads to the web; an e-mail address becomes live by itself.
  if (!href || href.startsWith("mailto:")) return shown === url || `mailto:${shown}` === url ? name : beside(name, url);
  if (shown === "") return marked([plain(href)], { type: "text_link", url: href });
  if (belies(shown, href) || name.every((span) => hasMark(span, "text_link"))) return beside(name, href);
  return marked(name, { type: "text_link", url: href });
}

const beside = (name: readonly Span[], address: string): Span[] =>
  textOf(name) === "" ? [plain(address)] : address === "" ? [...name] : [...name, plain(` (${address})`)];

/** Telegram: code cannot be a link, and where it leads is worth more than how it is set. */
const uncoded = (span: Span): Span => ({ ...span, marks: span.marks.filter((mark) => mark.type !== "code") });

function uncited(label: readonly Span[], url: string): Span[] {
  const [first, ...others] = label;
  if (!first || !CITATION.test(first.text)) return [...label];
  return [{ ...first, text: first.text.replace(CITATION, "") || url }, ...others];
}

/** As plain text, where links cannot live: each is followed by where it leads. */
export function withAddresses(spans: readonly Span[]): string {
  const links = toEntities(spans).filter((entity) => entity.type === "text_link");
  return links.toReversed().reduce((text, { url, offset, length }) => {
    const end = offset + length;
    return text.slice(offset, end) === url ? text : `${text.slice(0, end)} (${url})${text.slice(end)}`;
  }, textOf(spans));
}

/** The label looks like an address, but of another host. */
function belies(label: string, href: string): boolean {
  const host = /^\s*(?:[a-z]+:\/\/)?((?:[\w-]+\.)+[a-z]{2,})(?=[/:?#\s]|$)/i.exec(label)?.[1]?.toLowerCase();
  return host !== undefined && host !== new URL(href).hostname && `www.${host}` !== new URL(href).hostname;
}

// Telegram: a name is 4 to 32 of A-Za-z0-9_; shorter ones exist too. No word character stands before the @.
const NAME = /(?<!\w)@(\w{2,32})(?!\w)/g;

/**
 * Telegram turns `@name` into a mention that notifies, without being asked. A text_link to the profile keeps the text
 * as it is and takes the mention's place, which notifies nobody. Code and links are safe already.
 */
export function unpinged(spans: readonly Span[]): Span[] {
  return spans.flatMap((span) => {
    if (["code", "pre", "text_link"].some((type) => hasMark(span, type as "code"))) return [span];
    let at = 0;
    const pieces: Span[] = [];
    for (const found of span.text.matchAll(NAME)) {
      pieces.push({ ...span, text: span.text.slice(at, found.index) });
      const name = { ...span, text: found[0] };
      pieces.push(...marked([name], { type: "text_link", url: `https://t.me/${found[1]}` }));
      at = found.index + found[0].length;
    }
    return [...pieces, { ...span, text: span.text.slice(at) }].filter((piece) => piece.text !== "");
  });
}
