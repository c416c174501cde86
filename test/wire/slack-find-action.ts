/** The action of a payload, for what a person clicks: a button, or an option of a menu. */
import type { Block } from "./slack-blocks.ts";
import type { ActionElement } from "./slack-elements.ts";

/** One entry of `actions`, without its time. */
export type Picked = Readonly<Record<string, unknown>> & { readonly type: string };
interface Choice {
  readonly label: string;
  readonly picked: Picked;
}

/** By label (the whole, or its beginning) or by index over buttons and options; an object is taken as it is. */
export function findAction(blocks: readonly Block[], button: string | number | Picked): Picked {
  if (typeof button === "object") return button;
  const choices = blocks.flatMap(choicesOf);
  const exact = choices.find(({ label }) => label === button);
  const found =
    typeof button === "number" ? choices[button] : (exact ?? choices.find(({ label }) => label.startsWith(button)));
  if (found) return found.picked;
  throw new Error(
    `Expected a button "${button}", got: ${choices.map(({ label }) => label).join(" | ") || "no buttons"}.`,
  );
}

function choicesOf(block: Block): Choice[] {
  const elements = block.type === "actions" ? block.elements : [];
  return elements.flatMap((element) => elementChoices(block.block_id, element));
}

function elementChoices(block_id: string | undefined, element: ActionElement): Choice[] {
  const { action_id } = element;
  if (element.type === "button") {
    const { type, text, value, style } = element;
    const picked = {
      action_id,
      block_id,
      text: { ...text, emoji: true },
      ...(value !== undefined && { value }),
      ...(style && { style }),
      type,
    };
    return [{ label: text.text, picked }];
  }
  const { type } = element;
  const options = "options" in element ? (element.options ?? []) : [];
  const many = type === "multi_static_select" || type === "checkboxes";
  const placeholder = "placeholder" in element && element.placeholder ? { placeholder: element.placeholder } : {};
  return options.map((option) => {
    const chosen = many ? { selected_options: [option] } : { selected_option: option };
    return { label: option.text.text, picked: { type, action_id, block_id, ...chosen, ...placeholder } };
  });
}
