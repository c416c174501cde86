/** Labels as rows of an inline keyboard. */
import type { Button } from "./part.ts";
import { shorten } from "../shared/split.ts";

interface Choice {
  readonly token: string;
  readonly label: string;
}

/** Telegram: at most 100 buttons on a message, 8 in a row. */
const MAX_BUTTONS = 100;
const MAX_IN_ROW = 8;
/** About what one line of a phone shows; longer labels would be cut by the client, without a sign. */
const LABEL_LENGTH = 48;
const ROW_LENGTH = 30;

/** Some labels do not fit their buttons: then the body must hold them all, numbered. */
export const needsList = (choices: readonly Choice[]): boolean =>
  choices.length > MAX_BUTTONS || choices.some(({ label }) => label.length > LABEL_LENGTH || label.includes("\n"));

/** `numbered`: the buttons bear the numbers of the list in the body, so that cut labels stay distinguishable. */
export function buttonRows(choices: readonly Choice[], numbered = false): Button[][] {
  const buttons = choices.slice(0, MAX_BUTTONS).map(({ token, label }, index) => {
    const text = shorten(numbered ? `${index + 1}. ${label}` : label, LABEL_LENGTH);
    // Telegram: a button without text is refused.
    return { text: text.trim() || `${index + 1}`, callback_data: token };
  });
  return buttons.reduce<Button[][]>((rows, button) => {
    const row = rows.at(-1);
    if (row && fits(row, button)) row.push(button);
    else rows.push([button]);
    return rows;
  }, []);
}

const fits = (row: readonly Button[], button: Button): boolean =>
  row.length < MAX_IN_ROW && [...row, button].reduce((sum, { text }) => sum + text.length + 3, 0) <= ROW_LENGTH;
