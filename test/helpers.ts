/** What tests share: folders and databases of their own, a clock that is moved by hand, events, a platform in memory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pino from "pino";
import { onTestFinished } from "vitest";
import { type Clock, type Inbound, type InboundOf, placeKey, postRef, threadKey } from "../gateway/contract.ts";
import { openDatabase } from "../store/database.ts";
import { createStore } from "../store/gateway-store.ts";

export const silentLog = pino({ level: "silent" });

export function tempFolder(atEnd: (end: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(path.join(tmpdir(), "threadline-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A fresh store on a real file; `reopen` is what a restart sees. */
export function tempStore(clock: Clock = createClock()) {
  const file = path.join(tempFolder(), "threadline.db");
  const open = () => {
    const db = openDatabase(file);
    onTestFinished(() => void db.close());
    return { db, store: createStore(db, () => clock.now()) };
  };
  const { db, store } = open();
  const reopen = () => {
    db.close();
    return open();
  };
  return { db, store, reopen, file };
}

export interface HandClock extends Clock {
  /** Moves on, calling what is due, with a pause for promises after each. */
  advance(ms: number): Promise<void>;
}

export function createClock(start = 1_800_000_000_000): HandClock {
  let now = start;
  const timers = new Set<{ at: number; callback: () => void }>();
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    now: () => now,
    after(ms, callback) {
      const timer = { at: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.callback();
        await settle();
      }
      now = end;
      await settle();
    },
  };
}

let count = 0;
const DIRECT = { key: placeKey("memo:dm"), type: "direct", id: "dm" } as const;

type Base = Omit<InboundOf<"message">, "type" | "post" | "text" | "mentionsBot" | "files">;
function base(over: Partial<Base> = {}): Base {
  count += 1;
  const author = { id: "ana", name: "Ana", isBot: false };
  return {
    platform: "memo",
    account: "bot",
    eventId: `e${count}`,
    place: DIRECT,
    thread: threadKey("memo:dm"),
    author,
    sentAt: 0,
    ...over,
  };
}
export const bob = { id: "bob", name: "Bob", isBot: false };
export const groupPlace = { key: placeKey("memo:g"), type: "shared", id: "g" } as const;

export function message(text: string, over: Partial<InboundOf<"message">> = {}): InboundOf<"message"> {
  const fields = base(over);
  return {
    ...fields,
    type: "message",
    post: postRef(`in-${fields.eventId}`),
    text,
    mentionsBot: false,
    files: [],
    ...over,
  };
}
export function press(token: string, over: Partial<InboundOf<"press">> = {}): InboundOf<"press"> {
  return { ...base(over), type: "press", token, ...over };
}
export function event(fields: { type: "edited" | "deleted" | "form" | "command" } & Record<string, unknown>): Inbound {
  return { ...base(), ...fields } as Inbound; // only tests make events out of parts
}

/** Resolves as soon as `check` gives something; fails with what was awaited. */
export async function until<T>(
  what: string,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  ms = 15_000,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
