/** Model text as HTML that is safe to put into the page: everything the model may not do is left out here. */
import type { Element, ElementContent, Nodes, Properties } from "hast";
import { type Schema, sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import type { FootnoteDefinition, FootnoteReference, Link, List, ListItem, Root } from "mdast";
import { defaultHandlers, type Handlers, toHast } from "mdast-util-to-hast";
import { drawnLink, labelOr, withoutCitation } from "../shared/link.ts";
import { parseMarkdown } from "../shared/markdown.ts";
import { stableBlocks } from "../shared/stable-prefix.ts";

/** GitHub-flavoured markdown → HTML: no scripts, no remote loads, raw HTML as text, links only where `drawnLink` agrees. */
export const richText = (markdown: string): string => htmlOf(parseMarkdown(markdown));

/**
 * Of a growing reply: drawn again some ten times a second, and what is longer than four minutes' reading is not read
 * before the reply itself comes.
 */
const GROWING_LENGTH = 6000;

/** What has been shown of a reply stays where it was while more of it comes. */
export function growingText(markdown: string): string {
  const children = stableBlocks(markdown.slice(0, GROWING_LENGTH));
  const isCut = markdown.length > GROWING_LENGTH;
  if (isCut) children.push({ type: "paragraph", children: [{ type: "text", value: "…" }] });
  return htmlOf({ type: "root", children });
}

function htmlOf(markdown: Root): string {
  const tree = sanitize(toHast(markdown, { handlers }), schema);
  followReader(tree);
  return toHtml(tree);
}

/** What somebody asked, word for word. */
export const quotedText = (author: string, said: string): string =>
  toHtml([
    element("p", {}, [element("strong", {}, [text(author)]), text(" asked:")]),
    element("blockquote", { dir: "auto" }, [text(said)]),
  ]);

const text = (value: string): ElementContent => ({ type: "text", value });
const element = (tagName: string, properties: Properties, children: ElementContent[]): Element => ({
  type: "element",
  tagName,
  properties,
  children,
});

const handlers: Handlers = {
  link: (state, node: Link) => link(node.url, state.all(node)),
  image: (_state, node: { alt?: string | null; url: string }) => link(node.url, [text(labelOr(node.alt))]),
  footnoteReference: (_state, node: FootnoteReference) => text(`[${node.label ?? node.identifier}]`),
  footnoteDefinition: (state, node: FootnoteDefinition) => [
    element("p", {}, [text(`[${node.label ?? node.identifier}]`)]),
    ...state.all(node),
  ],
  // The default looks through the whole list for each item, to see whether it stands apart.
  list: (state, node: List) => {
    const spread = node.spread === true || node.children.some((item) => item.spread);
    return defaultHandlers.list(state, { ...node, children: node.children.map((item) => ({ ...item, spread })) });
  },
  listItem: (state, node: ListItem) => defaultHandlers.listItem(state, node, undefined),
  // Wide ones scroll in a box of their own, which the keyboard can reach.
  table: (state, node) => element("div", { className: ["wide"], tabIndex: 0 }, [defaultHandlers.table(state, node)]),
};

function link(url: string, label: ElementContent[]): ElementContent[] {
  const children = withoutCitationMark(label, url);
  const shown = children.map(wordsOf).join("");
  const drawn = drawnLink(shown, url, children.some(holdsLink));
  if (drawn.type === "words") {
    if (shown === "") return [text(drawn.address)];
    return drawn.address === "" ? children : [...children, text(` (${drawn.address})`)];
  }
  const name = shown === "" ? [text(drawn.href)] : children;
  return [element("a", { href: drawn.href, rel: ["noopener"], target: "_blank" }, name)];
}

const wordsOf = (node: ElementContent): string =>
  node.type === "text" ? node.value : node.type === "element" ? node.children.map(wordsOf).join("") : "";

/** A picture in a link is a link of its own. */
const holdsLink = (node: ElementContent): boolean =>
  node.type === "element" && (node.tagName === "a" || node.children.some(holdsLink));

/** `[citation:Title](URL)`, as the prompt's working-directory layer asks for, is a link called `Title`. */
function withoutCitationMark([first, ...rest]: ElementContent[], url: string): ElementContent[] {
  if (first?.type !== "text") return first ? [first, ...rest] : [];
  return [text(withoutCitation(first.value, url)), ...rest];
}

const BLOCKS = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "blockquote", "td", "th"];
const schema: Schema = {
  tagNames: [...BLOCKS, "ul", "ol", "pre", "code", "a", "strong", "em", "del", "hr", "br", "input", "div"].concat([
    "table",
    "thead",
    "tbody",
    "tr",
  ]),
  attributes: {
    a: ["href", "rel", "target"],
    code: [["className", /^language-./]],
    div: [["className", "wide"], "tabIndex"],
    input: [["disabled", true], ["type", "checkbox"], "checked"],
    li: [["className", "task-list-item"]],
    ol: ["start", ["className", "contains-task-list"]],
    td: ["align"],
    th: ["align"],
    ul: [["className", "contains-task-list"]],
  },
  protocols: { href: ["http", "https", "mailto"] },
  required: { input: { disabled: true, type: "checkbox" } },
};

/** Each block in its own writing direction; code always left to right, and reachable where it scrolls. */
function followReader(node: Nodes): void {
  if (node.type === "element") {
    if (BLOCKS.includes(node.tagName)) node.properties["dir"] = "auto";
    if (node.tagName === "pre") Object.assign(node.properties, { dir: "ltr", tabIndex: 0 });
  }
  if ("children" in node) node.children.forEach(followReader);
}
