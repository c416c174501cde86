/**
 * What every adapter must do, whatever its platform: one suite, called by a test file of each. A bench drives the
 * platform as a person would; the suite knows nothing else of it.
 */
import { describe, expect, it } from "vitest";
import {
  type Adapter,
  AdapterError,
  type Inbound,
  type QuestionView,
  type ThreadKey,
  type View,
} from "../../gateway/contract.ts";
import { executionId } from "../../subagents/contract.ts";
import { until } from "../helpers.ts";

export interface Bench {
  /** Started. */
  readonly adapter: Adapter;
  /** What was delivered so far, in order. */
  readonly inbound: readonly Inbound[];
  /** Makes the next delivery fail, as a store that refuses would. */
  refuseOnce(): void;
  readonly thread: ThreadKey;
  /** A person writes to the bot there. Absent where only the page's own reader can write. */
  say(text: string): Promise<void>;
  press(label: string): Promise<void>;
  /** What the platform shows of the bot's posts there, oldest first. */
  shown(): Promise<readonly { readonly text: string; readonly buttons: readonly string[] }[]>;
}

const question = (count: number, closed?: QuestionView["closed"]): View => ({
  type: "question",
  icon: "❓",
  question: "Which one?",
  options: Array.from({ length: count }, (_, index) => ({ token: `token-${index}`, label: `Option ${index}` })),
  asked: "Ana",
  ...(closed && { closed }),
});
const task = (state: "running" | "completed") => ({
  taskId: "c1",
  executionId: executionId("x1"),
  order: 1,
  description: "Look it up",
  subagent: "researcher",
  model: "Small Model",
  state,
  calls: 1,
  steps: 2,
  usage: { input: 1000, output: 200, total: 1200 },
  startedAt: 0,
});
const progress = (state: "running" | "completed"): View => ({
  type: "progress",
  state: state === "running" ? "working" : "done",
  tasks: [task(state)],
  model: "Big Model",
  tokens: 3400,
  startedAt: 0,
  at: 8000,
  ...(state === "running" && { stopToken: "stop-token" }),
});
const VIEWS: readonly View[] = [
  { type: "request", author: "Ana", text: "what is *this*?" },
  {
    type: "reply",
    markdown:
      "# Title\n\nSome **bold** text and `code`.\n\n```ts\nconst x = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    usage: { model: "Big Model", tokens: 12 },
  },
  { type: "reply", markdown: "" },
  { type: "notice", markdown: "Careful.", tone: "warning", actions: [{ token: "act", label: "Do it" }] },
  question(3),
  question(30),
  question(3, { type: "answered", answer: "Option 1", by: "Ana" }),
  question(3, { type: "given_up", reason: "stopped by Ana" }),
  progress("running"),
  progress("completed"),
];

