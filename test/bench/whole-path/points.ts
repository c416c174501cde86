/** One turn at message N of a thread: how long it takes, what it calls, and what it leaves on the disk. */
import { type Cell, cell, type Goal, type Row, type Section } from "../measure.ts";
import { type Bot, type Variant, VARIANTS } from "./bot.ts";
import type { StagePlan } from "./chats.ts";
import { type Cells, extreme, interleavedFigures } from "./figures.ts";
import type { Stage } from "./stage.ts";
import { calmTurn } from "./turn.ts";

type FigureName = "firstMs" | "finalMs" | "messages" | "typing" | "others" | "modelCalls" | "requestKb";
type Figures = Readonly<Record<FigureName, number>>;

interface Point {
  readonly point: string;
  readonly figures: (name: FigureName) => Cells;
  readonly diskKb: Cells;
}

export async function measurePoints({ rounds, points }: StagePlan, stage: Stage): Promise<Section[]> {
  const measured: Point[] = [];
  for (const point of points) measured.push(await measurePoint(point, rounds, stage));
  const common = { variants: VARIANTS, base: "plain" } as const;
  const rows = (name: FigureName): Row[] => measured.map(({ point, figures }) => ({ point, cells: figures(name) }));
  return [
    {
      ...common,
      title: "Event to final reply",
      unit: "ms",
      rows: rows("finalMs"),
      goals: ANSWER_GOALS,
    },
    { ...common, title: "Event to first outgoing call", unit: "ms", rows: rows("firstMs") },
    {
      ...common,
      title: "Disk a turn",
      unit: "KB",
      rows: measured
        .filter(({ diskKb }) => Object.keys(diskKb).length > 0)
        .map(({ point, diskKb }) => ({ point, cells: diskKb })),
      goals: [
        { row: "message 100", ...OURS, atMost: 0.012 },
        { row: "message 300", ...OURS, atMost: 0.004 },
      ],
      note: "Pages of the whole database, over all turns at this point. Ours holds inbox, outbox and usage too.",
    },
    callsSection(measured),
    {
      ...common,
      title: "Request to the model",
      unit: "KB",
      rows: rows("requestKb"),
      note: "The last one of a turn. deepagents summarises what is too long for its model: at message 300 it sends little.",
    },
  ];
}

const OURS = { of: "ours", against: "plain" } as const;
const ANSWER_GOALS: readonly Goal[] = [
  { row: "message 1", ...OURS, atMost: 1.3, aim: 1 },
  { row: "message 20", ...OURS, atMost: 0.7, aim: 0.5 },
  { row: "message 100", ...OURS, atMost: 0.25, aim: 0.15 },
  { row: "message 300", ...OURS, atMost: 0.1, aim: 0.06 },
];
/** What a turn asks of the platform, in the worst of all turns; and of the model, at each point. */
function callsSection(measured: readonly Point[]): Section {
  const all = (name: FigureName) => measured.map(({ figures }) => figures(name));
  const modelRows = measured.map(({ point, figures }) => ({
    point: `model calls, ${point}`,
    cells: figures("modelCalls"),
  }));
  return {
    title: "Calls a turn",
    unit: "calls",
    variants: VARIANTS,
    rows: [
      { point: "messages, at least", cells: extreme(all("messages"), Math.min) },
      { point: "messages, at most", cells: extreme(all("messages"), Math.max) },
      { point: "typing, at most", cells: extreme(all("typing"), Math.max) },
      { point: "other calls, at most", cells: extreme(all("others"), Math.max) },
      ...modelRows,
    ],
    goals: [
      { row: "messages, at least", of: "ours", atLeast: 1 },
      { row: "messages, at most", of: "ours", atMost: 1 },
      { row: "typing, at most", of: "ours", atMost: 1 },
      { row: "other calls, at most", of: "ours", atMost: 0 },
    ],
    note: "Of the turns above, in the fewest and the most of them; what asks for events is not counted.",
  };
}

async function measurePoint(point: number, rounds: number, stage: Stage): Promise<Point> {
  const sizeOf = (variant: Variant) => stage.bots[variant].databaseBytes();
  const before = VARIANTS.map(sizeOf);
  const turnsOf = (variant: Variant) => {
    let round = 0;
    return () => figuresOf(stage.bots[variant], stage.chats.at(point, round++));
  };
  const variants = Object.fromEntries(VARIANTS.map((variant) => [variant, turnsOf(variant)]));
  const figures = await interleavedFigures(rounds, variants);
  const grown = VARIANTS.map((variant, index): [Variant, Cell] => {
    const kb = (sizeOf(variant) - (before[index] ?? 0)) / rounds / 1024;
    return [variant, cell([kb])];
  });
  const diskKb = point < 100 ? {} : Object.fromEntries(grown.filter(([variant]) => variant !== "echo"));
  return { point: `message ${point}`, figures, diskKb };
}

async function figuresOf(bot: Bot, chat: number): Promise<Figures> {
  const [seen, asked] = [bot.telegram.outgoing.length, bot.model.calls];
  const taken = await calmTurn(bot, chat);
  const calls = bot.telegram.outgoing.slice(seen).filter((call) => call.chat === chat);
  const count = (method: string) => calls.filter((call) => call.method === method).length;
  const [messages, typing] = [count("sendMessage"), count("sendChatAction")];
  const { calls: answered, requestKb } = bot.model;
  const others = calls.length - messages - typing;
  return { ...taken, messages, typing, others, modelCalls: answered - asked, requestKb };
}
