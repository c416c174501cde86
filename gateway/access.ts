/** Who may enter: asked before anything of an event is stored. */
import type { Inbound } from "./contract.ts";
import type { Decision, Facts } from "./store-contract.ts";

export interface Access {
  readonly mode: "open" | "approved" | "allowlist";
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
    case "approved":
      if (shared ? placeListed : userListed) return undefined;
      break;
    case "allowlist":
      if (userListed || (shared && placeListed)) return undefined;
      break;
  }
  const [key, id] = shared ? ["places", event.place.id] : ["users", event.author.id];
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
