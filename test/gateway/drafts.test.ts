import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../agent/contract.ts";
import { type Adapter, AdapterError, threadKey } from "../../gateway/contract.ts";
import { createClock, groupPlace, until } from "../helpers.ts";
import { createMemoAdapter, createMemoServer } from "../memo-platform.ts";
import { gate, type Script, start, task } from "./bench.ts";

/** A platform that shows drafts, and a reply that grows by a word each time `more` is called. */
function bench(...first: readonly AgentEvent[]) {
  const clock = createClock();
  const server = createMemoServer();
  const drafts: { at: number; id: number; markdown: string }[] = [];
  const failures: AdapterError[] = [];
  const previews: string[] = [];
  const memo = createMemoAdapter(server);
  const adapter: Partial<Adapter> = {
    limits: {
      ...memo.limits,
      rates: [{ scope: "place", methods: ["post", "edit", "draft"], calls: 1, perMs: 1000 }],
      draftMs: 30_000,
    },
    render(view) {
      if (view.type === "progress") previews.push(view.preview ?? "");
      return memo.render(view);
    },
    async presence(_thread, _on, draft) {
      if (!draft) return;
      drafts.push({ at: clock.now(), ...draft });
      const failure = failures.shift();
      if (failure) throw failure;
    },
  };
  const { held, release } = gate();
  let next: () => void = () => {};
  let words = "w";
  const script: Script = async function* () {
    yield { type: "started", model: "M" };
    for (const event of first) yield event;
    yield { type: "text", markdown: words };
    let ended = false;
    void held.then(() => (ended = true));
    while (!ended) {
      await Promise.race([held, new Promise<void>((resolve) => (next = resolve))]);
      if (!ended) yield { type: "text", markdown: (words += " w") };
    }
    yield { type: "text", markdown: `${words} end.` };
    yield { type: "end", outcome: "done" };
  };
  const began = clock.now();
  const bot = start(script, { clock, server, adapter });
  /** So much later, with another word every 100 ms. */
  async function grow(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      next();
      await clock.advance(100);
    }
  }
  const times = () => drafts.map(({ at }) => at - began);
  return { ...bot, server, clock, drafts, failures, previews, times, grow, release };
}

describe("the draft of a growing reply", () => {
  it("comes when it has grown for a second, once a second, and never when the reply has left", async () => {
    const { say, grow, times, drafts, texts, release, clock, inputs } = bench();
    await say("go");
    await until("the run", () => inputs.length === 1);
    await grow(900);
    expect(times()).toEqual([]);
    await grow(3300);
    expect(times()).toEqual([1000, 2000, 3000, 4000]);
    expect(drafts.every(({ markdown }, at) => markdown.startsWith(drafts[at - 1]?.markdown ?? ""))).toBe(true);
    expect(new Set(drafts.map(({ id }) => id)).size).toBe(1);
    release();
    await until("the reply", () => texts().length === 1);
    await clock.advance(60_000);
    expect(drafts).toHaveLength(4);
    expect(texts()).toEqual([expect.stringMatching(/ end\.$/)]);
  });

  it("does not come for a quick answer", async () => {
    const { drafts, clock, say, texts, release } = bench();
    release();
    await say("go");
    await until("the reply", () => texts().length === 1);
    await clock.advance(60_000);
    expect(drafts).toEqual([]);
  });

  it("is shown again before it fades, while nothing more comes", async () => {
    const { say, grow, times, clock, inputs } = bench();
    await say("go");
    await until("the run", () => inputs.length === 1);
    await grow(1100);
    await clock.advance(60_000);
    expect(times().slice(0, 1)).toEqual([1000]);
    const gaps = times().map((at, index) => at - (times()[index - 1] ?? at));
    expect(times().length).toBeGreaterThan(2);
    expect(Math.max(...gaps)).toBeLessThan(30_000);
  });

  it("stands in place of the preview in the card, which it shares its pace with", async () => {
    const { say, grow, texts, drafts, previews } = bench({ type: "task", task: task("running") });
    await say("go");
    await until("the card", () => texts().length === 1);
    await grow(6000);
    expect(drafts.length).toBeGreaterThan(1);
    expect(previews.filter((preview) => preview !== "")).toEqual([]);
  });

  it("that is refused leaves the preview to the card", async () => {
    const { say, grow, texts, drafts, failures, previews } = bench({ type: "task", task: task("running") });
    failures.push(new AdapterError("invalid", "no drafts here"));
    await say("go");
    await until("the card", () => texts().length === 1);
    await grow(8000);
    expect(drafts).toHaveLength(1);
    expect(previews.at(-1)).toMatch(/^w w/);
  });

  it("that got a 429 waits as long, and the answer does not", async () => {
    const { say, grow, times, failures, inputs, release, texts, clock } = bench();
    const began = clock.now();
    failures.push(new AdapterError("rate_limited", "wait", { retryAfterMs: 3000 }));
    await say("go");
    await until("the run", () => inputs.length === 1);
    await grow(3900);
    expect(times()).toEqual([1000]);
    await grow(300);
    expect(times()).toEqual([1000, 4000]);
    failures.push(new AdapterError("rate_limited", "wait", { retryAfterMs: 600_000 }));
    await grow(900);
    release();
    await until("the reply", () => texts().some((text) => text.endsWith(" end.")));
    expect(clock.now() - began).toBeLessThan(6000);
  });

  it("is for direct places only", async () => {
    const { say, grow, drafts, inputs } = bench();
    await say("@bot go", { place: groupPlace, thread: threadKey("memo:g:1"), mentionsBot: true });
    await until("the run", () => inputs.length === 1);
    await grow(3000);
    expect(drafts).toEqual([]);
  });
});
