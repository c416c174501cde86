/**
 * The disk under the data folder, and what may still come in.
 *
 *   roomy ──little is free──▶ low ──there is room again──▶ roomy
 *     │                        │
 *     └──── a write failed ────┴──▶ full ──there is some room and a write succeeded──▶ low or roomy
 *
 * roomy: everything goes on.
 * low:   new messages wait at their platforms, which give them again. What runs goes on to its end, replies leave, and
 *        presses and commands come in: they end runs.
 * full:  nothing comes in, nothing is sent, and what ran is left as a crash would leave it; it goes on by itself.
 */
import { statfs } from "node:fs/promises";
import type { Logger } from "pino";
import { AdapterError, type Clock, type Inbound } from "./contract.ts";

export interface DiskWrites {
  /** Called at once when a write has failed, and then no more until `tryAgain` succeeds. */
  onShut(listener: (reason: string) => void): void;
  /** Writes something. @throws Error when nothing can be written yet. */
  tryAgain(): void;
}
export interface DiskDeps {
  readonly writes: DiskWrites;
  /** Bytes that this user may still write. */
  readonly freeBytes: () => Promise<number>;
  readonly clock: Clock;
  readonly log: Logger;
}
export interface DiskHealth {
  readonly state: "roomy" | "low" | "full";
  /** As last looked at; absent where the file system does not say. */
  readonly freeBytes?: number;
  /** What is the matter and what to do. */
  readonly text?: string;
}
/** Who works with what is stored. */
export interface DiskUser {
  /** Lets go of everything at once, without writing. */
  pause(): void;
  /** Goes on with what is stored. */
  resume(): Promise<void>;
}
export interface Disk {
  health(): DiskHealth;
  /** Undefined: it may come in. Else what to throw: the platform shall give it again. */
  refusal(event: Inbound): AdapterError | undefined;
  /** A write failed while this event was stored: the same. Any other error is returned as it is. */
  explain(error: unknown): unknown;
  serve(user: DiskUser): void;
  /** The first look; then one every few seconds. */
  start(): Promise<void>;
  stop(): void;
}

const MB = 1024 * 1024;
/** Below this no message comes in: what runs, and the write-ahead log, may need that much. Ours. */
export const LOW_BYTES = 50 * MB;
/** A little more than `LOW_BYTES`, so that intake does not flutter. */
export const ROOMY_BYTES = 60 * MB;
/** After a write failed: with less it would fail again at once. */
const SOME_BYTES = 10 * MB;
const LOOK_EVERY_MS = 5000;

/** What the file system of this folder has left for this user. Rejects when it does not say. */
export async function freeBytesAt(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Where no disk is watched: a gateway in a test. */
export const ENDLESS: Disk = {
  health: () => ({ state: "roomy" }),
  refusal: () => undefined,
  explain: (error) => error,
  serve: () => {},
  start: () => Promise.resolve(),
  stop: () => {},
};

export function createDisk({ writes, freeBytes, clock, log }: DiskDeps): Disk {
  let state: DiskHealth["state"] = "roomy";
  let free: number | undefined;
  /** Why the last write failed. */
  let reason = "";
  let user: DiskUser = { pause: () => {}, resume: () => Promise.resolve() };
  let cancel = () => {};
  let stopped = false;

  const health = (): DiskHealth => ({
    state,
    ...(free !== undefined && { freeBytes: free }),
    ...(state !== "roomy" && { text: sentence(state, free, reason) }),
  });

  function turn(to: DiskHealth["state"]): void {
    if (to === state) return;
    const better = to === "roomy" || state === "full";
    state = to;
    say(better);
  }

  function say(better: boolean): void {
    const { text = "the disk has room again: everything goes on", ...rest } = health();
    log[better ? "info" : "error"](rest, text);
  }

  writes.onShut((why) => {
    reason = why;
    state = "full";
    // As last looked at, there was room.
    free = undefined;
    user.pause();
    void measure().then(() => say(false));
  });

  async function measure(): Promise<void> {
    free = await freeBytes().catch(() => undefined);
  }

  async function look(): Promise<void> {
    await measure();
    if (stopped) return;
    const known = free ?? Number.POSITIVE_INFINITY;
    if (state !== "full") return turn(known < (state === "low" ? ROOMY_BYTES : LOW_BYTES) ? "low" : "roomy");
    if (known < SOME_BYTES || !canWrite()) return;
    turn(known < ROOMY_BYTES ? "low" : "roomy");
    await user.resume();
  }

  function canWrite(): boolean {
    try {
      writes.tryAgain();
      return true;
    } catch {
      return false; // the reason is known and was said
    }
  }

  async function keepLooking(): Promise<void> {
    await look().catch((error: unknown) => log.debug({ err: error }, "the disk failed again"));
    if (!stopped) cancel = clock.after(LOOK_EVERY_MS, () => void keepLooking());
  }

  const refused = () => new AdapterError("unavailable", health().text ?? "The disk took no writes for a moment.");
  return {
    health,
    refusal: (event) => (state === "full" || (state === "low" && grows(event)) ? refused() : undefined),
    explain: (error) => (state === "full" ? refused() : error),
    serve: (who) => (user = who),
    start: keepLooking,
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** What begins new work, and what is about a message that may still be waiting outside. */
function grows(event: Inbound): boolean {
  switch (event.type) {
    case "message":
    case "edited":
    case "deleted":
    case "place":
      return true;
    case "press":
    case "form":
    case "command":
      return false;
  }
}

function sentence(state: "low" | "full", free: number | undefined, reason: string): string {
  const room = free === undefined ? "free space unknown" : `${Math.floor(free / MB)} MB free`;
  const what =
    state === "full"
      ? `The disk of the data folder takes no writes (${reason}; ${room}): nothing comes in and runs wait`
      : `The disk of the data folder is nearly full (${room}, ${LOW_BYTES / MB} MB needed): new messages wait, replies still leave`;
  return `${what}. Make room on it; then everything goes on by itself and nothing is lost.`;
}
