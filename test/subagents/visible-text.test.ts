import { describe, expect, it } from "vitest";
import { withoutThinking, withoutThinkingSoFar } from "../../subagents/visible-text.ts";

describe("AGT-12: thinking inside text", () => {
  it("is cut out, closed or not", () => {
    expect(withoutThinking("<think>X</think>Y")).toBe("Y");
    expect(withoutThinking("a <THINKING>X\nX</thinking> b")).toBe("a b");
    expect(withoutThinking("a\n<think>never closed")).toBe("a");
  });

  it("never shows at any point of a stream, wherever it is cut", () => {
    const text = "Before <think>X2 < X3</think>after, 1 < 2 <thin line";
    for (let end = 0; end <= text.length; end++) {
      const shown = withoutThinkingSoFar(text.slice(0, end));
      expect(shown).not.toMatch(/X|<t(h(i(nk?)?)?)?$/);
    }
    expect(withoutThinking(text)).toBe("Before after, 1 < 2 <thin line");
  });

  it("leaves tags alone that are only spoken about", () => {
    expect(withoutThinking("the `<think>` tag")).toBe("the `<think>` tag");
  });
});
