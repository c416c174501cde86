/** Labels as rows of an inline keyboard. */
import { doNotFit, fitted } from "../shared/choices.ts";
import type { Choice } from "../shared/choices.ts";
import type { Button } from "./part.ts";

/** Telegram: at most 100 buttons on a message, 8 in a row. */
const MAX_BUTTONS = 100;
const MAX_IN_ROW = 8;
/** About what one line of a phone shows; longer labels would be cut by the client, without a sign. */
const LABEL_LENGTH = 48;
const ROW_LENGTH = 30;

/** Some labels do not fit their buttons: then the body must hold them all, numbered. */
export const needsList = (choices: readonly Choice[]): boolean =>
  choices.length > MAX_BUTTONS || doNotFit(choices, LABEL_LENGTH);

/** `numbered`: the buttons bear the numbers of the list in the body, so that cut labels stay distinguishable. */
export function buttonRows(choices: readonly Choice[], numbered = false): Button[][] {
  const shown = fitted(choices.slice(0, MAX_BUTTONS), LABEL_LENGTH, numbered);
  const buttons = shown.map(({ token, label }) => ({ text: label, callback_data: token }));
  return buttons.reduce<Button[][]>((rows, button) => {
    const row = rows.at(-1);
    if (row && fits(row, button)) row.push(button);
    else rows.push([button]);
    return rows;
  }, []);
}

const fits = (row: readonly Button[], button: Button): boolean =>
  row.length < MAX_IN_ROW && [...row, button].reduce((sum, { text }) => sum + text.length + 3, 0) <= ROW_LENGTH;
