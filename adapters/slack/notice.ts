/** What one person is told, and nobody else sees. */
import { markdownSpans } from "../shared/markdown-spans.ts";
import type { Acknowledgement } from "../../gateway/contract.ts";
import { readPart, toParts } from "./part.ts";
import type { Block } from "./part.ts";

export interface Notice {
  readonly text: string;
  readonly blocks: readonly Block[];
}

export function notice(markdown: string): Notice {
  const parts = toParts(markdownSpans(markdown)).map(readPart);
  return { text: parts[0]?.text ?? "…", blocks: parts.flatMap(({ blocks }) => blocks) };
}

/** `undefined`: it is no notice, but a form to open. */
export function toldBy(reply: Acknowledgement): Notice | undefined {
  if (reply.type === "form") return undefined;
  return notice(reply.type === "notice" ? reply.text : Object.values(reply.errors).join("\n"));
}
