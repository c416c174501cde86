/**
 * One YAML file and the environment → what the program runs with. Strict: every mistake is named with its key and what
 * to do, all of them at once, and no value is ever shown.
 */
import type { ModelSettings } from "../agent/contract.ts";
import type { DelegationLimits, SubagentSettings } from "../subagents/contract.ts";
import { missingSentence, resolveVariables, type Environment, type Missing } from "./config-environment.ts";
import {
  isTree,
  parsePlatforms,
  usualVariable,
  withUsualTokens,
  type PlatformConfig,
  type PlatformKind,
} from "./config-platforms.ts";
import { issueSentences, keysOf } from "./config-problems.ts";
import { fileSchema, type FileValues } from "./config-schema.ts";
import { readYaml } from "./config-yaml.ts";

export interface Config {
  /** As written; relative to the working directory. */
  readonly dataDir: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly logLevel: FileValues["log"]["level"];
  /** Undefined: none are listed, they are to be detected. */
  readonly models?: readonly ModelSettings[];
  /** Every registered kind, by its name. */
  readonly platforms: Readonly<Record<string, PlatformConfig>>;
  /** Undefined: questions do not expire. */
  readonly questionTtlMs?: number;
  readonly idleResetMs: number;
  readonly shutdownGraceMs: number;
  /** What is absent is kept without limit. */
  readonly retention: {
    readonly checkpointsPerThread?: number;
    readonly finishedThreadsMs?: number;
    readonly maxDbBytes?: number;
  };
  /** IANA name. */
  readonly timezone: string;
  readonly subagents: {
    readonly limits: DelegationLimits;
    /** Changes to built-in ones, by name. */
    readonly agents: Readonly<Record<string, Pick<SubagentSettings, "model" | "timeoutMs" | "maxTurns">>>;
    readonly custom: readonly SubagentSettings[];
  };
}

/** All that is wrong with a configuration, one sentence each, without any value. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? "a mistake" : `${problems.length} mistakes`}:\n  ${problems.join("\n  ")}`,
    );
    this.problems = problems;
  }
}

/**
 * `text`: the file, undefined when there is none. Throws `ConfigError` with every mistake at once.
 * Tokens and API keys that are not written are read from their usual variables (`TELEGRAM_BOT_TOKEN`,
 * `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`); a platform's that is not set means that the platform is not configured.
 */
export function parseConfig(text: string | undefined, env: Environment, kinds: readonly PlatformKind[]): Config {
  const yaml = readYaml(text ?? "");
  if (yaml.type === "malformed") throw new ConfigError(yaml.problems);
  if (!isTree(yaml.value)) throw new ConfigError(['the file: expected "key: value" lines; see config.example.yaml']);
  const { value, missing, problems, secrets, names } = resolveVariables(withUsualVariables(yaml.value, kinds), env);
  const found = [...problems, ...missing.filter((one) => isNeeded(one, value)).map(missingSentence)];

  const file = fileSchema.safeParse(value);
  const tree = isTree(value) && isTree(value["platforms"]) ? value["platforms"] : {};
  const platforms = parsePlatforms(tree, kinds, env);
  if (!file.success) {
    const keysAt = (at: readonly PropertyKey[]): readonly string[] => keysOf(fileSchema, at);
    found.push(...file.error.issues.flatMap((issue) => issueSentences(issue, [], keysAt)));
  } else found.push(...modelProblems(file.data));
  if (platforms.type === "wrong") found.push(...platforms.problems);
  if (found.length > 0 || !file.success || platforms.type === "wrong")
    throw new ConfigError(redacted(explained(found, names, kinds), secrets));
  return toConfig(file.data, platforms.value);
}

type Tree = Readonly<Record<string, unknown>>;

/** `platforms` and `models` with `$NAME` where a secret is not written. */
function withUsualVariables(file: Tree, kinds: readonly PlatformKind[]): Tree {
  const { platforms, models } = file;
  return {
    ...file,
    ...(isTree(platforms ?? {}) ? { platforms: withUsualTokens(isTree(platforms) ? platforms : {}, kinds) } : {}),
    ...(Array.isArray(models) ? { models: models.map(withUsualKey) } : {}),
  };
}

/** No key is sent to a server of another name unless it is written: `base_url` alone gets none. */
function withUsualKey(model: unknown): unknown {
  if (!isTree(model) || (model["api_key"] ?? model["base_url"] ?? undefined) !== undefined) return model;
  const provider = model["provider"];
  return provider === "anthropic" || provider === "openai"
    ? { ...model, api_key: `$${usualVariable(provider, "api_key")}` }
    : model;
}

/** A platform's usual variable may be unset; one that is off needs no secrets at all. */
function isNeeded({ path, name }: Missing, value: unknown): boolean {
  const [part, platform, key] = path;
  if (part !== "platforms" || platform === undefined || key === undefined) return true;
  const platforms = isTree(value) ? value["platforms"] : undefined;
  const own = isTree(platforms) ? platforms[platform] : undefined;
  return name !== usualVariable(platform, key) && !(isTree(own) && own["enabled"] === false);
}

