/** Links that say where they lead: one rule for the chats and for the page. */
import { readAddress } from "./address.ts";
import { namesOtherHost } from "./named-hosts.ts";
import { hasMark, marked, plain, textOf } from "./spans.ts";
import type { Mark, Span } from "./spans.ts";

/** A citation is written `[citation:Title](URL)`. */
const CITATION = /^citation:\s*/i;

/** What a link without a name, a picture without a description is called. */
export const labelOr = (label: string | null | undefined): string => label || "image";

export const withoutCitation = (label: string, url: string): string =>
  CITATION.test(label) ? label.replace(CITATION, "") || url : label;

/**
 * The address that may become live: http, https or mailto; anything else is shown as plain text. Names and passwords in
 * it are left out: they log nobody in, and `https://bank.example@evil.example` shows the wrong host.
 */
function safeAddress(
  url: string,
): { readonly href: string; readonly written: string; readonly hostname: string } | undefined {
  const address = readAddress(url);
  if (!address || !["http:", "https:", "mailto:"].includes(address.protocol)) return undefined;
  const { href: written, hostname } = address;
  if (address.username === "" && address.password === "") return { href: written, written, hostname };
  address.username = "";
  address.password = "";
  return { href: address.href, written, hostname };
}

/** What a link is drawn as: live under its label, or as its label with the address beside it, which may be no more to tell. */
export type DrawnLink =
  | { readonly type: "live"; readonly href: string }
  | { readonly type: "words"; readonly address: string };

/** `holdsLink`: the label is, or holds, a link of its own. */
export function drawnLink(label: string, url: string, holdsLink: boolean): DrawnLink {
  const address = safeAddress(url);
  if (!address) return { type: "words", address: label === url ? "" : url };
  const { href, written, hostname } = address;
  if (holdsLink) return { type: "words", address: href };
  // An address that stands for itself cannot lie, unless a name in it looks like the host.
  const mayLie = !href.startsWith("mailto:") && (label !== url || written !== href);
  if (mayLie && namesOtherHost(label, hostname)) return { type: "words", address: href };
  return { type: "live", href };
}

/** The label as a link; an address that may not become live, or that the label belies, stands beside it as text. */
export function linkSpans(label: readonly Span[], url: string): Span[] {
  const name = uncited(label.map(uncoded), url);
  const shown = textOf(name);
  const drawn = drawnLink(shown, url, name.length > 0 && name.every((span) => hasMark(span, "link")));
  if (drawn.type === "words") return beside(name, drawn.address);
  // An e-mail address becomes live by itself where it can, and Telegram's links lead to the web only.
  if (drawn.href.startsWith("mailto:")) return beside(name, shown === url || `mailto:${shown}` === url ? "" : url);
  return marked(shown === "" ? [plain(drawn.href)] : name, { type: "link", url: drawn.href });
}

const beside = (name: readonly Span[], address: string): Span[] =>
  textOf(name) === "" ? [plain(address)] : address === "" ? [...name] : [...name, plain(` (${address})`)];

/** Code cannot be a link everywhere, and where it leads is worth more than how it is set. */
const uncoded = (span: Span): Span => ({ ...span, marks: span.marks.filter((mark) => mark.type !== "code") });

function uncited([first, ...others]: readonly Span[], url: string): Span[] {
  return first ? [{ ...first, text: withoutCitation(first.text, url) }, ...others] : [];
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
