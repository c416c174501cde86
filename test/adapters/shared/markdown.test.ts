import fc from "fast-check";
import type { Nodes } from "mdast";
import { describe, expect, it } from "vitest";
import { parseMarkdown } from "../../../adapters/shared/markdown.ts";

const words = (node: Nodes): string =>
  "children" in node ? node.children.map(words).join("") : "value" in node ? node.value : "";
const types = (text: string) => parseMarkdown(text).children.map((node) => node.type);

describe("markdown", () => {
  it("MD-01: keeps delimiters inside words and numbers as text", () => {
    for (const text of ["2*3*4 and user_id_field", "from 10~20~30", "a**b**c"]) {
      expect(words(parseMarkdown(text))).toBe(text);
    }
  });

  it("is parsed whole when it is long, and only what nobody writes is left as it is", () => {
    const list = "1. one\n\n2. two\n\n";
    const long = `${"A paragraph of **words**.\n\n".repeat(700)}${list}`;
    expect(types(long).filter((type) => type !== "paragraph")).toEqual(["list"]);
    const endless = "_a_ ".repeat(10_000).trim();
    const mixed = parseMarkdown(`# Title\n\n${endless}\n\n**end**`);
    expect(mixed.children.map((node) => node.type)).toEqual(["heading", "paragraph", "paragraph"]);
    expect(words(mixed)).toBe(`Title${endless}end`);
  });

  it("keeps a long fence a fence", () => {
    const code = "x = 1\n\n".repeat(5000);
    expect(types(`before\n\n\`\`\`py\n${code}\`\`\`\n\nafter`)).toEqual(["paragraph", "code", "paragraph"]);
  });

  it("bears any nesting", () => {
    for (const mark of ["> ", "- ", "1. "]) expect(words(parseMarkdown(mark.repeat(5000) + "x"))).toContain("x");
  });

  it("gives a tree for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => parseMarkdown(text).type === "root"),
    );
  });
});
