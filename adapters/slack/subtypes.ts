/** Which messages are somebody's words, and which are Slack's about what happened. */

/** https://docs.slack.dev/reference/events/message#subtypes */
const WORDS = ["file_share", "thread_broadcast", "me_message", "bot_message"];

export const isSaid = ({ subtype }: { readonly subtype?: string | undefined }): boolean =>
  subtype === undefined || WORDS.includes(subtype);
