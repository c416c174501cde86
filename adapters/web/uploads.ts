/** Files that people send, kept under ids of our own; the sender's name is only ever a label. */
import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { AdapterError, type InboundFile } from "../../gateway/contract.ts";

export interface Uploads {
  /** Throws `AdapterError` `too_long` beyond the limit; nothing is kept then. */
  save(body: AsyncIterable<Uint8Array>, label: { name: string; mime: string }): Promise<InboundFile>;
  /** The file as it is stored; undefined when there is none. */
  find(label: { id: string; name: string; mime?: string }): Promise<InboundFile | undefined>;
  /** Throws `AdapterError` `not_found`. */
  read(id: string): Promise<AsyncIterable<Uint8Array>>;
  /** Removes what a crash left half written. */
  tidy(): Promise<void>;
}

const OWN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createUploads(folder: string, limitBytes: number): Uploads {
  const pathOf = (id: string) => (OWN_ID.test(id) ? join(folder, id) : undefined);
  return {
    async save(body, label) {
      const id = randomUUID();
      const half = join(folder, `${id}.part`);
      try {
        await pipeline(body, atMost(limitBytes), createWriteStream(half, { flags: "wx", mode: 0o600 }));
        const { size } = await stat(half);
        await rename(half, join(folder, id));
        return { id, name: readableName(label.name), mime: label.mime, sizeBytes: size };
      } catch (error) {
        await rm(half, { force: true });
        throw error;
      }
    },
    async find(label) {
      const path = pathOf(label.id);
      const found = path && (await stat(path).catch(() => undefined));
      return found ? { ...label, name: readableName(label.name), sizeBytes: found.size } : undefined;
    },
    async read(id) {
      const path = pathOf(id);
      if (path === undefined) throw missing();
      return readFileAt(path);
    },
    async tidy() {
      const halves = (await readdir(folder)).filter((name) => name.endsWith(".part"));
      await Promise.all(halves.map((name) => rm(join(folder, name), { force: true })));
    },
  };
}

/** Opens before it returns, so that a missing file is an `AdapterError` and not a broken stream. */
export async function readFileAt(path: string): Promise<AsyncIterable<Uint8Array>> {
  const handle = await open(path).catch((cause: unknown) => {
    throw missing(cause);
  });
  return createReadStream(path, { fd: handle });
}
const missing = (cause?: unknown) =>
  new AdapterError("not_found", "Expected a file that was sent on this page, found none. Send it again.", { cause });

function atMost(limitBytes: number) {
  return async function* (source: AsyncIterable<Uint8Array>) {
    let total = 0;
    for await (const chunk of source) {
      total += chunk.length;
      if (total > limitBytes) {
        throw new AdapterError("too_long", `Expected at most ${limitBytes} bytes, got more. Send a smaller file.`);
      }
      yield chunk;
    }
  };
}

/** One line without control characters, 1 to 255 bytes; for people to read, never a path. */
function readableName(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "").trim();
  const short = Buffer.from(line).subarray(0, 255).toString().replace(/�+$/, "");
  return short || "file";
}
