import pino from "pino";
import { onTestFinished } from "vitest";
import { discord } from "../../adapters/discord/adapter.ts";
import { formatThread } from "../../adapters/discord/thread-key.ts";
import type { Inbound } from "../../gateway/contract.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { tempFolder, until } from "../helpers.ts";
import { pressables } from "../wire/discord-components.ts";
import { createDiscordServer } from "../wire/discord-server.ts";
import { visibleLabels, visibleText } from "../wire/discord-visible-text.ts";
import { adapterContract } from "./adapter-contract.ts";

adapterContract(async () => {
  const server = await createDiscordServer();
  const ana = server.user("1100000000000000001", "Ana");
  const adapter = await discord.create(discord.config.parse({ bot_token: server.token, api_url: server.api }), {
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
  // Discord tells nothing of what was said before the bot was there.
  await until("the connection", () => adapter.health().connected);
  const posts = () => ana.dm.messages.filter((message) => message.author.bot && !message.deleted);
  return {
    adapter,
    inbound,
    thread: formatThread({ type: "direct", channel: ana.dm.id }),
    refuseOnce: () => void (refusals = 1),
    say: async (text) => void ana.say(ana.dm, text),
    press: async (label) => {
      const post = posts().find(({ shown }) => pressables(shown.components).some((one) => one.label.includes(label)));
      if (post) await ana.press(post, label);
    },
    shown: async () => posts().map(({ shown }) => ({ text: visibleText(shown), buttons: visibleLabels(shown) })),
  };
});
