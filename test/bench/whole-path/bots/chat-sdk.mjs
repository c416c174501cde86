/** Vercel's Chat SDK + createAgent + the stock saver. In direct messages its adapter sends `typing` by itself. */
import { createMemoryState } from "@chat-adapter/state-memory";
import { createTelegramAdapter } from "@chat-adapter/telegram";
import { Chat } from "chat";
import { ask, database, telegram } from "./peer-parts.mjs";
import { createPlainAgent } from "./plain-agent.mjs";

const agent = createPlainAgent(database);
const bot = new Chat({
  userName: "benchbot",
  adapters: { telegram: createTelegramAdapter({ botToken: telegram.token, apiUrl: telegram.url, mode: "polling" }) },
  state: createMemoryState(),
  concurrency: "queue",
});
bot.onDirectMessage(async (thread, message) => {
  await thread.post(await ask(agent, thread.id, message.text));
});
await bot.initialize();
