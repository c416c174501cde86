/** Model text as HTML that is safe to put into the page: everything the model may not do is left out here. */
import type { Element, ElementContent, Nodes, Properties } from "hast";
import { type Schema, sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import type { ImageReference, Link, LinkReference, Parents } from "mdast";
import { defaultHandlers, type Handlers, type State, toHast } from "mdast-util-to-hast";
import { parseMarkdown, safeUrl } from "../shared/markdown.ts";

/** GitHub-flavoured markdown → HTML: no scripts, no remote loads, raw HTML as text, links only where `safeUrl` agrees. */
export function richText(markdown: string): string {
  const tree = sanitize(toHast(parseMarkdown(markdown), { handlers }), schema);
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
  html: (_state, node: { value: string }, parent: Parents | undefined) =>
    parent?.type === "paragraph" ? text(node.value) : element("p", {}, [text(node.value)]),
  link: (state, node: Link) => link(node.url, withoutCitationMark(state.all(node))),
  linkReference: (state, node: LinkReference) => referenced(state, node, state.all(node)),
  image: (_state, node: { alt?: string | null; url: string }) => link(node.url, [text(node.alt || node.url)]),
  imageReference: (state, node: ImageReference) => referenced(state, node, [text(node.alt ?? node.identifier)]),
  footnoteReference: (_state, node: { identifier: string }) => text(`[${node.identifier}]`),
  footnoteDefinition: (state, node) => [element("p", {}, [text(`[${node.identifier}]`)]), ...state.all(node)],
  // Wide ones scroll in a box of their own, which the keyboard can reach.
  table: (state, node) => element("div", { className: ["wide"], tabIndex: 0 }, [defaultHandlers.table(state, node)]),
};

function link(url: string, children: ElementContent[]): ElementContent[] {
  const href = safeUrl(url);
  return href ? [element("a", { href, rel: ["noopener"], target: "_blank" }, children)] : children;
}

function referenced(state: State, node: LinkReference | ImageReference, label: ElementContent[]): ElementContent[] {
  const url = state.definitionById.get(node.identifier.toUpperCase())?.url;
  return url === undefined ? [text("["), ...label, text("]")] : link(url, label);
}

/** `[citation:Title](URL)`, as the prompt's working-directory layer asks for, is a link called `Title`. */
function withoutCitationMark([first, ...rest]: ElementContent[]): ElementContent[] {
  if (first?.type !== "text") return first ? [first, ...rest] : [];
  return [text(first.value.replace(/^citation:\s*/i, "")), ...rest];
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
