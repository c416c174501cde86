/** The words of a progress message, the same on every platform; each adapter only sets them in its own type. */
import type { ProgressView, ViewOf } from "../../gateway/contract.ts";

type Task = ProgressView["tasks"][number];

export interface ProgressRow {
  readonly icon: string;
  /** What the icon says, for who does not see it. */
  readonly status: string;
  readonly title: string;
  /** The state in a word, where the icon does not say enough. */
  readonly word?: string;
  readonly tokens: string;
  /** `researcher · Claude Sonnet · 12.3k tokens · 8 s` */
  readonly details: string;
  readonly task: Task;
}
export interface ProgressText {
  /** `Working… · 14.0k tokens`: the run's total, lead agent and subagents, never added to the rows. */
  readonly heading: string;
  readonly rows: readonly ProgressRow[];
  readonly preview?: string;
  /** `Claude Sonnet · 12 s` */
  readonly footer: string;
}

const HEADINGS: Record<ProgressView["state"], string> = {
  working: "Working…",
  waiting: "Waiting for an answer",
  done: "Done",
  cancelled: "Cancelled",
  failed: "Failed",
};
/** `plain`: the icon says it well enough. */
const STATES: Record<Task["state"], { icon: string; word: string; plain?: true }> = {
  pending: { icon: "◌", word: "queued" },
  running: { icon: "⏳", word: "running", plain: true },
  completed: { icon: "✓", word: "done", plain: true },
  failed: { icon: "✗", word: "failed" },
  cancelled: { icon: "◼", word: "cancelled" },
  timed_out: { icon: "⏱", word: "timed out" },
  polling_timed_out: { icon: "⏱", word: "stopped answering" },
};

/** Of a task that a limit ended, with a result or without. */
const STOP_REASONS: Record<NonNullable<Task["stopReason"]>, string> = {
  token_capped: "token limit reached",
  turn_capped: "turn limit reached",
  loop_capped: "stopped in a loop",
};
const CAPPED_ICON = "◐";

export function progressText(view: ViewOf<"progress">): ProgressText {
  const tokens = view.tokens === undefined ? undefined : formatTokens(view.tokens);
  return {
    heading: listed([HEADINGS[view.state], tokens]),
    rows: view.tasks.map((task) => row(task, view.at)),
    ...(view.preview && { preview: view.preview }),
    footer: listed([view.model, formatElapsed(view.at - view.startedAt)]),
  };
}

/** `Claude Sonnet · 950 tokens`, below a reply. */
export function usageText({ model, tokens }: NonNullable<ViewOf<"reply">["usage"]>): string {
  return `${model} · ${formatTokens(tokens)}`;
}

function row(task: Task, at: number): ProgressRow {
  const { icon, word, plain } = STATES[task.state];
  const reason = task.stopReason && STOP_REASONS[task.stopReason];
  const words = listed([plain ? undefined : word, reason]) || undefined;
  const tokens = taskTokens(task);
  const elapsed = formatElapsed((task.endedAt ?? at) - task.startedAt);
  return {
    status: reason ? `${word}, ${reason}` : word,
    icon: reason && task.state === "completed" ? CAPPED_ICON : icon,
    title: task.label?.trim() || task.description.trim() || "Untitled task",
    ...(words && { word: words }),
    tokens,
    details: listed([words, task.subagent, task.model, tokens, elapsed]),
    task,
  };
}

export function listed(items: readonly (string | undefined)[]): string {
  return items.filter((one) => one !== undefined).join(" · ");
}

/** Never an invented 0: nothing finished yet is collecting, finished without a figure is unavailable. */
function taskTokens(task: Task): string {
  if (task.usage) return formatTokens(task.usage.total);
  const live = task.state === "pending" || task.state === "running";
  return live && task.calls === 0 ? "collecting…" : "tokens unavailable";
}

/** `1 token`, `950 tokens`, `12.3k tokens`, `1.2M tokens`. */
export function formatTokens(total: number): string {
  if (total === 1) return "1 token";
  if (total < 1000) return `${total} tokens`;
  if (total < 999_950) return `${(total / 1000).toFixed(1)}k tokens`;
  return `${(total / 1_000_000).toFixed(1)}M tokens`;
}

/** `0 s`, `59 s`, `2 min 05 s`, `1 h 02 min`. */
function formatElapsed(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}
