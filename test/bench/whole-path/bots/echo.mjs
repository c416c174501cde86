/** telegraf and nothing else: the floor. */
import { Telegraf } from "telegraf";

const { BENCH_TELEGRAM_URL: apiRoot, BENCH_TELEGRAM_TOKEN: token } = process.env;
const bot = new Telegraf(token, { telegram: { apiRoot } });
bot.on("message", (ctx) => ctx.reply(ctx.message.text));
await bot.launch();
