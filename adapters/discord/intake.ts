/** From what the gateway sends to stored events: in order within a channel, each held until the store takes it. */
import type { Logger } from "pino";
import type { Deliver, Inbound, InboundOf } from "../../gateway/contract.ts";
import { createOrder } from "../shared/order.ts";
import { pause } from "../shared/pause.ts";
import { createUnderWay } from "../shared/under-way.ts";
import { fromDispatch, Unreadable } from "./from-dispatch.ts";
import type { Sources } from "./from-dispatch.ts";
import { channelOf } from "./payload.ts";
import type { Dispatch } from "./socket.ts";

export interface IntakeDeps extends Sources {
  readonly log: Logger;
  readonly deliver: Deliver;
  /** Answers an interaction; resolves when that is done, and never rejects. */
  readonly answer: (interaction: unknown) => Promise<void>;
  /** Tells somebody why a message was refused, below that message. */
  readonly reply: (event: InboundOf<"message">, text: string) => Promise<void>;
  /** Everything up to this sequence number is stored. */
  readonly stored: (sequence: number) => void;
}
export interface Intake {
  readonly take: (dispatch: Dispatch) => void;
  /** Takes nothing more; resolves when what is under way is stored or given up. */
  stop(): Promise<void>;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export function createIntake(deps: IntakeDeps): Intake {
  const { log, clock, deliver, channels, answer, reply, stored } = deps;
  const stopping = new AbortController();
  const underWay = createUnderWay();
  const inOrder = createOrder();
  const pending = new Set<{ readonly sequence: number }>();
  let latest = 0;

  function take({ t, d, s }: Dispatch): void {
    if (stopping.signal.aborted) return;
    if (t === "READY") {
      // A new session counts from the beginning, and nothing of the one before can be asked for again.
      latest = 0;
      pending.clear();
    }
    latest = Math.max(latest, s);
    channels.learn(t, d);
    if (t === "INTERACTION_CREATE") hold(s, () => answer(d));
    // A channel of which nothing can be learnt just now holds no other one.
    else if (t.startsWith("MESSAGE_")) hold(s, () => inOrder(channelOf(d), () => takeMessage(t, d)));
    else report();
  }

  /** What was given up stays pending, so that the next start asks for it again. */
  function hold(sequence: number, work: () => Promise<void>): void {
    const held = { sequence };
    pending.add(held);
    const done = work().then(
      () => true,
      (error: unknown) => dropped(error),
    );
    void underWay.track(
      done.then((isDone) => {
        if (!isDone) return;
        pending.delete(held);
        report();
      }),
    );
  }

  function report(): void {
    const earliest = Math.min(...[...pending].map(({ sequence }) => sequence));
    stored(pending.size === 0 ? latest : earliest - 1);
  }

  function dropped(error: unknown): boolean {
    if (error instanceof Stopped) return false;
    const at = error instanceof Unreadable ? error.at : [];
    log.warn({ at, err: error }, "an event of Discord's could not be read and was dropped");
    return true;
  }

  async function takeMessage(type: string, data: unknown): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        for (const event of await fromDispatch(type, data, deps)) await bring(event);
        return;
      } catch (error) {
        if (error instanceof Unreadable) throw error;
        log.warn({ err: error, pauseMs }, "an event could not be stored; it is tried again");
        await pause(clock, pauseMs, stopping.signal);
      }
    }
    throw new Stopped("The event was given up: the program stops.");
  }

  async function bring(event: Inbound): Promise<void> {
    const delivered = await deliver(event);
    if (event.type !== "message" || delivered.reply?.type !== "notice") return;
    const told = reply(event, delivered.reply.text).catch((error: unknown) =>
      log.debug({ err: error }, "a refusal could not be told"),
    );
    void underWay.track(told);
  }

  return {
    take,
    stop: async () => {
      stopping.abort();
      await underWay.settled();
    },
  };
}

class Stopped extends Error {
  override readonly name = "Stopped";
}
