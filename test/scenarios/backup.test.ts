/** Backups of a program that is answering people, and what comes out of them. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { openDatabase } from "../../store/database.ts";
import { tempFolder, until } from "../helpers.ts";
import { lastUserText, toolResults } from "../wire/model-script.ts";
import { createSetting, query, type Setting, spawnProgram, startHere } from "./program.ts";
import type { Script } from "./scripts.ts";
import type { Person } from "./stage.ts";
import { createTelegramStage } from "./telegram-stage.ts";

const run = promisify(execFile);

/** Says which request it is and how the first one began; copies the file of a request that has one. */
const remembers: Script = (request) => {
  const said = request.messages.filter(({ role }) => role === "user").map((message) => JSON.stringify(message.content));
  const results = toolResults(request);
  const [read] = results;
  if (lastUserText(request).includes("list.txt")) {
    const output = `/outputs/copy-${said.length}.txt`;
    if (!read) return { toolCalls: [{ name: "read_file", args: { path: "/uploads/list.txt" } }] };
    if (results.length === 1)
      return { toolCalls: [{ name: "write_file", args: { path: output, content: read.text } }] };
    if (results.length === 2) return { toolCalls: [{ name: "present_files", args: { paths: [output] } }] };
  }
  const first = /first word (\w+)/.exec(said[0] ?? "")?.[1] ?? "nothing";
  const number = /number (\d+)/.exec(lastUserText(request))?.[1] ?? "?";
  return { content: `answer ${number}; it began with ${first}`, delayMs: 20 };
};

/** Talks without a pause until told to stop; every fifth request brings a file. */
function talk(person: Person) {
  const { direct } = person;
  const said: number[] = [];
  let stopped = false;
  const answered = (number: number) =>
    direct.posts().filter((post) => post.text.startsWith(`answer ${number};`)).length;
  const loop = async () => {
    for (let number = 1; !stopped; number += 1) {
      const text = `first word ${person.name.toLowerCase()}, number ${number}`;
      if (number % 5 === 0) direct.sendFile(person, "list.txt", `list ${number}`, `${text}, with list.txt`);
      else direct.say(person, text);
      said.push(number);
      await until(`answer ${number} for ${person.name}`, () => answered(number) > 0);
    }
  };
  const talking = loop();
  return {
    said,
    answered,
    async stop() {
      stopped = true;
      await talking;
    },
  };
}

/** Every file that a row of the copy names, as it lies in this data folder. */
function namedFiles(data: string): string[] {
  const db = new Database(path.join(data, "threadline.db"), { readonly: true });
  const uploads = db
    .prepare<[], string>(
      `select 'threads/' || thread || (file.value ->> '$.path') from inbox, json_each(files) as file
       where file.value ->> '$.type' = 'stored'`,
    )
    .pluck()
    .all();
  const outputs = db
    .prepare<[], string>("select view ->> '$.path' from slots where view ->> '$.type' = 'file'")
    .pluck()
    .all();
  db.close();
  return [...uploads, ...outputs.map((file) => file.slice(file.lastIndexOf("/data/threads/") + "/data/".length))];
}

async function backup(setting: Setting, name: string) {
  const accepted = query<{ id: string }>(setting, "select id from inbox").map(({ id }) => id);
  const file = path.join(setting.folder, name);
  const config = path.join(setting.folder, "config.yaml");
  const { stdout } = await run("npm", ["run", "--silent", "backup", "--", file, "--config", config]);
  return { accepted, file, stdout };
}

/** `mkdir -m 700 data`, `tar -xzf FILE -C data`. */
async function restore(setting: Setting, file: string): Promise<Setting> {
  const folder = tempFolder();
  const data = path.join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  await run("tar", ["-xzf", file, "-C", data]);
  return { ...setting, folder, yaml: setting.yaml.replace(path.join(setting.folder, "data"), data) };
}

it("backups of a busy program disturb nothing, and each of them opens, is whole and goes on in every thread", async () => {
  const setting = await createSetting(createTelegramStage);
  const { stage, models } = setting;
  models.script(remembers);
  const program = await spawnProgram(setting);
  const people = ["Ana", "Bob", "Cem"].map((name) => stage.person(name));
  const talks = people.map(talk);
  await until("some answers", () => talks.every(({ said }) => said.length > 6));
  const backups = [];
  for (const name of ["one.tar.gz", "two.tar.gz"]) backups.push(await backup(setting, name));
  await Promise.all(talks.map((one) => one.stop()));

  // The program: nothing lost, nothing twice, no failed run.
  for (const { said, answered } of talks) for (const number of said) expect(answered(number)).toBe(1);
  expect(query(setting, "select distinct outcome from runs")).toEqual([{ outcome: "done" }]);
  expect(program.lines.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  expect(stage.violations()).toEqual([]);
  await program.kill();

  for (const { accepted, file, stdout } of backups) {
    expect(stdout).toMatch(/\.tar\.gz holds 3 threads and \d+ files in \d+ bytes\n$/);
    const restored = await restore(setting, file);
    const data = path.join(restored.folder, "data");
    for (const name of readdirSync(data, { recursive: true, encoding: "utf8" }))
      expect(statSync(path.join(data, name)).mode & 0o077).toBe(0);
    const named = namedFiles(data);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => !existsSync(path.join(data, name)))).toEqual([]);
    const db = openDatabase(path.join(data, "threadline.db"));
    expect(db.pragma("integrity_check", { simple: true })).toBe("ok");
    expect(db.pragma("foreign_key_check")).toEqual([]);
    db.close();
    const ids = new Set(query<{ id: string }>(restored, "select id from inbox").map(({ id }) => id));
    expect(accepted.length).toBeGreaterThan(15);
    expect(accepted.filter((id) => !ids.has(id))).toEqual([]);

    const again = await startHere(restored);
    const number = 1000 + backups.findIndex((one) => one.file === file);
    for (const person of people) person.direct.say(person, `number ${number}: how did it begin?`);
    for (const person of people)
      await until(`${person.name} is remembered`, () =>
        person.direct
          .posts()
          .some(({ text }) => text.startsWith(`answer ${number}; it began with ${person.name.toLowerCase()}`)),
      );
    expect(query(restored, "select outcome from runs where state = 'ended' and outcome <> 'done'")).toEqual([]);
    await again.stop();
  }
}, 120_000);

it("without a running program it works too, and one that cannot be made ends in one sentence and exit code 1", async () => {
  const setting = await createSetting(createTelegramStage);
  writeFileSync(path.join(setting.folder, "config.yaml"), setting.yaml);
  mkdirSync(path.join(setting.folder, "data"), { mode: 0o700 });
  openDatabase(path.join(setting.folder, "data", "threadline.db")).close();
  const { file, stdout } = await backup(setting, "one.tar.gz");
  expect(stdout).toMatch(/holds 0 threads and 0 files in \d+ bytes/);
  await expect(backup(setting, "one.tar.gz")).rejects.toMatchObject({
    code: 1,
    stderr: `${file} is there already; remove it, or name another file\n`,
  });
});
