/**
 * The part of the file under `platforms`: what every platform has, and what each kind reads for itself.
 */
import type { z } from "zod";
import type { Access } from "./access.ts";
import type { Environment } from "./config-environment.ts";
import type { AccessKind, IdShape } from "./contract.ts";
import { issueSentences, keysOf, unknownKey } from "./config-problems.ts";
import { commonSchema, ownedSchema, type CommonValues } from "./config-schema.ts";

/** What is read of an `AdapterKind`; a list may hold kinds with different settings. */
export interface PlatformKind {
  readonly platform: string;
  readonly config: z.ZodType;
  readonly access: "owner" | AccessKind;
  readonly configured: (config: never) => boolean;
}

export interface PlatformConfig {
  readonly enabled: boolean;
  /** Why it is off although nobody said so; `partly`: something of what it needs is there. */
  readonly unset?: { readonly text: string; readonly partly: boolean };
  /** As the kind's own schema gave it. */
  readonly settings: unknown;
  readonly access: Access;
  /** `mention`: in threads of several people each message needs a mention. */
  readonly follow: CommonValues["follow"];
  readonly answerers: "asker" | "anyone" | readonly string[];
}

export type Parsed<T> =
  | { readonly type: "ok"; readonly value: T }
  | { readonly type: "wrong"; readonly problems: readonly string[] };

type Tree = Readonly<Record<string, unknown>>;
export const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `platforms.telegram.bot_token` → `TELEGRAM_BOT_TOKEN`: where a token is looked for when nothing is written. */
export const usualVariable = (platform: string, key: string): string => `${platform}_${key}`.toUpperCase();

/** Keys of a kind that are read from their usual variables. */
const tokenKeys = (kind: PlatformKind): readonly string[] =>
  keysOf(kind.config, []).filter((key) => key.endsWith("_token"));

/** Writes `$TELEGRAM_BOT_TOKEN` where a token is not written; a platform of a wrong type stays as it is. */
export function withUsualTokens(platforms: Tree, kinds: readonly PlatformKind[]): Tree {
  const filled = kinds.map((kind) => {
    const raw = platforms[kind.platform] ?? {};
    const tokens = tokenKeys(kind).map((key) => [key, `$${usualVariable(kind.platform, key)}`]);
    const written = isTree(raw) ? Object.entries(raw).filter(([, value]) => value !== null) : [];
    return [kind.platform, isTree(raw) ? { ...Object.fromEntries(tokens), ...Object.fromEntries(written) } : raw];
  });
  return { ...platforms, ...Object.fromEntries(filled) };
}

/** Reads the resolved tree. Every registered kind is in the result, also one that is off. */
export function parsePlatforms(
  platforms: Tree,
  kinds: readonly PlatformKind[],
  env: Environment,
): Parsed<Readonly<Record<string, PlatformConfig>>> {
  const names = kinds.map((kind) => kind.platform);
  const strangers = Object.keys(platforms).filter((name) => !names.includes(name));
  const problems = strangers.map((name) => unknownKey(["platforms"], name, names));
  const parsed: [string, PlatformConfig][] = [];
  for (const kind of kinds) {
    const result = parsePlatform(platforms[kind.platform] ?? {}, kind, env);
    if (result.type === "ok") parsed.push([kind.platform, result.value]);
    else problems.push(...result.problems);
  }
  return problems.length > 0 ? { type: "wrong", problems } : { type: "ok", value: Object.fromEntries(parsed) };
}

function parsePlatform(raw: unknown, kind: PlatformKind, env: Environment): Parsed<PlatformConfig> {
  const path = ["platforms", kind.platform];
  if (!isTree(raw)) {
    return { type: "wrong", problems: [`${path.join(".")}: expected a map of keys; write them indented below it`] };
  }
  const shared = Object.keys((kind.access === "owner" ? ownedSchema : commonSchema).shape);
  const part = (isShared: boolean): Tree =>
    Object.fromEntries(Object.entries(raw).filter(([key]) => shared.includes(key) === isShared));
  const common = commonSchema.safeParse(part(true));
  const own = kind.config.safeParse(part(false));
  if (common.success && own.success) return combine(common.data, own.data, kind, env);
  const keysAt = (at: readonly PropertyKey[]): readonly string[] => [
    ...(at.length === 0 ? shared : keysOf(commonSchema, at)),
    ...keysOf(kind.config, at),
  ];
  const issues = [...(common.error?.issues ?? []), ...(own.error?.issues ?? [])];
  return { type: "wrong", problems: issues.flatMap((issue) => issueSentences(issue, path, keysAt)) };
}

function combine(
  common: CommonValues,
  settings: unknown,
  kind: PlatformKind,
  env: Environment,
): Parsed<PlatformConfig> {
  // Boundary: the settings were parsed by this very kind's schema, which the type of a mixed list cannot say.
  const configured = kind.configured(settings as never);
  if (common.enabled === true && !configured) {
    return { type: "wrong", problems: [`platforms.${kind.platform}.enabled: ${secretMissing(settings, kind, env)}`] };
  }
  const { access, follow, answerers } = common;
  const problems = kind.access === "owner" ? [] : accessProblems(common, kind.access, kind.platform);
  if (problems.length > 0) return { type: "wrong", problems };
  const mode = kind.access === "owner" ? "open" : (access.mode ?? kind.access.mode);
  const enabled = common.enabled === "auto" ? configured : common.enabled;
  const unset = common.enabled === "auto" && !configured && { unset: whatIsUnset(settings, kind) };
  return { type: "ok", value: { enabled, ...unset, settings, access: { ...access, mode }, follow, answerers } };
}

/** A name where an id belongs would let nobody in, and nothing would say why. */
function accessProblems({ access, answerers }: CommonValues, kind: AccessKind, platform: string): string[] {
  const wrongIds = (key: string, ids: readonly string[], { pattern, example }: IdShape): string[] =>
    ids
      .map((id, index) => ({ id, at: `platforms.${platform}.${key}[${index}]` }))
      .filter(({ id }) => !pattern.test(id))
      .map(({ at }) => `${at}: expected an id such as ${example}, got something else; no name stands here`);
  const noMembers = access.mode === "workspace" && kind.mode !== "workspace";
  return [
    ...(noMembers
      ? [
          `platforms.${platform}.access.mode: expected open, approved or allowlist, got workspace; ${platform} does not say who belongs to a workspace`,
        ]
      : []),
    ...wrongIds("access.places", access.places, kind.place),
    ...wrongIds("access.users", access.users, kind.user),
    ...wrongIds("access.admins", access.admins, kind.user),
    ...(Array.isArray(answerers) ? wrongIds("answerers", answerers, kind.user) : []),
  ];
}

function whatIsUnset(settings: unknown, kind: PlatformKind): { text: string; partly: boolean } {
  const keys = tokenKeys(kind);
  const absent = keys.filter((key) => !(isTree(settings) && settings[key]));
  const names = absent.map((key) => usualVariable(kind.platform, key)).join(" and ");
  const partly = absent.length < keys.length;
  return { text: partly ? `off: ${names} is missing` : `off; ${names} would turn it on`, partly };
}

function secretMissing(settings: unknown, kind: PlatformKind, env: Environment): string {
  const absent = tokenKeys(kind).filter((key) => !(isTree(settings) && settings[key]));
  const wanted = absent.map((key) => {
    const variable = usualVariable(kind.platform, key);
    return env[variable] ? key : `${key} ($${variable} in the environment)`;
  });
  return `true, but expected ${wanted.join(" and ") || "its settings"}, got nothing; set it, or write enabled: auto`;
}
