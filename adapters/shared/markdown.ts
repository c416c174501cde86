/** Model text is parsed once, here, into a tree that each platform draws in its own way. */
import type { Delete, Emphasis, PhrasingContent, Root, RootContent, Strong } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** GitHub-flavoured markdown as a tree. Never throws: any text is valid markdown. Raw HTML stays `html` nodes. */
export function parseMarkdown(text: string): Root {
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  keepDelimiters(root, text);
  return root;
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
