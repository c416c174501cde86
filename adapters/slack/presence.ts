/** The line "… is working" at the end of a thread. */
import type { Logger } from "pino";
import { AdapterError } from "../../gateway/contract.ts";
import type { ThreadKey } from "../../gateway/contract.ts";
import { unlessLimited } from "../shared/failure.ts";
import type { Api } from "./api.ts";
import { parseThread } from "./thread-key.ts";

/** Slack takes the line away after two minutes, or with the next post. */
export const PRESENCE_MS = 110_000;

export function createPresence(api: Api, log: Logger): (thread: ThreadKey, on: boolean) => Promise<void> {
  /** Channels in which Slack shows no status: asking for each run again would only cost. */
  const without = new Set<string>();

  return async (thread, on) => {
    try {
      const { channel, root } = parseThread(thread);
      if (root === undefined || without.has(channel)) return;
      await api
        .call("assistant.threads.setStatus", { channel_id: channel, thread_ts: root, status: on ? "is working…" : "" })
        .catch((error: unknown) => {
          if (isForGood(error)) without.add(channel);
          throw error;
        });
    } catch (error) {
      unlessLimited(error, log);
    }
  };
}

const isForGood = (error: unknown): boolean =>
  error instanceof AdapterError && ["forbidden", "invalid", "not_found"].includes(error.code);
