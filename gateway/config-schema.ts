/**
 * What may stand in the file: every key that does something in this version, its type and its default.
 */
import { z } from "zod";
import { LIMITS } from "../subagents/contract.ts";

const HOUR_MS = 3_600_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };

/** `24h`, `20s`, `500ms`, `7d` → ms. */
const duration = z
  .string({ error: "expected a duration such as 24h, 20s or 500ms; write a number and its unit" })
  .transform((text, context) => {
    const [, number, unit = ""] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(text) ?? [];
    const factor = UNIT_MS[unit];
    if (number !== undefined && factor !== undefined) return Number(number) * factor;
    context.addIssue("expected a duration such as 24h, 20s or 500ms; write a number and ms, s, m, h or d");
    return z.NEVER;
  });

const word = (label: string) =>
  z
    .string({ error: (issue) => (issue.input === undefined ? `expected ${label}, got nothing; write it` : undefined) })
    .min(1, `expected ${label}, got an empty text; write it`);

/** Ids of platforms; a number is taken as written while no digit of it can be lost. */
const WANTS_ID = 'expected an id; put a long number in "quotes", else digits of it are lost';
const id = z
  .union([z.string().min(1), z.number().refine(Number.isSafeInteger, WANTS_ID)], { error: WANTS_ID })
  .transform(String);
const ids = z.array(id).prefault([]);

/** Absent or empty: kept without limit. */
const limit = (number: z.ZodNumber) => number.optional();

const timezone = z.string().refine(isTimezone, "expected a time zone such as Europe/Berlin or UTC; use its IANA name");

const LOOPBACK = /^(localhost|127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}|::1)$/;
const http = z.strictObject({
  host: z
    .string()
    .regex(
      LOOPBACK,
      "expected 127.0.0.1, ::1 or localhost: the page is only for this machine; reach it through a tunnel",
    )
    .prefault("127.0.0.1"),
  port: z.int().min(0).max(65_535).prefault(8787),
});

const model = z
  .strictObject({
    name: word("a name to call this model by").refine(
      (name) => name !== "inherit",
      "expected another name: inherit has a meaning of its own",
    ),
    display_name: z.string().min(1).optional(),
    provider: z.enum(["anthropic", "openai", "ollama", "offline"]),
    model: word("the provider's id of the model").optional(),
    api_key: z.string().optional(),
    base_url: z
      .url({ protocol: /^https?$/, error: "expected a URL that begins with http:// or https://" })
      .transform((url) => url.replace(/\/+$/, ""))
      .optional(),
  })
  .superRefine((value, context) => {
    const needless = (["api_key", "base_url"] as const).filter((key) => value[key] !== undefined);
    if (value.provider === "offline") {
      for (const key of needless)
        context.addIssue({ code: "custom", path: [key], message: "offline needs none; remove it" });
    } else if (value.model === undefined) {
      context.addIssue({
        code: "custom",
        path: ["model"],
        message: "expected the provider's id of the model, got nothing",
      });
    }
  });

const WHOLE = "expected a whole number";
const TURNS = "expected a whole number of turns from 1 to 1000";
const timeoutSeconds = (fallback: number) => z.number().positive().max(86_400).prefault(fallback);
/** Contract A8: what lies outside is moved to the nearest that does not. */
const clamped = ({ usual, least, most }: { usual: number; least: number; most: number }) =>
  z
    .number({ error: WHOLE })
    .refine(Number.isInteger, WHOLE)
    .transform((number) => Math.min(most, Math.max(least, number)))
    .prefault(usual);
const maxTurns = z.int({ error: TURNS }).min(1, TURNS).max(1000, TURNS);
const toolNames = z.array(word("the name of a tool"));
const modelChoice = z.string().min(1).prefault("inherit");

/** Built-in subagents and the longest time each may take. */
const generalPurpose = z
  .strictObject({
    model: modelChoice,
    timeout_seconds: timeoutSeconds(1800),
    max_turns: maxTurns.prefault(LIMITS.turns.builtIn),
  })
  .prefault({});
const customSubagent = z.strictObject({
  description: word("when to use this subagent"),
  system_prompt: word("what this subagent is told"),
  model: modelChoice,
  timeout_seconds: timeoutSeconds(900),
  max_turns: maxTurns.prefault(LIMITS.turns.custom),
  /** Absent: all that the lead agent has; never more than those. */
  tools: toolNames.optional(),
  disallowed_tools: toolNames.prefault([]),
});
const subagentName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, "expected a name of a-z, 0-9 and -");

const COUNT = "expected how many to keep, a whole number such as 20; leave it empty to keep all";
const DAYS = "expected a number of days, such as 30; leave it empty to keep threads for ever";
const MEGABYTES = "expected a number of megabytes of at least 1, such as 2000; leave it empty for no limit";

export const fileSchema = z.strictObject({
  data_dir: word("a folder").prefault("./data"),
  http: http.prefault({}),
  log: z
    .strictObject({ level: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).prefault("info") })
    .prefault({}),
  models: z.array(model).optional(),
  /** Each platform's own part is read by its kind's schema. */
  platforms: z.record(z.string(), z.unknown()).prefault({}),
  /** Absent or empty: questions do not expire. */
  question_ttl: duration.refine((ms) => ms > 0, "expected some time; leave it empty for none").optional(),
  idle_reset: duration.prefault("24h"),
  // A timer takes at most 2^31 - 1 ms and fires at once beyond.
  shutdown_grace: duration.refine((ms) => ms <= HOUR_MS, "expected at most 1h; write a shorter time").prefault("20s"),
  retention: z
    .strictObject({
      checkpoints_per_thread: limit(z.int({ error: COUNT }).min(1, COUNT).max(1_000_000, COUNT)),
      finished_threads_days: limit(z.number({ error: DAYS }).positive(DAYS).max(36_500, DAYS)),
      max_db_mb: limit(z.number({ error: MEGABYTES }).min(1, MEGABYTES).max(100_000_000, MEGABYTES)),
    })
    .prefault({}),
  timezone: timezone.prefault(() => Intl.DateTimeFormat().resolvedOptions().timeZone),
  subagents: z
    .strictObject({
      max_concurrent: clamped(LIMITS.perResponse),
      max_per_run: clamped(LIMITS.perRun),
      /** Set: holds for all of them. */
      max_turns: maxTurns.optional(),
      agents: z.strictObject({ "general-purpose": generalPurpose }).prefault({}),
      custom: z.record(subagentName, customSubagent).prefault({}),
    })
    .prefault({}),
});
export type FileValues = z.infer<typeof fileSchema>;

const enabled = z
  .literal(["auto", true, false], { error: "expected auto, true or false (yes and no are no words of YAML 1.2)" })
  .prefault("auto");

/** Keys that every platform has. */
export const commonSchema = z.strictObject({
  enabled,
  access: z
    .strictObject({
      /** Absent: the platform's own. */
      mode: z.enum(["open", "workspace", "approved", "allowlist"]).optional(),
      places: ids,
      users: ids,
      admins: ids,
    })
    .prefault({}),
  follow: z.enum(["thread", "mention"]).prefault("thread"),
  answerers: z
    .union([z.enum(["asker", "anyone"]), z.array(id)], { error: "expected asker, anyone or a list of user ids" })
    .prefault("asker"),
});
export type CommonValues = z.infer<typeof commonSchema>;

/** On a platform whose every visitor is its owner there is nobody to let in or to keep out. */
export const ownedSchema = z.strictObject({ enabled });

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}
