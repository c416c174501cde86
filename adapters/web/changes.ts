/** What has just changed, pushed to every connected page as server-sent events. */
import type { Clock, InboundFile, Part, ThreadKey } from "../../gateway/contract.ts";

type Change = { readonly thread: ThreadKey } &
  /** A message of ours appeared or was edited. */
  (
    | { readonly type: "shown"; readonly key: string; readonly at: number; readonly part: Part }
    /** A message of a person was stored. */
    | {
        readonly type: "said";
        readonly key: string;
        readonly at: number;
        readonly author: string;
        readonly text: string;
        readonly files: readonly InboundFile[];
      }
    | { readonly type: "removed"; readonly key: string }
    | { readonly type: "presence"; readonly on: boolean; readonly forMs: number }
    /** The whole thread is gone from the store; what was said there since is read anew. */
    | { readonly type: "deleted" }
  );

export interface Changes {
  /** Counts changes: what a thread holds when it is read after this number is at least as new as these changes. */
  readonly revision: () => number;
  push(change: Change): void;
  /** A response that stays open; 503 after `close`. */
  connect(): Response;
  close(): void;
}

// A page that reads this slowly is asleep; it loads the thread again when it wakes.
const MOST_WAITING = 1000;
// Shorter than the minute after which proxies and browsers give up a silent connection.
const PING_MS = 20_000;

export function createChanges(clock: Clock): Changes {
  const pages = new Set<Page>();
  let revision = 0;
  let closed = false;
  return {
    revision: () => revision,
    push(change) {
      revision += 1;
      const text = `data: ${JSON.stringify({ ...change, revision })}\n\n`;
      for (const page of pages) page.write(text);
    },
    connect() {
      if (closed) return new Response(null, { status: 503 });
      const { body, page } = openPage(clock, () => pages.delete(page));
      pages.add(page);
      page.write("retry: 1000\n\n");
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    close() {
      closed = true;
      for (const page of pages) page.end();
    },
  };
}

interface Page {
  write(text: string): void;
  end(): void;
}

function openPage(clock: Clock, gone: () => void): { body: ReadableStream<Uint8Array>; page: Page } {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let stopPing = () => {};
  const forget = () => {
    controller = undefined;
    stopPing();
    gone();
  };
  const body = new ReadableStream<Uint8Array>(
    { start: (started) => void (controller = started), cancel: forget },
    { highWaterMark: MOST_WAITING },
  );
  const page: Page = {
    write(text) {
      if (controller && (controller.desiredSize ?? 0) <= 0) page.end();
      controller?.enqueue(encoder.encode(text));
    },
    end() {
      controller?.close();
      forget();
    },
  };
  const ping = () => {
    page.write(":\n\n");
    stopPing = clock.after(PING_MS, ping);
  };
  stopPing = clock.after(PING_MS, ping);
  return { body, page };
}
