/**
 * What a person sees in the end, whatever fails: each platform × each fault × progress, question and final reply, over the
 * real client against the loopback server. A crash is a process of which nothing is left but what it stored.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Adapter, AdapterDeps, Deliver, Inbound, InboundOf, View } from "../../gateway/contract.ts";
import { UNCOUNTED } from "../../gateway/metrics.ts";
import { createOutbox } from "../../gateway/outbox.ts";
import { type Slot, slot, type SlotWrite } from "../../gateway/store-contract.ts";
import type { Store } from "../../store/gateway-store.ts";
import { executionId, type ThreadId } from "../../subagents/contract.ts";
import { createClock, type HandClock, silentLog, tempFolder, tempStore, until } from "../helpers.ts";
import type { Fault } from "../wire/faults.ts";
import { WIRES, type Wire } from "./fault-platforms.ts";
import type { Room } from "./stage.ts";

const LONG = process.env["THREADLINE_LONG"] !== undefined;
/** Of an answer that is waited for so long, the server does what was asked a moment later. */
const [REQUEST_MS, TOO_LATE_MS] = [700, 900];

const KINDS = ["progress", "question", "final"] as const;
type Kind = (typeof KINDS)[number];

type Crash = "crash before send" | "crash after accept" | "crash between parts" | "crash during edit";
type Row = Crash | keyof typeof STRIKES;
const STRIKES = {
  "429": () => ({ call: "post", retryAfter: 2 }),
  "500": () => ({ call: "post", status: 500 }),
  "time-out": () => ({ call: "post", delayMs: TOO_LATE_MS }),
  "closed after accept": () => ({ call: "post", drop: "after" }),
  // Done, and the answer lost: done again, it changes nothing, which Telegram refuses.
  "edit not modified": () => ({ call: "edit", drop: "after" }),
  "edit of a deleted one": ({ deleted }) => ({ call: "edit", ...deleted }),
  "edit too long": ({ tooLong }) => ({ call: "edit", times: 2, ...tooLong }),
  blocked: ({ blocked }) => ({ call: "post", times: 99, ...blocked }),
} satisfies Record<string, (words: Wire["refusals"]) => Fault & { readonly call: "post" | "edit" }>;
const CRASHES = ["crash before send", "crash after accept", "crash between parts", "crash during edit"] as const;
const ROWS: readonly Row[] = [...CRASHES, ...(Object.keys(STRIKES) as (keyof typeof STRIKES)[])];
const isCrash = (row: Row): row is Crash => CRASHES.some((one) => one === row);

/** The post stands there, and the bot was not told. */
const UNKNOWN: readonly Row[] = ["crash after accept", "time-out", "closed after accept"];

/** Of several parts on each platform. */
const WORDS = ["alpha", "beta", "gamma", "delta", "omega"];
const reply: View = { type: "reply", markdown: WORDS.map((word) => `${word} ${"x".repeat(1700)}`).join("\n\n") };

function progress(done: boolean, now: number): View {
  const task = {
    taskId: "c",
    order: 1,
    executionId: executionId("x"),
    description: "look",
    subagent: "scout",
    model: "Small",
  };
  const times = { startedAt: now - 9000, ...(done && { endedAt: now }) };
  return {
    type: "progress",
    state: done ? "done" : "working",
    tasks: [{ ...task, state: done ? "completed" : "running", calls: 1, steps: 1, ...times }],
    model: "Big",
    startedAt: now - 9000,
    at: now,
    ...(!done && { stopToken: "stop-token" }),
  };
}

const question = (closed: boolean): View => ({
  type: "question",
  icon: "❓",
  question: "Which colour?",
  options: ["Red", "Blue"].map((label) => ({ token: `token-${label}`, label })),
  asked: "Ana",
  ...(closed && { closed: { type: "answered", answer: "Red", by: "Ana" } }),
});

interface Cell {
  readonly wire: Wire;
  readonly row: Row;
  readonly kind: Kind;
  readonly thread: ThreadId;
  readonly store: Store;
  readonly connect: (clock: HandClock) => Promise<Adapter>;
}

