/** What a thread shall show, as Discord messages. Pure. */
import type { Part, View, ViewOf } from "../../gateway/contract.ts";
import { formChoice, stopChoice } from "../shared/choices.ts";
import { progressSpans } from "../shared/progress-spans.ts";
import { questionSpans } from "../shared/question-spans.ts";
import { split } from "../shared/split.ts";
import { fileSpans, noticeSpans, replyText, requestSpans } from "../shared/view-spans.ts";
import { needsList, rowsOf } from "./components.ts";
import { withoutLongLinks } from "./discord-markdown.ts";
import { fitsModal } from "./modal.ts";
import { MESSAGE } from "./meter.ts";
import { threadName } from "./open-thread.ts";
import { toParts } from "./part.ts";

/** Only replies, questions and warnings ring. */
export function render(view: View): readonly Part[] {
  switch (view.type) {
    case "request":
      return toParts([requestSpans(view)], { silent: true, title: threadName(view.text) });
    case "reply":
      return toParts(replyText(view));
    case "progress":
      return progress(view);
    case "question":
      return question(view);
    case "notice":
      return toParts([noticeSpans(view)], { rows: rowsOf(view.actions ?? []), silent: view.tone === "info" });
    case "file":
      return toParts([fileSpans(view)], { file: { name: view.name, sizeBytes: view.sizeBytes } });
  }
}

/** One part, whatever it holds: the card must be one message that is edited. */
function progress(view: ViewOf<"progress">): Part[] {
  const [card = []] = split([withoutLongLinks(progressSpans(view, MESSAGE, withoutLongLinks))], MESSAGE);
  return toParts([card], { rows: rowsOf(stopChoice(view)), silent: true });
}

function question(view: ViewOf<"question">): Part[] {
  const { form, options, closed, inWords } = view;
  const asModal = form !== undefined && fitsModal(form) && !inWords;
  const choices = asModal ? [...options, formChoice(form)] : options;
  const listed = inWords ?? needsList(options);
  const rows = closed || inWords ? [] : rowsOf(choices, listed);
  return toParts([questionSpans(view, { listed, formAsText: !asModal })], { rows });
}
