/** What a thread shall show, as Telegram messages. Pure. */
import { stopChoice } from "../shared/choices.ts";
import { growingSpans } from "../shared/growing-spans.ts";
import { progressSpans } from "../shared/progress-spans.ts";
import { questionSpans } from "../shared/question-spans.ts";
import { split } from "../shared/split.ts";
import { fileSpans, noticeSpans, replyText, requestSpans } from "../shared/view-spans.ts";
import type { Part, View, ViewOf } from "../../gateway/contract.ts";
import { buttonRows, needsList } from "./buttons.ts";
import { MESSAGE } from "./meter.ts";
import { linkable, readPart, toParts } from "./part.ts";
import type { TextPart } from "./part.ts";

/** Only replies, questions and warnings ring. */
export function render(view: View): readonly Part[] {
  switch (view.type) {
    case "request":
      return toParts([requestSpans(view)], { silent: true });
    case "reply":
      return toParts(replyText(view));
    case "progress":
      return progress(view);
    case "question":
      return question(view);
    case "notice":
      return toParts([noticeSpans(view)], { buttons: buttonRows(view.actions ?? []), silent: view.tone === "info" });
    case "file":
      return toParts([fileSpans(view)]);
  }
}

/** One part, whatever it holds: the card must be one message that is edited. */
function progress(view: ViewOf<"progress">): Part[] {
  const [card = []] = split([linkable(progressSpans(view, MESSAGE, linkable))], MESSAGE);
  return toParts([card], { buttons: buttonRows(stopChoice(view)), silent: true });
}

function question(view: ViewOf<"question">): Part[] {
  const listed = view.inWords ?? needsList(view.options);
  const buttons = view.closed || view.inWords ? [] : buttonRows(view.options, listed);
  return toParts([questionSpans(view, { listed, formAsText: true })], { buttons });
}

/** A growing reply as far as one message has room. Undefined: nothing can be shown so far. */
export function draftText(markdown: string): Pick<TextPart, "text" | "entities"> | undefined {
  const spans = growingSpans(markdown, MESSAGE);
  const [part] = spans.length > 0 ? toParts([spans]) : [];
  if (!part) return undefined;
  const { text, entities } = readPart(part);
  return { text, entities };
}
