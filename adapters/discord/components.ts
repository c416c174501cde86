/** Labels as buttons, and as menus where there are too many for buttons. */
import { z } from "zod";
import { doNotFit, fitted } from "../shared/choices.ts";
import type { Choice } from "../shared/choices.ts";

/** Discord: five rows a message, of five buttons or one menu with 25 options each. */
const ROWS = 5;
const IN_ROW = 5;
const IN_MENU = 25;
const MAX_BUTTONS = ROWS * IN_ROW;
const MAX_CHOICES = ROWS * IN_MENU;
/** Discord: a button's label 1 to 80, an option's 1 to 100. */
const BUTTON_LABEL = 80;
const OPTION_LABEL = 100;

/** Discord's numbers for a row, a button, a menu, and the grey style of a button. */
const [ROW, BUTTON, MENU, SECONDARY] = [1, 2, 3, 2] as const;

const button = z.object({
  type: z.literal(BUTTON),
  style: z.literal(SECONDARY),
  label: z.string(),
  custom_id: z.string(),
});
const menu = z.object({
  type: z.literal(MENU),
  custom_id: z.string(),
  placeholder: z.string(),
  options: z.array(z.object({ label: z.string(), value: z.string() })),
});
export const rowSchema = z.object({ type: z.literal(ROW), components: z.array(z.union([button, menu])) });
export type Row = z.output<typeof rowSchema>;

/** Some labels do not fit: then the body must hold them all, numbered. */
export const needsList = (choices: readonly Choice[]): boolean =>
  choices.length > MAX_CHOICES || doNotFit(choices, labelLength(choices));

/** `numbered`: the labels bear the numbers of the list in the body, so that cut ones stay distinguishable. */
export function rowsOf(choices: readonly Choice[], numbered = false): Row[] {
  const lines = choices.map(({ token, label }) => ({ token, label: label.replaceAll(/\s+/g, " ").trim() }));
  const shown = fitted(lines.slice(0, MAX_CHOICES), labelLength(choices), numbered);
  return shown.length <= MAX_BUTTONS ? chunks(shown, IN_ROW).map(buttonRow) : chunks(shown, IN_MENU).map(menuRow);
}

const labelLength = (choices: readonly Choice[]): number =>
  choices.length <= MAX_BUTTONS ? BUTTON_LABEL : OPTION_LABEL;

const buttonRow = (choices: readonly Choice[]): Row => ({
  type: ROW,
  components: choices.map(({ token, label }) => ({ type: BUTTON, style: SECONDARY, label, custom_id: token })),
});

/** The chosen option's value is the token; the menu's own id only has to be unique in its message. */
const menuRow = (choices: readonly Choice[], index: number): Row => ({
  type: ROW,
  components: [
    {
      type: MENU,
      custom_id: `menu:${index}`,
      placeholder: `Options ${index * IN_MENU + 1} to ${index * IN_MENU + choices.length}`,
      options: choices.map(({ token, label }) => ({ label, value: token })),
    },
  ],
});

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
