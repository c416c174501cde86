/** Plain text that Discord shows as it is. */

/**
 * Discord reads a backslash before anything but letters, digits and blanks as "show this". Escaped is what could begin
 * a style, a mention, a masked link, a spoiler, a timestamp, an emoji or a command, and at the start of a line what
 * could begin a heading, a quote, a list or small print. Web addresses become live by themselves and stay whole.
 */
export function escapeText(text: string): string {
  if (!MEANINGFUL.test(text)) return text;
  let escaped = "";
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = withoutTrailing(found, found.includes("(") ? PUNCTUATION : `${PUNCTUATION})}`);
    escaped += `${escapeWords(text.slice(at, index))}<${address}>`;
    at = index + address.length;
  }
  return escaped + escapeWords(text.slice(at));
}

/** Without one of these there is nothing to escape, which is how most texts are. */
const MEANINGFUL = /[\\*_~`|<[:@#>+\-.)]/;
const ADDRESS = /\bhttps?:\/\/[^\s<>\\*`|[\]"]*[\w/][^\s<>\\*`|[\]"]*/g;
/** What follows an address rather than being part of it. */
const PUNCTUATION = ".,:;!?'_~";

function withoutTrailing(address: string, characters: string): string {
  let end = address.length;
  while (characters.includes(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

const escapeWords = (text: string): string =>
  text
    .replaceAll(/[\\*_~`|<[]/g, String.raw`\$&`)
    .replaceAll(/:(?=\/\/|[\w+-]+:)/g, String.raw`\:`)
    .replaceAll(/@(?=everyone|here)/g, String.raw`\@`)
    .replaceAll(/^([^\S\n\r\u2028\u2029]*)([#>+-])/gm, String.raw`$1\$2`)
    .replaceAll(/^([^\S\n\r\u2028\u2029]*\d+)([.)])(?=\s)/gm, String.raw`$1\$2`);
