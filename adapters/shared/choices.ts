/** What can be pressed below a message: the same labels on every chat platform, cut to the room that each has. */
import type { Form, ViewOf } from "../../gateway/contract.ts";
import { shorten } from "./graphemes.ts";
import { isVisible } from "./split.ts";

export interface Choice {
  readonly token: string;
  readonly label: string;
}

export const stopChoice = ({ stopToken: token }: ViewOf<"progress">): Choice[] =>
  token === undefined ? [] : [{ token, label: "◼ Stop" }];

/** Opens the form. */
export const formChoice = ({ token }: Form): Choice => ({ token, label: "Fill in the form" });

/** `room`: UTF-16 units. Some labels cannot be read whole on their buttons: then the body must hold them all, numbered. */
export const doNotFit = (choices: readonly Choice[], room: number): boolean =>
  choices.some(({ label }) => label.length > room || label.includes("\n"));

/**
 * With labels of at most `room` UTF-16 units. `numbered`: they bear the numbers of the list in the body, so that cut ones
 * stay distinguishable. A label of nothing visible, which every platform refuses, is its number.
 */
export const fitted = (choices: readonly Choice[], room: number, numbered: boolean): Choice[] =>
  choices.map(({ token, label }, index) => {
    const shown = shorten(numbered ? `${index + 1}. ${label}` : label, room).trim();
    return { token, label: isVisible(shown) ? shown : `${index + 1}` };
  });
