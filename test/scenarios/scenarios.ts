/**
 * What every platform must show, over its real client: one file of scenarios, one call of it a platform. Scenarios that
 * kill run the built program in a process of its own; all others run in the process of the test.
 */
import { describe, expect, it } from "vitest";
import { until } from "../helpers.ts";
import { lastUserText } from "../wire/model-script.ts";
import { createSetting, query, spawnProgram, startHere } from "./program.ts";
import { asks, copiesFile, delegates, echo, isSubagent, type Script } from "./scripts.ts";
import type { Room, Shown, Stage } from "./stage.ts";

const textsOf = (room: Room) => room.posts().map((post) => post.text);
const buttonsIn = (room: Room) => room.posts().find((post) => post.buttons.length >= 2);
const cardOf = (room: Room): Shown | undefined => room.posts().find((post) => post.silent);
const replyOf = (room: Room): Shown | undefined => room.posts().find((post) => post.text.includes("Both are done"));
const ended = (room: Room) => cardOf(room)?.text.includes("Done") === true && replyOf(room) !== undefined;

/** The figure in front of `tokens` in a line of a card; undefined while there is none. */
function tokensIn(line: string): number | undefined {
  const match = /([\d.]+)(k?) tokens/.exec(line);
  return match ? Number(match[1]) * (match[2] === "k" ? 1000 : 1) : undefined;
}

/** Moments of a turn, and the statement that is run next. */
const MOMENTS = [
  ["between accept and claim", "insert into runs"],
  ["before the first checkpoint", "insert or replace into graph_checkpoints"],
  ["in the middle of the checkpoints", "insert or replace into graph_checkpoints#2"],
  ["between the last checkpoint and the end of the run", "update runs set state = 'ended'"],
  ["between the end of the run and the intent to send", "insert into posts"],
  ["between the intent to send and its receipt", "insert into posts#2"],
] as const;

