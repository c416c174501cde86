/** Styled text in Discord's own markdown, which knows neither longer fences nor escapes inside code. */
import { hasMark, plain, textOf } from "../shared/spans.ts";
import type { Mark, Span } from "../shared/spans.ts";
import { linkOf } from "../shared/link.ts";
import { escapeText } from "./escape.ts";

/** Shows nothing, and keeps apart what Discord would read as one. */
const ZERO_WIDTH = "\u200b";
/** A longer address does not fit a message beside its label: it is shown as text, which can be cut. */
const LONGEST_LINKED = 1000;

/** The text as `content`: nothing in it but the given marks means anything to Discord. */
export function discordMarkdown(spans: readonly Span[]): string {
  const groups = runs(spans, (span) => String(hasMark(span, "quote")));
  return groups.reduce((before, group) => {
    const quoted = group.some((span) => hasMark(span, "quote"));
    return quoted ? onOwnLines(before, quote(body(group))) : before + inNewLine(before, body(group));
  }, "");
}

const quote = (text: string): string => text.replaceAll(/^/gm, "> ");

function body(spans: readonly Span[]): string {
  const groups = runs(spans, (span, index) => (hasMark(span, "pre") ? `pre ${index}` : "text"));
  return groups.reduce((before, group) => {
    const pre = group[0]?.marks.find((mark) => mark.type === "pre");
    return pre ? onOwnLines(before, fenced(textOf(group), pre.language)) : before + inNewLine(before, inline(group));
  }, "");
}

const onOwnLines = (before: string, block: string): string =>
  before === "" || before.endsWith("\n") ? before + block : `${before}\n${block}`;

/** What follows a block begins a line of its own. */
const inNewLine = (before: string, text: string): string =>
  /(?:^|\n)(?:> .*|```)$/.test(before) && !text.startsWith("\n") ? `\n${text}` : text;

/** Discord knows fences of three only: a run of three inside is torn by what shows nothing. */
function fenced(text: string, language = ""): string {
  const lang = /^[\w+#.-]{1,30}$/.test(language) ? language : "";
  return `\`\`\`${lang}\n${text.replaceAll("``", `\`${ZERO_WIDTH}\``)}\n\`\`\``;
}

const INLINE = ["link", "bold", "italic", "strikethrough"] as const;

function inline(spans: readonly Span[], marks: readonly Mark["type"][] = INLINE): string {
  const [type, ...inner] = marks;
  if (!type)
    return spans.map((span) => (hasMark(span, "code") ? code(span.text) : escapeText(span.text))).reduce(apart, "");
  const groups = runs(spans, (span) => (type === "link" ? `${linkOf(span)?.url}` : String(hasMark(span, type))));
  return groups
    .map((group) => {
      const mark = group[0]?.marks.find((one) => one.type === type);
      return mark ? wrapped(inline(group, inner), mark, textOf(group)) : inline(group, inner);
    })
    .reduce(apart, "");
}

/** Two delimiters that touch would be read as one of another kind. */
const apart = (before: string, text: string): string =>
  /[*~`]$/.test(before) && text.startsWith(before.slice(-1)) ? before + ZERO_WIDTH + text : before + text;

/** Delimiters stand at the words: beside blanks Discord does not read them as such. */
function wrapped(markdown: string, mark: Mark, text: string): string {
  const [, lead = "", core = "", trail = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(markdown) ?? [];
  if (core === "") return markdown;
  return lead + styled(core, mark, text.trim()) + trail;
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
  const address = url.replaceAll(
    /[()\\<>\s"]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (isAddress(text, url)) return `<${text}>`;
  return /[[\]\n]|:\/\//.test(text) ? `${label} (<${address}>)` : `[${label}](<${address}>)`;
}

/** The label is the address itself, as somebody wrote it. */
const isAddress = (text: string, url: string): boolean =>
  /^https?:\/\/[^\s<>\\]+$/.test(text) && URL.canParse(text) && new URL(text).href === url;

/** Inside code nothing can be escaped: two backticks around, and no two together within. */
function code(text: string): string {
  if (!text.includes("`")) return `\`${text}\``;
  const torn = text.replaceAll(/`(?=`)/g, `\`${ZERO_WIDTH}`);
  return `\`\` ${torn} \`\``;
}

/** To be called before a text is split: no link is left that would not fit one message. */
export const withoutLongLinks = (spans: readonly Span[]): Span[] => spans.flatMap(withoutLongLink);

function withoutLongLink(span: Span): Span[] {
  const url = linkOf(span)?.url ?? "";
  if (url.length <= LONGEST_LINKED) return [span];
  const marks = span.marks.filter((mark) => mark.type !== "link");
  return span.text === url ? [{ text: url, marks }] : [{ text: span.text, marks }, plain(` (${url})`)];
}

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
