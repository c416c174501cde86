/**
 * Providers send an answer a token at a time, and each one costs a third of a millisecond until it has come through the
 * client library and the graph: a hundred of them are more than all the rest of a turn. Nobody looks at a growing text more
 * often than some times a second. So what differs from the event before only by more text is put together with it, here,
 * where an event is still a line of JSON.
 */

/** Text waits at most this long for more of it, ms. Ours: below it a growing text looks smooth. */
const WINDOW_MS = 200;

/**
 * Strings that grow from one event to the next: OpenAI's and compatible servers' deltas, then Anthropic's. Quotation marks
 * inside a text are escaped, so only keys are found.
 */
const GROWING =
  /"(?:content|arguments|reasoning_content|reasoning|text|partial_json|thinking)":\s*"((?:[^"\\]|\\.)*)"/gs;
/** OpenAI's padding against listeners, of a random length. */
const PADDING = /,\s*"obfuscation":\s*"[^"]*"|"obfuscation":\s*"[^"]*"\s*,\s*/;
/** What is larger has little to gain, and is left as it came. Ours. */
const MOST_CHARS = 64_000;

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
      let timer: NodeJS.Timeout | undefined;
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
        if (ready !== "" || ended) return clearTimeout(timer);
        if (events.isWaiting) over ??= new Promise((resolve) => (timer = setTimeout(resolve, windowMs, "over")));
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

/** Events in order; the last one may still grow. */
class Coalescer {
  #settled = "";
  #last: Growing | undefined;

  get isWaiting(): boolean {
    return this.#last !== undefined;
  }

  add(event: string): void {
    if (event === "") return;
    const plain = event.replace(PADDING, "");
    if (this.#last?.add(plain)) return;
    this.#settle();
    this.#last = Growing.begin(plain);
    if (!this.#last) this.#settled += `${event}\n\n`;
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
    if (this.#last) this.#settled += `${this.#last.text}\n\n`;
    this.#last = undefined;
  }
}

/** An event as what stands before its growing string, the string as JSON writes it, and what stands after it. */
class Growing {
  readonly #before: string;
  readonly #after: string;
  #grown: string;

  private constructor(before: string, grown: string, after: string) {
    this.#before = before;
    this.#grown = grown;
    this.#after = after;
  }

  /** Undefined: nothing in it grows. */
  static begin(event: string): Growing | undefined {
    if (event.length > MOST_CHARS) return undefined;
    const all = [...event.matchAll(GROWING)];
    const spoken = all.filter(([, text]) => text !== "");
    // Two that grow at once cannot be told apart from one that is said again.
    const found = spoken.length > 1 ? undefined : (spoken[0] ?? all.at(-1));
    if (!found) return undefined;
    const [whole, grown = ""] = found;
    const end = found.index + whole.length - 1;
    return new Growing(event.slice(0, end - grown.length), grown, event.slice(end));
  }

  get text(): string {
    return this.#before + this.#grown + this.#after;
  }

  /** False: it says something else too. */
  add(event: string): boolean {
    if (event.length > MOST_CHARS || !event.startsWith(this.#before) || !event.endsWith(this.#after)) return false;
    const more = event.slice(this.#before.length, event.length - this.#after.length);
    if (event.length < this.#before.length + this.#after.length || !ONE_STRING.test(more)) return false;
    this.#grown += more;
    return true;
  }
}

/** The inside of one JSON string. */
const ONE_STRING = /^(?:[^"\\]|\\.)*$/s;
