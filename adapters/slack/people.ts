/** Who somebody is, as Slack's directory says. Remembered for a while: a thread asks for the same few people. */
import type { Clock } from "../../gateway/contract.ts";
import type { Api, SlackUser } from "./api.ts";
import type { Bot } from "./bot.ts";
import { refusedWith } from "./errors.ts";
import { patiently } from "./patience.ts";

export interface Person {
  readonly name: string;
  readonly handle?: string;
  readonly isBot: boolean;
  readonly member: boolean;
}

export interface People {
  /** Rejects while Slack does not tell, after about 2 s: who somebody is decides whether they may enter. */
  author(id: string): Promise<Person>;
  /** For a name to show: undefined where Slack does not tell at once. */
  named(id: string): Promise<Person | undefined>;
}

const KEPT_MS = 10 * 60_000;
/** More than take part in a day; the oldest is forgotten first. */
const MOST = 5000;

interface Entry {
  readonly person: Promise<Person>;
  readonly at: number;
}

export function createPeople(api: Api, bot: () => Bot | undefined, clock: Clock): People {
  const known = new Map<string, Entry>();

  async function ask(id: string): Promise<Person> {
    try {
      const { user } = await api.call("users.info", { user: id });
      return personOf(user, bot());
    } catch (error) {
      // Of another organisation, and never seen by ours.
      if (refusedWith(error, "user_not_found", "user_not_visible")) return { name: id, isBot: false, member: false };
      throw error;
    }
  }

  /** What was known before stands in for what cannot be had now, and is asked for again the next time. */
  async function renewed(id: string, before: Entry | undefined): Promise<Person> {
    try {
      return await ask(id);
    } catch (error) {
      if (before) return keep(id, before);
      known.delete(id);
      throw error;
    }
  }

  function keep(id: string, entry: Entry): Promise<Person> {
    known.delete(id);
    known.set(id, entry);
    const oldest = known.size > MOST ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return entry.person;
  }

  function find(id: string): Promise<Person> {
    const before = known.get(id);
    const now = clock.now();
    if (before && now - before.at < KEPT_MS) return before.person;
    return keep(id, { person: renewed(id, before), at: now });
  }

  return {
    author: (id) => patiently(clock, () => find(id)),
    named: (id) => find(id).catch(() => undefined),
  };
}

export function personOf(user: SlackUser, bot: Bot | undefined): Person {
  const { profile } = user;
  const name = profile?.display_name || profile?.real_name || user.real_name || user.name || user.id;
  return { name, ...(user.name && { handle: user.name }), isBot: user.is_bot === true, member: isMember(user, bot) };
}

/** Of the workspace that installed the app, and no guest there: https://docs.slack.dev/reference/objects/user-object */
function isMember(user: SlackUser, bot: Bot | undefined): boolean {
  if (!bot || user.deleted || user.is_bot) return false;
  if (user.is_restricted || user.is_ultra_restricted || user.is_stranger) return false;
  return user.team_id === bot.team || (user.enterprise_user?.teams ?? []).includes(bot.team);
}