export function adapterContract(createBench: () => Promise<Bench>): void {
  async function post(bench: Bench, view: View, nonce = "n") {
    const refs = [];
    for (const [index, part] of bench.adapter.render(view).entries())
      refs.push((await bench.adapter.send(bench.thread, part, `${nonce}/${index}/0`)).post);
    return refs;
  }
  const text = async (bench: Bench) => (await bench.shown()).map((one) => one.text).join("\n");

  describe("rendering", () => {
    it("is pure and gives at least one part, which survives JSON", async () => {
      const { adapter } = await createBench();
      for (const view of VIEWS) {
        const parts = adapter.render(view);
        expect(parts.length).toBeGreaterThan(0);
        expect(adapter.render(view)).toEqual(parts);
        expect(JSON.parse(JSON.stringify(parts))).toEqual(parts);
      }
    });

    it("shows the state, the model's name and the tokens of a task, and a way to stop only while it works", async () => {
      const bench = await createBench();
      const [ref] = await post(bench, progress("running"));
      const [before] = await bench.shown();
      for (const word of ["Look it up", "researcher", "Small Model", "1.2k tokens", "3.4k tokens"])
        expect(before?.text).toContain(word);
      expect(before?.buttons).toHaveLength(1);
      const [part] = bench.adapter.render(progress("completed"));
      if (ref && part) await bench.adapter.edit(bench.thread, ref, part);
      const [after] = await bench.shown();
      expect(after?.text).toContain("Done");
      expect(after?.buttons).toEqual([]);
    });

    it("loses no option of a long question, and shows an answered one without buttons, with who said what", async () => {
      const bench = await createBench();
      const [ref] = await post(bench, question(30));
      expect((await bench.shown()).flatMap((one) => one.buttons)).toHaveLength(30);
      const [part] = bench.adapter.render(question(30, { type: "answered", answer: "Option 7", by: "Ana" }));
      if (ref && part) await bench.adapter.edit(bench.thread, ref, part);
      const [after] = await bench.shown();
      expect(after?.buttons).toEqual([]);
      expect(after?.text).toContain("Option 7");
      expect(after?.text).toContain("Ana");
    });
  });

  describe("sending", () => {
    it("shows each part, in order, in the thread", async () => {
      const bench = await createBench();
      const words = Array.from({ length: 3000 }, (_, index) => `w${index}`).join(" ");
      await post(bench, { type: "reply", markdown: words });
      const shown = await text(bench);
      expect([...shown.matchAll(/w(\d+)/g)].map((match) => Number(match[1]))).toEqual(
        Array.from({ length: 3000 }, (_, index) => index),
      );
    });

    it("edits in place and removes", async () => {
      const bench = await createBench();
      const [ref] = await post(bench, { type: "notice", markdown: "before", tone: "info" });
      const [part] = bench.adapter.render({ type: "notice", markdown: "after", tone: "info" });
      if (!ref || !part) throw new Error("nothing was posted");
      await bench.adapter.edit(bench.thread, ref, part);
      expect(await text(bench)).toContain("after");
      expect(await text(bench)).not.toContain("before");
      await bench.adapter.remove(bench.thread, ref);
      expect(await bench.shown()).toEqual([]);
    });

    it("says `not_found` or succeeds, and nothing else, for an edit of a message that is gone", async () => {
      const bench = await createBench();
      const [ref] = await post(bench, { type: "notice", markdown: "short-lived", tone: "info" });
      const [part] = bench.adapter.render({ type: "notice", markdown: "too late", tone: "info" });
      if (!ref || !part) throw new Error("nothing was posted");
      await bench.adapter.remove(bench.thread, ref);
      const error = await bench.adapter.edit(bench.thread, ref, part).catch((caught: unknown) => caught);
      if (error !== undefined) expect(error).toBeInstanceOf(AdapterError);
      if (error instanceof AdapterError) expect(error.code).toBe("not_found");
    });

    it("never throws for a sign of life", async () => {
      const bench = await createBench();
      await bench.adapter.presence(bench.thread, true);
      await bench.adapter.presence(bench.thread, false);
    });
  });

  describe("what comes in", () => {
    it("is delivered with who said it, where, and one event id", async () => {
      const bench = await createBench();
      await bench.say("hello there");
      const event = await until("the message", () => bench.inbound[0]);
      expect(event).toMatchObject({
        type: "message",
        text: "hello there",
        platform: bench.adapter.platform,
        author: { isBot: false },
      });
      expect(event.thread).toBe(bench.thread);
      for (const id of [event.eventId, event.author.id, event.place.key, event.place.id]) expect(id).toMatch(/\S/);
    });

    it("comes back until the store has taken it", async () => {
      const bench = await createBench();
      bench.refuseOnce();
      await bench.say("do not lose me");
      await until("the message", () =>
        bench.inbound.find((event) => event.type === "message" && event.text === "do not lose me"),
      );
    });

    it("brings a press back with our token and nothing else of ours", async () => {
      const bench = await createBench();
      await post(bench, question(3));
      await bench.press("Option 1");
      const event = await until("the press", () => bench.inbound.find((one) => one.type === "press"));
      expect(event).toMatchObject({ token: "token-1", thread: bench.thread });
    });

    it("never includes the bot's own posts as a person's", async () => {
      const bench = await createBench();
      await post(bench, { type: "reply", markdown: "I said this" });
      await bench.say("after that");
      await until("the message", () => bench.inbound.length > 0);
      expect(
        bench.inbound.filter(
          (event) => event.type === "message" && !event.author.isBot && event.text.includes("I said this"),
        ),
      ).toEqual([]);
    });
  });

  it("says whether events flow, and stops", async () => {
    const bench = await createBench();
    await until("connected", () => bench.adapter.health().connected);
    await bench.adapter.stop();
  });
}
