/** What becomes of an answer of more parts than anybody reads in a chat. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { createMemoAdapter, createMemoServer, type MemoServer } from "../memo-platform.ts";
import { reply, start } from "./bench.ts";

/** Of so many parts on the memo platform, whose limit is 200 characters. */
const answer = (parts: number): string =>
  Array.from({ length: parts }, (_, index) => `${index + 1} ${"word ".repeat(39)}`.slice(0, 199)).join(" ");

const limitsOf = (server: MemoServer) => ({ ...createMemoAdapter(server).limits, answerParts: 5 });

async function answered(text: string, server: MemoServer, options: Parameters<typeof start>[1] = {}) {
  const bench = start(() => reply(text), { server, adapter: { limits: limitsOf(server) }, ...options });
  await bench.say("go");
  await until("the end of it", async () => {
    await bench.clock.advance(1000);
    return server.posts.length > 0 && (await bench.store.unsettledThreads()).length === 0;
  });
  return bench;
}

describe("an answer", () => {
  it("of five parts comes in five messages", async () => {
    const { texts } = await answered(answer(5), createMemoServer());
    expect(texts()).toHaveLength(5);
    expect(texts().join("")).toBe(answer(5));
  });

  it("of more comes as its beginning and a file that has all of it, as it was written", async () => {
    const { texts, server } = await answered(answer(7), createMemoServer());
    const [first, line, file] = server.posts;
    expect(first?.text).toMatch(/^1 word/);
    expect(line?.text).toBe("… The whole answer is in the file **answer.md**.");
    expect(file?.text).toBe("file answer.md");
    expect(texts()).toHaveLength(3);
    expect(readFileSync(server.files[0] ?? "", "utf8")).toBe(answer(7));
  });

  it("whose file is refused comes in all its parts, each once and in order", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "upload", code: "forbidden", times: 1 });
    const { texts } = await answered(answer(7), server);
    expect(texts()).toHaveLength(7);
    expect(texts().join("")).toBe(answer(7));
  });

  it("whose file was refused just before the process died comes in all its parts after the restart", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "upload", code: "forbidden", times: 1 });
    const adapter = { limits: limitsOf(server) };
    const first = start(() => reply(answer(7)), { server, adapter });
    // The last that is stored is that the file was given up.
    const record = first.store.record.bind(first.store);
    let ended: Promise<void> | undefined;
    first.store.record = async (thread, slot, receipt, key) => {
      await record(thread, slot, receipt, key);
      if (receipt.state !== "given_up") return;
      ended = first.gateway.stop();
      throw new Error("killed");
    };
    await first.say("go");
    await until("the refusal", () => ended !== undefined);
    first.store.record = record;
    const again = start(() => reply(answer(7)), { server, adapter, store: first.store });
    await again.gateway.recover();
    await until("all of it", async () => {
      await again.clock.advance(1000);
      return (await again.store.unsettledThreads()).length === 0;
    });
    expect(again.texts().join("")).toBe(answer(7));
  });

  it("that is larger than a file may be there comes in all its parts", async () => {
    const server = createMemoServer();
    const limits = { ...limitsOf(server), uploadBytes: 1000 };
    const { texts } = await answered(answer(7), server, { adapter: { limits } });
    expect(texts()).toHaveLength(7);
  });

  it("whose file was still to come when the process died gets it after the restart, and nothing twice", async () => {
    const server = createMemoServer();
    server.faults.push({ call: "upload", code: "unavailable", times: 1 });
    const adapter = { limits: limitsOf(server) };
    const first = start(() => reply(answer(7)), { server, adapter });
    await first.say("go");
    await until("the failed upload", () => server.faults[0]?.times === 0);
    await first.gateway.stop();
    const again = start(() => reply(answer(7)), { server, adapter, store: first.store });
    await again.gateway.recover();
    await until("the file", async () => {
      await again.clock.advance(1000);
      return (await again.store.unsettledThreads()).length === 0;
    });
    expect(again.texts()).toHaveLength(3);
    expect(again.texts().at(-1)).toBe("file answer.md");
  });
});
