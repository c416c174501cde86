/** What Slack refuses, and what it lets pass that no good client sends. Sources are named at each rule. */

/** An answer with `ok: false`; `messages` tell which block or argument it was. */
export class Refusal extends Error {
  readonly code: string;
  readonly messages: readonly string[];
  constructor(code: string, messages: readonly string[] = []) {
    super([code, ...messages].join(": "));
    this.code = code;
    this.messages = messages;
  }
}

export interface TextLimit {
  readonly max: number;
  readonly size: (text: string) => number;
  readonly unit: string;
}
/** chat.postMessage: above 40,000 characters `msg_too_long`. */
export const POST_TEXT: TextLimit = { max: 40_000, size: (text) => text.length, unit: "characters" };
/** chat.update fails above about 4,000 bytes, undocumented: getnao/nao issue 1323. */
export const UPDATE_TEXT: TextLimit = { max: 4000, size: (text) => Buffer.byteLength(text), unit: "bytes" };

export function checkText(text: string, { max, size, unit }: TextLimit): void {
  if (size(text) > max) throw new Refusal("msg_too_long", [`${size(text)} of ${max} ${unit}`]);
}

/** What would ring somebody: <!channel>, <!here>, <!everyone>, <!subteam^S…>, <@U…>. */
const PINGS = /<(![a-z][^>]*|@[UW][^>]*)>/g;
/** `<address|label>` and `<address>`; `#C…` names a channel, `!date^…` is a time. */
const LINKS = /<([^@#!>|][^>|]*)(\|[^>]*)?>/g;

/** Violations in one text of a bot's message that Slack reads as mrkdwn. */
export function textViolations(text: string): string[] {
  const pings = [...text.matchAll(PINGS)].filter(([, what]) => !what?.startsWith("!date^"));
  const links = [...text.matchAll(LINKS)].filter(([, url = ""]) => !isHonestLink(url));
  return [
    ...pings.map(([ping]) => `the text pings: ${ping}`),
    ...links.map(([link]) => `a link to no web or mail address: ${link}`),
  ];
}

/** Slack makes a link of anything; ours go to the web or open a mail. */
export const isHonestLink = (url: string): boolean => /^(https?:\/\/|mailto:)[^\s]+$/i.test(url);

/** `&`, `<` and `>` in what a person types: https://docs.slack.dev/messaging/formatting-message-text#escaping */
export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
