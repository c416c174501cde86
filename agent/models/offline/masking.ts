/** Text that a request carries, quoted or after `count the words in:`, stands aside while the request is parted. */

export interface Masked {
  readonly text: string;
  /** Puts back what stands behind the marks of any piece. */
  readonly unmask: (piece: string) => string;
}

/** A private-use character (Unicode 23.5): nobody writes it. Its number ends before a quote mark, a line or the text. */
const MARK = "\uE000";
const LEAD = String.raw`\b(?:how many words(?: are)?(?: there)? in|count the words (?:in|of))[^:\n"“„]{0,40}:[ \t]*`;
const IN_ITEM = new RegExp(String.raw`^(\s*(?:[-*•]|\d{1,2}[.)])\s.*?${LEAD})([^\s"“„].*)$`, "gim");
const TO_END = new RegExp(String.raw`(${LEAD})(?=\s*[^\s"“„${MARK}])([\s\S]+)$`, "i");
const QUOTED = /(["“„])([^"“”„]+)(["”“])/g;

export function mask(request: string): Masked {
  const hidden: string[] = [];
  const hide = (text: string) => `${MARK}${hidden.push(text) - 1}`;
  const text = request
    .replaceAll(MARK, "")
    .replaceAll(IN_ITEM, (_, lead: string, carried: string) => lead + hide(carried))
    .replace(TO_END, (_, lead: string, carried: string) => lead + hide(carried))
    .replaceAll(QUOTED, (_, open: string, quoted: string, close: string) => open + hide(quoted) + close);
  const unmask = (piece: string) =>
    piece.replaceAll(new RegExp(`${MARK}(\\d+)`, "g"), (_, at: string) => hidden[Number(at)] ?? "");
  return { text, unmask };
}
