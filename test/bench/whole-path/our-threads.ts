/** What only our program needs: a configuration, and threads that have the tool's file before their first turn. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { stringify } from "yaml";
import type { BenchModel } from "./model.ts";
import { query } from "./query.ts";
import type { BenchTelegram } from "./telegram.ts";
import { RESULT } from "./texts.ts";

/** Where its database lies in the bot's folder. */
export const OUR_DATABASE = "data/threadline.db";

/** Only Telegram is on, open to all. Returns the arguments of node. */
export function ourArguments(
  program: string,
  folder: string,
  telegram: BenchTelegram,
  model: BenchModel,
): readonly string[] {
  const config = path.join(folder, "config.yaml");
  const settings = {
    data_dir: path.join(folder, path.dirname(OUR_DATABASE)),
    http: { port: 0 },
    models: [{ name: "bench", provider: "openai", model: "bench-model", api_key: "none", base_url: model.url }],
    platforms: {
      web: { enabled: false },
      telegram: { bot_token: telegram.token, api_url: telegram.url, access: { mode: "open" } },
    },
  };
  writeFileSync(config, stringify(settings));
  return [program, "start", "--config", config];
}

/** A command that asks the model nothing opens a thread, so that the file can lie there before its first turn. */
export async function openOurThreads(chats: readonly number[], telegram: BenchTelegram, database: string) {
  const say = async (chat: number) => {
    const told = telegram.next((call) => call.chat === chat && call.method === "sendMessage");
    telegram.say(chat, "/status");
    await told;
  };
  await Promise.all(chats.map(say));
  for (const chat of chats) {
    const workspace = path.join(path.dirname(database), "threads", ourThread(chat, database), "workspace");
    mkdirSync(workspace, { recursive: true });
    writeFileSync(path.join(workspace, "lookup.txt"), RESULT);
  }
}

/** @throws Error for a chat that was not opened. */
export function ourThread(chat: number, database: string): string {
  const sql = "select id from threads where key like ? order by selected desc limit 1";
  const found = query(database, (db) => db.prepare<[string], string>(sql).pluck().get(`telegram:%:${chat}`));
  if (found === undefined) throw new Error(`Expected a thread of chat ${chat}, and found none`);
  return found;
}
