/** Discord for scenarios: the loopback server, driven as people would. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Acknowledgement } from "../wire/discord-interactions.ts";
import type { DiscordUser } from "../wire/discord-people.ts";
import { createDiscordServer } from "../wire/discord-server.ts";
import type { DiscordServer } from "../wire/discord-server.ts";
import { visibleLabels, visibleText } from "../wire/discord-visible-text.ts";
import type { WireChannel, WireFile, WireMessage } from "../wire/discord-world.ts";
import type { Person, Room, Shown, Stage, Written } from "./stage.ts";

const ROUTES = { post: "POST /channels/:id/messages", edit: "PATCH /channels/:id/messages/:id" } as const;
/** SUPPRESS_NOTIFICATIONS */
const SILENT = 1 << 12;
/** A private word may follow the acknowledgement within this time, ms: deferred ones take longer. */
const FOLLOWS_WITHIN = { none: 300, deferred: 5000 } as const;

export async function createDiscordStage(server?: DiscordServer): Promise<Stage> {
  return stageOn(server ?? (await createDiscordServer()));
}

function stageOn(server: DiscordServer): Stage {
  const guild = server.guild("Team");
  const users = new Map<string, DiscordUser>();
  /** Who has spoken to the bot in a thread needs no mention there any more. */
  const addressed = new Map<WireChannel, Set<string>>();
  let nextId = 1_100_000_000_000_000_001n;

  function userOf({ id }: Person): DiscordUser {
    const user = users.get(id);
    if (!user) throw new Error(`nobody has the id ${id}`);
    return user;
  }

  const byBot = ({ author, deleted, type }: WireMessage) => author.id === server.bot.id && !deleted && type !== 21;

  /** In a server the newest thread in which the bot has posted, else the channel. */
  function placeOf(channel: WireChannel): WireChannel {
    if (!channel.guild) return channel;
    return server.threads(channel).findLast((thread) => thread.messages.some(byBot)) ?? channel;
  }

  function address(person: Person, channel: WireChannel, text: string): string {
    if (!channel.guild || text.startsWith("/")) return text;
    const known = addressed.get(channel) ?? new Set();
    const needed = !channel.thread || !(known.has(person.id) || openedBy(channel, person));
    addressed.set(channel, known.add(person.id));
    return needed ? `<@${server.bot.id}> ${text}` : text;
  }

  function roomOf(channel: WireChannel): Room {
    /** People wait until the bot is there: Discord would tell it nothing of what was said before. */
    const write = (person: Person, text: string, files: readonly { name: string; bytes: Uint8Array }[] = []) =>
      server.gateway.whenConnected(() => {
        const place = placeOf(channel);
        userOf(person).say(place, address(person, place, text), { files });
      });
    const room: Room = {
      place: channel.id,
      say: write,
      sendFile: (person, name, content, text) =>
        write(person, text, [{ name, bytes: new TextEncoder().encode(content) }]),
      posts: () =>
        [channel, ...server.threads(channel)]
          .flatMap((place) => place.messages.filter(byBot))
          .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
          .map(shown),
    };
    return room;
  }

  function shown(message: WireMessage): Shown {
    const seen = message.shown;
    const file = seen.files[0];
    return {
      text: visibleText(seen),
      ...(file && { file: contentOf(file) }),
      buttons: visibleLabels(seen),
      silent: (seen.flags & SILENT) !== 0,
      before: message.edits.map(visibleText),
      at: Math.floor(message.at / 1000),
      thread: message.channel.id,
      erase: () => void (message.deleted = true),
      press: async (person, label) => toldPrivately(await userOf(person).press(message, label, seen)),
    };
  }

  return {
    platform: "discord",
    searchable: true,
    settings: { bot_token: server.token, api_url: server.api },
    person(name) {
      const id = String(nextId++);
      const user = server.user(id, name);
      users.set(id, user);
      return { name, id, direct: roomOf(user.dm) };
    },
    room: () => roomOf(server.channel(guild, "team")),
    redeliver: () =>
      server.gateway.whenConnected(() => {
        if (!server.events.again()) throw new Error("nothing was said yet");
      }),
    fail: (what, mishap, room) => server.fail({ ...mishap, method: ROUTES[what], ...(room && { place: room.place }) }),
    written: () =>
      server.calls.flatMap(({ route, place, at, status = 0 }): Written[] => {
        const type = route === ROUTES.post ? "post" : route === ROUTES.edit ? "edit" : undefined;
        const outcome = status === 0 || status >= 500 ? "unknown" : status < 300 ? "accepted" : "refused";
        return type ? [{ type, place, at, outcome }] : [];
      }),
    disturb() {
      if (Math.random() < 0.5) server.gateway.cut();
      else server.gateway.askReconnect();
    },
    revoke: () => server.setRevoked(true),
    violations: () => server.violations,
    close: () => server.close(),
  };
}

/** The person whose message the thread began with. */
const openedBy = ({ thread, id }: WireChannel, person: Person): boolean =>
  thread?.parent.messages.some((message) => message.id === id && message.author.id === person.id) === true;

const contentOf = ({ name, bytes }: WireFile) => ({ name, content: new TextDecoder().decode(bytes) });

/** What this person alone was told: at once, or within the time in which it still belongs to the press. */
async function toldPrivately(told: Acknowledgement): Promise<string> {
  if (told.type === "failed") throw new Error("Expected an acknowledgement within three seconds, got none.");
  if (told.type === "notice") return told.private ? told.text : "";
  const end = Date.now() + (told.type === "deferred" ? FOLLOWS_WITHIN.deferred : FOLLOWS_WITHIN.none);
  for (;;) {
    const said = told.messages
      .filter((message) => message.ephemeralFor !== undefined)
      .map((one) => visibleText(one.shown));
    const text = said.join("\n");
    if (text !== "" || Date.now() > end || told.type === "modal") return text;
    await sleep(20);
  }
}
