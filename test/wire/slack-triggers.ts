/** What an interaction allows: one modal soon, and a few answers for a while. */
import { Refusal } from "./slack-rules.ts";
import type { ResponseUrl, World } from "./slack-world.ts";

/** Three seconds, once: https://docs.slack.dev/interactivity/handling-user-interaction */
export function addTrigger(world: World, user: string): string {
  const id = `${world.count()}.2000000000000.${Math.random().toString(16).slice(2).padEnd(32, "0").slice(0, 32)}`;
  world.triggers.set(id, { user, expiresAt: world.now() + 3000, used: false });
  return id;
}

/** Five uses within 30 minutes: https://docs.slack.dev/interactivity/handling-user-interaction */
export function addResponseUrl(world: World, to: Pick<ResponseUrl, "channel" | "user" | "message">): string {
  const id = `r${world.count()}`;
  world.responseUrls.set(id, { ...to, expiresAt: world.now() + 30 * 60_000, left: 5 });
  return `${world.origin}/response/${id}`;
}

/** Fit for one use within its three seconds. Returns whose it is. */
export function takeTrigger(world: World, id: string): string {
  const trigger = world.triggers.get(id);
  if (!trigger) throw new Refusal("invalid_trigger_id");
  if (trigger.used) throw new Refusal("exchanged_trigger_id");
  if (world.now() > trigger.expiresAt) throw new Refusal("expired_trigger_id");
  trigger.used = true;
  return trigger.user;
}
