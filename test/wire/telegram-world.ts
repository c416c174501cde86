/** What Telegram's servers remember: accounts, chats, their messages, files. State only; the rules are elsewhere. */
export interface Account {
  readonly id: number;
  readonly first_name: string;
  readonly username?: string;
  readonly is_bot: boolean;
}
export interface WireEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
  readonly user?: Account;
}
export interface WireButton {
  readonly text: string;
  readonly callback_data?: string;
  readonly url?: string;
}
export interface WireFile {
  readonly type: "photo" | "document" | "voice" | "audio" | "video";
  readonly file_id: string;
  readonly name: string;
  readonly mime: string;
  /** As Telegram states it; may be more than the bytes that a test bothered to make. */
  readonly sizeBytes?: number;
  readonly bytes: Uint8Array;
}
export interface WireMessage {
  readonly chat: WireChat;
  readonly message_id: number;
  readonly from: Account;
  /** Epoch s. */
  date: number;
  text: string;
  entities: readonly WireEntity[];
  keyboard: readonly (readonly WireButton[])[];
  readonly silent: boolean;
  readonly topic?: number;
  readonly replyTo?: number;
  readonly file?: WireFile;
  /** Earlier states, oldest first. */
  readonly edits: { readonly text: string; readonly keyboard: WireMessage["keyboard"]; readonly at: number }[];
  deleted: boolean;
  /** Accounts that Telegram would notify because the text names them. */
  pings: readonly string[];
  /** The update that told the bot, if it was told. */
  updateId?: number;
}
export interface WireChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly title: string;
  readonly isForum: boolean;
  /** Ids of the topics and whether they are closed. */
  readonly topics: Map<number, { readonly name: string; closed: boolean }>;
  /** In order of sending, deleted ones included. */
  readonly messages: WireMessage[];
  /** Bot's standing: in the chat, blocked by the person, or taken out of the group. */
  bot: "member" | "blocked" | "kicked";
  /** A group that became a supergroup: its id from then on. */
  migratedTo?: number;
  /** `typing` as it was shown, epoch ms. */
  readonly actions: { readonly action: string; readonly topic?: number; readonly at: number }[];
  /** Previews of a message to come, each state of each as it was shown; at: epoch ms. */
  readonly drafts: { readonly id: number; readonly text: string; readonly topic?: number; readonly at: number }[];
}

export interface World {
  readonly bot: Account;
  readonly chats: Map<number, WireChat>;
  readonly files: Map<string, WireFile>;
  /** Presses by callback id, and what the bot answered. */
  readonly presses: Map<string, { answered: boolean; readonly answer: (text: string) => void }>;
  commands: readonly { readonly command: string; readonly description: string }[];
  webhook: string;
}

export function createWorld(bot: Account): World {
  return { bot, chats: new Map(), files: new Map(), presses: new Map(), commands: [], webhook: "" };
}

export function addChat(world: World, chat: Pick<WireChat, "id" | "type" | "title"> & { isForum?: boolean }): WireChat {
  const existing = world.chats.get(chat.id);
  if (existing) return existing;
  const topics: WireChat["topics"] = new Map(chat.isForum ? [[1, { name: "General", closed: false }]] : []);
  const added: WireChat = { isForum: false, ...chat, topics, messages: [], bot: "member", actions: [], drafts: [] };
  world.chats.set(chat.id, added);
  return added;
}

type NewMessage = Pick<WireMessage, "chat" | "from" | "text"> & Partial<WireMessage>;

/** Ids count up in each chat, so that the same id occurs in several chats, as on Telegram. In a forum 1 is General. */
export function addMessage(fields: NewMessage): WireMessage {
  const message: WireMessage = {
    date: Math.floor(Date.now() / 1000),
    entities: [],
    keyboard: [],
    silent: false,
    edits: [],
    deleted: false,
    pings: [],
    message_id: (fields.chat.messages.at(-1)?.message_id ?? (fields.chat.isForum ? 1 : 0)) + 1,
    ...fields,
  };
  fields.chat.messages.push(message);
  return message;
}

export function findMessage(chat: WireChat, id: number): WireMessage | undefined {
  return chat.messages.find((message) => message.message_id === id && !message.deleted);
}

/** A chat as the Bot API writes it. */
export function chatJson(chat: WireChat): Record<string, unknown> {
  const name = chat.type === "private" ? { first_name: chat.title } : { title: chat.title };
  return { id: chat.id, type: chat.type, ...name, ...(chat.isForum && { is_forum: true }) };
}

/** A message as the Bot API writes it. */
export function messageJson(message: WireMessage, depth = 0): Record<string, unknown> {
  const { chat, file, topic, replyTo } = message;
  const replied =
    replyTo === undefined || depth > 0 ? undefined : chat.messages.find((one) => one.message_id === replyTo);
  const inTopic = topic !== undefined && topic !== 1;
  return {
    message_id: message.message_id,
    from: message.from,
    chat: chatJson(chat),
    date: message.date,
    ...(file ? fileJson(file, message) : { text: message.text, ...entitiesJson("entities", message) }),
    ...(inTopic && { message_thread_id: topic, is_topic_message: true }),
    // A reply chain in a supergroup carries a thread id too, which names no topic.
    ...(!inTopic && replied && chat.type === "supergroup" && { message_thread_id: replied.message_id }),
    ...(replied && { reply_to_message: messageJson(replied, depth + 1) }),
    ...(message.keyboard.length > 0 && { reply_markup: { inline_keyboard: message.keyboard } }),
  };
}

const entitiesJson = (key: string, { entities }: WireMessage) => (entities.length > 0 ? { [key]: entities } : {});

function fileJson(file: WireFile, message: WireMessage): Record<string, unknown> {
  const size = file.sizeBytes === undefined ? {} : { file_size: file.sizeBytes };
  const common = { file_id: file.file_id, file_unique_id: `u${file.file_id}`, ...size };
  const content =
    file.type === "photo"
      ? [
          { ...common, file_id: `${file.file_id}s`, width: 90, height: 60 },
          { ...common, width: 900, height: 600 },
        ]
      : { ...common, file_name: file.name, mime_type: file.mime };
  const caption = message.text === "" ? {} : { caption: message.text, ...entitiesJson("caption_entities", message) };
  return { [file.type]: content, ...caption };
}