export function scenarios(createStage: () => Promise<Stage>): void {
  async function begin(script: Script, more?: Readonly<Record<string, unknown>>) {
    const setting = await createSetting(createStage, more);
    setting.models.script(script);
    const { stage, models } = setting;
    const ana = stage.person("Ana");
    return { setting, stage, models, ana };
  }

  describe("a message", () => {
    it("at first contact gets exactly one final reply", async () => {
      const { setting, stage, ana } = await begin(echo);
      await startHere(setting);
      ana.direct.say(ana, "hello");
      await until("the reply", () => textsOf(ana.direct).length === 1);
      expect(textsOf(ana.direct)[0]).toContain("You said: hello");
      expect(stage.violations()).toEqual([]);
    });

    it("DUP-03: that is delivered again is one run, also after a restart", async () => {
      const { setting, stage, models, ana } = await begin(echo);
      const program = await startHere(setting);
      ana.direct.say(ana, "hello");
      await until("the reply", () => textsOf(ana.direct).length === 1);
      stage.redeliver();
      await program.stop();
      await startHere(setting);
      stage.redeliver();
      ana.direct.say(ana, "second");
      await until("the second reply", () => textsOf(ana.direct).length === 2);
      expect(models.calls).toHaveLength(2);
    });

    it("that comes while the bot is busy is the next turn", async () => {
      const { setting, models, ana } = await begin(async (request) => ({ ...(await echo(request)), delayMs: 400 }));
      await startHere(setting);
      ana.direct.say(ana, "one");
      await until("the first call", () => models.calls.length === 1);
      ana.direct.say(ana, "two");
      await until("two replies", () => textsOf(ana.direct).length === 2);
      expect(textsOf(ana.direct).map((text) => text.split("\n")[0])).toEqual(["You said: one", "You said: two"]);
    });

    it("of two people in one thread: each turn has its own principal", async () => {
      const { setting, stage, ana } = await begin(echo);
      const bob = stage.person("Bob");
      const room = stage.room(ana, bob);
      await startHere(setting);
      room.say(ana, "one");
      await until("Ana's reply", () => room.posts().length === 1);
      room.say(bob, "two");
      await until("Bob's reply", () => room.posts().length === 2);
      const rows = query<{ name: string; thread: string }>(
        setting,
        "select persons.name, usage.thread from usage join persons on persons.id = usage.person order by usage.at",
      );
      expect(rows.map((row) => row.name)).toEqual(["Ana", "Bob"]);
      expect(new Set(rows.map((row) => row.thread)).size).toBe(1);
    });
  });

  describe("a question", () => {
    it("is continued by a press with exactly the offered value, and its buttons go", async () => {
      const { setting, stage, ana } = await begin(asks);
      await startHere(setting);
      ana.direct.say(ana, "paint it");
      const question = await until("the question", () => buttonsIn(ana.direct));
      expect(question.buttons).toEqual(["Deep Red", "Sky Blue"]);
      expect(await question.press(ana, "Sky Blue")).toBe("");
      await until("the reply", () => textsOf(ana.direct).some((text) => text.includes("Tool said")));
      const [asked, reply] = ana.direct.posts();
      expect(reply?.text).toContain('For your clarification "Which colour?", my answer is: Sky Blue');
      expect(asked?.buttons).toEqual([]);
      expect(asked?.text).toMatch(/Sky Blue[\s\S]*Ana|Ana[\s\S]*Sky Blue/);
      expect(stage.violations()).toEqual([]);
    });

    it("refuses a foreign and a second press privately", async () => {
      const { setting, stage, ana, models } = await begin(asks);
      const bob = stage.person("Bob");
      const room = stage.room(ana, bob);
      await startHere(setting);
      room.say(ana, "paint it");
      const question = await until("the question", () => buttonsIn(room));
      expect(await question.press(bob, "Sky Blue")).toContain("for Ana");
      expect(room.posts()).toHaveLength(1);
      // At once: a moment later its buttons are gone.
      const [, second] = await Promise.all([question.press(ana, "Deep Red"), question.press(ana, "Sky Blue")]);
      expect(second).toContain("already been answered");
      await until("the reply", () => textsOf(room).some((text) => text.includes("my answer is: Deep Red")));
      expect(models.calls).toHaveLength(2);
    });

    it("lets a colleague's words wait, says who is awaited, and takes them up afterwards", async () => {
      const { setting, stage, ana } = await begin((request) =>
        request.messages.some((one) => JSON.stringify(one).includes("make it green"))
          ? { content: "green it is" }
          : asks(request),
      );
      const bob = stage.person("Bob");
      const room = stage.room(ana, bob);
      await startHere(setting);
      room.say(ana, "paint it");
      const question = await until("the question", () => buttonsIn(room));
      room.say(bob, "make it green");
      await until("the notice", () => textsOf(room).some((text) => text.includes("waiting for an answer from Ana")));
      await question.press(ana, "Deep Red");
      await until("Bob's turn", () => textsOf(room).some((text) => text.includes("green it is")));
      const texts = textsOf(room);
      expect(texts.findIndex((text) => text.includes("Tool said"))).toBeLessThan(
        texts.findIndex((text) => text.includes("green it is")),
      );
    });

    it("BTN-04: still works after kill -9 and a restart", async () => {
      const { setting, models, ana } = await begin(asks);
      const first = await spawnProgram(setting);
      ana.direct.say(ana, "paint it");
      const question = await until("the question", () => buttonsIn(ana.direct));
      await first.kill();
      const second = await spawnProgram(setting);
      await question.press(ana, "Sky Blue");
      await until("the reply", () => textsOf(ana.direct).some((text) => text.includes("my answer is: Sky Blue")));
      await until("no buttons", () => ana.direct.posts().every((post) => post.buttons.length === 0));
      expect(ana.direct.posts()).toHaveLength(2);
      expect(models.calls).toHaveLength(2);
      await second.kill();
    });
  });

  describe("two tasks side by side", () => {
    it("are one progress message with the right models and tokens that grow to what the model server reported", async () => {
      const { setting, stage, models, ana } = await begin(delegates({ stepMs: 700, steps: 3 }));
      await startHere(setting);
      ana.direct.say(ana, "compare them");
      await until("card and reply", () => ended(ana.direct), 30_000);
      expect(ana.direct.posts()).toHaveLength(2);
      const card = cardOf(ana.direct);
      const states = [...(card?.before ?? []), card?.text ?? ""];
      expect(states.length).toBeGreaterThan(2);
      const last = states.at(-1) ?? "";
      expect(last).toMatch(/Look at apples[\s\S]*general-purpose · Big Model · 220 tokens/);
      expect(last).toMatch(/Look at pears[\s\S]*scout · Small Model · 220 tokens/);
      for (const topic of ["general-purpose", "scout"]) {
        const seen = states.flatMap(
          (state) => tokensIn(state.split("\n").find((line) => line.includes(topic)) ?? "") ?? [],
        );
        expect(seen).toEqual(seen.toSorted((a, b) => a - b));
        expect(new Set(seen).size).toBeGreaterThan(1);
      }
      const reported = Object.values(models.totals()).reduce((sum, { input, output }) => sum + input + output, 0);
      const [row] = query<{ total: number }>(setting, "select sum(total) as total from usage");
      expect(row?.total).toBe(reported);
      expect(tokensIn(last.split("\n")[0] ?? "")).toBeCloseTo(reported, -2);
      expect(replyOf(ana.direct)?.silent).toBe(false);
      expect(stage.violations()).toEqual([]);
    });

    it("end as cancelled within a second of /stop, with the tokens used so far, and with one notice", async () => {
      const { setting, ana, models } = await begin(delegates({ stepMs: 1500, steps: 20 }));
      await startHere(setting);
      ana.direct.say(ana, "compare them");
      await until("some tokens", () => /scout · Small Model · \d+ tokens/.test(cardOf(ana.direct)?.text ?? ""));
      const calls = models.calls.length;
      const asked = Date.now();
      ana.direct.say(ana, "/stop");
      await until(
        "the end of the run",
        () => query<{ n: number }>(setting, "select count(*) as n from runs where outcome = 'cancelled'")[0]?.n === 1,
      );
      expect(Date.now() - asked).toBeLessThan(1000);
      await until("the card", () => cardOf(ana.direct)?.text.includes("Cancelled"));
      expect(cardOf(ana.direct)?.text.match(/cancelled · \S+ · \S+ Model · \d+ tokens/g)).toHaveLength(2);
      expect(cardOf(ana.direct)?.buttons).toEqual([]);
      expect(textsOf(ana.direct).filter((text) => text.startsWith("Stopped"))).toHaveLength(1);
      expect(ana.direct.posts()).toHaveLength(2);
      expect(models.calls.length).toBe(calls);
    });

    it("go on inside the subagent after kill -9, in the same progress message, with one reply and every call counted", async () => {
      const { setting, models, ana } = await begin(delegates({ stepMs: 600, steps: 4 }));
      const first = await spawnProgram(setting);
      ana.direct.say(ana, "compare them");
      const counted = () => query<{ total: number }>(setting, "select total from usage").map((row) => row.total);
      await until("two counted steps of each subagent", () => counted().length >= 5);
      await first.kill();
      const before = [...models.calls];
      const kept = counted();
      // Asked for before the kill and not counted: one call of each subagent at most, by the server's ids.
      const unmatched = [...kept];
      const inFlight = before
        .filter(({ usage }) => {
          const at = unmatched.indexOf(usage ? usage.input + usage.output : -1);
          return at < 0 || unmatched.splice(at, 1).length === 0;
        })
        .map((call) => call.id);
      expect(inFlight.length, `in flight at the kill: ${inFlight.join(", ")}`).toBeLessThanOrEqual(2);
      expect(unmatched).toEqual([]);
      const leadCalls = () => models.calls.filter((call) => !isSubagent({ ...call, model: call.model })).length;
      expect(leadCalls()).toBe(1);
      await spawnProgram(setting);
      await until("card and reply", () => ended(ana.direct), 30_000);
      expect(ana.direct.posts()).toHaveLength(2);
      expect(leadCalls()).toBe(2);
      // Finished steps are not repeated: four a subagent, and what was in flight at the kill once more.
      expect(models.calls.length - leadCalls()).toBeLessThanOrEqual(8 + 2);
      const sum = (calls: readonly (typeof before)[number][]) =>
        calls.reduce((total, { usage }) => total + (usage ? usage.input + usage.output : 0), 0);
      const reported = models.calls.filter((call) => !inFlight.includes(call.id));
      expect(counted().reduce((total, one) => total + one, 0)).toBe(sum(reported));
      // Three steps and a report; once more 55 where a counted call's step had not been checkpointed and was repeated.
      expect(cardOf(ana.direct)?.text.match(/ · (275|330) tokens/g)).toHaveLength(2);
    });
  });

  describe("kill -9", () => {
    it("at any moment of a turn leaves one final reply after the restart", async () => {
      const { setting, stage, models } = await begin(echo);
      let program = await spawnProgram(setting);
      for (const [moment, statement] of MOMENTS) {
        const person = stage.person(moment);
        const calls = models.calls.length;
        await program.killAt(statement);
        person.direct.say(person, "hello");
        await program.exited;
        expect(program.child.signalCode, moment).toBe("SIGKILL");
        program = await spawnProgram(setting);
        const replies = () => person.direct.posts().filter((post) => !post.silent);
        await until(`the reply after a kill ${moment}`, () => replies().length >= 1);
        await until(
          "a quiet outbox",
          () => query<{ n: number }>(setting, "select count(*) as n from slots where settled = 0")[0]?.n === 0,
        );
        // Accepted, and the answer lost, where the platform cannot be searched: said again rather than lost.
        const again = moment.endsWith("its receipt") && !stage.searchable;
        expect(replies(), moment).toHaveLength(again ? 2 : 1);
        const asked = models.calls.length - calls;
        // Once more where the answer had come in the very moment of the kill, and was not on disk yet.
        expect(asked, moment).toBeLessThanOrEqual(2);
      }
      expect(query<{ n: number }>(setting, "select count(*) as n from runs")[0]?.n).toBe(MOMENTS.length);
    }, 60_000);
  });

  describe("a file", () => {
    it("that comes in is read, and one that the agent hands over arrives, once, also after kill -9 before it was sent", async () => {
      const { setting, ana, models } = await begin(copiesFile);
      const first = await spawnProgram(setting);
      await first.killAt("insert into slots#2");
      ana.direct.sendFile(ana, "list.txt", "milk and bread", "copy this");
      await first.exited;
      await spawnProgram(setting);
      await until("the reply", () => textsOf(ana.direct).some((text) => text.includes("Here is the copy.")), 30_000);
      await until("the file", () => ana.direct.posts().some((post) => post.file));
      const files = ana.direct.posts().flatMap((post) => post.file ?? []);
      expect(files).toEqual([{ name: "copy.txt", content: expect.stringContaining("milk and bread") }]);
      expect(models.calls[0]?.messages.some((one) => JSON.stringify(one).includes("/uploads/list.txt"))).toBe(true);
    });
  });

  describe("a long answer", () => {
    it("EDIT-03: with a 429 in the middle arrives whole, in order, once; other chats are not held", async () => {
      const paragraphs = Array.from(
        { length: 45 },
        (_, index) => `Paragraph ${index} ${"word ".repeat(35)}end${index}.`,
      );
      const { setting, stage, ana } = await begin((request) =>
        lastUserText(request).includes("long") ? { content: paragraphs.join("\n\n") } : echo(request),
      );
      const bob = stage.person("Bob");
      await startHere(setting);
      stage.fail("post", { retryAfter: 4, skip: 1 }, ana.direct);
      ana.direct.say(ana, "long please");
      await until("the first part", () => ana.direct.posts().length === 1);
      bob.direct.say(bob, "hello");
      await until("Bob's reply", () => bob.direct.posts().length === 1);
      expect(ana.direct.posts()).toHaveLength(1);
      await until("all parts", () => textsOf(ana.direct).join("").includes("end44"));
      const whole = textsOf(ana.direct).join("\n");
      expect(ana.direct.posts().length).toBeGreaterThanOrEqual(3);
      expect([...whole.matchAll(/end(\d+)\./g)].map((match) => Number(match[1]))).toEqual(
        paragraphs.map((_, index) => index),
      );
    });
  });
}
