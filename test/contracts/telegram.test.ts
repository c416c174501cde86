import pino from "pino";
import { onTestFinished } from "vitest";
import { telegram } from "../../adapters/telegram/adapter.ts";
import { formatThread } from "../../adapters/telegram/thread-key.ts";
import type { Inbound } from "../../gateway/contract.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { tempFolder } from "../helpers.ts";
import { createTelegramServer } from "../wire/telegram-server.ts";
import { adapterContract } from "./adapter-contract.ts";

adapterContract(async () => {
  const server = await createTelegramServer();
  const ana = server.user(700, "Ana", "ana");
  const adapter = await telegram.create(telegram.config.parse({ bot_token: server.token, api_url: server.url }), {
    log: pino({ level: "silent" }),
    clock: systemClock,
    folder: tempFolder(),
    secret: "00".repeat(32),
    transcript: { threads: () => [], entries: () => [], onDeleted() {} },
  });
  const inbound: Inbound[] = [];
  let refusals = 0;
  await adapter.start(
    async (event) => {
      if (refusals-- > 0) throw new Error("the store refuses");
      inbound.push(event);
      return { accepted: true };
    },
    { origin: "", mount: () => {} },
  );
  onTestFinished(async () => {
    await adapter.stop();
    await server.close();
  });
  const posts = () => ana.dm.messages.filter((message) => message.from.is_bot && !message.deleted);
  return {
    adapter,
    inbound,
    thread: formatThread({ account: String(server.bot.id), chat: 700 }),
    refuseOnce: () => void (refusals = 1),
    say: async (text) => void ana.say(ana.dm, text),
    press: async (label) => {
      const post = posts().find((message) => message.keyboard.flat().some((button) => button.text.includes(label)));
      if (post)
        await ana.press(
          post,
          post.keyboard.flat().findIndex((button) => button.text.includes(label)),
        ).answer;
    },
    shown: async () =>
      posts().map((message) => ({ text: message.text, buttons: message.keyboard.flat().map((button) => button.text) })),
  };
});
