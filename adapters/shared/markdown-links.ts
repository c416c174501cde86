/** What becomes a link without brackets: addresses of the web and of mail, and nothing that only looks like one. */
import type MarkdownIt from "markdown-it";
import type { StateInline } from "markdown-it";

export function addLinkRules(md: MarkdownIt): void {
  // Whether and how a link may live is decided where it is drawn; nothing written is lost here, nor rewritten.
  md.validateLink = () => true;
  md.normalizeLink = (url) => url;
  md.normalizeLinkText = (url) => url;
  md.inline.ruler.at("autolink", autolink);
  // `main.ts` is no host; what begins with www. is one, as in GFM.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: true }).add("//", null).add("ftp:", null);
  md.linkify.add("www.", {
    validate: (text, position) => HOST.exec(text.slice(position, position + LONGEST_ADDRESS))?.[0].length ?? 0,
    normalize: (match) => {
      match.url = `http://${match.url}`;
    },
  });
}

/** Browsers take about 2000 characters. */
const LONGEST_ADDRESS = 2000;
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
