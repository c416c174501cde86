/** What one part of a request asks for, once it is understood. */

import { pretty } from "./arithmetic.ts";

export type Job =
  | { readonly type: "calculate"; readonly expression: string }
  | { readonly type: "convert"; readonly amount: number; readonly from: string; readonly to?: string }
  /** No place: here. */
  | { readonly type: "time"; readonly place?: string }
  | { readonly type: "date"; readonly place?: string }
  /** A day in words (`in 90 days`), `2026-12-25` once it is resolved; so are the ends of `days`. */
  | { readonly type: "day"; readonly day: string }
  | { readonly type: "days"; readonly from: string; readonly to: string }
  | { readonly type: "search"; readonly query: string; readonly scope: Scope }
  | { readonly type: "describe"; readonly scope: Scope }
  /** None named: the files there are. */
  | { readonly type: "compare"; readonly names: readonly string[] }
  | { readonly type: "count"; readonly text: string }
  | { readonly type: "write"; readonly content: Content; readonly format?: Format }
  | { readonly type: "talk"; readonly about: Talk }
  | { readonly type: "unknown"; readonly text: string; readonly why?: string };
export type JobOf<Type extends Job["type"]> = Extract<Job, { type: Type }>;

/** Which files: whatever there is (asked for if that is several), all, those whose name has this in it, or just these. */
export type Scope =
  | { readonly type: "open" }
  | { readonly type: "all" }
  | { readonly type: "named"; readonly name: string }
  | { readonly type: "paths"; readonly paths: readonly string[] };
export type Talk = "greeting" | "thanks" | "goodbye" | "help" | "self";
export const FORMATS = ["md", "csv", "txt"] as const;
export type Format = (typeof FORMATS)[number];
export type Content =
  | { readonly type: "items"; readonly rows: readonly (readonly string[])[] }
  | { readonly type: "last_reply" };

/** The job in words that `understand` reads back as the same job: a task's card and a subagent's whole prompt. */
export function phrase(job: Job): string {
  switch (job.type) {
    case "calculate":
      return `Calculate ${pretty(job.expression)}`;
    case "convert":
      return `Convert ${job.amount} ${job.from}${job.to ? ` to ${job.to}` : ""}`;
    case "time":
      return job.place ? `What time is it in ${job.place}?` : "What time is it?";
    case "date":
      return job.place ? `What is the date in ${job.place}?` : "What is the date today?";
    case "day":
      return `What day is ${job.day}?`;
    case "days":
      return `How many days between ${job.from} and ${job.to}?`;
    case "search":
      return `Search for "${job.query}" in ${scopeWords(job.scope)}`;
    case "describe":
      return `Describe ${scopeWords(job.scope)}`;
    case "compare":
      return `Compare ${job.names.join(" and ") || "the files"}`;
    case "count":
      return `How many words are in: ${job.text}`;
    case "write":
      return `Write a ${job.format ?? ""} file`;
    case "talk":
      return job.about;
    case "unknown":
      return job.text;
  }
}

function scopeWords(scope: Scope): string {
  if (scope.type === "paths") return scope.paths.join(", ");
  if (scope.type === "named") return scope.name;
  return scope.type === "all" ? "all files" : "the file";
}
