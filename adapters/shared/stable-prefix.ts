/**
 * The beginning of a markdown text that is still being written: what is drawn of it stays, whatever comes.
 *
 * Of the last line, what could turn into something else is held back; of the last words, what is read otherwise as soon as
 * a mark, a link or math that is open is closed: those are read by the parser itself, once for each way to close them.
 *
 * What nobody can know: a link or a footnote whose definition comes at the end loses the signs around its label then; a
 * list gets blank lines between its items when a later one has them; a picture that directly follows a word begins with
 * a sign that may have ended a sentence.
 */
import type { PhrasingContent, RootContent, Table } from "mdast";
import { plainEnd } from "./graphemes.ts";
import { lastWords, markdownSource, parseMarkdown } from "./markdown.ts";
import { blockSpans, visibleWords } from "./markdown-spans.ts";
import { hasMark } from "./spans.ts";
import { UNUSED } from "./table.ts";

export function stableBlocks(markdown: string): RootContent[] {
  const text = settled(markdown);
  const root = parseMarkdown(text);
  const end = lastWords(text);
  withoutEnd(root.children, end ? unsure(end.source, end.read) : 0);
  return root.children;
}

/** Without the line, or the sign at its end, that the next character may make part of something. */
function settled(markdown: string): string {
  const whole = markdownSource(markdown.slice(0, plainEnd(markdown)));
  return withoutLines(withoutRow(withoutLines(whole, isOpen)), isFence);
}

/** An escape, an entity, an address in angle brackets, a picture's first sign. */
const UNFINISHED_SIGN = /(?:(?<!\\)\\+|&#?\w{0,32}|<[^\s<>]*|(?<![^\s])!)$/;

function withoutLines(text: string, isDropped: (line: string) => boolean): string {
  let kept = withoutSign(text);
  while (kept !== "" && isDropped(lastLine(kept))) kept = withoutSign(kept.slice(0, kept.lastIndexOf("\n") + 1));
  return kept;
}

const withoutSign = (text: string): string => text.trimEnd().replace(UNFINISHED_SIGN, "").trimEnd();

const CONTAINERS = /^(?:[\s>]|[-+*]\s|\d{1,9}[.)]\s)*/;
const lastLine = (text: string): string => text.slice(text.lastIndexOf("\n") + 1).replace(CONTAINERS, "");

/** Signs that may be a list's, a rule's, a fence's, a heading's underline's or a table's; a number, a box. */
const SIGNS = /^(?:[-+*_=~`#>|:\s]|\d{1,9}[.)]?(?=\s|$)|\[(?:[xX]\]?| \]|\])?)*$/;
/** A definition that has no address yet, or what may become one. */
const DEFINITION = /^\[[^\]\n]*(?:\]:?)?$/;

const isFence = (line: string): boolean => /^(?:`{3,}|~{3,})/.test(line);
const isOpen = (line: string): boolean => SIGNS.test(line) || isFence(line) || DEFINITION.test(line);

/** A line with a bar may become a table's header, or be half a row. */
function withoutRow(text: string): string {
  const bar = text.indexOf("|", text.lastIndexOf("\n") + 1);
  return bar < 0 ? text : text.slice(0, bar);
}

/** By a sign in the text: what may close what it opens, or what it is part of. */
const CLOSERS: Readonly<Record<string, readonly string[]>> = {
  "*": ["*", "**", "***", "x*", "x**", "x***", "x"],
  _: ["_", "__", "___", "x_", "x__", "x"],
  "~": ["~", "~~", "x~", "x~~", "x"],
  "`": ["`", "``", "```", "x`", "x``"],
  "[": [
    "]",
    "](https://e.example)",
    "](https://e.example)](https://e.example)",
    ")](https://e.example)",
    "(https://e.example)",
    "https://e.example)",
    ")",
    ">)",
    '")',
    "')",
  ],
  $: ["$", "$$", "x$", "x$$"],
  "\\": ["\\)", "\\]"],
};

/** `[label][re`: whether it is a link is known when its name is. */
const HALF_REFERENCE = /\]\[[^\][]*$/;

/** A sign that is open is seen; one at the end may have closed what another one closes better. */
function closings(source: string, seen: string): string[] {
  const signs = seen + source.slice(-8) + (source.includes("\\") ? "\\" : "");
  const ways = Object.entries(CLOSERS).flatMap(([sign, each]) => (signs.includes(sign) ? each : []));
  const closed = Array.from(new Set(ways), (closer) => source + closer);
  return HALF_REFERENCE.test(source) ? [...closed, source.replace(HALF_REFERENCE, "](https://e.example)")] : closed;
}

/** How many of the last visible characters depend on what comes. */
function unsure(source: string, read: (source: string) => readonly PhrasingContent[]): number {
  const now = visibleWords(read(source));
  let sure = now.length;
  for (const closed of closings(source, now)) sure = commonLength(now, visibleWords(read(closed)), sure);
  return now.length - sure;
}

function commonLength(a: string, b: string, most: number): number {
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}

/** Takes so many visible characters away from the end; what has nothing left to show goes with them. */
function withoutEnd(nodes: RootContent[], count: number): void {
  const last = nodes.at(-1);
  if (!last) return;
  if (last.type === "paragraph" || last.type === "heading") dropEnd(last.children, count);
  else if (last.type !== "table" && "children" in last) withoutEnd(last.children, count);
  if (last.type === "table" ? !isStable(last) : "children" in last && last.children.length === 0) nodes.pop();
}

/** One that is aligned is aligned anew with each row; a wide one grows row by row. */
const isStable = (table: Table): boolean =>
  !Array.from(blockSpans([table]))
    .flat()
    .some((span) => hasMark(span, "pre") || span.text === UNUSED);

function dropEnd(nodes: PhrasingContent[], count: number): void {
  for (let left = count; left > 0;) {
    const last = nodes.pop();
    if (!last) return;
    const length = visibleWords([last]).length;
    if (length > left) nodes.push(...shortened(last, length - left, left));
    left -= length;
  }
}

/** What is a whole only as a whole is left out. */
function shortened(node: PhrasingContent, keep: number, count: number): PhrasingContent[] {
  if (node.type === "text") return [{ ...node, value: node.value.slice(0, keep) }];
  if (node.type !== "strong" && node.type !== "emphasis" && node.type !== "delete") return [];
  const children = [...node.children];
  dropEnd(children, count);
  return [{ ...node, children }];
}
