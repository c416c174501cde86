/** What Slack makes of what a person types: escaped text, mentions and links in brackets, and rich text beside it. */
import type { Block } from "./slack-blocks.ts";
import type { Inline } from "./slack-rich-text.ts";
import { escapeText } from "./slack-rules.ts";
import type { World } from "./slack-world.ts";

interface Piece {
  readonly text: string;
  readonly element: Inline;
}

/** `@Name` of anybody in the workspace, `#channel` and web addresses become live, as in Slack's composer. */
export function typed(world: World, text: string): { readonly text: string; readonly blocks: readonly Block[] } {
  const pieces = split(world, text);
  const elements = pieces.map(({ element }) => element);
  const block_id = Math.random().toString(36).slice(2, 7);
  const blocks: Block[] =
    elements.length === 0 ? [] : [{ type: "rich_text", block_id, elements: [{ type: "rich_text_section", elements }] }];
  return { text: pieces.map((piece) => piece.text).join(""), blocks };
}

function split(world: World, text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const found of text.matchAll(liveWords(world))) {
    const piece = livePiece(world, found[0]);
    pieces.push(...plain(text.slice(at, found.index)), piece);
    at = found.index + found[0].length;
  }
  return [...pieces, ...plain(text.slice(at))];
}

const plain = (text: string): Piece[] =>
  text === "" ? [] : [{ text: escapeText(text), element: { type: "text", text } }];

/** The longest name first, so that "Ana Maria" is not taken for "Ana". */
function liveWords(world: World): RegExp {
  const names = [...world.users.values()].map(({ name }) => `@${name}`);
  const channels = [...world.channels.values()].filter(({ type }) => type !== "im").map(({ name }) => `#${name}`);
  const words = [...names, ...channels].toSorted((a, b) => b.length - a.length).map(quote);
  return new RegExp(String.raw`https?://[^\s<>]+|(?:${words.join("|")})(?![\w-])`, "g");
}

function livePiece(world: World, word: string): Piece {
  const name = word.slice(1);
  if (word.startsWith("@")) {
    const user = [...world.users.values()].find((one) => one.name === name);
    if (user) return { text: `<@${user.id}>`, element: { type: "user", user_id: user.id } };
  }
  if (word.startsWith("#")) {
    const channel = [...world.channels.values()].find((one) => one.name === name);
    if (channel) return { text: `<#${channel.id}|${name}>`, element: { type: "channel", channel_id: channel.id } };
  }
  return { text: `<${escapeText(word)}>`, element: { type: "link", url: word } };
}

const quote = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
