/** Labels as buttons, or as a menu where there are too many. */
import { doNotFit, fitted } from "../shared/choices.ts";
import type { Choice } from "../shared/choices.ts";
import type { Block, Fields } from "./part.ts";

/** Slack: 25 elements in a block of actions, 100 options in a menu, 75 characters on either. */
const MAX_BUTTONS = 25;
const MAX_OPTIONS = 100;
const LABEL_LENGTH = 75;
/**
 * Slack refuses blocks of about 13,200 characters (`msg_blocks_too_long`, undocumented: slackapi/bolt-js issue 2509), and
 * does not say what of a menu it counts. With 4,000 of text this stays below, even if all of it counts.
 */
const MENU_JSON = 9050;
/** What a menu and each of its options are beside the labels, with a token of 16 characters. */
const MENU_FRAME = 120;
const OPTION_FRAME = 82;

/** More than a message holds: the body must list them all, and the number is typed. */
export const areTooMany = ({ length }: readonly Choice[]): boolean => length > MAX_OPTIONS;

/** Some labels do not fit their buttons: then the body must hold them all, numbered. */
export const needsList = (choices: readonly Choice[]): boolean =>
  areTooMany(choices) || doNotFit(choices, roomFor(choices));

/** At most 100. `numbered`: the labels bear the numbers of the list in the body, so that cut ones stay distinguishable. */
export function actionBlocks(choices: readonly Choice[], numbered = false): Block[] {
  if (choices.length === 0) return [];
  const options = fitted(choices, roomFor(choices), numbered);
  return [{ type: "actions", elements: options.length <= MAX_BUTTONS ? options.map(button) : [menu(options)] }];
}

/** 7 characters and more. */
const roomFor = ({ length }: readonly Choice[]): number =>
  Math.min(LABEL_LENGTH, Math.floor((MENU_JSON - MENU_FRAME) / length) - OPTION_FRAME);

const button = ({ token, label }: Choice): Fields => ({
  type: "button",
  action_id: token,
  value: token,
  text: plainText(label),
});

const menu = (options: readonly Choice[]): Fields => ({
  type: "static_select",
  action_id: "menu0",
  placeholder: plainText("Choose…"),
  options: options.map(({ token, label }) => ({ text: plainText(label), value: token })),
});

/** Without emoji codes: `:x:` in a model's words stays what it is. */
export const plainText = (text: string): Fields => ({ type: "plain_text", text, emoji: false });
