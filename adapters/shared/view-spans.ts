/** The words of a request, a reply, a notice and a file's name, the same on every chat platform. */
import type { ViewOf } from "../../gateway/contract.ts";
import { markdownSpans } from "./markdown-spans.ts";
import { usageText } from "./progress-text.ts";
import { bold, italic, joined, marked, plain } from "./spans.ts";
import type { Span } from "./spans.ts";

export function requestSpans({ author, text }: ViewOf<"request">): Span[] {
  return [bold(author), plain(" asked:\n"), ...marked([plain(text)], { type: "quote" })];
}

export function replySpans({ markdown, usage }: ViewOf<"reply">): Span[] {
  const body = markdownSpans(markdown);
  return usage ? joined([body, [italic(usageText(usage))]], "\n\n") : body;
}

export function noticeSpans({ markdown, tone }: ViewOf<"notice">): Span[] {
  const body = markdownSpans(markdown);
  return tone === "warning" ? [plain("⚠️ "), ...body] : body;
}

export const fileSpans = ({ name }: ViewOf<"file">): Span[] => [plain(`📎 ${name}`)];
