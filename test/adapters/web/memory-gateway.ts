/** A gateway at our contract that keeps everything in memory, and the adapter on a real server before it. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { pino } from "pino";
import { web } from "../../../adapters/web/adapter.ts";
import type {
  Adapter,
  AdapterDeps,
  Clock,
  Deliver,
  Delivered,
  Entry,
  HttpMount,
  Identity,
  Inbound,
  PostRef,
  ThreadKey,
  ThreadSummary,
  Transcript,
  View,
} from "../../../gateway/contract.ts";

const SECRET = "ab".repeat(32);

export interface Running {
  readonly adapter: Adapter;
  readonly identity: Identity;
  readonly origin: string;
  readonly folder: string;
  readonly gateway: MemoryGateway;
  /** Opens the one-time link; the header that lets a request in. */
  readonly enter: () => Promise<{ cookie: string }>;
  close(): Promise<void>;
}
export type MemoryGateway = ReturnType<typeof createMemoryGateway>;

/** Stores like the real one: an event once, an intent before the call, a removed message no more. */
export function createMemoryGateway() {
  const entries = new Map<ThreadKey, Entry[]>();
  const events: Inbound[] = [];
  const states = new Map<ThreadKey, ThreadSummary["state"]>();
  const listeners: ((thread: ThreadKey) => void)[] = [];
  let answer: (event: Inbound) => Delivered | Promise<Delivered> = () => ({ accepted: true });
  const of = (thread: ThreadKey) => entries.get(thread) ?? entries.set(thread, []).get(thread) ?? [];

  const transcript = {
    threads: () =>
      [...entries].map(([thread, list]) => ({
        thread,
        title: list.flatMap((entry) => (entry.type === "inbound" ? [entry.text] : []))[0] ?? "",
        updatedAt: list.at(-1)?.at ?? 0,
        state: states.get(thread) ?? "idle",
      })),
    entries: (_platform, thread) => [...(entries.get(thread) ?? [])],
    onDeleted: (_platform, listener) => void listeners.push(listener),
  } satisfies Transcript;

  const deliver = (async (event) => {
    const delivered = await answer(event);
    if (!delivered.accepted || events.some(({ eventId }) => eventId === event.eventId)) return delivered;
    events.push(event);
    if (event.type === "message") {
      const { post, text, files, author, sentAt: at } = event;
      of(event.thread).push({ type: "inbound", at, post, author: author.name, text, files });
    }
    return delivered;
  }) satisfies Deliver;

  return {
    transcript,
    deliver,
    /** What was stored, in order. */
    events,
    of,
    setState: (thread: ThreadKey, state: ThreadSummary["state"]) => void states.set(thread, state),
    answerWith: (next: typeof answer) => void (answer = next),
    /** As when a person is forgotten. */
    delete(thread: ThreadKey): void {
      entries.delete(thread);
      listeners.forEach((listener) => listener(thread));
    },
    /** Brings a slot to show a view: a new message, or an edit of the one that is there. */
    async show(adapter: Adapter, thread: ThreadKey, slot: string, view: View): Promise<PostRef> {
      const [part] = adapter.render(view);
      if (!part) throw new Error("Expected at least one part, got none.");
      const known = of(thread).findIndex((entry) => entry.type === "post" && entry.nonce === slot);
      const at = Date.now();
      const before = of(thread)[known];
      const post = before?.post ?? null;
      const entry: Entry = { type: "post", at: before?.at ?? at, post, nonce: slot, part };
      if (known >= 0) of(thread)[known] = entry;
      else of(thread).push(entry);
      if (post) await adapter.edit(thread, post, part);
      const sent = post ?? (await sendView(adapter, thread, view, slot));
      const index = of(thread).findIndex((one) => one.type === "post" && one.nonce === slot);
      of(thread)[index] = { ...entry, post: sent };
      return sent;
    },
    async remove(adapter: Adapter, thread: ThreadKey, slot: string, post: PostRef): Promise<void> {
      entries.set(
        thread,
        of(thread).filter((entry) => entry.type !== "post" || entry.nonce !== slot),
      );
      await adapter.remove(thread, post);
    },
  };
}

async function sendView(adapter: Adapter, thread: ThreadKey, view: View, nonce: string): Promise<PostRef> {
  if (view.type === "file") return (await adapter.upload(thread, view, nonce)).post;
  const [part] = adapter.render(view);
  if (!part) throw new Error("Expected at least one part, got none.");
  return (await adapter.send(thread, part, nonce)).post;
}

const clock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The adapter behind a real HTTP server. `port` and `folder`: those of an earlier start, to start again. */
export async function startPage(
  options: { gateway?: MemoryGateway; secret?: string; port?: number; folder?: string } = {},
): Promise<Running> {
  const gateway = options.gateway ?? createMemoryGateway();
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "threadline-web-"));
  const deps: AdapterDeps = {
    log: pino({ level: "silent" }),
    clock,
    folder,
    secret: options.secret ?? SECRET,
    transcript: gateway.transcript,
  };
  const adapter = await web.create({}, deps);
  let handler: Parameters<HttpMount["mount"]>[1] = () => new Response(null, { status: 404 });
  const listener = getRequestListener((request) => handler(request));
  const server = createServer((request, response) => void listener(request, response));
  const origin = await listen(server, options.port ?? 0);
  const identity = await adapter.start(gateway.deliver, { origin, mount: (_prefix, given) => void (handler = given) });
  return {
    adapter,
    identity,
    origin,
    folder,
    gateway,
    async enter() {
      const response = await fetch(identity.link ?? "", { redirect: "manual" });
      return { cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "" };
    },
    async close() {
      await adapter.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("Expected the server to have a port.");
  return `http://127.0.0.1:${address.port}`;
}
