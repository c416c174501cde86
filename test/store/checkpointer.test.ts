/** The checkpointer on real files: what comes back, what a turn costs, what is swept up. */
import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import { Command, MemorySaver } from "@langchain/langgraph";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  emptyCheckpoint,
  JsonPlusSerializer,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import type { Database } from "better-sqlite3";
import fc from "fast-check";
import { createAgent, tool } from "langchain";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createPrune, createSweep, type Step } from "../../store/checkpoint-upkeep.ts";
import { createCheckpointer } from "../../store/checkpointer.ts";
import { openDatabase } from "../../store/database.ts";
import { readMessage, writeMessage } from "../../store/message-codec.ts";
import { tempFolder } from "../helpers.ts";
import { ScriptedModel, toolResults } from "../scripted-model.ts";
import { ask } from "./turns.ts";

/** One that the library reads as a prototype; here it stays a key. */
const KEY = fc.string({ minLength: 1 }).filter((key) => key !== "__proto__");

function tempDatabase() {
  const file = path.join(tempFolder(), "threadline.db");
  const open = () => {
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    return db;
  };
  return { file, open };
}

const lookup = tool(async () => "found ".repeat(300), { name: "lookup", description: "d", schema: z.object({}) });

/** One tool call, then an answer; a person who says "ask" is asked two things at once. */
function agentOn(checkpointer: BaseCheckpointSaver) {
  const model = new ScriptedModel("m", (messages) => {
    const said = messages.findLast((message) => message.getType() === "human")?.text ?? "";
    if (toolResults(messages).length > 0) return `answer to ${said}`;
    const questions = [{ about: "colour" }, { about: "size" }].map((args) => ({ name: "ask", args }));
    return { toolCalls: said === "ask" ? questions : [{ name: "lookup", args: {} }] };
  });
  return createAgent({ model, tools: [lookup, ask], checkpointer }).graph;
}
type Graph = ReturnType<typeof agentOn>;
const at = (thread: string) => ({ configurable: { thread_id: thread } });
const say = (graph: Graph, text: string, thread = "t") =>
  graph.invoke({ messages: [new HumanMessage({ id: uuid6(1), content: text })] }, at(thread));
const messagesOf = async (graph: Graph, thread = "t"): Promise<BaseMessage[]> =>
  (await graph.getState(at(thread))).values.messages;
const shape = (messages: readonly BaseMessage[]) => messages.map((message) => JSON.parse(JSON.stringify(message)));

/** Everything that a saver gives back, as plain data. */
async function everything(saver: BaseCheckpointSaver, thread = "t") {
  const tuples = [];
  for await (const tuple of saver.list(at(thread))) tuples.push(tuple);
  return JSON.parse(JSON.stringify(tuples));
}
/** Without channels that nobody has written yet: they have their default, which some savers write down all the same. */
function written({ channel_values: values, ...rest }: Checkpoint) {
  const entries = Object.entries(values).filter(([channel]) => channel in rest.channel_versions);
  return { ...rest, channel_values: Object.fromEntries(entries) };
}
function runAll(step: Step): number {
  let steps = 1;
  while (step()) steps += 1;
  return steps;
}
const count = (db: Database, table: string) => db.prepare(`select count(*) from ${table}`).pluck().get() as number;

