/** Slack for scenarios: the loopback server, driven as people would. */
import { findAction } from "../wire/slack-find-action.ts";
import { buttonLabels, visibleText } from "../wire/slack-visible-text.ts";
import { createSlackServer } from "../wire/slack-server.ts";
import type { SlackServer } from "../wire/slack-server.ts";
import type { SlackUser } from "../wire/slack-people.ts";
import type { WireChannel, WireMessage } from "../wire/slack-world.ts";
import type { Person, Room, Shown, Stage, Written } from "./stage.ts";

const METHODS = { post: "chat.postMessage", edit: "chat.update" } as const;

export async function createSlackStage(server?: SlackServer): Promise<Stage> {
  return stageOn(server ?? (await createSlackServer()));
}

function stageOn(server: SlackServer): Stage {
  const users = new Map<string, SlackUser>();
  let nextId = 1;

  function userOf({ id }: Person): SlackUser {
    const user = users.get(id);
    if (!user) throw new Error(`Expected a person of this stage, got ${id}.`);
    return user;
  }
  const ownPosts = ({ messages }: WireChannel) =>
    messages.filter(
      ({ user, deleted, subtype }) => user.id === server.bot.id && !deleted && subtype !== "assistant_app_thread",
    );

  function roomOf(channel: WireChannel): Room {
    /** In the newest thread that the bot writes in, and naming it to those it does not know there. */
    function write(person: Person, text: string, files: { name: string; bytes: Uint8Array }[] = []): void {
      const threadTs = ownPosts(channel).findLast(({ thread_ts }) => thread_ts !== undefined)?.thread_ts;
      const options = { files, ...(threadTs !== undefined && { threadTs }) };
      const user = userOf(person);
      if (channel.type === "im" || hasSpoken(person, threadTs)) user.say(channel, typedCommand(text), options);
      else user.mention(channel, typedCommand(text), options);
    }
    const hasSpoken = ({ id }: Person, threadTs: string | undefined) =>
      threadTs !== undefined &&
      channel.messages.some(({ ts, thread_ts, user }) => user.id === id && (thread_ts ?? ts) === threadTs);

    const room: Room = {
      place: channel.id,
      say: (person, text) => write(person, text),
      sendFile: (person, name, content, text) =>
        write(person, text, [{ name, bytes: new TextEncoder().encode(content) }]),
      posts: () => ownPosts(channel).map(shown),
    };
    return room;
  }

  function shown(message: WireMessage): Shown {
    const [file] = message.files;
    // Pressed as it was seen here, even if the message has changed meanwhile.
    const { blocks } = message;
    return {
      text: visibleText(message),
      ...(file && { file: { name: file.name, content: new TextDecoder().decode(file.bytes) } }),
      buttons: buttonLabels(blocks),
      silent: isProgress(message),
      before: message.edits.map(visibleText),
      at: Number(message.ts),
      thread: message.thread_ts ?? message.ts,
      erase: () => void (message.deleted = true),
      press: async (person, label) =>
        (await userOf(person).press(message, findAction(blocks, label))).ephemerals.join("\n"),
    };
  }

  return {
    platform: "slack",
    searchable: true,
    settings: { bot_token: server.botToken, app_token: server.appToken, api_url: server.apiUrl },
    person(name) {
      const id = `U0PERSON${String(nextId++).padStart(3, "0")}`;
      const user = server.user(id, name);
      users.set(id, user);
      return { name, id, direct: roomOf(user.dm) };
    },
    room: (...people) =>
      roomOf(server.channel(`C0ROOM${String(nextId++).padStart(5, "0")}`, "team", people.map(userOf))),
    redeliver: () => void server.redeliver(),
    fail: (what, mishap, room) => server.fail({ ...mishap, method: METHODS[what], ...(room && { place: room.place }) }),
    written: () =>
      server.calls.flatMap(({ method, params, at, result }): Written[] => {
        const type = method === METHODS.post ? "post" : method === METHODS.edit ? "edit" : undefined;
        const outcome =
          result === undefined || /^cut|^HTTP 5/.test(result) ? "unknown" : result === "ok" ? "accepted" : "refused";
        return type ? [{ type, place: String(params["channel"]), at, outcome }] : [];
      }),
    disturb() {
      if (Math.random() < 0.5) server.killSocket();
      else server.disconnect();
    },
    revoke() {
      server.setRevoked("bot", true);
      server.setRevoked("app", true);
      server.disconnect("link_disabled");
    },
    violations: () => server.violations,
    close: () => server.close(),
  };
}

/** Slack lets nobody type a slash command in a thread. */
const typedCommand = (text: string): string => text.replace(/^\//, "!");

/** Slack knows no silent post; a post of a progress slot stands for one, since its edits ring nobody. */
function isProgress({ metadata }: WireMessage): boolean {
  const nonce = metadata?.event_payload["nonce"];
  return typeof nonce === "string" && nonce.startsWith("progress:");
}
