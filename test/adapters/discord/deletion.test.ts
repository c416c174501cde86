/** Through the whole program: who may use the bot is asked of whoever wrote, never of whoever deleted. */
import { expect, test } from "vitest";
import { until } from "../../helpers.ts";
import { createDiscordStage } from "../../scenarios/discord-stage.ts";
import { createSetting, startHere } from "../../scenarios/program.ts";
import { echo } from "../../scenarios/scripts.ts";
import { lastUserText } from "../../wire/model-script.ts";
import { createDiscordServer } from "../../wire/discord-server.ts";

const ANA = "1100000000000000501";

test("UED-03: a message that waits for its turn and is deleted does not run, also where only listed people may enter", async () => {
  const server = await createDiscordServer();
  const stage = await createDiscordStage(server);
  const guild = server.guild("Makers");
  const access = { mode: "allowlist", places: [guild.id], users: [ANA] };
  const setting = await createSetting(async () => stage, {
    platforms: { discord: { ...stage.settings, access } },
  });
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  setting.models.script(async (request) => {
    if (lastUserText(request).includes("one")) await held;
    return echo(request);
  });
  await startHere(setting);
  await until("a connection", () => server.gateway.connected());
  const ana = server.user(ANA, "Ana");
  const channel = server.channel(guild, "general");
  ana.say(channel, `<@${server.bot.id}> hello`);
  const thread = await until("the thread", () => server.threads(channel)[0]);
  const texts = () => thread.messages.filter(({ author }) => author.bot).map(({ shown }) => shown.content);
  await until("the first answer", () => texts().some((text) => text.includes("hello")));
  ana.say(thread, "one");
  await until("the run", () => setting.models.calls.length === 2);
  const second = ana.say(thread, "two");
  ana.say(thread, "three");
  ana.delete(second);
  // The next event is taken after these: then they are stored.
  ana.say(ana.dm, "done?");
  await until("its answer", () => ana.dm.messages.some(({ author }) => author.bot));
  release();
  await until("the last answer", () => texts().some((text) => text.includes("three")));
  expect(JSON.stringify(setting.models.calls.map(({ messages }) => messages))).not.toContain("two");
});
