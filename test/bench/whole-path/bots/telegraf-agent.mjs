/** An agent behind telegraf, as one writes it in an afternoon. */
import { Telegraf } from "telegraf";
import { ask, telegram } from "./peer-parts.mjs";

export function serve(agent) {
  const bot = new Telegraf(telegram.token, { telegram: { apiRoot: telegram.url } });
  bot.on("message", async (ctx) => {
    await ctx.sendChatAction("typing");
    await ctx.reply(await ask(agent, String(ctx.chat.id), ctx.message.text));
  });
  return bot.launch();
}
