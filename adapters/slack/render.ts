/** What a thread shall show, as Slack messages. Pure. */
import type { Part, View, ViewOf } from "../../gateway/contract.ts";
import { formChoice, stopChoice } from "../shared/choices.ts";
import { progressSpans } from "../shared/progress-spans.ts";
import { questionSpans } from "../shared/question-spans.ts";
import { split } from "../shared/split.ts";
import { fileSpans, noticeSpans, replyText, requestSpans } from "../shared/view-spans.ts";
import { actionBlocks, areTooMany, needsList } from "./buttons.ts";
import { withoutLongLinks } from "./inline.ts";
import { MESSAGE } from "./meter.ts";
import { ANSWER_PARTS, toParts } from "./part.ts";
import { withTables } from "./table.ts";

export function render(view: View): readonly Part[] {
  switch (view.type) {
    case "request":
      return toParts([requestSpans(view)]);
    case "reply":
      return reply(view);
    case "progress":
      return progress(view);
    case "question":
      return question(view);
    case "notice":
      return toParts([noticeSpans(view)], actionBlocks(view.actions ?? [], needsList(view.actions ?? [])));
    case "file":
      return toParts([fileSpans(view)]).map((part) => ({
        ...part,
        file: { name: view.name, sizeBytes: view.sizeBytes },
      }));
  }
}

/** Slack's own tables begin messages anew: an answer that would become a file for them has its tables as text. */
function reply(view: ViewOf<"reply">): Part[] {
  const native = toParts(withTables(replyText(view)));
  return native.length > ANSWER_PARTS ? toParts(replyText(view)) : native;
}

/** One part, whatever it holds: the card must be one message that is edited. */
function progress(view: ViewOf<"progress">): Part[] {
  const [card = []] = split([withoutLongLinks(progressSpans(view, MESSAGE, withoutLongLinks))], MESSAGE);
  return toParts([card], actionBlocks(stopChoice(view)));
}

/** A form opens by a button, as a modal. */
function question(view: ViewOf<"question">): Part[] {
  const form = view.form ? [formChoice(view.form)] : [];
  const all = [...view.options, ...form];
  const listed = view.inWords ?? needsList(all);
  const actions = areTooMany(all) ? actionBlocks(form) : actionBlocks(all, listed);
  const spans = questionSpans(view, { listed, formAsText: view.inWords ?? false });
  return toParts([spans], view.closed || view.inWords ? [] : actions);
}
