/**
 * Envelopes of Socket Mode and their acknowledgements.
 *
 * An envelope *waits* until a socket is open, is *sent* on one of them, and is *acked* by the envelope id of any of its
 * deliveries, however late. One that is not acked within `ackMs`, or whose socket closes before, is *missed*: an event
 * waits again with the next `retry_attempt`, three times at most, and is then *given up*; an interaction or a command is
 * given up at once, since Slack delivers those once and shows the person a warning.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";

export type EnvelopeType = "events_api" | "interactive" | "slash_commands";
type Payload = Readonly<Record<string, unknown>>;

export interface Ack {
  readonly envelopeId: string;
  readonly type: EnvelopeType;
  /** What the envelope carried. */
  readonly about: Payload;
  /** What came back with the acknowledgement; empty when nothing. */
  readonly payload: Payload;
  /** 0 for a first delivery. */
  readonly retryAttempt: number;
  /** Epoch ms. */
  readonly at: number;
  /** From the sending to here, ms. */
  readonly afterMs: number;
}
export interface Pushed {
  readonly type: EnvelopeType;
  readonly payload: Payload;
  /** Undefined when it was given up. */
  readonly acked: Promise<Ack | undefined>;
}
interface Envelope extends Pushed {
  attempt: number;
  state: "waiting" | "sent" | "acked" | "given up";
  readonly settle: (ack: Ack | undefined) => void;
}
/** What envelopes are sent on. */
interface Sink {
  send(text: string): void;
}
interface Delivery {
  readonly id: string;
  readonly envelope: Envelope;
  readonly sink: Sink;
  readonly attempt: number;
  readonly sentAt: number;
  readonly timer: NodeJS.Timeout;
}

export interface Envelopes {
  readonly acks: readonly Ack[];
  push(type: EnvelopeType, payload: Payload, retryAttempt?: number): Pushed;
  /** Sends what waits. */
  pump(): void;
  /** Text that came in on a socket. */
  receive(text: string): void;
  /** A socket has closed. */
  closed(sink: Sink): void;
  /** The next so many acknowledgements are lost on their way. */
  loseAcks(count: number): void;
  /** Gives up all that is under way. */
  close(): void;
}
interface Options {
  readonly ackMs: number;
  readonly violate: (what: string) => void;
  /** The socket for the next envelope, if there is one. */
  readonly pick: () => Sink | undefined;
}

const MAX_RETRIES = 3;
const ackMessage = z.object({ envelope_id: z.string(), payload: z.record(z.string(), z.unknown()).default({}) });

export function createEnvelopes({ ackMs, violate, pick }: Options): Envelopes {
  const acks: Ack[] = [];
  const deliveries = new Map<string, Delivery>();
  let waiting: Envelope[] = [];
  let toLose = 0;

  function pump(): void {
    for (let sink = pick(); sink && waiting.length > 0; sink = pick()) {
      const envelope = waiting.shift();
      if (envelope) send(envelope, sink);
    }
  }

  function send(envelope: Envelope, sink: Sink): void {
    const { attempt } = envelope;
    const timer = setTimeout(() => missed(delivery), ackMs);
    const delivery: Delivery = { id: randomUUID(), envelope, sink, attempt, sentAt: Date.now(), timer };
    deliveries.set(delivery.id, delivery);
    envelope.state = "sent";
    sink.send(JSON.stringify(envelopeJson(delivery)));
  }

  function missed({ envelope, attempt, timer }: Delivery): void {
    clearTimeout(timer);
    if (envelope.state !== "sent" || envelope.attempt !== attempt) return;
    if (envelope.type !== "events_api" || attempt >= MAX_RETRIES) {
      envelope.state = "given up";
      return envelope.settle(undefined);
    }
    envelope.attempt += 1;
    envelope.state = "waiting";
    waiting.push(envelope);
    pump();
  }

  function receive(text: string): void {
    const read = z.preprocess(parseJson, ackMessage).safeParse(text);
    if (!read.success) return violate(`not an acknowledgement on the socket: ${text.slice(0, 80)}`);
    const { envelope_id: id, payload } = read.data;
    const delivery = deliveries.get(id);
    if (!delivery) return violate(`an acknowledgement of no envelope: ${id}`);
    if (toLose > 0) return void (toLose -= 1);
    const { envelope } = delivery;
    if (envelope.type === "events_api" && Object.keys(payload).length > 0)
      violate("an acknowledgement of an event carries a payload");
    if (acks.some(({ envelopeId }) => envelopeId === id)) return violate(`envelope ${id} is acknowledged twice`);
    clearTimeout(delivery.timer);
    const ack = ackOf(delivery, payload);
    acks.push(ack);
    envelope.state = "acked";
    waiting = waiting.filter((one) => one !== envelope);
    envelope.settle(ack);
  }

  return {
    acks,
    pump,
    receive,
    push(type, payload, retryAttempt = 0) {
      const envelope = newEnvelope(type, payload, retryAttempt);
      waiting.push(envelope);
      pump();
      return envelope;
    },
    closed(sink) {
      for (const delivery of deliveries.values()) if (delivery.sink === sink) missed(delivery);
    },
    loseAcks: (count) => void (toLose = count),
    close() {
      for (const { timer } of deliveries.values()) clearTimeout(timer);
      for (const { settle } of waiting.splice(0)) settle(undefined);
      for (const { envelope } of deliveries.values()) envelope.settle(undefined);
    },
  };
}

function newEnvelope(type: EnvelopeType, payload: Payload, attempt: number): Envelope {
  let settle: Envelope["settle"] = () => undefined;
  const acked = new Promise<Ack | undefined>((resolve) => (settle = resolve));
  return { type, payload, acked, settle: (ack) => settle(ack), attempt, state: "waiting" };
}

/** Only events say how often they were tried, and take no answer. */
function envelopeJson({ id, envelope: { type, payload }, attempt }: Delivery): Payload {
  const common = { envelope_id: id, payload, type };
  if (type !== "events_api") return { ...common, accepts_response_payload: true };
  const retry_reason = attempt > 0 ? "timeout" : "";
  return { ...common, accepts_response_payload: false, retry_attempt: attempt, retry_reason };
}

function ackOf({ id, envelope, attempt, sentAt }: Delivery, payload: Payload): Ack {
  const at = Date.now();
  const { type, payload: about } = envelope;
  return { envelopeId: id, type, about, payload, retryAttempt: attempt, at, afterMs: at - sentAt };
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