describe("a checkpoint", () => {
  it("comes back from the file as the library's own saver gives it back", async () => {
    const { open } = tempDatabase();
    const stockDb = openDatabase(path.join(tempFolder(), "stock.db"));
    onTestFinished(() => void stockDb.close());
    const stock = new SqliteSaver(stockDb);
    const ours = createCheckpointer(open());
    // The same checkpoints and writes go into both.
    const both = new (class extends MemorySaver {
      override async put(...args: Parameters<MemorySaver["put"]>) {
        // At one moment: the graph goes on changing what it has written.
        const [put] = await Promise.all([super.put(...args), stock.put(...args), ours.put(...args)]);
        return put;
      }
      override async putWrites(...args: Parameters<MemorySaver["putWrites"]>) {
        await Promise.all([
          super.putWrites(...args),
          stock.putWrites(args[0], args[1], args[2]),
          ours.putWrites(...args),
        ]);
      }
    })();
    const graph = agentOn(both);
    await say(graph, "one");
    await say(graph, "ask");
    ours.db.close();
    const again = createCheckpointer(open());
    const [expected, found] = [await everything(stock), await everything(again)];
    expect(found).toHaveLength(expected.length);
    for (const [index, tuple] of found.entries()) {
      expect(written(tuple.checkpoint)).toEqual(written(expected[index].checkpoint));
      expect(tuple.metadata).toEqual(expected[index].metadata);
      expect(new Set(tuple.pendingWrites)).toEqual(new Set(expected[index].pendingWrites));
    }
  });

  it("gives back any value that the library's serializer gives back", async () => {
    const { open } = tempDatabase();
    const saver = createCheckpointer(open());
    const library = new JsonPlusSerializer();
    const message = fc.constantFrom(
      new HumanMessage({ id: "h", content: "hello" }),
      new AIMessage({ id: "a", content: [{ type: "text", text: "x" }], response_metadata: { lc: 1, type: "secret" } }),
      new ToolMessage({ id: "d", content: "x", tool_call_id: "c", artifact: new Document({ pageContent: "page" }) }),
      new AIMessage({ content: "no id" }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.string(),
        fc.double({ noNaN: true }),
        fc.constantFrom(null, undefined, true, /a+/gi, new Error("e"), new Uint8Array([1, 2]), "x".repeat(400)),
        message,
        fc.array(message),
        fc.constant(new Document({ pageContent: "page", metadata: { a: 1 } })),
        fc.constantFrom("\u0000piece", "lc").map((key) => ({ [key]: "messages", at: [[1, 2]] })),
        fc.array(tie("value")),
        fc.dictionary(KEY, tie("value"), { noNullPrototype: true }),
        fc.array(tie("value")).map((items) => new Set(items)),
        fc.array(fc.tuple(fc.string(), tie("value"))).map((entries) => new Map(entries)),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, async (original) => {
        const config = { configurable: { thread_id: uuid6(2), checkpoint_ns: "" } };
        const checkpoint = { ...emptyCheckpoint(), channel_values: { it: original }, channel_versions: { it: 1 } };
        const put = await saver.put(config, checkpoint, { source: "input", step: -1, parents: {} }, { it: 1 });
        await saver.putWrites(put, [["it", original]], "task");
        const found = await saver.getTuple(put);
        const expected = await library.loadsTyped(
          ...((await library.dumpsTyped({ it: original })) as [string, Uint8Array]),
        );
        expect(found?.checkpoint.channel_values).toEqual(expected);
        expect(found?.pendingWrites).toEqual([["task", "it", expected.it]]);
      }),
      { numRuns: 300 },
    );
  });

  it("reads a message without the library exactly as the library reads it", async () => {
    const library = new JsonPlusSerializer();
    const messages = [
      new HumanMessage({ id: "h", content: "x", name: "Ann" }),
      new AIMessage({
        id: "a",
        content: "",
        tool_calls: [{ type: "tool_call", id: "c", name: "lookup", args: { lc: 1, deep: [{ lc: 2 }] } }],
      }),
      new AIMessage({ id: "b", content: "plain", response_metadata: { model_name: "m", output_version: "v1" } }),
      new ToolMessage({ id: "t", content: "x", tool_call_id: "c", status: "error" }),
      new RemoveMessage({ id: "h" }),
    ];
    for (const message of messages) {
      const text = writeMessage(message);
      const slow = await library.loadsTyped("json", text);
      const fast = readMessage(text);
      const isRare = /"(__lc_escaped__|content_blocks)"/.test(text);
      expect(fast).toStrictEqual(isRare ? undefined : slow);
    }
  });
});

