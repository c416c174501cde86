import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { richText } from "../../../adapters/web/rich-text.ts";

/** What a browser would show of it. */
const words = (html: string) =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#x3C;", "<")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#x26;", "&")
    .replaceAll("&amp;", "&");

describe("model text as HTML", () => {
  it("MD-04: shows < > & as they are, inside and outside code, and makes no link of what is none", () => {
    const html = richText("if a < b && c > d: `Map<K>` <!channel> <@U0FAKE1> [x](!here)");
    expect(words(html)).toBe("if a < b && c > d: Map<K> <!channel> <@U0FAKE1> x (!here)");
    expect(html).not.toContain("<a");
    expect(html).not.toContain("&amp;lt;");
  });

  it("shows raw HTML as text, inline and as a block", () => {
    const html = richText('a <b onclick="x()">bold</b>\n\n<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>');
    expect(html).not.toMatch(/<(script|img|b)\b/);
    expect(words(html)).toContain("<script>alert(1)</script>");
    expect(words(html)).toContain('<b onclick="x()">bold</b>');
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//x",
  ])("keeps the words of a link to %s, with the address beside them, and drops the link", (url) => {
    for (const markdown of [`[click](${url})`, `![click](${url})`, `[click][r]\n\n[r]: ${url}`]) {
      const html = richText(markdown);
      expect(words(html).trim()).toBe(`click (${url})`);
      expect(html).not.toMatch(/href|src/);
    }
  });

  it("opens links in a tab of their own that learns nothing of this one", () => {
    expect(richText("[a](https://example.org/x) <mailto:a@example.org>")).toBe(
      '<p dir="auto"><a href="https://example.org/x" rel="noopener" target="_blank">a</a> ' +
        '<a href="mailto:a@example.org" rel="noopener" target="_blank">mailto:a@example.org</a></p>',
    );
  });

  it("loads no picture: it is a link called by its description", () => {
    expect(richText("![a cat](https://example.org/cat.png)")).toBe(
      '<p dir="auto"><a href="https://example.org/cat.png" rel="noopener" target="_blank">a cat</a></p>',
    );
  });

  it("makes no link of a label that names another host, and shows where it leads", () => {
    expect(richText("[google.com](https://evil.example/x)")).toBe(
      '<p dir="auto">google.com (https://evil.example/x)</p>',
    );
  });

  it("draws a linked picture as one link, with the other address beside it", () => {
    const html = richText("[![b](https://example.org/i)](https://example.org/t)");
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(words(html)).toBe("b (https://example.org/t)");
  });

  it("calls a citation by its title", () => {
    const html = richText("True ([citation:The Source](https://example.org/s)).");
    expect(words(html)).toBe("True (The Source).");
    expect(html).toContain('href="https://example.org/s"');
  });

  it("names the language of code and lets the keyboard scroll it", () => {
    expect(richText("```js\na < 1\n```")).toBe(
      '<pre dir="ltr" tabindex="0"><code class="language-js">a &#x3C; 1\n</code></pre>',
    );
  });

  it("draws tables with their alignment in a box that scrolls", () => {
    const html = richText("| a | b |\n|:--|--:|\n| x\\|y | 中文 |");
    expect(html).toMatch(/^<div class="wide" tabindex="0"><table>/);
    expect(html).toContain('<td align="left" dir="auto">x|y</td>');
    expect(html).toContain('<td align="right" dir="auto">中文</td>');
  });

  it("draws task lists as boxes that cannot be ticked", () => {
    const html = richText("- [x] done\n- [ ] open");
    expect(html.match(/<input type="checkbox"[^>]* disabled>/g)).toHaveLength(2);
    expect(html.match(/checked/g)).toHaveLength(1);
  });

  it("keeps footnotes as text", () => {
    const html = richText("Known[^1].\n\n[^1]: From the book.");
    expect(words(html).replace(/\s+/g, " ")).toBe("Known[1]. [1] From the book.");
    expect(html).not.toContain("<a");
  });

  it("gives each block its own writing direction", () => {
    expect(richText("# שלום\n\nhello")).toBe('<h1 dir="auto">שלום</h1>\n<p dir="auto">hello</p>');
  });

  it("lets nothing run and nothing load, whatever the text", () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      '"',
      "[a](",
      "javascript:",
      "![",
      "](",
      ")",
      "<img src=x ",
      "`",
      "\n\n",
      "on",
    );
    const anything = fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }).map((list) => list.join(""));
    fc.assert(
      fc.property(anything, (markdown) => {
        for (const [tag] of richText(markdown).matchAll(/<[^>]*>/g)) {
          expect(tag).toMatch(
            /^<\/?(p|h[1-6]|li|blockquote|td|th|ul|ol|pre|code|a|strong|em|del|hr|br|input|div|table|thead|tbody|tr)\b/,
          );
          expect(tag).not.toMatch(/\son\w+=|src=|style=|href="(?!https?:|mailto:)/i);
        }
      }),
    );
  });
});
