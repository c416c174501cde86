/** Plain text that Discord shows as it is. */

/**
 * Discord reads a backslash before anything but letters, digits and blanks as "show this". Escaped is what could begin
 * a style, a mention, a masked link, a spoiler, a timestamp, an emoji or a command, and at the start of a line what
 * could begin a heading, a quote, a list or small print. Web addresses become live by themselves and stay whole.
 */
export function escapeText(text: string): string {
  let escaped = "";
  let at = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(found.includes("(") ? /[.,:;!?'_~]+$/ : TRAILING, "");
    escaped += `${escapeWords(text.slice(at, index))}<${address}>`;
    at = index + address.length;
  }
  return escaped + escapeWords(text.slice(at));
}

const ADDRESS = /\bhttps?:\/\/[^\s<>\\*`|[\]"]*[\w/][^\s<>\\*`|[\]"]*/g;
/** What follows an address rather than being part of it. */
const TRAILING = /[.,:;!?'_~)}]+$/;

const escapeWords = (text: string): string =>
  text
    .replaceAll(/[\\*_~`|<[]/g, String.raw`\$&`)
    .replaceAll(/:(?=\/\/|[\w+-]+:)/g, String.raw`\:`)
    .replaceAll(/@(?=everyone|here)/g, String.raw`\@`)
    .replaceAll(/^(\s*)([#>+-])/gm, String.raw`$1\$2`)
    .replaceAll(/^(\s*\d+)([.)])(?=\s)/gm, String.raw`$1\$2`);