/** Names that are there twice, and names that nobody has. */
function modelProblems(file: FileValues): readonly string[] {
  const names = (file.models ?? []).map((model) => model.name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) < index ? [`models[${index}].name: expected a name of its own, got one that is taken`] : [],
  );
  const { agents, custom } = file.subagents;
  const strangers = Object.entries({ agents, custom }).flatMap(([part, entries]) =>
    Object.entries(entries)
      .filter(([, settings]) => settings.model !== "inherit" && !names.includes(settings.model))
      .map(([name]) => `subagents.${part}.${name}.model: ${unknownModel(names)}`),
  );
  const builtIn = Object.keys(custom)
    .filter((name) => Object.hasOwn(agents, name))
    .map((name) => `subagents.custom.${name}: expected a name of its own, got a built-in one; change it under agents`);
  return [...twice, ...strangers, ...builtIn];
}

const unknownModel = (names: readonly string[]): string =>
  names.length === 0
    ? "expected inherit, got a name while no models are listed; list it under models"
    : `expected inherit or one of ${names.join(", ")}, got another name; list it under models`;

/** A key that does not exist matters more than what stands in it; where a value came from is said. */
function explained(
  found: readonly string[],
  names: ReadonlyMap<string, string>,
  kinds: readonly PlatformKind[],
): readonly string[] {
  const isUnknown = (problem: string): boolean => problem.includes(": unknown key");
  const first = firstOfEach([...found.filter(isUnknown), ...found.filter((problem) => !isUnknown(problem))]);
  return first.map((problem) => {
    const key = problem.replace(/: .*$/s, "");
    const name = names.get(key);
    if (name !== undefined) return problem.replace(":", ` (from $${name}):`);
    return kinds.some(({ platform }) => platform === key) ? `${problem}; ${key} belongs under platforms` : problem;
  });
}

/** The first sentence about a key: what follows is mostly the same mistake, seen by the next reader. */
const firstOfEach = (problems: readonly string[]): readonly string[] => {
  const keyOf = (problem: string): string => problem.replace(/(:| \(from ).*$/s, "");
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const before = seen.size;
    return seen.add(keyOf(problem)).size > before;
  });
};

/** A kind's schema may say more than it should: what is secret is cut out whatever happens. */
const redacted = (problems: readonly string[], secrets: readonly string[]): readonly string[] =>
  problems.map((problem) =>
    secrets
      .filter((secret) => secret.length >= 8)
      .reduce((text, secret) => text.replaceAll(secret, "[redacted]"), problem),
  );

function toConfig(file: FileValues, platforms: Config["platforms"]): Config {
  return {
    dataDir: file.data_dir,
    http: file.http,
    logLevel: file.log.level,
    ...(file.models === undefined || file.models.length === 0 ? {} : { models: file.models.map(toModel) }),
    platforms,
    ...(file.question_ttl !== undefined && { questionTtlMs: file.question_ttl }),
    idleResetMs: file.idle_reset,
    shutdownGraceMs: file.shutdown_grace,
    retention: toRetention(file.retention),
    timezone: file.timezone,
    subagents: toSubagents(file.subagents),
  };
}

function toSubagents({ agents, custom, ...all }: FileValues["subagents"]): Config["subagents"] {
  const choice = (settings: { model: string; timeout_seconds: number; max_turns: number }) => ({
    model: settings.model,
    timeoutMs: settings.timeout_seconds * 1000,
    maxTurns: all.max_turns ?? settings.max_turns,
  });
  return {
    limits: { perResponse: all.max_concurrent, perRun: all.max_per_run },
    agents: Object.fromEntries(Object.entries(agents).map(([name, settings]) => [name, choice(settings)])),
    custom: Object.entries(custom).map(([name, settings]) => ({
      name,
      description: settings.description,
      systemPrompt: settings.system_prompt,
      ...choice(settings),
      ...(settings.tools && { tools: settings.tools }),
      disallowedTools: settings.disallowed_tools,
    })),
  };
}

const DAY_MS = 24 * 3_600_000;

function toRetention({
  checkpoints_per_thread: checkpoints,
  finished_threads_days: days,
  max_db_mb: mb,
}: FileValues["retention"]) {
  return {
    ...(checkpoints !== undefined && { checkpointsPerThread: checkpoints }),
    ...(days !== undefined && { finishedThreadsMs: days * DAY_MS }),
    ...(mb !== undefined && { maxDbBytes: mb * 1_000_000 }),
  };
}

function toModel(model: NonNullable<FileValues["models"]>[number]): ModelSettings {
  return {
    name: model.name,
    provider: model.provider,
    model: model.model ?? "offline",
    ...(model.display_name === undefined ? {} : { displayName: model.display_name }),
    ...(model.api_key === undefined ? {} : { apiKey: model.api_key }),
    ...(model.base_url === undefined ? {} : { baseUrl: model.base_url }),
  };
}
