import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Adapter, AdapterError, type InboundFile } from "../../gateway/contract.ts";
import { safeFileName } from "../../gateway/file-name.ts";
import { buildInput } from "../../gateway/run-input.ts";
import type { Claim, InboundId, StoredMessage } from "../../gateway/store-contract.ts";
import { personId, runId, threadId } from "../../subagents/contract.ts";
import { groupPlace, message, tempFolder } from "../helpers.ts";
import { createMemoAdapter, createMemoServer } from "../memo-platform.ts";

const HOSTILE = [
  "x/../../CONFIG.md",
  "..\\..\\a.txt",
  "/etc/x",
  "",
  ".",
  "..",
  `${"ä".repeat(300)}.txt`,
  "a\u0000b.png",
  "con.txt",
  ".hidden",
  "a\nb.txt",
];

function stored(over: Parameters<typeof message>[1] = {}, type: StoredMessage["type"] = "request"): StoredMessage {
  return { id: "i_1" as InboundId, type, author: "Ana", message: message("hello", over) };
}
function claim(messages: readonly StoredMessage[], over: Partial<Claim> = {}): Extract<Claim, { type: "messages" }> {
  const place = { ...groupPlace };
  const thread = { id: threadId("t_1"), key: "memo:g" as never, platform: "memo", account: "bot", place };
  return {
    type: "messages",
    run: runId("r_1"),
    thread,
    principal: { id: personId("p"), name: "Ana" },
    startedAt: 0,
    attempt: 1,
    first: true,
    messages,
    ...over,
  } as never;
}
const file = (name: string, sizeBytes?: number): InboundFile => ({
  id: name,
  name,
  ...(sizeBytes !== undefined && { sizeBytes }),
});

function build(messages: readonly StoredMessage[], over: Partial<Adapter> = {}) {
  const folder = tempFolder();
  const kept: unknown[] = [];
  const adapter: Adapter = { ...createMemoAdapter(createMemoServer()), ...over };
  const input = buildInput(claim(messages), adapter, {
    store: { filesStored: (_id, files) => void kept.push(files) },
    threadsFolder: folder,
    timezone: "UTC",
  });
  return { input, kept, folder, uploads: path.join(folder, "t_1", "uploads") };
}
const bytes = (text: string) => async () =>
  (async function* () {
    yield new TextEncoder().encode(text);
  })();

describe("files that come in", () => {
  it("ATT-04: lie below the uploads folder under a safe name, whatever the sender called them", async () => {
    const { input, folder, uploads } = build([stored({ files: HOSTILE.map((name) => file(name)) })], {
      download: bytes("x"),
    });
    await input;
    expect(readdirSync(uploads)).toHaveLength(HOSTILE.length);
    expect(readdirSync(folder)).toEqual(["t_1"]);
    expect(readdirSync(path.join(folder, "t_1"))).toEqual(["uploads"]);
  });

  it("never replace each other, and the agent is told where each one is", async () => {
    const { input, kept, uploads } = build([stored({ files: [file("a.txt"), file("a.txt")] })], {
      download: bytes("same"),
    });
    const { messages } = (await input) as { messages: readonly { files: readonly { path: string }[] }[] } & Awaited<
      typeof input
    >;
    expect(messages[0]?.files.map((one) => one.path)).toEqual(["/uploads/a.txt", "/uploads/a (2).txt"]);
    expect(readFileSync(path.join(uploads, "a (2).txt"), "utf8")).toBe("same");
    expect(kept).toHaveLength(1);
  });

  it("ATT-06: that are too large or cannot be had are named with the reason, and the message goes on", async () => {
    const { input, uploads } = build([stored({ files: [file("big.bin", 2e6), file("gone.txt")] })], {
      download: async () => {
        throw new AdapterError("not_found", "it is no longer there");
      },
    });
    expect(await input).toMatchObject({
      messages: [
        {
          text: "hello",
          files: [
            { type: "missing", name: "big.bin", reason: expect.stringContaining("larger than the 1 MB") },
            { type: "missing", name: "gone.txt", reason: "it is no longer there" },
          ],
        },
      ],
    });
    expect(existsSync(uploads) ? readdirSync(uploads) : []).toEqual([]);
  });

  it("that lie about their size are cut off at the limit, and nothing of them stays", async () => {
    const { input, uploads, folder } = build([stored({ files: [file("liar.bin", 10)] })], {
      download: bytes("x".repeat(2e6)),
    });
    expect(await input).toMatchObject({ messages: [{ files: [{ type: "missing" }] }] });
    expect(readdirSync(uploads)).toEqual([]);
    expect(readdirSync(path.join(folder, "t_1"))).toEqual(["uploads"]);
  });

  it("have a name that is safe for any label", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (label) => {
        const name = safeFileName(label);
        expect(Array.from(name).filter((one) => one < " " || "/\\".includes(one))).toEqual([]);
        expect(name.startsWith(".")).toBe(false);
        expect(Buffer.byteLength(name)).toBeGreaterThan(0);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      }),
    );
  });
});

describe("what was said before", () => {
  it("reaches the first run of a thread that others began, as their words and no request", async () => {
    const { input } = build([stored()], {
      history: async () => [{ author: "Bob", text: "we meet on Friday", byBot: false }],
    });
    expect(await input).toMatchObject({
      messages: [
        { type: "context", author: "Bob", text: "we meet on Friday" },
        { type: "request", text: "hello" },
      ],
    });
  });

  it("includes the message that was replied to, unless it is the bot's own", async () => {
    const replyTo = { post: "p1" as never, text: "the plan", byBot: false };
    expect(await build([stored({ replyTo })]).input).toMatchObject({
      messages: [{ type: "context", text: "the plan" }, { type: "request" }],
    });
    expect(await build([stored({ replyTo: { ...replyTo, byBot: true } })]).input).toMatchObject({
      messages: [{ type: "request" }],
    });
  });
});
