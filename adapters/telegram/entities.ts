/** Spans as Telegram's entities: offsets exist only here, at the very end. */
import { markKey } from "../shared/spans.ts";
import type { Mark, Span } from "../shared/spans.ts";

type EntityType =
  | { readonly type: "bold" | "italic" | "strikethrough" | "code" | "blockquote" }
  | { readonly type: "pre"; readonly language?: string }
  | { readonly type: "text_link"; readonly url: string };
/** https://core.telegram.org/bots/api#messageentity; offset and length in UTF-16 units. */
export type Entity = EntityType & { readonly offset: number; readonly length: number };

function entityType(mark: Mark): EntityType {
  switch (mark.type) {
    case "quote":
      return { type: "blockquote" };
    case "link":
      return { type: "text_link", url: mark.url };
    case "pre":
      return mark;
    case "bold":
    case "italic":
    case "strikethrough":
    case "code":
      return { type: mark.type };
  }
}

/** Neighbours with the same mark share one entity. Sorted by offset, the outer one first. */
export function toEntities(spans: readonly Span[]): Entity[] {
  const entities: Entity[] = [];
  const open = new Map<string, { readonly mark: Mark; readonly offset: number }>();
  let at = 0;
  const close = (kept: readonly string[]) => {
    for (const [key, { mark, offset }] of open) {
      if (kept.includes(key)) continue;
      entities.push({ ...entityType(mark), offset, length: at - offset });
      open.delete(key);
    }
  };
  for (const span of spans) {
    if (span.text === "") continue;
    const marks = span.marks.map((mark) => ({ key: markKey(mark), mark }));
    close(marks.map(({ key }) => key));
    for (const { key, mark } of marks) if (!open.has(key)) open.set(key, { mark, offset: at });
    at += span.text.length;
  }
  close([]);
  return entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
}
