/** Labels that name a host: `[google.com](https://evil.example)` is a lie that a reader cannot see. */

import { readAddress } from "./address.ts";

/** Whether the label names a host that is not this one, in time that grows with the label's length. */
export function namesOtherHost(label: string, hostname: string): boolean {
  const host = bare(hostname);
  return namedHosts(label).some((named) => bare(named) !== host);
}

const bare = (host: string): string => (readAddress(`http://${host}`)?.hostname ?? host).replace(/^www\./, "");

/** Characters that show nothing or next to nothing, and would hide a host from the patterns; marks on letters of ASCII too. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cc}|\u{1d159}|(?<=[!-~])\p{M}+/gu;
/** Full stops of other scripts. NFKC has turned U+FF0E and U+2024 into the dot; U+3002 is one between letters of ASCII. */
const LOOKS_LIKE_A_DOT = /\u06d4|\u0701|\u0702|\u2e33|\ua4f8|\ua60e|\u{10a50}|(?<=[!-~])\u3002(?=[!-~])/gu;
const WORDS = /[\p{L}\p{N}_.-]+/gu;

function namedHosts(label: string): string[] {
  const shown = label.normalize("NFKC").replaceAll(INVISIBLE, "").replaceAll(LOOKS_LIKE_A_DOT, ".");
  return [...shown.matchAll(WORDS)].flatMap((found, index) => {
    const word = trimmed(found[0]);
    if (shown.startsWith("://", found.index - 3)) return [word];
    return isHost(word, index === 0 || word.startsWith("www.")) ? [word] : [];
  });
}

function trimmed(word: string): string {
  let [start, end] = [0, word.length];
  while (start < end && ".-_".includes(word.charAt(start))) start++;
  while (start < end && ".-_".includes(word.charAt(end - 1))) end--;
  return word.slice(start, end);
}

/** In the middle of a label, what ends like a file is one. */
function isHost(word: string, isFirst: boolean): boolean {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(word)) return true;
  const dot = word.lastIndexOf(".");
  const ending = word.slice(dot + 1).toLowerCase();
  if (dot < 1 || !/^(?:\p{L}{2,}|xn--[a-z0-9-]+)$/u.test(ending)) return false;
  return isFirst || !FILES.has(ending);
}

/** Endings that people write for files more often than for hosts. */
const FILES = new Set(
  (
    "bash bat bin bmp bz c cfg conf cpp cs css csv db diff dll doc docx env exe gif go gz h hpp htm html ico ini ipynb " +
    "java jpeg jpg js json jsonl jsx kt lock log lua md mdx mjs mov mp php pdf pem png ppt pptx py rar rb rs rst rtf " +
    "sass scss sh sql sqlite svg swift tar tex tgz toml ts tsv tsx txt vue wasm wav webp xls xlsx xml yaml yml zip zsh"
  ).split(" "),
);
