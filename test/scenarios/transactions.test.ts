/** What a turn costs the disk: each transaction is a flush. */
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { toolResults } from "../wire/model-script.ts";
import { until } from "../helpers.ts";
import { createSetting, startHere } from "./program.ts";
import { echo, type Script } from "./scripts.ts";
import { createTelegramStage } from "./telegram-stage.ts";

/** One tool, then an answer. */
const looksUp: Script = (request) =>
  toolResults(request).length > 0 ? { content: "Nothing there." } : { toolCalls: [{ name: "list_files", args: {} }] };

/** Counts what is committed from now on, by any connection of this process, until the test ends. */
function countTransactions(): () => number {
  const original = Object.getOwnPropertyDescriptor(Database.prototype, "prepare");
  const prepare = original?.value as typeof Database.prototype.prepare;
  if (!original) throw new Error("expected better-sqlite3 to have a method prepare");
  let committed = 0;
  Database.prototype.prepare = function (this: Database.Database, sql: string) {
    const statement = Reflect.apply(prepare, this, [sql]) as Database.Statement<unknown[]>;
    const run = statement.run.bind(statement);
    statement.run = (...parameters: unknown[]) => {
      const alone = !this.inTransaction;
      const changes = run(...parameters);
      if (alone && !this.inTransaction) committed += 1;
      if (sql === "commit") committed += 1;
      return changes;
    };
    return statement;
  } as typeof prepare;
  onTestFinished(() => void Object.defineProperty(Database.prototype, "prepare", original));
  return () => committed;
}

describe("a turn", () => {
  it.each([
    { turn: "with one tool call", script: looksUp, most: 6 },
    { turn: "without tools", script: echo, most: 4 },
  ])("$turn is at most $most transactions: inbox, checkpoints, usage and outbox together", async ({ script, most }) => {
    const count = countTransactions();
    const setting = await createSetting(createTelegramStage);
    setting.models.script(script);
    const ana = setting.stage.person("Ana");
    await startHere(setting);
    const turn = async (number: number) => {
      ana.direct.say(ana, "anything?");
      await until("the reply", () => ana.direct.posts().length === number);
      await new Promise((resolve) => setTimeout(resolve, 200));
    };
    await turn(1);
    const before = count();
    await turn(2);
    expect(count() - before).toBeLessThanOrEqual(most);
  });
});