describe("a thread", () => {
  it("is the same after the file was opened again, with messages removed, edited and replaced by a summary", async () => {
    const { open } = tempDatabase();
    let db = open();
    let graph = agentOn(createCheckpointer(db));
    const reopened = async () => {
      const live = shape(await messagesOf(graph));
      db.close();
      db = open();
      graph = agentOn(createCheckpointer(db));
      expect(shape(await messagesOf(graph))).toEqual(live);
      return messagesOf(graph);
    };
    await say(graph, "one");
    await say(graph, "two");
    let messages = await reopened();
    await graph.updateState(at("t"), { messages: [new RemoveMessage({ id: messages[1]?.id ?? "" })] }, "model_request");
    messages = await reopened();
    const edited = new HumanMessage({ id: messages[0]?.id ?? "", content: "edited" });
    await graph.updateState(at("t"), { messages: [edited] }, "model_request");
    messages = await reopened();
    expect(messages[0]?.text).toBe("edited");
    const all = new RemoveMessage({ id: "__remove_all__" });
    const kept = [new HumanMessage({ id: "summary", content: "in short" }), ...messages.slice(-2)];
    await graph.updateState(at("t"), { messages: [all, ...kept] }, "model_request");
    expect(await reopened()).toHaveLength(3);
    await say(graph, "three");
    expect(await reopened()).toHaveLength(7);
  });

  it("keeps what somebody edited in place, in a message and deep inside it, and the older checkpoint keeps the old", async () => {
    const { open } = tempDatabase();
    const db = open();
    const graph = agentOn(createCheckpointer(db));
    await say(graph, "one");
    const before = await graph.getState(at("t"));
    const messages = await messagesOf(graph);
    const [first, call] = messages;
    if (!first || !AIMessage.isInstance(call)) throw new Error("expected a person's message and a call");
    first.content = "edited in place";
    Object.assign(call.tool_calls?.[0]?.args ?? {}, { deep: { added: [1] } });
    await graph.updateState(at("t"), { messages }, "model_request");
    db.close();
    const again = agentOn(createCheckpointer(open()));
    const [newFirst, newCall] = await messagesOf(again);
    expect(newFirst?.text).toBe("edited in place");
    expect((newCall as AIMessage).tool_calls?.[0]?.args).toEqual({ deep: { added: [1] } });
    const old = await again.getState(before.config);
    expect(old.values.messages[0].text).toBe("one");
    expect(old.values.messages[1].tool_calls[0].args).toEqual({});
  });

  it("is handed out as it is stored, whatever somebody did to what was handed out before", async () => {
    const { open } = tempDatabase();
    const graph = agentOn(createCheckpointer(open()));
    await say(graph, "one");
    const spoiled = await messagesOf(graph);
    for (const message of spoiled) message.content = "spoiled";
    expect((await messagesOf(graph)).map((message) => message.text)).not.toContain("spoiled");
  });

  it("goes on from an older checkpoint as a branch of its own", async () => {
    const { open } = tempDatabase();
    const db = open();
    const graph = agentOn(createCheckpointer(db));
    await say(graph, "one");
    const { config } = await graph.getState(at("t"));
    await say(graph, "two");
    await graph.invoke({ messages: [new HumanMessage({ id: "fork", content: "other" })] }, config);
    const texts = (await messagesOf(graph)).filter((message) => message.getType() === "human").map(({ text }) => text);
    expect(texts).toEqual(["one", "other"]);
    const copy = await graph.updateState(config, null, "__copy__");
    expect((await graph.getState(copy)).values.messages).toHaveLength(4);
  });

  it("is shared by several graphs, and lives beside others without mixing", async () => {
    const { open } = tempDatabase();
    const saver = createCheckpointer(open());
    const [one, two] = [agentOn(saver), agentOn(saver)];
    await Promise.all(["a", "b", "c"].map((thread) => say(one, `in ${thread}`, thread)));
    await say(two, "again in a", "a");
    const human = (messages: readonly BaseMessage[]) => messages.filter((one) => one.getType() === "human");
    expect(human(await messagesOf(one, "a")).map(({ text }) => text)).toEqual(["in a", "again in a"]);
    expect(human(await messagesOf(one, "b")).map(({ text }) => text)).toEqual(["in b"]);
  });

  it("that is long is loaded in steps, between which everything else goes on; deleted meanwhile it is not there", async () => {
    const { open } = tempDatabase();
    let db = open();
    const messages = Array.from({ length: 2000 }, (_, index) => new HumanMessage({ id: `m${index}`, content: "x" }));
    await agentOn(createCheckpointer(db)).updateState(at("t"), { messages });
    db.close();
    db = open();
    let turns = 0;
    const turned = () => void ((turns += 1), setImmediate(turned).unref());
    turned();
    expect(await messagesOf(agentOn(createCheckpointer(db)))).toHaveLength(2000);
    expect(turns).toBeGreaterThanOrEqual(4);

    const again = createCheckpointer(db);
    const loading = again.getTuple(at("t"));
    again.giveUp("t");
    runAll(createSweep(db));
    expect(await loading).toBeUndefined();
  });

  it("is gone at once when it is deleted, begins anew, and its rows are swept up in steps", async () => {
    const { open } = tempDatabase();
    const db = open();
    const saver = createCheckpointer(db);
    const graph = agentOn(saver);
    await say(graph, "one");
    await say(graph, "other", "u");
    const others = count(db, "graph_pieces") / 2;
    await saver.deleteThread("t");
    expect(await everything(saver)).toEqual([]);
    await say(graph, "anew");
    expect(await messagesOf(graph)).toHaveLength(4);
    expect(runAll(createSweep(db))).toBeGreaterThan(1);
    expect(count(db, "graph_pieces")).toBe(2 * others);
    expect(await messagesOf(graph, "u")).toHaveLength(4);
  });
});

