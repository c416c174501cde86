/** Finding the passage of a text that is closest to a query: plain word search, no understanding. */
import type MiniSearch from "minisearch";
import { lazily } from "./arithmetic.ts";

export interface Passage {
  readonly path: string;
  /** The nearest heading above; empty when there is none. */
  readonly heading: string;
  readonly text: string;
}
export interface Source {
  readonly path: string;
  readonly text: string;
}

const STOP = new Set(
  "a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its me my no not of on or our please say says tell than that the their them there these they this to was we were what when where which who why will with would you your".split(
    " ",
  ),
);

/** Lower case, stop words dropped, the commonest English endings cut: `refunded`, `refunds` → `refund`. */
export function stem(word: string): string | null {
  const low = word.toLowerCase();
  if (low === "" || STOP.has(low)) return null;
  if (low.length < 5) return low.replace(/(?<=[a-z]{3})s$/, "");
  return low
    .replace(/(?:'s|’s)$/, "")
    .replace(/ies$/, "y")
    .replace(/(?:ing|ed|es|s)$/, "")
    .replace(/([b-df-hj-np-tv-z])\1$/, "$1")
    .replace(/e$/, "");
}
const words = (text: string) => text.match(/[\p{L}\p{N}]+(?:['’]s)?/gu) ?? [];
const stems = (text: string) => [
  ...new Set(
    words(text)
      .map(stem)
      .filter((one) => one !== null),
  ),
];

/** Paragraphs, each with its heading (`# …` or a line above `===`). */
function passagesOf({ path, text }: Source): Passage[] {
  let heading = "";
  return text.split(/\n\s*\n|(?=^#{1,6} )|(?<=^#{1,6} .*)\n/m).flatMap((block) => {
    const title = /^#{1,6}\s+(.+)$/.exec(block.trim()) ?? /^(.+)\n(?:=+|-{3,})$/.exec(block.trim());
    if (title) heading = title[1]?.trim() ?? "";
    return title || block.trim() === "" ? [] : [{ path, heading, text: block.trim() }];
  });
}

const engine = lazily(async () => (await import("minisearch")).default);

/** The closest passage, with at least half of the query's words in it or its heading; undefined when none is close. */
export async function closestPassage(query: string, sources: readonly Source[]): Promise<Passage | undefined> {
  const passages = sources.flatMap(passagesOf);
  const wanted = stems(query);
  if (wanted.length === 0) return undefined;
  const index = await indexOf(passages);
  const best = index.search(wanted.join(" "), {
    boost: { heading: 2 },
    prefix: (term) => term.length > 4,
    processTerm: (term) => term,
  })[0];
  if (!best || best.queryTerms.length * 2 < wanted.length) return undefined;
  return passages[Number(best.id)];
}

async function indexOf(passages: readonly Passage[]): Promise<MiniSearch> {
  const Engine = await engine();
  const index = new Engine({ fields: ["text", "heading"], tokenize: words, processTerm: stem });
  index.addAll(passages.map(({ text, heading }, id) => ({ id, text, heading })));
  return index;
}
