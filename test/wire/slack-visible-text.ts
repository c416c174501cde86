/** What a reader sees of a message: the blocks where there are any, else the text. */
import type { Block } from "./slack-blocks.ts";
import type { Inline, RichElement, RichText } from "./slack-rich-text.ts";

export const visibleText = ({ text, blocks }: { readonly text: string; readonly blocks: readonly Block[] }): string =>
  blocks.length > 0 ? blocks.map(blockText).filter(Boolean).join("\n") : text;

function blockText(block: Block): string {
  switch (block.type) {
    case "rich_text":
      return richTextText(block);
    case "section":
      return [block.text?.text, ...(block.fields ?? []).map(({ text }) => text)].filter(Boolean).join("\n");
    case "header":
      return block.text.text;
    case "markdown":
      return block.text;
    case "context":
      return block.elements.map((element) => ("text" in element ? element.text : element.alt_text)).join(" ");
    case "table":
      return block.rows
        .map((row) => row.map((cell) => (cell.type === "rich_text" ? richTextText(cell) : cell.text)).join("\t"))
        .join("\n");
    case "image":
      return block.title?.text ?? block.alt_text;
    case "input":
      return block.label.text;
    case "actions":
    case "divider":
      return "";
  }
}

const richTextText = ({ elements }: RichText): string => elements.map(elementText).join("\n");

function elementText(element: RichElement): string {
  const inline = (list: readonly Inline[]) => list.map(inlineText).join("");
  if (element.type !== "rich_text_list") return inline(element.elements).replace(/\n$/, "");
  const { style, indent = 0, offset = 0 } = element;
  const mark = (index: number) => (style === "ordered" ? `${index + 1 + offset}. ` : "• ");
  return element.elements
    .map((item, index) => `${"  ".repeat(indent)}${mark(index)}${inline(item.elements)}`)
    .join("\n");
}

function inlineText(element: Inline): string {
  switch (element.type) {
    case "text":
      return element.text;
    case "link":
      return element.text ?? element.url;
    case "emoji":
      return element.unicode === undefined ? `:${element.name}:` : unicodeText(element.unicode);
    case "user":
      return `@${element.user_id}`;
    case "usergroup":
      return `@${element.usergroup_id}`;
    case "broadcast":
      return `@${element.range}`;
    case "channel":
      return `#${element.channel_id}`;
    case "team":
      return element.team_id;
    case "date":
      return element.fallback ?? element.format;
    case "color":
      return element.value;
  }
}

/** `1f3f3-fe0f-200d-1f308`: code points in hex. */
const unicodeText = (hex: string): string =>
  String.fromCodePoint(...hex.split("-").map((point) => Number.parseInt(point, 16)));

/** Labels of buttons and of the options of menus, in order. */
export const buttonLabels = (blocks: readonly Block[]): string[] =>
  blocks
    .flatMap((block) => (block.type === "actions" ? block.elements : []))
    .flatMap((element) => {
      if (element.type === "button") return [element.text.text];
      if (!("options" in element)) return [];
      return (element.options ?? []).map(({ text }) => text.text);
    });
