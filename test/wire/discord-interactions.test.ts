import { MessageFlags } from "discord.js";
import type { ButtonInteraction, Interaction } from "discord.js";
import { describe, expect, test } from "vitest";
import { until } from "../helpers.ts";
import { button, connect, last, menu, refused, row, serverWithRest } from "./discord-client.ts";
import type { Acknowledgement } from "./discord-interactions.ts";

/** A connected client whose interactions are answered by `answer`, and a post with a button in the channel. */
async function withButton(
  answer: (interaction: ButtonInteraction) => unknown,
  components: object[] = [row(button("y"))],
) {
  const all = await serverWithRest();
  const client = await connect(all.server);
  const failures: unknown[] = [];
  client.on("interactionCreate", (interaction: Interaction) => {
    const work = async () => answer(interaction as ButtonInteraction); // menus are answered in the same way
    work().catch((error: unknown) => failures.push(error));
  });
  await all.say({ content: "Sure?", components });
  return { ...all, client, failures, post: last(all.channel.messages) };
}

describe("interactions", () => {
  const text = (told: Acknowledgement) => (told.type === "notice" ? told.text : told.type);

  test("resolve with what the person saw first: a private notice, an update, a deferral", async () => {
    const answers = [
      (press: ButtonInteraction) => press.reply({ content: "only **you**", flags: MessageFlags.Ephemeral }),
      (press: ButtonInteraction) => press.update({ content: "done", components: [row(button("z", "Later"))] }),
      (press: ButtonInteraction) => press.deferUpdate(),
      async (press: ButtonInteraction) => {
        await press.deferReply({ flags: MessageFlags.Ephemeral });
        await press.editReply("late");
        await press.followUp({ content: "later", flags: MessageFlags.Ephemeral });
      },
    ];
    const { server, ana, post, channel, failures } = await withButton((press) => answers.shift()?.(press));
    const notice = await ana.press(post, "Yes");
    expect([text(notice), notice.messages[0]?.ephemeralFor]).toEqual(["only **you**", ana.account.id]);
    expect(text(await ana.press(post, "Yes"))).toBe("none");
    expect(post.shown.content).toBe("done");
    expect(text(await ana.press(post, "Lat"))).toBe("none");
    const deferred = await ana.press(post, "Later");
    expect(deferred).toMatchObject({ type: "deferred", private: true });
    await until("both", () => deferred.messages.map(({ shown }) => shown.content).join() === "late,later");
    expect(channel.messages).toEqual([post]);
    expect([failures, server.violations]).toEqual([[], []]);
  });

  test("of a menu carry the values of the chosen options", async () => {
    const chosen: unknown[] = [];
    const answer = (press: Interaction) => {
      if (!press.isStringSelectMenu()) return undefined;
      chosen.push([press.customId, press.values]);
      return press.deferUpdate();
    };
    const { ana, post } = await withButton(answer, [row(menu("Deep Red", "Sky Blue", "Green"))]);
    await ana.press(post, "Sky Blue");
    await ana.press(post, ["Deep Red", "Green"]);
    expect(chosen).toEqual([
      ["menu", ["v-Sky Blue"]],
      ["menu", ["v-Deep Red", "v-Green"]],
    ]);
    expect(() => ana.press(post, "Pink")).toThrow(/Deep Red \| Sky Blue \| Green/);
  });

  test("that are late by the server's clock have failed, and their acknowledgement is 10062", async () => {
    const waiting: ButtonInteraction[] = [];
    const { server, ana, post } = await withButton((press) => waiting.push(press));
    const told = ana.press(post, "Yes");
    const press = await until("the press", () => waiting[0]);
    server.advance(3100);
    expect(await told).toMatchObject({ type: "failed" });
    await expect(press.deferUpdate()).rejects.toMatchObject(refused(10062, 404));
  });

  test("that nobody acknowledges have failed after three real seconds", async () => {
    const { ana, post } = await withButton(() => undefined);
    const began = Date.now();
    expect(await ana.press(post, "Yes")).toMatchObject({ type: "failed" });
    expect(Date.now() - began).toBeGreaterThan(2900);
  });

  test("are acknowledged once", async () => {
    const waiting: ButtonInteraction[] = [];
    const { ana, post, rest } = await withButton((press) => waiting.push(press));
    const told = ana.press(post, "Yes");
    const press = await until("the press", () => waiting[0]);
    const again = () => rest.post(`/interactions/${press.id}/${press.token}/callback`, { body: { type: 6 } });
    await press.deferUpdate();
    expect(await told).toMatchObject({ type: "none" });
    await expect(again()).rejects.toMatchObject(refused(40060, 400));
    await expect(rest.post(`/interactions/1/x/callback`, { body: { type: 6 } })).rejects.toMatchObject({ code: 10062 });
  });

  test("have a token for fifteen minutes", async () => {
    const waiting: ButtonInteraction[] = [];
    const { server, ana, post } = await withButton(async (press) => {
      await press.deferReply();
      waiting.push(press);
    });
    await ana.press(post, "Yes");
    const press = await until("the press", () => waiting[0]);
    server.advance(14 * 60 * 1000);
    await press.editReply("still");
    server.advance(2 * 60 * 1000);
    await expect(press.editReply("too late")).rejects.toMatchObject(refused(50027, 401));
    await expect(press.followUp("too late")).rejects.toMatchObject(refused(50027, 401));
  });

  test("open a form, whose values come back; a form cannot answer a form", async () => {
    const modal = {
      custom_id: "form",
      title: "Where to?",
      components: [
        { type: 18, label: "City", component: { type: 4, custom_id: "city", style: 1, min_length: 3 } },
        { type: 18, label: "Class", component: menu("First", "Second") },
      ],
    };
    const values: unknown[] = [];
    const { ana, post, failures, server, rest } = await withButton(async (press: Interaction) => {
      if (press.isButton()) return press.showModal(modal);
      if (!press.isModalSubmit()) return undefined;
      values.push(
        press.fields.getTextInputValue("city"),
        press.fields.getStringSelectValues("menu"),
        press.message?.id,
      );
      const form = { type: 9, data: modal };
      const again = rest.post(`/interactions/${press.id}/${press.token}/callback`, { body: form });
      await expect(again).rejects.toMatchObject({ code: 50035 });
      return press.deferUpdate();
    });
    const told = await ana.press(post, "Yes");
    if (told.type !== "modal") throw new Error(`Expected a form, got ${told.type}.`);
    expect(told.modal).toMatchObject({ title: "Where to?", custom_id: "form" });
    expect(() => ana.submit(told.modal, { City: "Ro", Class: "First" })).toThrow(/3 characters/);
    expect(() => ana.submit(told.modal, { City: "Rome" })).toThrow(/"Class" is required/);
    expect(await ana.submit(told.modal, { City: "Rome", Class: ["Second"] })).toMatchObject({ type: "none" });
    expect(values).toEqual(["Rome", ["v-Second"], post.id]);
    expect([failures, server.violations]).toEqual([[], []]);
  });

  test("of commands come from a channel, a thread and a DM, where they are offered", async () => {
    const { server, ana, rest, channel } = await serverWithRest();
    const option = { type: 3, name: "request", description: "What", required: true };
    const usage = { type: 1, name: "usage", description: "Tokens" };
    const body = [
      { name: "ask", description: "Ask", options: [option], contexts: [0, 1] },
      { name: "threadline", description: "More", options: [usage], contexts: [0] },
    ];
    await rest.put(`/applications/${server.bot.id}/commands`, { body });
    const client = await connect(server);
    const called: unknown[] = [];
    client.on("interactionCreate", (command) => {
      if (!command.isChatInputCommand()) return;
      const given =
        command.commandName === "ask" ? command.options.getString("request") : command.options.getSubcommand();
      called.push([command.commandName, given, command.channelId]);
      void command.reply("Here: **you**");
    });
    const thread = ana.openThread(ana.say(channel, "hello"), "Talk");
    expect(await ana.command("ask", { request: "a" }, channel)).toMatchObject({ type: "notice", private: false });
    await ana.command("threadline usage", {}, thread);
    await ana.command("ask", { request: "b" }, ana.dm);
    expect(() => ana.command("threadline usage", {}, ana.dm)).toThrow(/registered: ask/);
    expect(() => ana.command("ask", {}, channel)).toThrow(/needs the option "request"/);
    expect(called).toEqual([
      ["ask", "a", channel.id],
      ["threadline", "usage", thread.id],
      ["ask", "b", ana.dm.id],
    ]);
    expect(last(ana.dm.messages)).toMatchObject({ type: 20, interaction: { type: 2 } });
  });
});
