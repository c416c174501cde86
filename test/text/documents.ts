/** Documents of all kinds that know what a reader has to see of them, without any of the product's own reading. */
import fc from "fast-check";

export interface Document {
  readonly markdown: string;
  /** In the order of reading. */
  readonly words: readonly string[];
  /** Names of columns: a table repeats them wherever it needs to. */
  readonly columns: readonly string[];
}
type Piece = Document;

const piece = (markdown: string, words: readonly string[] = [markdown], columns: readonly string[] = []): Piece => ({
  markdown,
  words,
  columns,
});
const together = (pieces: readonly Piece[], separator: string): Piece => ({
  markdown: pieces.map(({ markdown }) => markdown).join(separator),
  words: pieces.flatMap(({ words }) => words),
  columns: pieces.flatMap(({ columns }) => columns),
});

const letters = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), minLength: 1, maxLength });
const latin = letters("abcdefgijklmnopqrstuvwxyz", 12);
const FAMILY = "👨‍👩‍👧‍👦";

const word: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: latin },
  letters("漢字仮名交じり文中国語한국어", 30),
  letters("אבגדهوزحطي", 12),
  fc.constantFrom(FAMILY, "🇩🇪🇫🇷🇯🇵", "👍🏽", "नमस्ते", "é", "x\u0301\u0302\u0303", `z${"\u0336".repeat(90)}`),
  fc.constantFrom("@someone", "@everyone", "<!channel>", "<@U123>", "<@&5>", "@here"),
);
/** Longer than a message of any platform, or nearly. */
const giant = fc.constantFrom("x".repeat(2300), "漢".repeat(1700), FAMILY.repeat(420), `w${"\u0301".repeat(4500)}`);

const words = fc.array(word, { minLength: 1, maxLength: 6 }).map((all) => piece(all.join(" "), all));
const short = fc.array(latin, { minLength: 1, maxLength: 3 }).map((all) => piece(all.join(" "), all));
const around = (open: string, inside: fc.Arbitrary<Piece>, close = open) =>
  inside.map((one) => ({ ...one, markdown: open + one.markdown + close }));

const address = fc.integer({ min: 1, max: 300 }).map((length) => `https://e.example/${"p".repeat(length)}`);
const link = fc.oneof(
  fc.tuple(short, address).map(([label, url]) => piece(`[${label.markdown}](${url})`, label.words)),
  fc.tuple(short, address).map(([label, url]) => piece(`[citation:${label.markdown}](${url})`, label.words)),
  short.map((label) => piece(`[${label.markdown}][ref]`, label.words)),
  fc
    .tuple(short, latin)
    .map(([label, code]) => piece(`[${label.markdown}](javascript:${code})`, [...label.words, `javascript:${code}`])),
);
/** A name that is a ping only when what is styled and what is not is read together. */
const ping = fc
  .tuple(latin, fc.constantFrom("**", "*", "~~"))
  .map(([name, mark]) => piece(`@${mark}some${name}${mark}`, [`@some${name}`]));

const inline: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: words },
  around("**", words),
  around("*", words),
  around("~~", words),
  around("**", around("*", short)),
  around("`", short),
  link,
  ping,
);
/** Begins with a word, as what begins with a sign may be a block of another kind. */
const line = fc
  .tuple(latin, fc.array(inline, { minLength: 1, maxLength: 3 }))
  .map(([first, pieces]) => together([piece(first), ...pieces], " "));
const paragraph = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 3 }), fc.constantFrom("\n", "\\\n"))
  .map(([lines, separator]) => together(lines, separator));
const heading = around("## ", line, "");

const codeLine = fc
  .tuple(fc.constantFrom("", "  ", "\t"), short)
  .map(([indent, one]) => piece(indent + one.markdown, one.words));
/** Never empty: a fence without code is shown as it is written. */
const fence = fc
  .tuple(
    fc.constantFrom("", "ts", "python"),
    codeLine,
    fc.array(fc.oneof(codeLine, fc.constant(piece("", []))), { maxLength: 30 }),
  )
  .map(([language, first, lines]) =>
    together([piece(`\`\`\`${language}`, []), first, ...lines, piece("```", [])], "\n"),
  );

const column = letters("ⒶⒷⒸⒹⒺⒻⒼ", 8);
const cell = fc.oneof({ weight: 5, arbitrary: short }, words);
const table = fc.integer({ min: 1, max: 4 }).chain((width) =>
  fc
    .tuple(
      fc.array(column, { minLength: width, maxLength: width }),
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 25 }),
    )
    .map(([names, rows]) => {
      const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
      const body = rows.map((cells) => together(cells, " | "));
      const lines = [row(names), row(names.map(() => "---")), ...body.map(({ markdown }) => `| ${markdown} |`)];
      return piece(lines.join("\n"), together(body, "").words, names);
    }),
);

/** A box is text of the item, so that what follows is indented by the bullet alone. */
function item(one: Piece, sign: string): Piece {
  const indent = " ".repeat(sign === "1. " ? 3 : 2);
  return { ...one, markdown: sign + one.markdown.replaceAll("\n", `\n${indent}`) };
}

const { block } = fc.letrec<{ block: Piece; list: Piece; item: Piece; quote: Piece }>((tie) => ({
  item: fc
    .tuple(line, fc.option(fc.oneof(tie("list"), fence), { nil: undefined, freq: 4 }))
    .map(([first, more]) => (more ? together([first, more], "\n") : first)),
  list: fc
    .tuple(fc.array(tie("item"), { minLength: 1, maxLength: 5 }), fc.constantFrom("- ", "1. ", "- [x] ", "- [ ] "))
    .map(([items, sign]) =>
      together(
        items.map((one) => item(one, sign)),
        "\n",
      ),
    ),
  quote: fc
    .array(tie("block"), { minLength: 1, maxLength: 2 })
    .map((blocks) => together(blocks, "\n\n"))
    .map((one) => ({ ...one, markdown: one.markdown.replaceAll(/^/gm, "> ") })),
  block: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 12, arbitrary: paragraph },
    { weight: 2, arbitrary: fence },
    { weight: 2, arbitrary: heading },
    fc.constant(piece("---", [])),
    giant.map((text) => piece(text)),
    { weight: 2, arbitrary: table },
    { weight: 4, arbitrary: tie("list") },
    { weight: 2, arbitrary: tie("quote") },
  ),
}));

/** Blocks apart from each other by a comment-free paragraph, so that no list runs into the next. */
export const documents: fc.Arbitrary<Document> = fc
  .array(fc.tuple(block, latin), { minLength: 1, maxLength: 5 })
  .map((blocks) =>
    together(
      blocks.flatMap(([one, text]) => [one, piece(text)]),
      "\n\n",
    ),
  )
  .map((one) => ({ ...one, markdown: `${one.markdown}\n\n[ref]: https://e.example/ref` }));
