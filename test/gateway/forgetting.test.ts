/** `/forget me` in chat, and an operator's order. */
import { randomUUID } from "node:crypto";
import path from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { readCommandWords } from "../../adapters/shared/command-words.ts";
import { parseConfig } from "../../gateway/config.ts";
import { threadKey } from "../../gateway/contract.ts";
import { forgetPerson, startProgram } from "../../gateway/main.ts";
import { createOperatorRoute } from "../../gateway/operator.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { doAll, tracesOf, upkeepBench, type UpkeepBench } from "../store/upkeep-bench.ts";
import { bob, event, groupPlace, message, silentLog, tempFolder, until } from "../helpers.ts";
import { createMemoServer, memoKind } from "../memo-platform.ts";
import { asks, choice, hangs } from "./bench.ts";

const quill = { id: "acct-quill-9", name: "Quillon", isBot: false };
const inGroup = { place: groupPlace, thread: threadKey("memo:g:1"), mentionsBot: true };
const traces = ({ file }: UpkeepBench) => [quill.id, quill.name, "wombat"].map((word) => tracesOf(file, word));
const FORGOTTEN = { type: "notice", text: expect.stringMatching(/^Forgotten: /) };

describe("/forget", () => {
  it("says what it would do and how, and does nothing, unless it is exactly `me`", async () => {
    const bench = upkeepBench();
    await bench.turn("wombat");
    for (const text of ["/forget", "/forget us", "!forget me please"]) {
      await bench.say(text);
      await bench.settled();
      expect(bench.texts().join("")).toContain("!forget me");
      bench.server.posts.length = 0;
    }
    await doAll(bench.chores(), bench);
    expect(bench.db.prepare("select count(*) from runs").pluck().get()).toBe(1);
  });

  it.each(["/forget me", "!Forget  ME"])(
    "%s is answered to its sender, and everything of theirs goes",
    async (text) => {
      const bench = upkeepBench();
      await bench.turn("wombat", { author: quill });
      const asked = message(text, { author: quill });
      expect(await bench.gateway.deliver(asked)).toMatchObject({ accepted: true, reply: FORGOTTEN });
      await doAll(bench.chores(), bench);
      expect(traces(bench)).toEqual([0, 0, 0]);
      // The platform did not hear that it was stored.
      expect(await bench.gateway.deliver(asked)).toEqual({ accepted: true });
      expect(bench.news.filter((one) => one.startsWith("forgotten"))).toHaveLength(1);
    },
  );

  it("answers a platform's own command the same way", async () => {
    const bench = upkeepBench();
    await bench.turn("wombat", { author: quill });
    const native = event({ type: "command", name: "forget", args: "me", topLevel: true, author: quill });
    expect(await bench.gateway.deliver(native)).toMatchObject({ reply: FORGOTTEN });
    await doAll(bench.chores(), bench);
    expect(traces(bench)).toEqual([0, 0, 0]);
  });

  it.each(["forget me", "/forget  Me"])("after a platform's one command, %s is that command", (text) => {
    expect(readCommandWords(text)).toEqual({ type: "command", name: "forget", args: "me" });
    expect(readCommandWords("forget me not, the flower")).toMatchObject({ type: "request" });
  });

  it("begins anew at once, also before the steps are done: the next message is a stranger's in a new thread", async () => {
    const bench = upkeepBench();
    const before = await bench.turn("wombat", { author: quill });
    await bench.say("/forget me", { author: quill });
    const after = await bench.turn("hello", { author: quill });
    expect(after).not.toBe(before);
    expect(bench.texts().at(-1)).toBe("Quillon: hello (1 known)");
    await doAll(bench.chores(), bench);
    expect(bench.db.prepare("select id from threads").pluck().all()).toEqual([after]);
    expect(tracesOf(bench.file, "wombat")).toBe(0);
  });

  it("stops the run that is under way, and shows its end before it is forgotten", async () => {
    const bench = upkeepBench(hangs);
    await bench.say("wombat", { author: quill });
    await until("the run", () => bench.inputs.length === 1);
    await bench.clock.advance(5000);
    await until("the card", () => bench.server.posts.length === 1);
    await bench.say("/forget me", { author: quill });
    await doAll(bench.chores(), bench);
    expect(bench.server.posts[0]?.text).toMatch(/stopped|cancelled/i);
    expect(bench.server.posts[0]?.buttons).toEqual([]);
    expect(traces(bench)).toEqual([0, 0, 0]);
  });

  it("closes the question that they were asked; its buttons go", async () => {
    const bench = upkeepBench(asks(choice("i1", "Which wombat?")));
    await bench.say("paint it", { author: quill });
    await until("the question", () => bench.server.posts.length === 1);
    await bench.say("/forget me", { author: quill });
    await doAll(bench.chores(), bench);
    expect(bench.server.posts[0]?.buttons).toEqual([]);
    expect(traces(bench)).toEqual([0, 0, 0]);
  });

  it("leaves another's run in a shared thread alone", async () => {
    const bench = upkeepBench(hangs);
    await bench.say("Bob's work", { ...inGroup, author: bob });
    await until("the run", () => bench.inputs.length === 1);
    await bench.say("a wombat", { ...inGroup, author: quill });
    await bench.say("/forget me", { ...inGroup, author: quill });
    await doAll(bench.chores(), bench);
    expect(bench.db.prepare("select state from runs").pluck().all()).toEqual(["running"]);
    expect(bench.db.prepare("select author from inbox where author <> ''").pluck().all()).toEqual(["Bob"]);
  });

  it("tells the upkeep at once", async () => {
    const server = createMemoServer();
    const { program, db } = await running(server);
    await server.deliver?.(message("wombat", { author: quill }));
    await until("the reply", () => server.posts.length > 0);
    const begun = Date.now();
    await server.deliver?.(message("/forget me", { author: quill }));
    await until("the end", () => db.prepare("select count(*) from persons").pluck().get() === 0, 10_000);
    expect(Date.now() - begun).toBeLessThan(4000);
    await program.stop();
  });
});

