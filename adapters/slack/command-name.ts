/** The one slash command of the app. Its name is chosen in the configuration and registered by the manifest. */
import { z } from "zod";

/**
 * Slack's own commands; a name that is taken voids the whole list of a manifest.
 * https://slack.com/help/articles/201259356-Slash-commands-in-Slack
 */
const RESERVED: readonly string[] = [
  ..."active apps archive away call canvas collapse dm dnd expand feed feedback gcal giphy groups help".split(" "),
  ..."huddle invite invite_people join kick leave list me msg mute open people prefs remind remove rename".split(" "),
  ..."reminder search shortcuts shrug star status topic unarchive unmute who workflow".split(" "),
];

/** Slack: lower case, no blanks, at most 32 characters with the slash. */
export const commandName = z
  .string()
  .regex(
    /^\/[a-z0-9][a-z0-9_-]{0,30}$/,
    "Expected a name such as /threadline: a slash, then lower case, digits, - or _.",
  )
  .refine((name) => !RESERVED.includes(name.slice(1)), "Slack keeps this name for itself. Choose another one.");
