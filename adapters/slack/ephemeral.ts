/** What one person is told in a place, and nobody else sees: Slack calls it ephemeral. */
import type { Span } from "../shared/spans.ts";
import { readPart, toParts } from "./part.ts";
import type { Block } from "./part.ts";

export interface Ephemeral {
  readonly text: string;
  readonly blocks: readonly Block[];
}

/** One message, whatever its length: it is never edited, and so has the room of a post. */
export function ephemeral(spans: readonly Span[]): Ephemeral {
  const parts = toParts([spans]).map(readPart);
  return { text: parts[0]?.text ?? "…", blocks: parts.flatMap(({ blocks }) => blocks) };
}
