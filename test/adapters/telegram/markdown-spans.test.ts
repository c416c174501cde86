import { expect, test } from "vitest";
import { unpinged } from "../../../adapters/telegram/unpinged.ts";
import { markdownSpans } from "../../../adapters/shared/markdown-spans.ts";
import { textOf } from "../../../adapters/shared/spans.ts";
import { toEntities } from "../../../adapters/telegram/entities.ts";

/** Entities as `type "their text"`, which a reader can check. */
function shown(markdown: string) {
  const spans = unpinged(markdownSpans(markdown));
  const text = textOf(spans);
  const marks = toEntities(spans).map(({ offset, length, ...mark }) => {
    const detail =
      mark.type === "text_link" ? ` → ${mark.url}` : mark.type === "pre" ? ` (${mark.language ?? ""})` : "";
    return `${mark.type} "${text.slice(offset, offset + length)}"${detail}`;
  });
  return { text, marks };
}

test("MD-01: identifiers keep their underscores and stars", () => {
  const text = "call user_id_field then MAX_RETRY_COUNT in /tmp/a_b_c.txt, 2*3*4";
  expect(shown(text)).toEqual({ text, marks: [] });
  expect(shown("2**3**4 and 10~20~30")).toEqual({ text: "2**3**4 and 10~20~30", marks: [] });
  expect(shown("中*文*字").marks).toEqual(['italic "文"']);
});

test("MD-02: bold and italic nest and never cross", () => {
  expect(shown("***both*** and **bold *it* x** and **a _b** c_")).toEqual({
    text: "both and bold it x and a _b c_",
    marks: ['italic "both"', 'bold "both"', 'bold "bold it x"', 'italic "it"', 'bold "a _b"'],
  });
});

test("inline types are kept, and code holds nothing but itself", () => {
  expect(shown("~~old~~ **run `x` now**").marks).toEqual([
    'strikethrough "old"',
    'bold "run "',
    'code "x"',
    'bold " now"',
  ]);
});

test("headings are bold, quotes are quotes, and a quote in a quote is one", () => {
  expect(shown("# Plan\n\n> a\n>> b\n\nend")).toEqual({
    text: "Plan\n\na\n\nb\n\nend",
    marks: ['bold "Plan"', 'blockquote "a\n\nb"'],
  });
});

test("lists keep their numbers, their nesting and their boxes", () => {
  expect(shown("3. three\n4. four\n   - deep\n     - deeper\n\n- [ ] open\n- [x] done").text).toBe(
    "3. three\n4. four\n   • deep\n      • deeper\n\n☐ open\n☑ done",
  );
});

test("paragraphs of an item stand apart, without lines of blanks between them", () => {
  expect(shown("1. one\n\n   more\n\n2. two\n   - x\n\n     y").text).toBe(
    "1. one\n\n   more\n\n2. two\n   • x\n\n      y",
  );
});

test("a fence is a block with its language, and what is in it stays as it is", () => {
  expect(shown("```ts title\nconst a = `b`; // **c**\n```")).toEqual({
    text: "const a = `b`; // **c**",
    marks: ['pre "const a = `b`; // **c**" (ts)'],
  });
});

test("HTML is shown, not obeyed", () => {
  expect(shown("a <b>bold</b> & <script>x</script>")).toEqual({
    text: "a <b>bold</b> & <script>x</script>",
    marks: [],
  });
});

test("images and citations are links called by their names", () => {
  expect(shown("![chart](https://e.example/c.png) [citation:The Title](https://e.example/a)").marks).toEqual([
    'text_link "chart" → https://e.example/c.png',
    'text_link "The Title" → https://e.example/a',
  ]);
});

test("a link that may not live, or that lies about its host, shows where it leads", () => {
  expect(shown("[click](javascript:alert(1))")).toEqual({ text: "click (javascript:alert(1))", marks: [] });
  expect(shown("[https://bank.example](https://evil.example/x)")).toEqual({
    text: "https://bank.example (https://evil.example/x)",
    marks: [],
  });
  expect(shown("[docs.example](https://docs.example/intro)").marks).toHaveLength(1);
});

test("links by reference and footnotes lose nothing", () => {
  expect(shown("see [docs][d] and more[^1]\n\n[d]: https://e.example/d\n[^1]: small print")).toEqual({
    text: "see docs and more[1]\n\n[1]: small print",
    marks: ['text_link "docs" → https://e.example/d'],
  });
});

test("a name is shown and calls nobody; in code and in addresses it is left alone", () => {
  expect(shown("ask @alice, not `@bob` or a@b.example")).toEqual({
    text: "ask @alice, not @bob or a@b.example",
    marks: ['text_link "@alice" → https://t.me/alice', 'code "@bob"'],
  });
  expect(shown("https://m.example/@user").marks).toEqual([
    'text_link "https://m.example/@user" → https://m.example/@user',
  ]);
});

test("MD-07: a table is aligned in a block, each value once, without its dashes", () => {
  const table = "| a | b | c |\n|---|:-:|--:|\n| 1 | a\\|b | 中文 |\n| 22 | x | 7 |";
  expect(shown(table)).toEqual({
    text: "a    b      c\n──  ───  ────\n1   a|b  中文\n22   x      7",
    marks: [expect.stringMatching(/^pre /)],
  });
  expect(shown(`\`\`\`\n${table}\n\`\`\``).text).toBe(table);
});

test("MD-07: a wide table is a list, one paragraph a row", () => {
  const long = "word ".repeat(15).trim();
  expect(shown(`| Name | Meaning |\n|---|---|\n| one | ${long} |\n| two | ${long} |`)).toEqual({
    text: `Name: one\nMeaning: ${long}\n\nName: two\nMeaning: ${long}`,
    marks: ['bold "Name"', 'bold "Meaning"', 'bold "Name"', 'bold "Meaning"'],
  });
});

test("a table shows no empty header, and a name without any value once", () => {
  expect(shown("| | |\n|-|-|\n| a | b |").text).toBe("a  b");
  const long = "word ".repeat(15).trim();
  expect(shown(`| name | what | |\n|-|-|-|\n| | ${long} | |\n| | | |\n| x | | |`).text).toBe(
    `what: ${long}\n\nname: x`,
  );
  expect(shown(`| name | what |\n|-|-|\n| ${long} | |\n| x | |`).text).toBe(`name: ${long}\nwhat: –\n\nname: x`);
});

test("a table is drawn as one, however long", () => {
  const row = "| name | **value** |\n";
  const text = shown(`| a | b |\n|---|---|\n${row.repeat(2000)}`).text.split("\n");
  expect(text).toHaveLength(2002);
  expect(text.at(-1)).toBe("name  value");
});

test("a link in a table, where it cannot live, is followed by its address", () => {
  const table = "| see |\n|---|\n| [docs](https://e.example/d) and https://e.example/ |";
  expect(shown(table).text.split("\n").at(-1)).toBe("docs (https://e.example/d) and https://e.example/");
});

test("code in a link gives way to the link, and a link around a linked picture loses neither address", () => {
  expect(shown("[`run`](https://e.example/r)").marks).toEqual(['text_link "run" → https://e.example/r']);
  expect(shown("[![logo](https://e.example/l.png)](https://e.example/home)")).toEqual({
    text: "logo (https://e.example/home)",
    marks: ['text_link "logo" → https://e.example/l.png'],
  });
});

test("what is nested deeper than the stack is shown as it is written, not lost", () => {
  expect(textOf(markdownSpans(`${"> ".repeat(20_000)}deep`))).toContain("deep");
});
