/** Labels as buttons, or as menus where there are too many. */
import { doNotFit, fitted } from "../shared/choices.ts";
import type { Choice } from "../shared/choices.ts";
import type { Block, Fields } from "./part.ts";

/** Slack: 25 elements in a block of actions, 100 options in a menu, 75 characters on either. */
const MAX_BUTTONS = 25;
const MAX_OPTIONS = 100;
const LABEL_LENGTH = 75;
/** Slack counts the labels into a message's text, which it takes up to about 11,300 characters of. */
const ALL_LABELS = 6000;
/** With less than this a label says nothing. */
const LEAST_LENGTH = 8;

/** So many that Slack takes no menus of them: the body must hold them all, and the number is typed. */
export const areTooMany = ({ length }: readonly Choice[]): boolean => length * LEAST_LENGTH > ALL_LABELS;

/** Some labels do not fit their buttons: then the body must hold them all, numbered. */
export const needsList = (choices: readonly Choice[]): boolean =>
  areTooMany(choices) || doNotFit(choices, roomFor(choices));

/** `numbered`: the labels bear the numbers of the list in the body, so that cut ones stay distinguishable. */
export function actionBlocks(choices: readonly Choice[], numbered = false): Block[] {
  if (choices.length === 0) return [];
  const options = fitted(choices, roomFor(choices), numbered);
  return [{ type: "actions", elements: options.length <= MAX_BUTTONS ? options.map(button) : menus(options) }];
}

const roomFor = ({ length }: readonly Choice[]): number =>
  Math.max(LEAST_LENGTH, Math.min(LABEL_LENGTH, Math.floor(ALL_LABELS / length)));

const button = ({ token, label }: Choice): Fields => ({
  type: "button",
  action_id: token,
  value: token,
  text: plainText(label),
});

function menus(options: readonly Choice[]): Fields[] {
  const count = Math.ceil(options.length / MAX_OPTIONS);
  return Array.from({ length: count }, (_, index) => {
    const first = index * MAX_OPTIONS;
    const shown = options.slice(first, first + MAX_OPTIONS);
    return {
      type: "static_select",
      action_id: `menu${index}`,
      placeholder: plainText(count === 1 ? "Choose…" : `Choose ${first + 1} to ${first + shown.length}…`),
      options: shown.map(({ token, label }) => ({ text: plainText(label), value: token })),
    };
  });
}

/** Without emoji codes: `:x:` in a model's words stays what it is. */
export const plainText = (text: string): Fields => ({ type: "plain_text", text, emoji: false });