describe("what a turn adds", () => {
  it("is the same after fifty turns as after twenty, also when each turn edits an old message", async () => {
    const { open } = tempDatabase();
    const db = open();
    const graph = agentOn(createCheckpointer(db));
    const bytes = () =>
      db
        .prepare(
          `select (select sum(length(body)) from graph_pieces) + (select sum(length(value) + length(pieces)) from graph_writes)
           + (select sum(length(body) + length(channels) + length(pieces)) from graph_checkpoints)`,
        )
        .pluck()
        .get() as number;
    const turn = async () => {
      const before = count(db, "graph_checkpoints") === 0 ? 0 : bytes();
      await say(graph, "a turn");
      const [first] = (await messagesOf(graph)).slice(-6);
      const edit = new HumanMessage({ id: first?.id ?? "", content: "edited" });
      await graph.updateState(at("t"), { messages: [edit] }, "model_request");
      return bytes() - before;
    };
    const turns: number[] = [];
    for (let index = 0; index < 50; index += 1) turns.push(await turn());
    const mean = (from: number) => turns.slice(from, from + 5).reduce((sum, one) => sum + one, 0) / 5;
    // Each edit splits a range, until ranges are folded together.
    expect(mean(45)).toBeLessThan(mean(15) * 1.2);
  });

  it("is written once: a message that a task wrote is not written again by the checkpoint", async () => {
    const { open } = tempDatabase();
    const db = open();
    const graph = agentOn(createCheckpointer(db));
    await say(graph, "one");
    expect(count(db, "graph_pieces")).toBe(4);
  });

  it("is not the whole thread after the memory was dropped", async () => {
    const { open } = tempDatabase();
    let db = open();
    for (let index = 0; index < 5; index += 1) await say(agentOn(createCheckpointer(db)), `turn ${index}`);
    db.close();
    db = open();
    const saver = createCheckpointer(db);
    const { config, checkpoint, metadata } = (await createCheckpointer(db).getTuple(at("t"))) ?? {};
    if (!config || !checkpoint || !metadata) throw new Error("expected a checkpoint");
    const before = count(db, "graph_pieces");
    await saver.put(config, { ...checkpoint, id: uuid6(9) }, metadata, {});
    expect(count(db, "graph_pieces")).toBe(before);
  });

  it("leaves nothing behind when it cannot be written, and the next one is whole", async () => {
    const { open } = tempDatabase();
    const db = open();
    const saver = createCheckpointer(db);
    const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
    const message = new HumanMessage({ id: "m", content: "x" });
    const write = (values: Record<string, unknown>) =>
      saver.put(
        config,
        { ...emptyCheckpoint(), channel_values: values, channel_versions: { messages: 1, odd: 1 } },
        { source: "input", step: -1, parents: {} },
        { messages: 1, odd: 1 },
      );
    await expect(write({ messages: [message], odd: 1n })).rejects.toThrow(/BigInt/);
    expect(count(db, "graph_pieces")).toBe(0);
    const put = await write({ messages: [message], odd: 1 });
    expect((await createCheckpointer(db).getTuple(put))?.checkpoint.channel_values["messages"]).toEqual([message]);
  });
});

describe("pruning", () => {
  it("keeps the newest checkpoints, all that they refer to, and parallel open questions", async () => {
    const { open } = tempDatabase();
    let db = open();
    let saver = createCheckpointer(db);
    let graph = agentOn(saver);
    for (let index = 0; index < 6; index += 1) await say(graph, `turn ${index}`);
    await graph.updateState(
      at("t"),
      { messages: (await messagesOf(graph)).slice(0, 8).map(({ id }) => new RemoveMessage({ id: id ?? "" })) },
      "model_request",
    );
    await say(graph, "ask");
    const pending = (await graph.getState(at("t"))).tasks.flatMap((task) => task.interrupts);
    expect(pending).toHaveLength(2);
    const before = shape(await messagesOf(graph));
    runAll(createPrune(db, saver, 1)());
    expect(count(db, "graph_checkpoints")).toBe(1);
    expect(count(db, "graph_pieces")).toBe(before.length);
    expect(shape(await messagesOf(graph))).toEqual(before);
    db.close();
    db = open();
    saver = createCheckpointer(db);
    graph = agentOn(saver);
    const answers = Object.fromEntries(pending.map(({ id, value }) => [id ?? "", `${String(value)}!`]));
    await graph.invoke(new Command({ resume: answers }), at("t"));
    const told = (await messagesOf(graph)).filter((message) => message.getType() === "tool").slice(-2);
    expect(told.map(({ text }) => text)).toEqual(["told: colour!", "told: size!"]);
    expect((await messagesOf(graph)).at(-1)?.text).toBe("answer to ask");
  });

  it("goes on between the steps of a run, and what is written meanwhile stays", async () => {
    const { open } = tempDatabase();
    const db = open();
    const saver = createCheckpointer(db);
    const graph = agentOn(saver);
    const prune = createPrune(db, saver, 2);
    for (let index = 0; index < 12; index += 1) {
      const step = prune();
      const running = say(graph, `turn ${index}`);
      for (let steps = 0; steps < 20; steps += 1) {
        step();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await running;
    }
    runAll(prune());
    db.close();
    expect(await messagesOf(agentOn(createCheckpointer(open())))).toHaveLength(48);
  });
});
