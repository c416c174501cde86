/** The words of a request, a reply, a notice and a file's name, the same on every chat platform. */
import type { ViewOf } from "../../gateway/contract.ts";
import { markdownSpans, spanBlocks } from "./markdown-spans.ts";
import { usageText } from "./progress-text.ts";
import { bold, italic, marked, plain } from "./spans.ts";
import type { Span } from "./spans.ts";

export function requestSpans({ author, text }: ViewOf<"request">): Span[] {
  return [bold(author), plain(" asked:\n"), ...marked([plain(text)], { type: "quote" })];
}

/** An answer may be huge: it is drawn block by block. */
export function* replyText({ markdown, usage }: ViewOf<"reply">): Generator<readonly Span[]> {
  let isEmpty = true;
  for (const block of spanBlocks(markdown)) {
    yield block;
    isEmpty = false;
  }
  if (usage) yield [plain(isEmpty ? "" : "\n\n"), italic(usageText(usage))];
}

export function noticeSpans({ markdown, tone }: ViewOf<"notice">): Span[] {
  const body = markdownSpans(markdown);
  return tone === "warning" ? [plain("⚠️ "), ...body] : body;
}

export const fileSpans = ({ name }: ViewOf<"file">): Span[] => [plain(`📎 ${name}`)];