/** A process of the bot: its outbox and its client. */
async function boot({ store, connect }: Cell, spoil: (adapter: Adapter) => Adapter = (adapter) => adapter) {
  const clock = createClock(Date.now());
  const adapter = spoil(await connect(clock));
  const threadsFolder = tempFolder();
  const outbox = createOutbox({
    store,
    adapter: () => adapter,
    clock,
    log: silentLog,
    metrics: UNCOUNTED,
    threadsFolder,
  });
  return { clock, outbox, crashed: false };
}
type Process = Awaited<ReturnType<typeof boot>>;

const dead = new Promise<never>(() => {});
/** Dies at this call; `crashed` tells when. */
function dying(row: Crash, crashed: () => void): (adapter: Adapter) => Adapter {
  let posts = 0;
  const die = () => {
    crashed();
    return dead;
  };
  return (adapter) => ({
    ...adapter,
    async send(...of) {
      posts += 1;
      if (row === "crash before send" || (row === "crash between parts" && posts === 2)) return die();
      const sent = await adapter.send(...of);
      return row === "crash after accept" ? die() : sent;
    },
    async edit(...of) {
      await adapter.edit(...of);
      if (row === "crash during edit") return die();
    },
  });
}

const settled = ({ row, kind, store, thread }: Cell, process: Process) =>
  until(`a quiet outbox (${row}, ${kind})`, async () => {
    await process.clock.advance(1500);
    if (process.crashed) return dead;
    return (await store.unsettled(thread)).length === 0;
  });

async function show(cell: Cell, { outbox }: Process, name: Slot, view: View, final: boolean): Promise<void> {
  const write: SlotWrite = { slot: name, view, final };
  await cell.store.show(cell.thread, [write]);
  outbox.wake(cell.thread);
}

/** The first state, then the last one; a reply has only that. */
async function play(cell: Cell, process: Process, strike: (call: "post" | "edit") => void): Promise<void> {
  const { kind, thread } = cell;
  const name = slot(kind === "final" ? "reply" : kind, "r1");
  strike("post");
  if (kind === "final") await show(cell, process, name, reply, true);
  else
    await show(
      cell,
      process,
      name,
      kind === "question" ? question(false) : progress(false, process.clock.now()),
      false,
    );
  // A search that comes before what it looks for finds nothing, whatever the platform.
  if (cell.row === "time-out") await sleep(2 * TOO_LATE_MS);
  await settled(cell, process);
  if (kind === "final") return;
  strike("edit");
  await show(cell, process, name, kind === "question" ? question(true) : progress(true, process.clock.now()), true);
  process.outbox.wake(thread);
  await settled(cell, process);
}

async function run(cell: Cell): Promise<void> {
  const { row, wire, store, thread } = cell;
  const key = (await store.thread(thread))?.key;
  if (!key) throw new Error("Expected the thread to be there.");
  if (!isCrash(row)) {
    const fault = STRIKES[row](wire.refusals);
    const strike = (call: "post" | "edit") => {
      if (fault.call !== call) return;
      const { call: _call, ...how } = fault;
      wire.fail(key, call, how);
    };
    return play(cell, await boot(cell), strike);
  }
  let die = () => {};
  const crash = new Promise<void>((resolve) => (die = resolve));
  const first = await boot(
    cell,
    dying(row, () => die()),
  );
  void play(cell, first, () => {});
  await crash;
  first.crashed = true;
  const second = await boot(cell);
  await play(cell, second, () => {});
}

/** What the person sees, in few words, and as figures. */
function seen(room: Room, kind: Kind, gone: number) {
  const posts = room.posts().slice(gone);
  const count = (pattern: RegExp) => posts.filter(({ text }) => pattern.test(text)).length;
  switch (kind) {
    case "final": {
      const copies = WORDS.map((word) => count(new RegExp(`${word} x`)));
      return { whole: Math.min(...copies), most: Math.max(...copies), stale: 0 };
    }
    case "question": {
      const closed = posts.filter(({ text, buttons }) => text.includes("✓") && buttons.length === 0).length;
      return { whole: closed, most: closed, stale: posts.length - closed };
    }
    case "progress":
      return { whole: count(/^Done/m), most: count(/^Done/m), stale: count(/^Working/m) };
  }
}

