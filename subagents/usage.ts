/** Token counts as providers report them, made one: the only place that reads a provider's usage. */
import type { Usage } from "./contract.ts";

/**
 * LangChain's `usage_metadata` as our `Usage`; undefined when the provider gave none.
 *
 * Rule (contract A4): the three keys must be integers >= 0 that a number holds exactly (no booleans, strings, NaN,
 * fractions), else it is absent. A total of 0 falls back to input + output; still 0 is absent. Cache and reasoning figures
 * are kept only above 0.
 */
export function normaliseUsage(reported: unknown): Usage | undefined {
  if (!isRecord(reported)) return undefined;
  const { input_tokens: input, output_tokens: output, total_tokens: reportedTotal } = reported;
  if (!isCount(input) || !isCount(output) || !isCount(reportedTotal)) return undefined;
  const total = reportedTotal > 0 ? reportedTotal : input + output;
  if (total === 0 || !isCount(total)) return undefined;
  const cacheRead = detail(reported["input_token_details"], "cache_read");
  const reasoning = detail(reported["output_token_details"], "reasoning");
  return { input, output, total, ...(cacheRead && { cacheRead }), ...(reasoning && { reasoning }) };
}

/**
 * One call's usage out of what its stream has reported so far. Providers report cumulatively: several chunks that each
 * repeat the input are not a sum (the largest counts), and a provider that reports the input first and the output later
 * is merged field by field.
 */
export function mergeReports(earlier: Usage | undefined, later: Usage): Usage {
  if (!earlier) return later;
  const input = Math.max(earlier.input, later.input);
  const output = Math.max(earlier.output, later.output);
  const cacheRead = Math.max(earlier.cacheRead ?? 0, later.cacheRead ?? 0);
  const reasoning = Math.max(earlier.reasoning ?? 0, later.reasoning ?? 0);
  const total = Math.max(earlier.total, later.total, input + output);
  return { input, output, total, ...(cacheRead && { cacheRead }), ...(reasoning && { reasoning }) };
}

/** The three keys of contract A2 and A3. */
export interface WireUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
}
export function wireUsage(usage: Usage): WireUsage {
  return { input_tokens: usage.input, output_tokens: usage.output, total_tokens: usage.total };
}

function detail(details: unknown, key: string): number | undefined {
  const value = isRecord(details) ? details[key] : undefined;
  return isCount(value) && value > 0 ? value : undefined;
}
function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
