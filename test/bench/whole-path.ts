/**
 * The part of the benchmark that goes the whole way: loopback Telegram, bot, loopback model and back, each bot in a process
 * of its own. `echo`: telegraf and no agent, the floor. `plain`: telegraf, `createAgent` and the stock saver, what one
 * writes in an afternoon. `chat-sdk`: Vercel's Chat SDK with the same agent. `deepagents`: telegraf and `createDeepAgent`.
 * `ours`: the built program with only Telegram on. A turn is 200 characters, one tool call that reads a file of 2 KB (a
 * tool `lookup`; ours has its own `read_file`), an answer of 500 characters.
 *
 * How far to trust it. Bots take turns within one run, so ratios inside one row hold; under 1.5 times they are noise, and
 * figures of different runs are not to be compared. Platform and model live in this process and share the machine with the
 * bot that is measured; their part is the same for all. Peers are written as their documentation shows and ask for the
 * answer in one piece; ours streams the first one, and then leaves it, since this model is quicker than anybody reads.
 * Threads of more than one turn are seeded in one step and warmed by one real turn. Ours waits twice a turn until the disk
 * has flushed, the stock saver never, and the Chat SDK keeps its own state in memory. Needs Linux (/proc).
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Section } from "./measure.ts";
import { measureStartParts } from "./start-parts.ts";
import { measureBeside } from "./whole-path/beside.ts";
import { type LivesPlan, measureLives } from "./whole-path/lives.ts";
import { measurePoints } from "./whole-path/points.ts";
import type { StagePlan } from "./whole-path/chats.ts";
import { createStage, type Stage } from "./whole-path/stage.ts";

interface Plan {
  readonly lives: LivesPlan;
  readonly stage: StagePlan;
  readonly besideRounds: number;
}
const LONG: Plan = {
  lives: { rounds: 9, quietMs: 5000, threads: 100, turnsEach: 4 },
  stage: { rounds: 9, points: [1, 20, 100, 300] },
  besideRounds: 9,
};
const QUICK: Plan = {
  lives: { rounds: 1, quietMs: 1000, threads: 20, turnsEach: 2 },
  stage: { rounds: 3, points: [1, 20, 100] },
  besideRounds: 1,
};

export interface WholePathOptions {
  readonly quick: boolean;
  readonly log: (line: string) => void;
  /** The built command line; `npm run build` makes it. */
  readonly program?: string;
}

/** @throws Error when the program is not built, a bot does not start, or a turn outside the burst gets no answer. */
export async function measureWholePath(options: WholePathOptions): Promise<Section[]> {
  const program = path.resolve(options.program ?? "dist/gateway/cli.js");
  if (!existsSync(program)) throw new Error(`Expected the built program at ${program}; run npm run build first`);
  const { lives, stage: stagePlan, besideRounds } = options.quick ? QUICK : LONG;
  const folder = mkdtempSync(path.join(tmpdir(), "threadline-bench-"));
  const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const done = await work();
    options.log(`whole path: ${name}, ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return done;
  };
  try {
    const stage = await step("prepare threads", () => createStage(stagePlan, path.join(folder, "stage"), program));
    const side: Section[] = [];
    try {
      side.push(...(await step("message by message", () => measurePoints(stagePlan, stage))));
      side.push(await step("side by side", () => measureBeside({ ...stagePlan, rounds: besideRounds }, stage)));
      refuseWrongResults(stage);
    } finally {
      await stage.close();
    }
    const parts = await step("parts of a start", () => measureStartParts(program, lives.rounds));
    const whole = await step("whole lives", () => measureLives(lives, path.join(folder, "lives"), program));
    return [...side, ...parts, ...whole];
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A bot whose tool gave an error would be quick and prove nothing. */
function refuseWrongResults({ bots }: Stage): void {
  for (const { variant, model } of Object.values(bots)) {
    const [mark] = model.wrongResults;
    if (mark !== undefined)
      throw new Error(`Expected the tool of ${variant} to give its 2 KB in turn ${mark}, and it did not`);
  }
}
