/**
 * Which nonce made which post of ours, as far as this process knows: Discord does not tell it when a post is read again.
 * Memory only: without it a post is told by its words and its time.
 */
import { createHash } from "node:crypto";

/** Discord: up to 25 characters; the same again within some minutes returns the first message and makes none. */
export const nonceOf = (ours: string): string => createHash("sha256").update(ours).digest("base64url").slice(0, 25);

export interface Nonces {
  note(message: string, nonce: string): void;
  of(message: string): string | undefined;
}

/** More than are made within the minutes after which nobody looks for them any more; the oldest are forgotten. */
const MOST = 5_000;

export function createNonces(): Nonces {
  const all = new Map<string, string>();
  return {
    note(message, nonce) {
      const [oldest] = all.keys();
      if (all.size >= MOST && oldest !== undefined) all.delete(oldest);
      all.set(message, nonce);
    },
    of: (message) => all.get(message),
  };
}