describe("threadline forget PERSON", () => {
  it("is done by the running program, which is asked with the secret that only its user can read", async () => {
    const server = createMemoServer();
    const { config, program, db } = await running(server);
    await server.deliver?.(message("wombat", { author: quill }));
    await until("the reply", () => server.posts.length > 0);
    await expect(forgetPerson(config, systemClock, "quill")).rejects.toThrow(
      `got "quill", whom this Threadline does not know; it knows Quillon (memo:${quill.id})`,
    );
    expect(await forgetPerson(config, systemClock, `memo:${quill.id}`)).toContain("by the running Threadline");
    await until("the end", () => db.prepare("select count(*) from persons").pluck().get() === 0);
    await program.stop();
  });

  it("is done by the command itself when no program runs, also where a run was left in the middle", async () => {
    const server = createMemoServer();
    const { config, program, file } = await running(server, "ask me whether to paint it red or blue");
    await program.stop();
    expect(tracesOf(file, "paint it red")).toBeGreaterThan(0);
    expect(await forgetPerson(config, systemClock, `memo:${quill.id}`)).toBe(`memo:${quill.id} is forgotten.`);
    expect(tracesOf(file, "paint it red")).toBe(0);
    expect(tracesOf(file, quill.name)).toBe(0);
    await expect(forgetPerson(config, systemClock, `memo:${quill.id}`)).rejects.toThrow("it knows nobody");
  });

  it("says that there is nobody to forget where there is no database", async () => {
    const config = parseConfig(`data_dir: ${path.join(tempFolder(), "none")}`, {}, []);
    await expect(forgetPerson(config, systemClock, "memo:x")).rejects.toThrow("found none: there is nobody to forget");
  });

  it("is refused without the secret, with a wrong one, and for anything but a person", async () => {
    const asked: string[] = [];
    const route = createOperatorRoute("right", (person) => {
      asked.push(person);
      return { type: "unknown", likely: [] };
    });
    const order = (secret: string, body: string, at = "/operator/forget") =>
      route(new Request(`http://127.0.0.1${at}`, { method: "POST", headers: { authorization: secret }, body }));
    const statuses = await Promise.all([
      order("", '{"person":"x"}'),
      order("Bearer wrong", '{"person":"x"}'),
      order("Bearer right", "{}"),
      order("Bearer right", "no json"),
      order("Bearer right", '{"person":"x"}', "/operator/else"),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 400, 400, 404]);
    expect(asked).toEqual([]);
    expect((await order("Bearer right", '{"person":"x"}')).status).toBe(200);
    expect(asked).toEqual(["x"]);
  });
});

/** The whole program on the memo platform, and a look into its database. */
async function running(server: ReturnType<typeof createMemoServer>, first?: string) {
  const dataDir = path.join(tempFolder(), "data");
  const kinds = [memoKind(server)];
  const models = [{ name: `offline-${randomUUID().slice(0, 8)}`, provider: "offline" }];
  const config = parseConfig(stringify({ data_dir: dataDir, http: { port: 0 }, models }), {}, kinds);
  const program = await startProgram({ config, kinds, clock: systemClock, log: silentLog, env: {} });
  onTestFinished(() => program.stop().catch(() => {})); // most tests stop it themselves
  await program.platforms.ready();
  const file = path.join(dataDir, "threadline.db");
  const db = new Database(file, { readonly: true });
  onTestFinished(() => void db.close());
  if (first !== undefined) {
    await server.deliver?.(message(first, { author: quill }));
    await until("an answer", () => server.posts.length > 0);
  }
  return { config, program, file, db };
}