function told({ whole, most, stale }: ReturnType<typeof seen>, kind: Kind): string {
  const copies = whole === most ? `${whole}×` : `${whole} to ${most}×`;
  const rest = stale === 0 ? "" : kind === "progress" ? `, ${stale} stale` : `, ${stale} still open`;
  return `${copies}${rest}`;
}

/** A progress message and a question have one part; a reply is not edited. */
const applies = (row: Row, kind: Kind): boolean =>
  row === "crash between parts" ? kind === "final" : !(row.includes("edit") && kind === "final");

describe("whatever fails", () => {
  it.each(Object.keys(WIRES) as (keyof typeof WIRES)[])(
    "%s shows a reply once, or at least once where it cannot tell whether it took it, and leaves at most one stale copy of the rest",
    async (platform) => {
      const wire = await WIRES[platform]();
      const inbound: Inbound[] = [];
      const deps = (clock: HandClock, row?: Row): AdapterDeps => ({
        log: silentLog,
        clock,
        folder: tempFolder(),
        secret: "00".repeat(32),
        transcript: { threads: () => [], entries: () => [], onDeleted() {} },
        ...(row === "time-out" && { requestMs: REQUEST_MS }),
      });
      const deliver: Deliver = async (event) => {
        inbound.push(event);
        return { accepted: true };
      };
      const listening = await wire.connect(deps(createClock(Date.now())));
      onTestFinished(async () => {
        await listening.stop();
        await wire.stage.close();
      });
      void listening.start(deliver, { origin: "http://127.0.0.1:0", mount: () => {} }).catch(() => {});
      const table: Record<string, Record<string, string>> = {};
      const wrong: string[] = [];
      const isMessage = (event: Inbound): event is InboundOf<"message"> => event.type === "message";
      for (const row of ROWS) {
        const shown: Record<string, string> = {};
        for (const kind of KINDS.filter((one) => LONG || one === "final" || row === "closed after accept")) {
          if (!applies(row, kind)) {
            shown[kind] = "–";
            continue;
          }
          const person = wire.stage.person(`${row} ${kind}`.replaceAll(/\W/g, "_"));
          const before = inbound.length;
          person.direct.say(person, "hello");
          const event = await until("the message", () => inbound.slice(before).find(isMessage));
          const { store } = tempStore(createClock(Date.now()));
          const { wake } = await store.accept(event, () => ({ rule: "test", effects: [{ type: "queue" }] }));
          const [thread] = wake;
          if (thread === undefined) throw new Error("Expected a thread.");
          const connect = (clock: HandClock) => wire.connect(deps(clock, row));
          await run({ wire, row, kind, thread, store, connect });
          // The one that the platform called deleted stands first.
          const result = seen(person.direct, kind, row === "edit of a deleted one" ? 1 : 0);
          shown[kind] = told(result, kind);
          if (!isRight(result, row, kind, wire.stage.searchable)) wrong.push(`${row}, ${kind}: ${shown[kind]}`);
        }
        table[row] = shown;
      }
      process.stdout.write(`${drawn(platform, table)}\n`);
      expect(wrong).toEqual([]);
      expect(wire.stage.violations()).toEqual([]);
    },
    180_000,
  );
});

function isRight({ whole, most, stale }: ReturnType<typeof seen>, row: Row, kind: Kind, searchable: boolean): boolean {
  if (row === "blocked" || (row === "edit of a deleted one" && kind === "question")) return most === 0;
  const unsure = !searchable && UNKNOWN.includes(row);
  if (kind === "final") return whole >= 1 && (whole === most || unsure) && most <= (unsure ? 2 : 1);
  return whole >= 1 && whole <= (unsure ? 2 : 1) && stale <= (unsure ? 1 : 0);
}

function drawn(platform: string, table: Record<string, Record<string, string>>): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rows = Object.entries(table).map(([row, cells]) => line([row, ...KINDS.map((kind) => cells[kind] ?? "long")]));
  return [line([platform, ...KINDS]), line(["---", ...KINDS.map(() => "---")]), ...rows].join("\n");
}
