/** What a thread shall show, as Telegram messages. Pure. */
import { usageText } from "../shared/progress-text.ts";
import type { Part, View, ViewOf } from "../../gateway/contract.ts";
import { buttonRows, needsList } from "./buttons.ts";
import { unpinged } from "./link.ts";
import { markdownSpans } from "./markdown-spans.ts";
import { toParts } from "./part.ts";
import { progressSpans } from "./progress-spans.ts";
import { questionSpans } from "./question-spans.ts";
import { italic, joined, plain } from "./spans.ts";
import { split } from "./split.ts";

/** Only replies, questions and warnings ring. */
export function render(view: View): readonly Part[] {
  switch (view.type) {
    case "reply":
      return reply(view);
    case "progress":
      return progress(view);
    case "question":
      return question(view);
    case "notice":
      return notice(view);
    case "file":
      return toParts([plain(`📎 ${view.name}`)]);
  }
}

function reply({ markdown, usage }: ViewOf<"reply">): Part[] {
  const body = markdownSpans(markdown);
  return toParts(usage ? joined([body, [italic(usageText(usage))]], "\n\n") : body);
}

/** One part, whatever it holds: the card must be one message that is edited. */
function progress(view: ViewOf<"progress">): Part[] {
  const buttons = view.stopToken ? buttonRows([{ token: view.stopToken, label: "◼ Stop" }]) : [];
  const [card = []] = split(unpinged(progressSpans(view)));
  return toParts(card, { buttons, silent: true });
}

function question(view: ViewOf<"question">): Part[] {
  const buttons = view.closed ? [] : buttonRows(view.options, needsList(view.options));
  return toParts(questionSpans(view), { buttons });
}

function notice({ markdown, tone, actions = [] }: ViewOf<"notice">): Part[] {
  const body = markdownSpans(markdown);
  const spans = tone === "warning" ? [plain("⚠️ "), ...body] : body;
  return toParts(spans, { buttons: buttonRows(actions), silent: tone === "info" });
}
