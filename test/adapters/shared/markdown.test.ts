import fc from "fast-check";
import type { Nodes } from "mdast";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../adapters/shared/markdown.ts";

const words = (node: Nodes): string =>
  "children" in node ? node.children.map(words).join("") : "value" in node ? node.value : "";

describe("markdown", () => {
  it("MD-01: keeps delimiters inside words and numbers as text", () => {
    for (const text of ["2*3*4 and user_id_field", "from 10~20~30", "a**b**c", "2**3**4"]) {
      expect(words(parseMarkdown(text))).toBe(text);
    }
    expect(words(parseMarkdown("_*a*_ and **b**."))).toBe("a and b.");
  });

  it("is parsed whole, however long", () => {
    const item = "1. one **word**\n";
    const [list] = parseMarkdown(item.repeat(3000)).children;
    expect(list?.type === "list" && list.children.length).toBe(3000);
    expect(words(parseMarkdown("_a_ ".repeat(10_000)))).toBe("a ".repeat(10_000).trim());
  });

  it("keeps each blank line of code, also in lists", () => {
    const code = "x = 1\n\n\n\ny = 2";
    for (const indent of ["", "    "]) {
      const fence = `\`\`\`py\n${code}\n\`\`\``.replaceAll(/^(?=.)/gm, indent);
      expect(words(parseMarkdown(`1.  a\n\n${fence}`))).toBe(`a${code}`);
    }
  });

  it.each([
    "$(a)*(b)*(c)$",
    "$\\{1,2\\}$",
    "\\(x_1 * y * z\\)",
    "$$a \\\\ *b*$$",
    "$$\na &= b \\\\\n- c\n# d\n$$",
    "\\[\n- a_1\n- b_1\n\\]",
  ])("shows math as it is written: %s", (math) => {
    expect(words(parseMarkdown(math))).toBe(math);
    expect(words(parseMarkdown(`> Text:\n${math}`))).toContain("Text:");
  });

  it("takes prices and variables for what they are", () => {
    expect(words(parseMarkdown("from $5 to **all** of $6"))).toBe("from $5 to all of $6");
    expect(words(parseMarkdown("set `$A` to **b** and `$C`"))).toBe("set $A to b and $C");
  });

  it("shows generic types, which look like addresses, as they are written", () => {
    const text = "Result<ok:T>, Map<string:int> and <id:home>";
    expect(parseMarkdown(text).children).toEqual([{ type: "paragraph", children: [{ type: "text", value: text }] }]);
  });

  it("sees emphasis beside Chinese and Japanese punctuation", () => {
    const [paragraph] = parseMarkdown("**注意：**重要です。これは**「強調」**です。").children;
    const strong = paragraph?.type === "paragraph" ? paragraph.children.filter((node) => node.type === "strong") : [];
    expect(strong.map(words)).toEqual(["注意：", "「強調」"]);
  });

  it.each([
    ["见https://example.com/a。下一句", "https://example.com/a"],
    ["（https://example.com/a）。", "https://example.com/a"],
    ["「www.example.com/a」の次", "http://www.example.com/a"],
    ["https://ja.wikipedia.org/wiki/日本、など", "https://ja.wikipedia.org/wiki/日本"],
    ["see https://example.com/a(b).", "https://example.com/a(b)"],
  ])("ends an address where a Chinese or Japanese sign follows it: %s", (text, url) => {
    const [paragraph] = parseMarkdown(text).children;
    const links = paragraph?.type === "paragraph" ? paragraph.children.filter(({ type }) => type === "link") : [];
    expect(links).toMatchObject([{ url }]);
    expect(words(parseMarkdown(text))).toBe(text);
  });

  it("leaves an address that is longer than any as text", () => {
    const address = `https://e.example/${"a".repeat(3000)}`;
    expect(parseMarkdown(address).children).toMatchObject([{ children: [{ type: "text", value: address }] }]);
  });

  it("shows a block of math as it is written, whatever follows it unclosed and defined", () => {
    const math = "$$\n- a\n* b\n> c\n$$";
    expect(words(parseMarkdown(`${math}\n\ntext\n\n$$\nopen\n\n[r]: https://e.example`))).toContain(math);
  });

  it("strikes between one tilde and between two, as GitHub does", () => {
    const [paragraph] = parseMarkdown("~a~ ~~b~~ ~~~c~~~ ~~d~ ~200 and ~300").children;
    const struck = paragraph?.type === "paragraph" ? paragraph.children.filter((node) => node.type === "delete") : [];
    expect(struck.map(words)).toEqual(["a", "b"]);
  });

  it("loses no cell of a row that has more than the header", () => {
    expect(words(parseMarkdown("| a | b |\n|---|---|\n| 1 | 2 | 3 | `x\\|y` |"))).toBe("ab12 | 3 | x|y");
  });

  it("begins a list, a quote or a heading where one is written, and no table around it", () => {
    for (const mark of ["1. ", "- ", "> ", "# "]) {
      expect(parseMarkdown(`${mark}| a | b |\n|---|---|\n`).children[0]?.type).not.toBe("table");
    }
  });

  it("shows what is said beside a fence without code", () => {
    expect(words(parseMarkdown("before\n\n```js is what I mean"))).toBe("before```js is what I mean");
  });

  it("shows what is nested too deep as it is written", () => {
    for (const mark of ["> ", "- ", "1. ", "[^a]: "]) {
      const shown = words(parseMarkdown(`${mark.repeat(5000)}x\n\nafter`));
      expect(shown).toContain(`${mark}x`);
      expect(shown).toContain("after");
    }
    const marks = words(parseMarkdown("*a ".repeat(5000) + "b*".repeat(5000)));
    expect(marks.replaceAll(/[^ab]/g, "")).toBe("a".repeat(5000) + "b".repeat(5000));
  });

  it("drops what turns the direction of writing around", () => {
    expect(words(parseMarkdown("a \u202emoc.elgoog\u202c `\u2066b` \u05d0\u200f"))).toBe("a moc.elgoog b \u05d0\u200f");
  });

  it("drops it also where an entity names it", () => {
    expect(words(parseMarkdown("&#x202e;a&#13;b [c](https://e.example)"))).toBe("a b c");
  });

  it("gives a tree for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => parseMarkdown(text).type === "root"),
    );
  });
});
