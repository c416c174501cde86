/**
 * The rows of a progress message, from the most generous drawing to the tightest: two lines a task, one line, what has
 * ended well summed into one line for each state and model. What is queued, runs, failed or ran out of time keeps a row of
 * its own for as long as any drawing has room for it.
 */
import { shorten } from "./graphemes.ts";
import { formatTokens, listed, type ProgressRow } from "./progress-text.ts";
import { italic, plain } from "./spans.ts";
import type { Span } from "./spans.ts";

export interface Drawing {
  /** What of a task is said below or behind its title. */
  readonly says: "all" | "model" | "tokens" | "nothing";
  /** The longest title, in UTF-16 units. */
  readonly title: number;
  /** Which tasks are summed. */
  readonly summed: "none" | "ended_well" | "all";
}

/** The first one that fits is taken; the last one has at most a line for each state. */
export const DRAWINGS: readonly Drawing[] = [
  { says: "all", title: 200, summed: "none" },
  { says: "all", title: 80, summed: "none" },
  { says: "model", title: 60, summed: "none" },
  { says: "model", title: 30, summed: "none" },
  { says: "tokens", title: 40, summed: "none" },
  { says: "tokens", title: 16, summed: "none" },
  { says: "all", title: 80, summed: "ended_well" },
  { says: "model", title: 60, summed: "ended_well" },
  { says: "model", title: 30, summed: "ended_well" },
  { says: "tokens", title: 30, summed: "ended_well" },
  { says: "tokens", title: 12, summed: "ended_well" },
  { says: "nothing", title: 24, summed: "ended_well" },
  { says: "nothing", title: 12, summed: "ended_well" },
  { says: "nothing", title: 8, summed: "ended_well" },
  { says: "nothing", title: 0, summed: "all" },
];
const DETAILS_LENGTH = 120;
const MODEL_LENGTH = 24;
/** More lines than this are summed by state alone. */
const MOST_SUMS = 5;

export function drawRows(rows: readonly ProgressRow[], drawing: Drawing): Span[][] {
  const isSummed = ({ task }: ProgressRow) =>
    drawing.summed === "all" || (drawing.summed === "ended_well" && endedWell(task.state));
  const own = rows.filter((row) => !isSummed(row)).map((row) => drawRow(row, drawing));
  return [...sums(rows.filter(isSummed)).map((line) => [plain(line)]), ...own];
}

const endedWell = (state: ProgressRow["task"]["state"]): boolean => state === "completed" || state === "cancelled";

function drawRow(row: ProgressRow, { says, title }: Drawing): Span[] {
  const name = `${row.icon} ${shorten(oneLine(row.title), title)}`;
  const model = modelName(row);
  switch (says) {
    case "all":
      return [plain(`${name}\n`), italic(shorten(oneLine(row.details), DETAILS_LENGTH))];
    case "model":
      return [plain(listed([name, row.word, model, row.tokens]))];
    case "tokens":
      return [plain(listed([name, row.word, row.tokens]))];
    case "nothing":
      return [plain(name)];
  }
}

/** `✓ 46 done · Claude Sonnet · 568.0k tokens` */
function sums(rows: readonly ProgressRow[]): string[] {
  const byModel = grouped(rows, ({ status, task }) => `${status}\n${task.model}`);
  const groups = byModel.length <= MOST_SUMS ? byModel : grouped(rows, ({ status }) => status);
  return groups.flatMap((group) => sum(group));
}

function grouped(rows: readonly ProgressRow[], key: (row: ProgressRow) => string): (readonly ProgressRow[])[] {
  const groups = new Map<string, ProgressRow[]>();
  for (const row of rows) {
    const group = groups.get(key(row)) ?? [];
    groups.set(key(row), group);
    group.push(row);
  }
  return [...groups.values()];
}

function sum(rows: readonly ProgressRow[]): string[] {
  const [first] = rows;
  if (!first) return [];
  const models = new Set(rows.map(({ task }) => task.model));
  const used = rows.flatMap(({ task }) => task.usage?.total ?? []);
  const tokens = used.length > 0 ? formatTokens(used.reduce((total, one) => total + one, 0)) : first.tokens;
  const model = models.size === 1 ? modelName(first) : `${models.size} models`;
  return [listed([`${first.icon} ${rows.length} ${first.status}`, model, tokens])];
}

const modelName = ({ task }: ProgressRow): string => shorten(oneLine(task.model), MODEL_LENGTH);
const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();
