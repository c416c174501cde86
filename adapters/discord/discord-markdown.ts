/** Styled text in Discord's own markdown, which knows neither longer fences nor escapes inside code. */
import { readAddress } from "../shared/address.ts";
import { hasMark, textOf } from "../shared/spans.ts";
import type { Mark, Span } from "../shared/spans.ts";
import { linkOf } from "../shared/link.ts";
import { withoutLinksOver } from "../shared/long-links.ts";
import { escapeText } from "./escape.ts";

/** Shows nothing, and keeps apart what Discord would read as one. */
const ZERO_WIDTH = "\u200b";
/** A longer address does not fit a message beside its label: it is shown as text, which can be cut. */
const LONGEST_LINKED = 1000;

/** The text as `content`: nothing in it but the given marks means anything to Discord. */
export function discordMarkdown(spans: readonly Span[]): string {
  const groups = runs(spans, (span) => String(hasMark(span, "quote")));
  return stacked(
    groups.map((group) => {
      const isBlock = group.some((span) => hasMark(span, "quote"));
      return { isBlock, text: isBlock ? quote(body(group)) : body(group) };
    }),
  );
}

const quote = (text: string): string => `> ${text.replaceAll("\n", "\n> ")}`;

function body(spans: readonly Span[]): string {
  const groups = runs(spans, (span, index) => (hasMark(span, "pre") ? `pre ${index}` : "text"));
  return stacked(
    groups.map((group) => {
      const pre = group[0]?.marks.find((mark) => mark.type === "pre");
      return { isBlock: pre !== undefined, text: pre ? fenced(textOf(group), pre.language) : inline(group) };
    }),
  );
}

/** A block has lines of its own, and what follows one begins a new line. */
function stacked(groups: readonly { readonly isBlock: boolean; readonly text: string }[]): string {
  let shown = "";
  for (const [index, { isBlock, text }] of groups.entries()) {
    const isApart = isBlock ? shown.endsWith("\n") : !groups[index - 1]?.isBlock || text.startsWith("\n");
    shown += shown === "" || isApart ? text : `\n${text}`;
  }
  return shown;
}

/** Discord knows fences of three only: a run of three inside is torn by what shows nothing. */
function fenced(text: string, language = ""): string {
  const lang = shownLanguage(language);
  return `\`\`\`${lang}\n${text.replaceAll("``", `\`${ZERO_WIDTH}\``)}\n\`\`\``;
}

export const shownLanguage = (language: string): string => (/^[\w+#.-]{1,30}$/.test(language) ? language : "");

/** From the outer mark to the inner one. */
export const INLINE = ["link", "bold", "italic", "strikethrough"] as const;

function inline(spans: readonly Span[], marks: readonly Mark["type"][] = INLINE): string {
  const [type, ...inner] = marks;
  if (!type) return apart(spans.map((span) => (hasMark(span, "code") ? code(span.text) : escapeText(span.text))));
  const groups = runs(spans, (span) => (type === "link" ? `${linkOf(span)?.url}` : String(hasMark(span, type))));
  return apart(
    groups.map((group) => {
      const mark = group[0]?.marks.find((one) => one.type === type);
      return mark ? wrapped(inline(group, inner), mark, textOf(group)) : inline(group, inner);
    }),
  );
}

/** Two delimiters that touch would be read as one of another kind. */
function apart(texts: readonly string[]): string {
  let last = "";
  return texts
    .map((text) => {
      const touches = last !== "" && "*~`".includes(last) && text.startsWith(last);
      last = text.at(-1) ?? last;
      return touches ? ZERO_WIDTH + text : text;
    })
    .join("");
}

/** Delimiters stand at the words: beside blanks Discord does not read them as such. */
function wrapped(markdown: string, mark: Mark, text: string): string {
  const core = markdown.trim();
  if (core === "") return markdown;
  const lead = markdown.length - markdown.trimStart().length;
  return markdown.slice(0, lead) + styled(core, mark, text.trim()) + markdown.slice(lead + core.length);
}

function styled(core: string, mark: Mark, text: string): string {
  switch (mark.type) {
    case "bold":
      return `**${core}**`;
    case "italic":
      return `*${core}*`;
    case "strikethrough":
      return `~~${core}~~`;
    case "link":
      return link(core, mark.url, text);
    case "code":
    case "pre":
    case "quote":
      return core;
  }
}

/** A label with brackets or an address in it cannot be a masked link: the address follows it. */
function link(label: string, url: string, text: string): string {
  const address = linkedAddress(url);
  if (isAddress(text, url)) return `<${text}>`;
  return /[[\]\n]|:\/\//.test(text) ? `${label} (<${address}>)` : `[${label}](<${address}>)`;
}

export const linkedAddress = (url: string): string =>
  url.replaceAll(/[()\\<>\s"]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The label is the address itself, as somebody wrote it. */
export const isAddress = (text: string, url: string): boolean =>
  /^https?:\/\/[^\s<>\\]+$/.test(text) && readAddress(text)?.href === url;

/** Inside code nothing can be escaped: two backticks around, and no two together within. */
function code(text: string): string {
  if (!text.includes("`")) return `\`${text}\``;
  const torn = text.replaceAll(/`(?=`)/g, `\`${ZERO_WIDTH}`);
  return `\`\` ${torn} \`\``;
}

/** To be called before a text is split. */
export const withoutLongLinks = (spans: readonly Span[]): Span[] => withoutLinksOver(spans, LONGEST_LINKED);

/** Neighbours with the same key together. */
function runs(spans: readonly Span[], keyOf: (span: Span, index: number) => string): Span[][] {
  const found: { readonly key: string; readonly spans: Span[] }[] = [];
  for (const [index, span] of spans.entries()) {
    const key = keyOf(span, index);
    const last = found.at(-1);
    if (last?.key === key) last.spans.push(span);
    else found.push({ key, spans: [span] });
  }
  return found.map((run) => run.spans);
}
