/** Who may enter: asked before anything of an event is stored. */
import type { Inbound } from "./contract.ts";
import type { Decision, Facts } from "./store-contract.ts";

export interface Access {
  /** `workspace`: members of the organisation that runs the bot, no guests and no strangers. */
  readonly mode: "open" | "workspace" | "approved" | "allowlist";
  readonly places: readonly string[];
  readonly users: readonly string[];
  readonly admins: readonly string[];
}

/** Undefined: come in. Otherwise a decision that stores nothing, with a refusal that names the id to allow. */
export function refuse(event: Inbound, facts: Facts, access: Access): Decision | undefined {
  if (facts.person.admin || access.admins.includes(event.author.id) || access.mode === "open") return undefined;
  const shared = event.place.type === "shared";
  const userListed = access.users.includes(event.author.id);
  const placeListed = access.places.includes(event.place.id);
  switch (access.mode) {
    case "workspace":
      // Whoever is listed may enter as well: a guest, or all who write in one channel.
      if (event.author.member || userListed || (shared && placeListed)) return undefined;
      return refusal(event, facts, "users", event.author.id);
    case "approved":
      if (shared ? placeListed : userListed) return undefined;
      break;
    case "allowlist":
      if (userListed || (shared && placeListed)) return undefined;
      break;
  }
  return shared ? refusal(event, facts, "places", event.place.id) : refusal(event, facts, "users", event.author.id);
}

/** Names the id to allow. */
function refusal(event: Inbound, facts: Facts, key: "places" | "users", id: string): Decision {
  const operator =
    facts.adminCode === undefined
      ? ""
      : " Is that you? Then send me the code that the start printed, in a direct message.";
  const text = `I may not answer here yet. Whoever runs this bot can allow it: add "${id}" to platforms.${event.platform}.access.${key} in the configuration and start it again.${operator}`;
  return { rule: `access.${key} does not list ${id}`, effects: [], reply: { type: "notice", text }, refused: true };
}

/** By the first admin's code, or by the configuration. */
export function isAdmin(event: Inbound, facts: Facts, access: Access): boolean {
  return facts.person.admin || access.admins.includes(event.author.id);
}
