/** What a reader sees of a message: its texts without the marks that Discord draws. */
import { pressables, textsOf } from "./discord-components.ts";
import { embedTexts } from "./discord-content.ts";
import type { Content } from "./discord-world.ts";

/** Content, embeds and text components, one below the other. */
export function visibleText({
  content,
  embeds,
  components,
}: Pick<Content, "content" | "embeds" | "components">): string {
  const texts = [content, ...embeds.flatMap(embedTexts), ...textsOf(components)];
  return texts
    .filter((text) => text !== "")
    .map(readMarkdown)
    .join("\n");
}

/** Labels of what can be pressed, buttons and options alike. */
export const visibleLabels = ({ components }: Pick<Content, "components">): string[] =>
  pressables(components).map(({ label }) => label);

/** Code stays as it is; of everything else marks go and escaped characters stay. */
function readMarkdown(text: string): string {
  const pieces = text.split(/(```(?:[\w+-]*\n)?[\s\S]*?```|(?<!\\)`[^`\n]+`)/);
  return pieces.map((piece, index) => (index % 2 === 1 ? readCode(piece) : readProse(piece))).join("");
}
const readCode = (piece: string): string =>
  piece.startsWith("```") ? piece.replace(/^```(?:[\w+-]*\n)?|\n?```$/g, "") : piece.slice(1, -1);

/** Escaped characters and those of an address step aside, as private-use characters, while marks are taken away. */
const ASIDE = 0xe000;
const aside = (char: string): string => String.fromCharCode(ASIDE + char.charCodeAt(0));
function readProse(text: string): string {
  return text
    .replace(/\\([!-/:-@[-`{-~])/g, (_, char: string) => aside(char))
    .replace(/^(?:-# |#{1,3} |> )/gm, "")
    .replace(/\[([^\]\n]+)\]\(<?https?:[^)\s>]+>?\)/g, "$1")
    .replace(/<(https?:[^>\s]+)>/g, (_, address: string) => address.replace(/[!-/:-@[-`{-~]/g, aside))
    .replace(/(\*\*\*|\*\*|__|~~|\|\|)(?=\S)([\s\S]*?\S)\1/g, "$2")
    .replace(/(?<![\w*])\*(?=[^\s*])([^*\n]*[^\s*])\*(?![\w*])/g, "$1")
    .replace(/(?<![\w_])_(?=[^\s_])([^_\n]*[^\s_])_(?![\w_])/g, "$1")
    .replace(/[\ue000-\ue0ff]/g, (char) => String.fromCharCode(char.charCodeAt(0) - ASIDE));
}
