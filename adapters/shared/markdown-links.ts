/** What becomes a link without brackets: addresses of the web and of mail, and nothing that only looks like one. */
import MarkdownIt from "markdown-it";
import type { StateInline } from "markdown-it";

export function addLinkRules(md: MarkdownIt): void {
  // Whether and how a link may live is decided where it is drawn; nothing written is lost here, nor rewritten.
  md.validateLink = () => true;
  md.normalizeLink = (url) => url;
  md.normalizeLinkText = (url) => url;
  md.inline.ruler.at("autolink", autolink);
  for (const scheme of ["http:", "https:"])
    md.linkify.add(scheme, { validate: (text, at) => webAddress(scheme, addressRoom(text, at)) });
  // `main.ts` is no host; what begins with www. is one, as in GFM.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: true }).add("//", null).add("ftp:", null);
  md.linkify.add("www.", {
    validate: (text, at) => HOST.exec(addressRoom(text, at))?.[0].length ?? 0,
    normalize: (match) => {
      match.url = `http://${match.url}`;
    },
  });
}

/** Browsers take about 2000 characters. */
const LONGEST_ADDRESS = 2000;
/** What ends a sentence or a bracket in Chinese and Japanese follows an address without a blank, and is none of it. */
const CJK_SIGN = /[\u3001-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/;

/** As much of the text as an address may take: without this, some that nothing ends take quadratic time. */
function addressRoom(text: string, at: number): string {
  const room = text.slice(at, at + LONGEST_ADDRESS);
  const end = room.search(CJK_SIGN);
  return end < 0 ? room : room.slice(0, end);
}

const builtIn = new MarkdownIt().linkify;

/** How long the address is behind its scheme. One that is longer than any is text. */
function webAddress(scheme: string, rest: string): number {
  const length = (builtIn.matchAtStart(scheme + rest)?.lastIndex ?? scheme.length) - scheme.length;
  return length < LONGEST_ADDRESS ? length : 0;
}

const HOST = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+(?:[/?#][^\s<>]*[\p{L}\p{N}/=_~-])?/u;

/** `<https://…>` and `<a@b.example>`. `Map<string:int>` is no link of the scheme `string`. */
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+)>/iy;

function autolink(state: StateInline, silent: boolean): boolean {
  AUTOLINK.lastIndex = state.pos;
  const [whole, address] = AUTOLINK.exec(state.src) ?? [];
  if (whole === undefined || address === undefined || state.pos + whole.length > state.posMax) return false;
  if (!silent) {
    const isMail = !/^(?:https?|mailto):/i.test(address);
    state.push("link_open", "a", 1).attrSet("href", isMail ? `mailto:${address}` : address);
    state.push("text", "", 0).content = address;
    state.push("link_close", "a", -1);
  }
  state.pos += whole.length;
  return true;
}
