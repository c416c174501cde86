/** Many people who each write to the bot in a thread of their own, wait for the answer, and write again. */
import { setTimeout as sleep } from "node:timers/promises";
import { lastUserText } from "../wire/model-script.ts";
import { type Script, works } from "./scripts.ts";
import type { Person, Stage } from "./stage.ts";

export interface Asked {
  readonly id: string;
  readonly stage: Stage;
  readonly person: Person;
  readonly at: number;
  answeredAt?: number;
}
export interface Crowd {
  readonly asked: readonly Asked[];
  /** Nobody writes for a while: where an event that is under way when a process dies is lost by the platform itself. */
  hush(quiet: boolean): void;
  /** Nobody writes any more; resolves when all have been answered, or when this time is over. */
  end(patienceMs: number): Promise<void>;
}

const LONG = "Some words that make the answer long enough for several messages. ".repeat(90);
/** Between an answer and the next message of the same person, ms. */
const PAUSE_MS = 60_000;
const LOOK_MS = 250;

/** An answer names its question at its beginning and at its end. One in ten is long, one in five has a task before it. */
export const answersAll: Script = (request) => {
  const id = /\bq\w+z\b/.exec(lastUserText(request))?.[0] ?? "";
  const number = Number(id.replace(/\D/g, ""));
  const reply = `First of ${id}. ${number % 10 === 0 ? LONG : ""}Last of ${id}.`;
  const script =
    number % 5 === 1 ? works({ updates: 2, everyMs: 300, silentMs: 300, reply }) : () => ({ content: reply });
  return script(request);
};

export function gather(stages: readonly Stage[], perStage: number): Crowd {
  const asked: Asked[] = [];
  const pending = new Map<Person, Asked>();
  let over = false;
  let quiet = false;
  const timers = new Set<NodeJS.Timeout>();

  function later(stage: Stage, person: Person, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (over) return;
      if (quiet && stage.platform === "discord") return later(stage, person, 1000);
      const one: Asked = { id: `q${asked.length}z`, stage, person, at: Date.now() };
      asked.push(one);
      pending.set(person, one);
      person.direct.say(person, `please answer ${one.id}`);
    }, ms);
    timers.add(timer);
  }

  const looking = setInterval(() => {
    for (const [person, one] of pending) {
      if (!person.direct.posts().some(({ text }) => text.includes(`Last of ${one.id}.`))) continue;
      one.answeredAt = Date.now();
      pending.delete(person);
      later(one.stage, person, Math.random() * 2 * PAUSE_MS);
    }
  }, LOOK_MS);

  for (const stage of stages)
    for (let at = 0; at < perStage; at += 1) later(stage, stage.person(`P${at}`), Math.random() * PAUSE_MS);

  return {
    asked,
    hush: (next) => void (quiet = next),
    async end(patienceMs) {
      over = true;
      for (const timer of timers) clearTimeout(timer);
      const until = Date.now() + patienceMs;
      while (pending.size > 0 && Date.now() < until) await sleep(LOOK_MS);
      clearInterval(looking);
    },
  };
}
