/** Telegram for scenarios: the loopback server, driven as people would. */
import { createTelegramServer } from "../wire/telegram-server.ts";
import type { TelegramServer } from "../wire/telegram-server.ts";
import type { TelegramUser } from "../wire/telegram-people.ts";
import type { WireChat, WireMessage } from "../wire/telegram-world.ts";
import type { Person, Room, Shown, Stage, Written } from "./stage.ts";

const METHODS = { post: "sendMessage", edit: "editMessageText" } as const;

export async function createTelegramStage(server?: TelegramServer): Promise<Stage> {
  return stageOn(server ?? (await createTelegramServer()));
}

function stageOn(server: TelegramServer): Stage {
  const users = new Map<string, TelegramUser>();
  let lastUpdate: number | undefined;
  let nextId = 7_000_001;

  function userOf({ id }: Person): TelegramUser {
    const user = users.get(id);
    if (!user) throw new Error(`nobody has the id ${id}`);
    return user;
  }

  function roomOf(chat: WireChat): Room {
    const room: Room = {
      place: String(chat.id),
      say(person, text) {
        const replyTo = chat.messages.findLast((message) => message.from.is_bot && !message.deleted);
        const shared = chat.type !== "private";
        const addressed = shared && !replyTo ? `@${server.bot.username} ${text}` : text;
        lastUpdate = userOf(person).say(chat, addressed, shared && replyTo ? { replyTo } : {}).updateId;
      },
      sendFile(person, name, content, text) {
        userOf(person).sendFile(chat, name, new TextEncoder().encode(content), { caption: text });
      },
      posts: () =>
        chat.messages.filter((message) => message.from.is_bot && !message.deleted).map((message) => shown(message)),
    };
    return room;
  }

  function shown(message: WireMessage): Shown {
    // Pressed as it was seen here, even if the message has changed meanwhile.
    const keyboard = message.keyboard.flat();
    return {
      text: message.text,
      ...(message.file && { file: { name: message.file.name, content: new TextDecoder().decode(message.file.bytes) } }),
      buttons: keyboard.map((button) => button.text),
      silent: message.silent,
      before: message.edits.map((edit) => edit.text),
      at: message.date,
      thread: String(message.topic ?? message.chat.id),
      press(person, label) {
        const data = keyboard.find(({ text }) => text.startsWith(label))?.callback_data;
        if (data === undefined) throw new Error(`Expected a button ${label}, got none.`);
        return userOf(person).press(message, { data }).answer;
      },
      erase: () => void (message.deleted = true),
    };
  }

  return {
    platform: "telegram",
    searchable: false,
    settings: { bot_token: server.token, api_url: server.url },
    person(name) {
      const id = nextId++;
      const user = server.user(id, name, name.toLowerCase());
      users.set(String(id), user);
      return { name, id: String(id), direct: roomOf(user.dm) };
    },
    room: () => roomOf(server.supergroup(-(1_000_000_000 + nextId++), "team")),
    redeliver() {
      if (lastUpdate === undefined) throw new Error("nothing was said yet");
      server.updates.redeliver(lastUpdate);
    },
    fail: (what, mishap, room) =>
      server.fail({ ...mishap, method: METHODS[what], ...(room && { place: Number(room.place) }) }),
    written: () =>
      server.calls.flatMap(({ method, params, at, status = 0 }): Written[] => {
        const type = method === METHODS.post ? "post" : method === METHODS.edit ? "edit" : undefined;
        const outcome = status === 0 || status >= 500 ? "unknown" : status === 200 ? "accepted" : "refused";
        return type ? [{ type, place: String(params["chat_id"]), at, outcome }] : [];
      }),
    disturb: () => server.fail({ method: "getUpdates", status: 502 }),
    revoke() {
      server.setRevoked(true);
      server.updates.close();
    },
    violations: () => server.violations,
    close: () => server.close(),
  };
}
