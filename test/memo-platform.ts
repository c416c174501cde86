/**
 * The smallest platform there can be: messages in memory, buttons by token. It shows that a platform is one file and
 * one line, and lets the gateway be tested with faults on demand.
 */
import { z } from "zod";
import { progressText } from "../adapters/shared/progress-text.ts";
import {
  type Adapter,
  AdapterError,
  type AdapterErrorCode,
  type AdapterKind,
  type Deliver,
  METHODS,
  type Part,
  postRef,
  type PostRef,
  type Sent,
  threadKey,
  type ThreadKey,
  type View,
} from "../gateway/contract.ts";

export interface MemoPost {
  readonly ref: PostRef;
  readonly thread: ThreadKey;
  readonly nonce: string;
  text: string;
  buttons: readonly string[];
  edits: number;
}
interface MemoPart {
  readonly text: string;
  readonly buttons: readonly string[];
}
export interface Fault {
  readonly call: "send" | "edit" | "remove" | "upload";
  readonly code: AdapterErrorCode;
  readonly retryAfterMs?: number;
  readonly everywhere?: boolean;
  /** The platform did it all the same, and only the answer was lost. */
  readonly done?: boolean;
  times: number;
}

/** The "server": it outlives adapters, as a platform outlives our process. */
export function createMemoServer() {
  const posts: MemoPost[] = [];
  const faults: Fault[] = [];
  const calls: { call: string; text: string; thread: ThreadKey }[] = [];
  /** Where the files lay that were handed over. */
  const files: string[] = [];
  return {
    posts,
    faults,
    calls,
    files,
    /** Set by the adapter that is connected. */
    deliver: undefined as Deliver | undefined,
    /** Milliseconds an edit takes. */
    editDelayMs: 0,
    searchable: false,
    /** Posts ever made: a ref is never used again. */
    made: 0,
  };
}
export type MemoServer = ReturnType<typeof createMemoServer>;

const PART_LENGTH = 200;

/** Text of at most 200 characters a part; buttons on the last. */
function renderMemo(view: View): readonly Part[] {
  const { text, buttons } = describe(view);
  const texts = text.match(new RegExp(`[\\s\\S]{1,${PART_LENGTH}}(?=\\s|$)|[\\s\\S]{1,${PART_LENGTH}}`, "g")) ?? [
    "(empty)",
  ];
  return texts.map((one, index) => ({ text: one, buttons: index === texts.length - 1 ? buttons : [] }));
}

function describe(view: View): { text: string; buttons: string[] } {
  switch (view.type) {
    case "request":
      return { text: `${view.author} asked: ${view.text}`, buttons: [] };
    case "reply":
      return { text: view.markdown, buttons: [] };
    case "notice":
      return { text: view.markdown, buttons: (view.actions ?? []).map((action) => action.token) };
    case "file":
      return { text: `file ${view.name}`, buttons: [] };
    case "question": {
      const closed =
        view.closed?.type === "answered"
          ? ` = ${view.closed.answer} (${view.closed.by})`
          : view.closed
            ? " = closed"
            : "";
      const tokens = view.form ? [view.form.token] : view.options.map((option) => option.token);
      const listed = view.inWords ? view.options.map(({ label }, index) => `\n${index + 1}. ${label}`).join("") : "";
      const text = `${view.icon} ${view.question}${listed}${closed}`;
      return { text, buttons: view.closed || view.inWords ? [] : tokens };
    }
    case "progress": {
      const { heading, rows, footer } = progressText(view);
      const lines = rows.map((row) => `${row.icon} ${row.title}: ${row.details}`);
      return {
        text: [heading, ...lines, footer].join("\n").slice(0, PART_LENGTH),
        buttons: view.stopToken ? [view.stopToken] : [],
      };
    }
  }
}

/** A key that ends in `?` is provisional: the post itself opens the thread. */
function sentTo(thread: ThreadKey, post: PostRef): Sent {
  return thread.endsWith("?") ? { post, thread: threadKey(`${thread.slice(0, -1)}:${post}`) } : { post };
}

export function createMemoAdapter(server: MemoServer): Adapter {
  const read = (part: Part) => part as unknown as MemoPart; // boundary: only `renderMemo` makes them
  const find = (ref: PostRef) => server.posts.find((post) => post.ref === ref);

  async function call(name: Fault["call"], thread: ThreadKey, text: string, act: () => void): Promise<void> {
    server.calls.push({ call: name, text, thread });
    if (name === "edit" && server.editDelayMs > 0)
      await new Promise((resolve) => setTimeout(resolve, server.editDelayMs));
    const fault = server.faults.find((one) => one.call === name && one.times > 0);
    if (!fault) return act();
    fault.times -= 1;
    if (fault.done) act();
    throw new AdapterError(fault.code, fault.code, fault);
  }

  return {
    platform: "memo",
    limits: {
      rates: [
        { scope: "place", places: "direct", methods: ["post", "edit"], calls: 1, perMs: 1000 },
        { scope: "place", places: "shared", methods: ["post", "edit"], calls: 1, perMs: 3000 },
      ],
      waits: [{ scope: "place", methods: METHODS }],
      answerParts: Infinity,
      presenceMs: 5000,
      draftMs: 0,
      uploadBytes: 1e6,
      downloadBytes: 1e6,
    },
    async start(deliver) {
      server.deliver = deliver;
      return { account: "bot", name: "memo" };
    },
    render: renderMemo,
    plain: (part) => ({ text: read(part).text.replaceAll("**", ""), buttons: [] }),
    async send(thread, part, nonce) {
      const ref = postRef(`post-${++server.made}`);
      await call("send", thread, read(part).text, () =>
        server.posts.push({ ref, thread, nonce, ...read(part), edits: 0 }),
      );
      return sentTo(thread, ref);
    },
    async edit(thread, ref, part) {
      await call("edit", thread, read(part).text, () => {
        const post = find(ref);
        if (!post) throw new AdapterError("not_found", "no such post");
        Object.assign(post, read(part), { edits: post.edits + 1 });
      });
    },
    async remove(thread, ref) {
      await call("remove", thread, "", () => {
        const index = server.posts.findIndex((post) => post.ref === ref);
        if (index < 0) throw new AdapterError("not_found", "no such post");
        server.posts.splice(index, 1);
      });
    },
    async upload(thread, file, nonce) {
      const fault = server.faults.find((one) => one.call === "upload" && one.times > 0);
      if (fault) {
        fault.times -= 1;
        throw new AdapterError(fault.code, fault.code);
      }
      server.files.push(file.path);
      return this.send(thread, { text: `file ${file.name}`, buttons: [] }, nonce);
    },
    async find(_thread, _part, nonce) {
      if (!server.searchable) return "unknowable";
      const found = server.posts.find((post) => post.nonce === nonce);
      return found ? sentTo(found.thread, found.ref) : "absent";
    },
    async presence() {},
    async download() {
      throw new AdapterError("not_found", "no files here");
    },
    async history() {
      return "unavailable";
    },
    health: () => ({ connected: server.deliver !== undefined }),
    async stop() {
      server.deliver = undefined;
    },
  };
}

/** What the one line in `gateway/main.ts` would name. */
export function memoKind(server: MemoServer): AdapterKind<{ enabled?: boolean }> {
  return {
    platform: "memo",
    config: z.strictObject({}),
    configured: () => true,
    commandSign: "/",
    access: "owner",
    create: () => createMemoAdapter(server),
    check: async () => [{ ok: true, text: "memo" }],
  };
}
