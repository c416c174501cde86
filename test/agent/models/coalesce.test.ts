/** Event streams of providers in larger pieces. */
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { coalesceEvents } from "../../../agent/models/coalesce.ts";

const token = (content: string, more: object = {}) => ({
  id: "c",
  created: 1,
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});
const line = (json: unknown, prefix = "") =>
  `${prefix}data: ${typeof json === "string" ? json : JSON.stringify(json)}\n\n`;

/** What a client reads of a server that sends these pieces, with pauses between them. */
async function read(pieces: readonly (string | Uint8Array)[], pauseMs = 0, windowMs = 50): Promise<string[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const piece of pieces) {
        controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
        if (pauseMs > 0) await sleep(pauseMs);
      }
      controller.close();
    },
  });
  const headers = { "content-type": "text/event-stream; charset=utf-8" };
  const response = await coalesceEvents(async () => new Response(body, { headers }), windowMs)("http://127.0.0.1/");
  const text = await response.text();
  return text.split("\n\n").filter((event) => event !== "");
}
const json = (event: string) => JSON.parse(event.replace(/^(event: .*\n)?data: /, ""));
const contents = (events: readonly string[]) =>
  events.filter((event) => event.startsWith("data: {")).map((event) => json(event).choices[0].delta.content ?? "");

describe("an event stream", () => {
  it("says the same in fewer events, wherever it was cut on its way", async () => {
    const words = fc.array(fc.string({ unit: "grapheme", maxLength: 8 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(words, fc.integer({ min: 1, max: 40 }), async (texts, size) => {
        const first = token("", {
          choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }],
        });
        const last = token("", {
          choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
          usage: { total_tokens: 3 },
        });
        const all = [
          first,
          ...texts.map((one) => token(one, { obfuscation: "x".repeat(one.length) })),
          last,
          "[DONE]",
        ].map((one) => line(one));
        const bytes = new TextEncoder().encode(all.join(""));
        const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.slice(at * size, (at + 1) * size),
        );
        const events = await read(pieces, 0, 10_000);
        expect(contents(events).join("")).toBe(texts.join(""));
        expect(events).toHaveLength(4);
        expect(json(events[2] ?? "")).toEqual(last);
        expect(events.at(-1)).toBe("data: [DONE]");
      }),
      { numRuns: 100, examples: [[["\u2028", "", "\r\n"], 1]] },
    );
  });

  it("hands on what has come as soon as the window is over", async () => {
    const events = await read(
      Array.from({ length: 12 }, (_, index) => line(token(`${index} `))),
      20,
      60,
    );
    expect(contents(events).join("")).toBe("0 1 2 3 4 5 6 7 8 9 10 11 ");
    expect(events.length).toBeGreaterThan(1);
    expect(events.length).toBeLessThan(12);
  });

  it("puts together the arguments of one call, and not those of another", async () => {
    const call = (index: number, part: string) =>
      token("", { choices: [{ index: 0, delta: { tool_calls: [{ index, function: { arguments: part } }] } }] });
    const events = await read([call(0, '{"a"'), call(0, ":1}"), call(1, "{"), call(1, "}")].map((one) => line(one)));
    expect(events.map((event) => json(event).choices[0].delta.tool_calls[0])).toEqual([
      { index: 0, function: { arguments: '{"a":1}' } },
      { index: 1, function: { arguments: "{}" } },
    ]);
  });

  it("in which two texts could grow loses none of them, and a large one is left as it came", async () => {
    const both = (content: string, reasoning: string) =>
      line({ choices: [{ index: 0, delta: { content, reasoning_content: reasoning }, finish_reason: null }] });
    const events = await read([both("ha", ""), both("ha", ""), both("!", ""), both("a", "r"), both("a", "s")]);
    expect(contents(events).join("")).toBe("haha!aa");
    const large = line(token("x".repeat(20_000_000)));
    expect(await read([large, line(token("y"))])).toEqual([large, line(token("y"))].map((one) => one.trimEnd()));
    const padded = ["a", "b"].map(
      (text) => `data: {"obfuscation":"${text}${text}",${JSON.stringify(token(text)).slice(1)}\n\n`,
    );
    expect(contents(await read(padded)).join("")).toBe("ab");
  });

  it("of Anthropic keeps its event names and the order of its blocks", async () => {
    const delta = (index: number, text: string) =>
      line({ type: "content_block_delta", index, delta: { type: "text_delta", text } }, "event: content_block_delta\n");
    const ping = line({ type: "ping" }, "event: ping\n");
    const events = await read([delta(0, "a"), delta(0, "b"), ping, delta(0, "c"), delta(1, "d")]);
    expect(events.map((event) => event.split("\n")[0])).toEqual([
      "event: content_block_delta",
      "event: ping",
      "event: content_block_delta",
      "event: content_block_delta",
    ]);
    expect(events.map((event) => json(event).delta?.text)).toEqual(["ab", undefined, "c", "d"]);
  });

  it("that breaks off fails for who reads it", async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(line(token("a"))));
        setTimeout(() => controller.error(new Error("the line is dead")), 20);
      },
    });
    const response = new Response(body, { headers: { "content-type": "text/event-stream" } });
    const coalesced = await coalesceEvents(async () => response)("http://127.0.0.1/");
    await expect(coalesced.text()).rejects.toThrow("the line is dead");
  });

  it("is left alone when it is none", async () => {
    const response = Response.json({ a: 1 });
    expect(await coalesceEvents(async () => response)("http://127.0.0.1/")).toBe(response);
  });
});
