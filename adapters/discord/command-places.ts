/** In which servers this program has set its commands: kept in a file, since Discord cannot be asked for it. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Logger } from "pino";
import { z } from "zod";

const schema = z.array(z.string());

export interface CommandPlaces {
  guilds(): readonly string[];
  keep(guilds: readonly string[]): void;
}

export function openCommandPlaces({ folder, log }: { readonly folder: string; readonly log: Logger }): CommandPlaces {
  const file = path.join(folder, "command-servers.json");
  let known = read(file);
  return {
    guilds: () => known,
    keep(guilds) {
      if (JSON.stringify(guilds) === JSON.stringify(known)) return;
      known = guilds;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(file, JSON.stringify(guilds), { mode: 0o600 });
      } catch (error) {
        // Without the file they stand twice in a server that is taken out of the configuration.
        log.warn({ err: error }, "the servers with commands of their own could not be kept");
      }
    },
  };
}

function read(file: string): readonly string[] {
  try {
    return schema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return []; // none yet, or none that can be read
  }
}
