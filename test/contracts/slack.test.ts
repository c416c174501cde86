import pino from "pino";
import { onTestFinished } from "vitest";
import { slack } from "../../adapters/slack/adapter.ts";
import { formatThread } from "../../adapters/slack/thread-key.ts";
import type { Inbound } from "../../gateway/contract.ts";
import { systemClock } from "../../gateway/system-clock.ts";
import { tempFolder, until } from "../helpers.ts";
import { createSlackServer } from "../wire/slack-server.ts";
import { buttonLabels, visibleText } from "../wire/slack-visible-text.ts";
import { adapterContract } from "./adapter-contract.ts";

adapterContract(async () => {
  const server = await createSlackServer({ ackMs: 300 });
  const ana = server.user("U0ANA000001", "Ana");
  const settings = { bot_token: server.botToken, app_token: server.appToken, api_url: server.apiUrl };
  const adapter = await slack.create(slack.config.parse(settings), {
    log: pino({ level: "silent" }),
    clock: systemClock,
    folder: tempFolder(),
    secret: "00".repeat(32),
    transcript: { threads: () => [], entries: () => [], onDeleted() {} },
  });
  const inbound: Inbound[] = [];
  let opened = false;
  let refusals = 0;
  await adapter.start(
    async (event) => {
      if (refusals-- > 0) throw new Error("the store refuses");
      // What opens the thread of the bench is no part of what is tested.
      if (event.type === "message" && event.text === "opening") opened = true;
      else inbound.push(event);
      return { accepted: true };
    },
    { origin: "", mount: () => {} },
  );
  onTestFinished(async () => {
    await adapter.stop();
    await server.close();
  });
  const opening = ana.say(ana.dm, "opening");
  await until("the opening", () => opened);
  const posts = () => ana.dm.messages.filter((message) => message.user.id === server.bot.id && !message.deleted);
  return {
    adapter,
    inbound,
    thread: formatThread(server.team.id, ana.dm.id, opening.ts),
    refuseOnce: () => void (refusals = 1),
    say: async (text) => void ana.say(ana.dm, text, { threadTs: opening.ts }),
    press: async (label) => {
      const post = posts().find(({ blocks }) => buttonLabels(blocks).some((button) => button.includes(label)));
      if (post) await ana.press(post, label);
    },
    shown: async () =>
      posts().map((message) => ({ text: visibleText(message), buttons: buttonLabels(message.blocks) })),
  };
});
