/**
 * Providers send an answer a token at a time, and each one costs a third of a millisecond until it has come through the
 * client library and the graph: a hundred of them are more than all the rest of a turn. Nobody looks at a growing text more
 * often than some times a second. So what differs from the event before only by more text is put together with it, here,
 * where an event is still a line of JSON.
 */

/** Text waits at most this long for more of it, ms. Ours: below it a growing text looks smooth. */
const WINDOW_MS = 200;

/** Lines before the data, which is one line; U+2028, which ends a line for `.`, may stand in it. */
const EVENT = /^((?:(?!data:)[^\r\n]*\r?\n)*)data: ?([^\r\n]*)$/;

/** Strings that grow from event to event: OpenAI's and compatible servers', then Anthropic's. */
const GROWING = new Set(["content", "arguments", "reasoning_content", "reasoning", "text", "partial_json", "thinking"]);
/** What differs and says nothing: a clock, and OpenAI's padding against listeners. */
const MEANINGLESS = new Set(["created", "obfuscation"]);

/** The same `fetch`; the events of an event stream come in fewer and larger pieces, and say the same. */
export function coalesceEvents(fetch: typeof globalThis.fetch, windowMs = WINDOW_MS): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (!body || !headers.get("content-type")?.startsWith("text/event-stream")) return response;
    return new Response(coalesced(body, windowMs), { status, statusText, headers });
  };
}

function coalesced(body: ReadableStream<Uint8Array>, windowMs: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const events = new Coalescer();
  let rest = "";
  let reading: ReturnType<typeof readOf> | undefined;

  return new ReadableStream({
    /** Called when the last piece was taken: gives the next one, which is what has come within the window. */
    async pull(controller) {
      let over: Promise<"over"> | undefined;
      const timer = new AbortController();
      for (;;) {
        reading ??= readOf(reader);
        const next = await (over ? Promise.race([reading, over]) : reading);
        if (next !== "over") {
          reading = undefined;
          rest += next.done ? decoder.decode() : decoder.decode(next.value, { stream: true });
          // An event ends with an empty line; a stream may end without one.
          const parts = rest.split(/\r?\n\r?\n/);
          rest = next.done ? "" : (parts.pop() ?? "");
          for (const event of parts) events.add(event);
        }
        const ended = next !== "over" && next.done;
        const ready = ended || next === "over" ? events.takeAll() : events.takeSettled();
        if (ready !== "") controller.enqueue(encoder.encode(ready));
        if (ended) controller.close();
        if (ready !== "" || ended) return timer.abort();
        if (events.isWaiting) over ??= later(windowMs, timer.signal);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function readOf(reader: ReadableStreamDefaultReader<Uint8Array>) {
  const reading = reader.read();
  // One that fails while nobody asks for more is told to who asks next.
  reading.catch(() => {});
  return reading;
}

const later = (ms: number, signal: AbortSignal): Promise<"over"> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve("over"), ms);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });

/** Events in order; the last one may still grow. */
class Coalescer {
  #settled = "";
  /** `text`: as it came; undefined once it has grown. */
  #last: { prefix: string; json: unknown; text: string | undefined } | undefined;

  get isWaiting(): boolean {
    return this.#last !== undefined;
  }

  add(event: string): void {
    if (event === "") return;
    const [, prefix = "", data] = EVENT.exec(event) ?? [];
    const json = data === undefined ? undefined : parsed(data);
    const grown = this.#last?.prefix === prefix ? merge(this.#last.json, json) : undefined;
    if (this.#last && grown !== undefined) {
      this.#last = { prefix, json: grown, text: undefined };
      return;
    }
    this.#settle();
    if (json === undefined) this.#settled += `${event}\n\n`;
    else this.#last = { prefix, json, text: event };
  }

  takeSettled(): string {
    const taken = this.#settled;
    this.#settled = "";
    return taken;
  }

  takeAll(): string {
    this.#settle();
    return this.takeSettled();
  }

  #settle(): void {
    if (!this.#last) return;
    const { prefix, json, text = `${prefix}data: ${JSON.stringify(json)}` } = this.#last;
    this.#settled += `${text}\n\n`;
    this.#last = undefined;
  }
}

/** Undefined: no JSON object, the `[DONE]` at the end for one. */
function parsed(data: string): unknown {
  if (!data.startsWith("{")) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

/** What both say, when the later one only makes texts grow; else undefined. */
function merge(before: unknown, after: unknown, key = ""): unknown {
  if (typeof before === "string" && typeof after === "string" && GROWING.has(key)) return before + after;
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null)
    return before === after || MEANINGLESS.has(key) ? before : undefined;
  if (Array.isArray(before) !== Array.isArray(after)) return undefined;
  const [one, two] = [Object.entries(before), new Map(Object.entries(after))];
  if (one.length !== two.size) return undefined;
  const entries: [string, unknown][] = [];
  for (const [name, value] of one) {
    const merged = two.has(name) ? merge(value, two.get(name), name) : undefined;
    if (merged === undefined) return undefined;
    entries.push([name, merged]);
  }
  return Array.isArray(before) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}
