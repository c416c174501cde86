/** Documents of all kinds that know what a reader has to see of them, without any of the product's own reading. */
import fc from "fast-check";
import { around, formula, line, linkInCell, math } from "./inline.ts";
import { FAMILY, latin, letters, piece, short, together, words } from "./piece.ts";
import type { Piece } from "./piece.ts";

/** Longer than a message of any platform, or nearly. */
const giant = fc.constantFrom("x".repeat(2300), "漢".repeat(1700), FAMILY.repeat(420), `w${"\u0301".repeat(4500)}`);

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

/** On lines of its own. */
const mathBlock = fc
  .tuple(fc.array(formula, { minLength: 1, maxLength: 4 }), fc.constantFrom(["$$", "$$"], ["\\[", "\\]"]))
  .map(([lines, [open, close]]) =>
    together(
      [open, ...lines, close].map((text) => piece(text)),
      "\n",
    ),
  );
/** A line with a note, which follows. */
const noted = fc.tuple(line, latin, fc.array(paragraph, { minLength: 1, maxLength: 2 })).map(([said, label, note]) => {
  const body = together(note, "\n\n");
  const indented = { ...body, markdown: body.markdown.replaceAll("\n", "\n    ") };
  const sign = piece(`[^${label}]`, [`[${label}]`]);
  return together([together([said, sign], ""), together([sign, indented], ": ")], "\n\n");
});

const column = letters("ⒶⒷⒸⒹⒺⒻⒼ", 8);
const cell = fc.oneof({ weight: 10, arbitrary: short }, { weight: 2, arbitrary: words }, linkInCell, math);
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
      const { words, addresses } = together(body, "");
      return { markdown: lines.join("\n"), words, columns: names, addresses };
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
    mathBlock,
    noted,
    { weight: 4, arbitrary: tie("list") },
    { weight: 2, arbitrary: tie("quote") },
  ),
}));

/** Blocks apart from each other by a comment-free paragraph, so that no list runs into the next. */
export const documents: fc.Arbitrary<Piece> = fc
  .array(fc.tuple(block, latin), { minLength: 1, maxLength: 5 })
  .map((blocks) =>
    together(
      blocks.flatMap(([one, text]) => [one, piece(text)]),
      "\n\n",
    ),
  )
  .map((one) => ({ ...one, markdown: `${one.markdown}\n\n[ref]: https://e.example/ref` }));
