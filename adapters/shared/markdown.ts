/** Model text is parsed once, here, into a tree that each platform draws in its own way. */
import type { Root } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** GitHub-flavoured markdown as a tree. Never throws: any text is valid markdown. Raw HTML stays `html` nodes. */
export function parseMarkdown(text: string): Root {
  return fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** The address of a link that may become live: http, https or mailto; anything else is shown as plain text. */
export function safeUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return ["http:", "https:", "mailto:"].includes(protocol) ? href : undefined;
}
