/** Links that say where they lead. */
import { safeUrl } from "./markdown.ts";
import { hasMark, marked, plain, textOf } from "./spans.ts";
import type { Mark, Span } from "./spans.ts";

/** A citation is written `[citation:Title](URL)`. */
const CITATION = /^citation:\s*/;

/** The label as a link; an address that may not become live, or that the label belies, stands beside it as text. */
export function linkSpans(label: readonly Span[], url: string): Span[] {
  const name = uncited(label.map(uncoded), url);
  const shown = textOf(name);
  const href = safeUrl(url);
  // An e-mail address becomes live by itself where it can, and Telegram's links lead to the web only.
  if (!href || href.startsWith("mailto:")) return shown === url || `mailto:${shown}` === url ? name : beside(name, url);
  if (shown === "") return marked([plain(href)], { type: "link", url: href });
  if (belies(shown, href) || name.every((span) => hasMark(span, "link"))) return beside(name, href);
  return marked(name, { type: "link", url: href });
}

const beside = (name: readonly Span[], address: string): Span[] =>
  textOf(name) === "" ? [plain(address)] : address === "" ? [...name] : [...name, plain(` (${address})`)];

/** Code cannot be a link everywhere, and where it leads is worth more than how it is set. */
const uncoded = (span: Span): Span => ({ ...span, marks: span.marks.filter((mark) => mark.type !== "code") });

function uncited(label: readonly Span[], url: string): Span[] {
  const [first, ...others] = label;
  if (!first || !CITATION.test(first.text)) return [...label];
  return [{ ...first, text: first.text.replace(CITATION, "") || url }, ...others];
}

/** As plain text, where links cannot live: each is followed by where it leads. */
export function withAddresses(spans: readonly Span[]): string {
  const groups: { readonly url: string | undefined; text: string }[] = [];
  for (const span of spans) {
    const url = linkOf(span)?.url;
    const last = groups.at(-1);
    if (last && last.url === url) last.text += span.text;
    else groups.push({ url, text: span.text });
  }
  return groups.map(({ url, text }) => (url === undefined || url === text ? text : `${text} (${url})`)).join("");
}

export const linkOf = (span: Span): Extract<Mark, { type: "link" }> | undefined =>
  span.marks.find((mark) => mark.type === "link");

const HOST = String.raw`((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,})(?![\p{L}\p{N}_-])`;
/** A host at the beginning, one with a scheme, or one that nobody takes for the name of a file. */
const HOSTS = [
  new RegExp(String.raw`^[^\p{L}\p{N}]*${HOST}`, "giu"),
  new RegExp(String.raw`:\/\/${HOST}`, "giu"),
  /(?<![\p{L}\p{N}_.-])((?:[\p{L}\p{N}_-]+\.)+(?:com|org|net|edu|gov|io|co|app|info|biz|me|eu|uk|de))(?![\p{L}\p{N}_-])/giu,
];
/** Characters that show nothing, and would hide a host from the patterns. */
const INVISIBLE = /[\u034f\p{Cf}\u115f\u1160\u3164\uffa0]|\u17b4|\u17b5/gu;

/** The label names a host, but another one than it leads to. */
function belies(label: string, href: string): boolean {
  const { hostname } = new URL(href);
  const shown = label.replaceAll(INVISIBLE, "");
  const named = HOSTS.flatMap((pattern) => [...shown.matchAll(pattern)]).map(([, host = ""]) => host.toLowerCase());
  const bare = (host: string) => host.replace(/^www\./, "");
  return named.some((host) => bare(host) !== bare(hostname));
}
