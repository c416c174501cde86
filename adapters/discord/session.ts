/**
 * The gateway's session, kept in a file, so that the next start resumes it and Discord sends what was missed meanwhile.
 * What the file says was received is what was stored: anything later comes again.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { SessionInfo } from "@discordjs/ws";
import type { Logger } from "pino";
import { z } from "zod";
import type { Clock } from "../../gateway/contract.ts";

const schema = z.object({
  /** The bot and what it asked for: another one cannot resume it. */
  owner: z.string(),
  sessionId: z.string(),
  resumeURL: z.url({ protocol: /^wss?$/ }),
  sequence: z.number().int(),
  shardCount: z.number().int(),
  shardId: z.number().int(),
});

export interface Session {
  current(): SessionInfo | null;
  update(info: SessionInfo | null): void;
  /** Everything up to this sequence number is stored. */
  stored(sequence: number): void;
  /** Writes at once what is due. */
  flush(): void;
}

const WRITE_AFTER_MS = 500;

export function openSession(deps: {
  readonly folder: string;
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Logger;
}): Session {
  const { folder, owner, clock, log } = deps;
  const file = path.join(folder, "session.json");
  let info = read(file, owner);
  let sequence = info?.sequence ?? 0;
  let cancel: (() => void) | undefined;

  function flush(): void {
    cancel?.();
    cancel = undefined;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, JSON.stringify(info ? { ...info, sequence, owner } : {}), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      // Without the file the next start begins a new session: what is missed then is only what came in between.
      log.warn({ err: error }, "the gateway's session could not be kept");
    }
  }
  const due = () => void (cancel ??= clock.after(WRITE_AFTER_MS, flush));

  return {
    current: () => info,
    update(next) {
      const isNew = next?.sessionId !== info?.sessionId;
      info = next;
      if (isNew) sequence = next?.sequence ?? 0;
      due();
    },
    stored(upTo) {
      if (upTo <= sequence) return;
      sequence = upTo;
      due();
    },
    flush,
  };
}

function read(file: string, owner: string): SessionInfo | null {
  try {
    const { owner: kept, ...info } = schema.parse(JSON.parse(readFileSync(file, "utf8")));
    return kept === owner ? info : null;
  } catch {
    return null; // none yet, or none that can be read: a new session begins
  }
}
