/** A piece of markdown that knows what a reader has to see of it. */
import fc from "fast-check";

export interface Piece {
  readonly markdown: string;
  /** In the order of reading. */
  readonly words: readonly string[];
  /** Names of columns: a table repeats them wherever it needs to. */
  readonly columns: readonly string[];
  /** Where links lead that are too long for some platform: it may show them beside their labels. */
  readonly addresses: readonly string[];
}

export const piece = (
  markdown: string,
  words: readonly string[] = [markdown],
  more: Partial<Pick<Piece, "columns" | "addresses">> = {},
): Piece => ({ markdown, words, columns: [], addresses: [], ...more });
export const together = (pieces: readonly Piece[], separator: string): Piece => ({
  markdown: pieces.map(({ markdown }) => markdown).join(separator),
  words: pieces.flatMap(({ words }) => words),
  columns: pieces.flatMap(({ columns }) => columns),
  addresses: pieces.flatMap(({ addresses }) => addresses),
});

export const letters = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), minLength: 1, maxLength });
export const latin = letters("abcdefgijklmnopqrstuvwxyz", 12);
export const FAMILY = "👨‍👩‍👧‍👦";

const word: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: latin },
  letters("漢字仮名交じり文中国語한국어", 30),
  letters("אבגדهوزحطي", 12),
  fc.constantFrom(FAMILY, "🇩🇪🇫🇷🇯🇵", "👍🏽", "नमस्ते", "é", "x\u0301\u0302\u0303", `z${"\u0336".repeat(90)}`),
  // Isolated and overridden, as a text from elsewhere may be.
  fc.constantFrom("\u2067אבג\u2069", "\u202eabc\u202c"),
  fc.constantFrom("@someone", "@everyone", "<!channel>", "<@U123>", "<@&5>", "@here"),
);

export const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((all) => piece(all.join(" "), all));
export const short = fc.array(latin, { minLength: 1, maxLength: 3 }).map((all) => piece(all.join(" "), all));
