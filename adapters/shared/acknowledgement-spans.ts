/** An acknowledgement in words, for where it is no window and no mark at a field. */
import type { Acknowledgement } from "../../gateway/contract.ts";
import { markdownSpans } from "./markdown-spans.ts";
import { formSpans } from "./question-spans.ts";
import type { Span } from "./spans.ts";

export function acknowledgementSpans(reply: Acknowledgement): Span[] {
  switch (reply.type) {
    case "notice":
      return markdownSpans(reply.text);
    case "form":
      return formSpans(reply.form);
    case "invalid":
      return markdownSpans([...Object.values(reply.errors).map((error) => `- ${error}`), "", AGAIN].join("\n"));
  }
}

/** The form is closed by then. */
const AGAIN = "Please press the button again.";
