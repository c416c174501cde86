/** Model text is parsed once, here, into a tree that each platform draws in its own way. */
import type { Delete, Emphasis, PhrasingContent, Root, RootContent, Strong } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/**
 * Characters of one paragraph, list or table that are still parsed. The parser takes quadratic time over one long
 * construct: 200 kB of `_a_ ` took over a minute, in which nobody else was served.
 */
const LONGEST_PIECE = 16_000;
/** A line that opens this many quotes or lists is not meant for people, and nests deeper than a stack. */
const TOO_NESTED = /^(?:[ \t]*(?:>|[-*+](?=\s)|\d+[.)](?=\s))){100}/m;

/**
 * GitHub-flavoured markdown as a tree. Never throws: any text is valid markdown. Raw HTML stays `html` nodes. What is
 * longer or more deeply nested than anybody writes is shown as it is written.
 */
export function parseMarkdown(text: string): Root {
  if (text.length <= LONGEST_PIECE && !TOO_NESTED.test(text)) return parse(text);
  const children: RootContent[] = [];
  for (const part of readableParts(text)) {
    if (part.readable) children.push(...parse(part.text).children);
    else children.push({ type: "paragraph", children: [{ type: "text", value: part.text }] });
  }
  return { type: "root", children };
}

function parse(text: string): Root {
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  keepDelimiters(root, text);
  return root;
}

/** The text cut around what is not to be parsed; all between two cuts stays together, as lists and references need. */
function readableParts(text: string): { text: string; readable: boolean }[] {
  const parts: { text: string; readable: boolean }[] = [];
  for (const piece of pieces(text)) {
    const isFence = /^\s*(?:```|~~~)/.test(piece);
    const readable = isFence || (piece.length <= LONGEST_PIECE && !TOO_NESTED.test(piece));
    const last = parts.at(-1);
    if (last?.readable && readable) last.text += `\n\n${piece}`;
    else parts.push({ text: piece, readable });
  }
  return parts;
}

/** Cut at blank lines, but not inside a fence. */
function pieces(text: string): string[] {
  const found: string[] = [];
  let fence: string | undefined;
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = undefined;
    if (line.trim() !== "" || fence) {
      lines.push(line);
      continue;
    }
    if (lines.length > 0) found.push(lines.join("\n"));
    lines = [];
  }
  return lines.length > 0 ? [...found, lines.join("\n")] : found;
}

type Emphasised = Emphasis | Strong | Delete;
const isEmphasised = (node: RootContent): node is Emphasised => ["emphasis", "strong", "delete"].includes(node.type);

/** `2*3*4` multiplies and `10~20~30` are ranges: between two ASCII word characters the delimiters are text. */
function keepDelimiters(parent: { children: RootContent[] }, source: string): void {
  parent.children = parent.children.flatMap((node): RootContent[] => {
    if ("children" in node) keepDelimiters(node, source);
    if (!isEmphasised(node) || !isInsideWord(node, source)) return [node];
    const delimiter: PhrasingContent = { type: "text", value: delimiterOf(node, source) };
    return [delimiter, ...node.children, { ...delimiter }];
  });
}

function isInsideWord({ position }: Emphasised, source: string): boolean {
  const [start, end] = [position?.start.offset, position?.end.offset];
  return Boolean(start && end && /^\w\w$/.test(`${source[start - 1]}${source[end]}`));
}

function delimiterOf({ position, children }: Emphasised, source: string): string {
  const inside = children[0]?.position?.start.offset;
  return /^(\*+|_+|~+)/.exec(source.slice(position?.start.offset, inside))?.[0] ?? "";
}

/** The address of a link that may become live: http, https or mailto; anything else is shown as plain text. */
export function safeUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return ["http:", "https:", "mailto:"].includes(protocol) ? href : undefined;
}
