/** Words of people inside our own markdown. */

/** The text as it stands: no name can write bold, or a link, into what the bot says. CommonMark: any ASCII punctuation can be escaped. */
export const plainText = (text: string): string => text.replaceAll(/[!-/:-@[-`{-~]/g, String.raw`\$&`);
