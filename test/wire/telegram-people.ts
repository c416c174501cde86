/** People on the loopback Telegram: they write, edit, press and send files, and the bot is told as Telegram would. */
import { automaticEntities } from "./telegram-rules.ts";
import type { Updates } from "./telegram-updates.ts";
import { addChat, addMessage, chatJson, messageJson } from "./telegram-world.ts";
import type { Account, WireChat, WireEntity, WireFile, WireMessage, World } from "./telegram-world.ts";

interface SayOptions {
  readonly replyTo?: WireMessage;
  readonly topic?: number;
  /** Added to the mentions and commands that Telegram finds by itself. */
  readonly entities?: readonly WireEntity[];
}
interface SendFileOptions extends SayOptions {
  readonly type?: WireFile["type"];
  readonly mime?: string;
  readonly caption?: string;
  /** Telegram's statement of the size; default: the bytes'. `unknown`: none. */
  readonly sizeBytes?: number | "unknown";
}
interface Pressed {
  readonly id: string;
  readonly updateId: number;
  /** What the bot answered; empty when it only acknowledged. */
  readonly answer: Promise<string>;
}
export interface TelegramUser {
  readonly account: Account;
  /** This person's chat with the bot. */
  readonly dm: WireChat;
  say(chat: WireChat, text: string, options?: SayOptions): WireMessage;
  edit(message: WireMessage, text: string): number;
  /** By label (the whole, or its beginning) or by index over all rows; `{ data }` forges a press. */
  press(message: WireMessage, button: string | number | { readonly data: string }): Pressed;
  sendFile(chat: WireChat, name: string, bytes: Uint8Array, options?: SendFileOptions): WireMessage;
  /** Adds the bot to a group or takes it out; blocks it or lets it in again in the own chat. */
  setBot(chat: WireChat, standing: WireChat["bot"]): number;
}

export function createUser(
  world: World,
  updates: Updates,
  account: Account,
  /** Privacy mode is on: in groups the bot is told only of commands, mentions and replies to it. */
  privacy: boolean,
): TelegramUser {
  const dm = addChat(world, { id: account.id, type: "private", title: account.first_name });

  function tell(message: WireMessage, repliedTo: WireMessage | undefined): WireMessage {
    const named = message.text.toLowerCase().includes(`@${world.bot.username?.toLowerCase()}`);
    const toBot = named || message.text.startsWith("/") || repliedTo?.from.id === world.bot.id;
    const told = message.chat.type === "private" || !privacy || toBot;
    if (told && message.chat.bot === "member") message.updateId = updates.push("message", messageJson(message));
    return message;
  }

  function write(chat: WireChat, text: string, options: SayOptions, file?: WireFile): WireMessage {
    const { replyTo, topic, entities = [] } = options;
    const found = [...automaticEntities(text), ...entities].toSorted((a, b) => a.offset - b.offset);
    const message = addMessage({
      chat,
      from: account,
      text,
      entities: found,
      ...(replyTo && { replyTo: replyTo.message_id }),
      ...(topic !== undefined && { topic }),
      ...(file && { file }),
    });
    return tell(message, replyTo);
  }

  function edit(message: WireMessage, text: string): number {
    message.edits.push({ text: message.text, keyboard: message.keyboard, at: Date.now() });
    message.text = text;
    message.entities = automaticEntities(text);
    return updates.push("edited_message", { ...messageJson(message), edit_date: Math.floor(Date.now() / 1000) });
  }

  function press(message: WireMessage, button: string | number | { readonly data: string }): Pressed {
    const data = typeof button === "object" ? button.data : dataOf(message, button);
    const id = `press-${world.presses.size + 1}`;
    const answer = new Promise<string>((resolve) => world.presses.set(id, { answered: false, answer: resolve }));
    const query = { id, from: account, chat_instance: String(message.chat.id), data, message: messageJson(message) };
    return { id, updateId: updates.push("callback_query", query), answer };
  }

  function sendFile(chat: WireChat, name: string, bytes: Uint8Array, options: SendFileOptions = {}): WireMessage {
    const { type = "document", mime = "application/octet-stream", caption = "", sizeBytes = bytes.length } = options;
    const stated = sizeBytes === "unknown" ? {} : { sizeBytes };
    const file: WireFile = { type, file_id: `file${world.files.size + 1}`, name, mime, bytes, ...stated };
    world.files.set(file.file_id, file);
    return write(chat, caption, options, file);
  }

  function setBot(chat: WireChat, standing: WireChat["bot"]): number {
    const member = (status: WireChat["bot"]) => ({
      user: world.bot,
      status: status === "member" ? "member" : "kicked",
    });
    const [before, after] = [member(chat.bot), member(standing)];
    chat.bot = standing;
    const date = Math.floor(Date.now() / 1000);
    return updates.push("my_chat_member", {
      chat: chatJson(chat),
      from: account,
      date,
      old_chat_member: before,
      new_chat_member: after,
    });
  }

  return { account, dm, say: (chat, text, options = {}) => write(chat, text, options), edit, press, sendFile, setBot };
}

function dataOf(message: WireMessage, button: string | number): string {
  const buttons = message.keyboard.flat();
  const found = typeof button === "number" ? buttons[button] : buttons.find(({ text }) => text.startsWith(button));
  if (found?.callback_data) return found.callback_data;
  throw new Error(
    `Expected a button "${button}", got: ${buttons.map(({ text }) => text).join(" | ") || "no buttons"}.`,
  );
}
