import { describe, expect, it } from "vitest";
import type { View } from "../../gateway/contract.ts";
import { type Backoff, type LaneState, nextSend, type Track } from "../../gateway/next-send.ts";
import { type OpenSlot, slot } from "../../gateway/store-contract.ts";

const RESTED: Backoff = { failures: 0, since: 0, retryAt: 0 };
const VIEWS: Readonly<Record<string, View>> = {
  reply: { type: "reply", markdown: "." },
  notice: { type: "notice", markdown: ".", tone: "info" },
  file: { type: "file", path: "/f", name: "f", mime: "text/plain", sizeBytes: 1 },
  card: { type: "progress", state: "done", tasks: [], model: "m", startedAt: 0, at: 0 },
  closing: {
    type: "question",
    icon: "?",
    question: "?",
    options: [],
    asked: "Ana",
    closed: { type: "given_up", reason: "." },
  },
};

function state(names: readonly string[], waits: Partial<Record<Track, number>> = {}, turnAt = 0): LaneState {
  const stored = names.map((name): OpenSlot => {
    const view = VIEWS[name.replace(/\d/, "")];
    if (!view) throw new Error(`no view is called ${name}`);
    return { slot: slot("notice", name), view, final: true, version: 1 };
  });
  const backoff = { words: RESTED, closing: RESTED, file: RESTED, card: RESTED };
  for (const [track, retryAt] of Object.entries(waits)) Object.assign(backoff, { [track]: { ...RESTED, retryAt } });
  return { now: 1000, turnAt, stored, live: undefined, backoff };
}
const chosen = (...args: Parameters<typeof state>) => {
  const next = nextSend(state(...args));
  return next?.type === "stored" ? next.slot.slot : next?.type === "later" ? next.at : undefined;
};

describe("of what a thread has stored", () => {
  it("words leave in their order, whatever their kind", () => {
    expect(chosen(["notice1", "reply1"])).toBe("notice:notice1");
    expect(chosen(["reply1", "notice1"])).toBe("notice:reply1");
  });

  it("a file, which takes long, comes after the words, and the end of a card last", () => {
    expect(chosen(["file1", "card1", "reply1", "file2"])).toBe("notice:card1");
    expect(chosen(["file1", "reply1", "card1"])).toBe("notice:reply1");
    expect(chosen(["card1", "file1"])).toBe("notice:file1");
  });

  it("the end of a card waits for its turn, unless the next run has something to say", () => {
    expect(chosen(["card1"], {}, 4000)).toBe(4000);
    expect(chosen(["card1", "reply2"], {}, 4000)).toBe("notice:card1");
  });

  it("what has to wait lets all other tracks pass, and none of its own", () => {
    expect(chosen(["card1", "reply2"], { card: 9000 })).toBe("notice:reply2");
    expect(chosen(["closing1", "reply1"], { closing: 9000 })).toBe("notice:reply1");
    expect(chosen(["reply1", "file1"], { words: 9000 })).toBe("notice:file1");
    expect(chosen(["reply1", "notice1"], { words: 9000 })).toBe(9000);
    expect(chosen(["reply1", "file1"], { words: 9000, file: 5000 })).toBe(5000);
  });
});
