/**
 * What a cold start and idle memory are made of, with every platform on: the parts of the built program are loaded one after
 * the other, in the order of a start, in a process that has loaded those before. A part's share is what it adds.
 */
import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { cell, type Section } from "./measure.ts";

const PARTS: readonly (readonly [part: string, modules: readonly string[]])[] = [
  ["configuration and gateway", ["gateway/main.js"]],
  ["agent: LangChain, LangGraph, prompt, tools", ["agent/lead-agent.js", "agent/models/models.js"]],
  ["checkpointer", ["store/checkpointer.js", "store/earlier-checkpoints.js"]],
  ["metrics: prom-client", ["gateway/metrics-prometheus.js"]],
  // No file of its own: it is loaded as the first call of a model loads it.
  ["model client: @langchain/openai", []],
  ["Slack: @slack/bolt", ["adapters/slack/wired.js"]],
  ["Discord: discord.js", ["adapters/discord/wired.js"]],
  ["Telegram: telegraf", ["adapters/telegram/wired.js"]],
  ["local page", ["adapters/web/wired.js"]],
];
const run = promisify(execFile);

/** Printed by the process under test, after each part: ms since it was spawned, resident MB. */
type Mark = readonly [ms: number, megabytes: number];

async function oneStart(dist: string): Promise<readonly Mark[]> {
  const steps = PARTS.map(([, modules]) => modules.map((name) => path.join(dist, name)));
  const script = `
    const marks = [];
    const mark = () => marks.push([Date.now() - ${Date.now()}, process.memoryUsage.rss() / 1e6]);
    mark();
    for (const modules of ${JSON.stringify(steps)}) {
      for (const name of modules) await import(name);
      if (modules.length === 0) {
        const { createModels } = await import(${JSON.stringify(path.join(dist, "agent/models/models.js"))});
        await createModels([{ name: "m", provider: "openai", model: "m", apiKey: "none" }]).get();
      }
      mark();
    }
    console.log(JSON.stringify(marks));`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: path.dirname(dist) });
  return JSON.parse(stdout) as Mark[]; // boundary: printed by the script above
}

/** `program` is the built command line. */
export async function measureStartParts(program: string, rounds: number): Promise<Section[]> {
  const dist = path.dirname(path.dirname(program));
  const starts: (readonly Mark[])[] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await oneStart(dist));
  const names = ["node itself", ...PARTS.map(([part]) => part)];
  const section = (title: string, unit: string, figure: 0 | 1): Section => ({
    title,
    unit,
    variants: ["added", "so far"],
    rows: names.map((point, index) => {
      const soFar = starts.map((marks) => marks[index]?.[figure] ?? 0);
      const added = soFar.map((one, start) => one - (index === 0 ? 0 : (starts[start]?.[index - 1]?.[figure] ?? 0)));
      return { point, cells: { added: cell(added), "so far": cell(soFar) } };
    }),
  });
  return [
    section("What a cold start is made of, all platforms on", "ms", 0),
    section("What idle memory is made of, all platforms on", "MB", 1),
  ];
}
