/** What a thread is told when the platform refuses something for good. Pure. */
import type { View } from "./contract.ts";
import { isForbidden, isRefusal } from "./deliver-slot.ts";
import { plainText } from "./plain-text.ts";
import { type OpenSlot, slot, type SlotWrite } from "./store-contract.ts";

/** An answer or a file that the platform refuses for its content is not lost in silence: the thread is told, once. */
export function whatIsLost(error: unknown, { slot: of, view }: OpenSlot): SlotWrite | undefined {
  if (!isRefusal(error) || isForbidden(error)) return undefined;
  const markdown = sentenceFor(view);
  if (markdown === undefined) return undefined;
  return { slot: slot("notice", `lost-${of}`), view: { type: "notice", markdown, tone: "warning" }, final: true };
}

function sentenceFor(view: View): string | undefined {
  switch (view.type) {
    case "file":
      return `The file \`${view.name.replaceAll("`", "'")}\` could not be shown here: the platform refused it.`;
    case "reply":
      return "A part of my answer could not be shown here: the platform refused it.";
    case "question":
      // Its asker would wait for an answer that nobody knows of.
      return view.closed
        ? undefined
        : `I have a question that could not be shown here: the platform refused it. I wait for an answer in words from ${plainText(view.asked)}; \`/stop\` ends it.`;
    case "request":
    case "progress":
    case "notice":
      return undefined;
  }
}
