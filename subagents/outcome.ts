/** How a task ends, in the words of the wire: the text the model reads and the metadata readers rely on. Pure. */
import { createHash } from "node:crypto";
import { ToolMessage } from "@langchain/core/messages";
import { SUBAGENT, type StopReason, type TerminalState, type Usage } from "./contract.ts";
import { head, tail } from "./cut.ts";
import { wireUsage } from "./usage.ts";

/** What a task came to. `capped`: a limit ended it. */
export interface Outcome {
  readonly state: TerminalState;
  readonly stopReason?: StopReason;
  /** Present when completed. */
  readonly result?: string;
  readonly error?: string;
}
export interface OutcomeDetails {
  readonly taskId: string;
  readonly modelName?: string;
  readonly usage?: Usage;
}

/** Contract A2: briefs and errors are bounded to 2000 characters. */
const BRIEF_CHARS = 2000;
const CAPS: Record<StopReason, string> = {
  token_capped: "token budget",
  turn_capped: "turn budget",
  loop_capped: "repeated tool-call loop",
};

/**
 * The result of a `task` call for the lead agent's history. Throws on a status or stop reason that the contract does not
 * know: a typo must not become missing metadata.
 */
export function outcomeMessage(outcome: Outcome, details: OutcomeDetails): ToolMessage {
  return new ToolMessage({
    content: outcomeText(outcome),
    tool_call_id: details.taskId,
    name: "task",
    status: outcome.state === "completed" ? "success" : "error",
    additional_kwargs: outcomeMetadata(outcome, details),
  });
}

/** Contract A6; display only, never parsed. */
export function outcomeText({ state, stopReason, result, error }: Outcome): string {
  const capped = stopReason ? ` (capped: ${CAPS[stopReason]})` : "";
  const because = error?.trim() ? ` Error: ${error.trim()}` : "";
  switch (state) {
    case "completed":
      return `Task Succeeded${capped}. Result: ${result ?? ""}`;
    case "failed":
      return `Task failed${capped}.${because}`;
    case "cancelled":
      return `Task cancelled by user.${because}`;
    case "timed_out":
      return `Task timed out.${because}`;
    case "polling_timed_out":
      return error?.trim() || "Task polling timed out.";
  }
}

/** Contract A2: every key but the status is optional. */
export function outcomeMetadata(outcome: Outcome, details: OutcomeDetails): Record<string, unknown> {
  const { state, stopReason, error } = outcome;
  known("status", state, SUBAGENT.statuses);
  if (stopReason) known("stop reason", stopReason, SUBAGENT.stopReasons);
  const { keys } = SUBAGENT;
  const result = state === "completed" && outcome.result?.trim() ? outcome.result : undefined;
  const failure = state === "completed" ? undefined : error?.trim();
  const modelName = details.modelName?.trim();
  return {
    [keys.status]: state,
    ...(stopReason && { [keys.stopReason]: stopReason }),
    ...(failure && { [keys.error]: head(failure, BRIEF_CHARS) }),
    ...(result && { [keys.resultBrief]: brief(result), [keys.resultSha256]: sha256(result) }),
    ...(modelName && { [keys.modelName]: modelName }),
    ...(details.usage && { [keys.tokenUsage]: wireUsage(details.usage) }),
  };
}

/** At most 2000 characters: the first two thirds, a gap, the tail. */
export function brief(text: string): string {
  if (text.length <= BRIEF_CHARS) return text;
  const gap = "\n...\n";
  const first = Math.floor((BRIEF_CHARS * 2) / 3);
  return head(text, first) + gap + tail(text, BRIEF_CHARS - first - gap.length);
}

function known(what: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw new Error(`Expected a subagent ${what} (${allowed.join(", ")}), got "${value}"`);
}
function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
