/** What one person is told in a thread, and nobody else sees. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Clock, Inbound } from "../../gateway/contract.ts";
import { pause } from "../shared/pause.ts";
import { ownUrl } from "./api.ts";
import type { Api } from "./api.ts";
import type { Ephemeral } from "./ephemeral.ts";
import { parseThread } from "./thread-key.ts";

export interface TellDeps {
  readonly api: Api;
  readonly apiUrl: string;
  readonly clock: Clock;
  /** Given when nobody shall wait any more. */
  readonly ending: AbortSignal;
}

/** A notice that comes later than this explains nothing any more. */
const LATE_MS = 30_000;

/**
 * `responseUrl`: another way to the same person, where Slack does not take it. Without one, what Slack asks to come later
 * with is tried once more. Rejects when it was not taken.
 */
export async function tell(deps: TellDeps, event: Inbound, told: Ephemeral, responseUrl?: string): Promise<void> {
  const { channel, root } = parseThread(event.thread);
  const opened = root !== undefined && !("topLevel" in event && event.topLevel);
  const to = { channel, user: event.author.id, ...(opened && { thread_ts: root }) };
  const post = () => deps.api.call("chat.postEphemeral", { ...to, ...told });
  try {
    await post();
  } catch (error) {
    if (responseUrl !== undefined) return respond(ownUrl(responseUrl, deps.apiUrl), told);
    await pause(deps.clock, delayOf(error), deps.ending);
    await post();
  }
}

/** Throws what waiting does not mend. */
function delayOf(error: unknown): number {
  if (!(error instanceof AdapterError) || error.code !== "rate_limited") throw error;
  if (error.retryAfterMs === undefined || error.retryAfterMs > LATE_MS) throw error;
  return error.retryAfterMs;
}

/** `replace_original: false`: the pressed message stays. */
async function respond(url: URL, told: Ephemeral): Promise<void> {
  await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ response_type: "ephemeral", replace_original: false, ...told }),
    redirect: "error",
    signal: AbortSignal.timeout(10_000),
  });
}
