/**
 * Presses, commands and forms that wait for the bot. https://discord.com/developers/docs/interactions/receiving-and-responding
 *
 * An interaction is open for three seconds and must be acknowledged once within them, else it has failed for the person.
 * Acknowledged, its token works for fifteen minutes.
 */
import { randomBytes } from "node:crypto";
import { refusal } from "./discord-refusals.ts";
import type { Account, WireChannel, WireComponent, WireMessage } from "./discord-world.ts";

const ACKNOWLEDGE_MS = 3000;
const TOKEN_MS = 15 * 60 * 1000;

export interface Modal {
  readonly custom_id: string;
  readonly title: string;
  readonly components: readonly WireComponent[];
  /** Where it was opened. */
  readonly channel: WireChannel;
  readonly pressed?: WireMessage;
}
/** What the person saw first. `messages` grows: everything that came through this interaction's token. */
export type Acknowledgement = { readonly messages: readonly WireMessage[] } & (
  | { readonly type: "none" | "failed" }
  | { readonly type: "deferred"; readonly private: boolean }
  | { readonly type: "notice"; readonly text: string; readonly private: boolean }
  | { readonly type: "modal"; readonly modal: Modal }
);
export interface Interaction {
  readonly id: string;
  readonly token: string;
  /** Discord: 2 command, 3 component, 5 submitted form. */
  readonly type: 2 | 3 | 5;
  readonly user: Account;
  readonly channel: WireChannel;
  /** The message whose component was pressed. */
  readonly pressed?: WireMessage;
  readonly createdAt: number;
  readonly messages: WireMessage[];
  state: "open" | "acknowledged" | "failed";
  /** What `@original` names. */
  original?: WireMessage;
}
type Told =
  | { type: "none" }
  | { type: "failed" }
  | { type: "deferred"; private: boolean }
  | { type: "notice"; text: string; private: boolean }
  | { type: "modal"; modal: Modal };

export interface Interactions {
  open(fields: Pick<Interaction, "id" | "type" | "user" | "channel"> & { readonly pressed?: WireMessage }): {
    readonly interaction: Interaction;
    readonly acknowledged: Promise<Acknowledgement>;
  };
  /** @throws Refusal 10062 for an unknown or late one, 40060 for one that has been acknowledged */
  toAcknowledge(id: string, token: string): Interaction;
  acknowledge(interaction: Interaction, told: Told): void;
  /** @throws Refusal 10015 for an unknown token, 50027 for an old one */
  byToken(token: string): Interaction;
  /** Fails those whose time is over by the server's clock. */
  expire(): void;
}

export function createInteractions(now: () => number): Interactions {
  const all = new Map<string, { readonly interaction: Interaction; readonly settle: (told: Told) => void }>();

  function settle(interaction: Interaction, state: Interaction["state"], told: Told): void {
    interaction.state = state;
    all.get(interaction.id)?.settle(told);
  }
  function expire(): void {
    for (const { interaction } of all.values()) {
      const late = now() - interaction.createdAt > ACKNOWLEDGE_MS;
      if (late && interaction.state === "open") settle(interaction, "failed", { type: "failed" });
    }
  }

  return {
    open(fields) {
      const token = randomBytes(120).toString("base64url");
      const messages: WireMessage[] = [];
      const interaction: Interaction = { ...fields, token, createdAt: now(), messages, state: "open" };
      const acknowledged = new Promise<Acknowledgement>((resolve) => {
        const timer = setTimeout(expire, ACKNOWLEDGE_MS + 10).unref();
        const resolveOnce = (told: Told) => {
          clearTimeout(timer);
          resolve({ ...told, messages });
        };
        all.set(interaction.id, { interaction, settle: resolveOnce });
      });
      return { interaction, acknowledged };
    },
    toAcknowledge(id, token) {
      expire();
      const found = all.get(id)?.interaction;
      if (!found || found.token !== token || found.state === "failed") throw refusal("unknown_interaction");
      if (found.state === "acknowledged") throw refusal("acknowledged");
      return found;
    },
    acknowledge: (interaction, told) => settle(interaction, "acknowledged", told),
    byToken(token) {
      const found = [...all.values()].find(({ interaction }) => interaction.token === token)?.interaction;
      if (!found || found.state !== "acknowledged") throw refusal("unknown_webhook");
      if (now() - found.createdAt > TOKEN_MS) throw refusal("token_expired");
      return found;
    },
    expire,
  };
}
