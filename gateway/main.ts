/** Wires the folders together; nothing else does. `cli.ts` starts it. */
import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { Logger } from "pino";
import { discord } from "../adapters/discord/adapter.ts";
import { slack } from "../adapters/slack/adapter.ts";
import { telegram } from "../adapters/telegram/adapter.ts";
import { web } from "../adapters/web/adapter.ts";
import { checkModel } from "../agent/models/check.ts";
import { type Detected, detectModels } from "../agent/models/detect.ts";
import { checkDatabase } from "../store/check.ts";
import { openDatabase } from "../store/database.ts";
import { createStore, type Store } from "../store/gateway-store.ts";
import { lockDataFolder } from "../store/lock.ts";
import type { SubagentSettings } from "../subagents/contract.ts";
import { generalPurpose } from "../subagents/general-purpose.ts";
import type { Config } from "./config.ts";
import type { Adapter, AnyAdapterKind, Clock, Finding, HttpMount, Identity } from "./contract.ts";
import type { Policy } from "./policy.ts";
import { checkDataFolder, type Check } from "./doctor.ts";
import { createGateway } from "./gateway.ts";
import { checkPort, startHttp } from "./http.ts";
import { createPlatforms, type Platforms } from "./platforms.ts";

/** Every platform there is. A new one is one more line here. */
export const KINDS: readonly AnyAdapterKind[] = [slack, discord, telegram, web];

export interface ProgramOptions {
  readonly config: Config;
  readonly kinds: readonly AnyAdapterKind[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
}
export interface Program {
  readonly http: HttpMount;
  readonly platforms: Platforms;
  /** Intake ends, calls under way return, runs stay as they are: the next start goes on with them. */
  stop(): Promise<void>;
}

/**
 * Opens the data folder, starts every enabled platform and goes on with what an earlier process left.
 * @throws Error with a sentence for the operator: the folder, the database, the port or the models cannot be used.
 */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { config, clock, log } = options;
  const { models: settings, because } = await findModels(config, options.env);
  const folder = openDataFolder(config.dataDir, clock);
  const { store } = folder;
  const orClose = <T>(made: Promise<T>): Promise<T> =>
    made.catch((error: unknown) => {
      folder.close();
      throw error;
    });
  const { agent, answers } = await orClose(createAgent(options, settings, folder));
  const platforms = createPlatforms(await orClose(createAdapters(options, store)), log);
  const http = await orClose(startHttp(config.http, () => platforms.readiness()));
  const gateway = createGateway({
    store,
    agent,
    adapters: platforms.adapters,
    policy: toPolicy(options, agent.defaultModel),
    clock,
    log,
    input: { threadsFolder: path.join(config.dataDir, "threads"), timezone: config.timezone },
  });
  for (const [platform, { unset }] of Object.entries(config.platforms))
    if (unset?.partly) log.warn({ platform }, `${platform} is ${unset.text}`);
  log.info({ model: answers, because }, `${answers} answers (${because})`);
  if (platforms.adapters.size === 0) log.warn("every platform is switched off: nobody can write to me");
  await gateway.recover();
  await platforms.start(gateway.deliver, http, (platform, identity) => announce(options, platform, identity, store));
  return {
    http,
    platforms,
    async stop() {
      await platforms.stop();
      await gateway.stop();
      await http.close();
      folder.close();
    },
  };
}

/** Loaded here: most of a start's time goes into these, which a mistake in the configuration need not wait for. */
async function createAgent(
  { config, clock, log }: ProgramOptions,
  settings: Detected["models"],
  { db, store }: ReturnType<typeof openDataFolder>,
) {
  const [{ createLeadAgent }, { createModels }, { createCheckpointer }] = await Promise.all([
    import("../agent/lead-agent.ts"),
    import("../agent/models/models.ts"),
    import("../store/checkpointer.ts"),
  ]);
  const models = createModels(settings);
  const subagents = toSubagents(config);
  const checkpointer = createCheckpointer(db);
  const now = () => clock.now();
  const agent = createLeadAgent({ models, subagents, checkpointer, ledger: store.ledger, log, now });
  return { agent, answers: models.default.label };
}

/** A configured subagent replaces a built-in one of the same name. */
function toSubagents({ subagents }: Config): readonly SubagentSettings[] {
  return [{ ...generalPurpose, ...subagents.agents[generalPurpose.name] }, ...subagents.custom];
}

async function findModels(config: Config, env: ProgramOptions["env"]): Promise<Detected> {
  if (config.models) return { models: config.models, because: "the configuration names it" };
  return detectModels(env, { fetch, timeoutMs: 400 }); // enough for a server on this machine
}

function openDataFolder(dataDir: string, clock: Clock) {
  const release = lockFolder(dataDir);
  try {
    const db = openDatabase(path.join(dataDir, "threadline.db"));
    const close = () => {
      db.close();
      release();
    };
    return { db, store: createStore(db, () => clock.now()), close };
  } catch (error) {
    release();
    throw error;
  }
}

function lockFolder(dataDir: string): () => void {
  makeFolder(dataDir);
  try {
    return lockDataFolder(path.join(dataDir, "threadline.lock"));
  } catch (error) {
    if (error instanceof Error && error.name === "StoreError") throw error;
    throw unusable(dataDir, error);
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700); // one that was there before may be open to others
  } catch (error) {
    throw unusable(folder, error);
  }
}

function unusable(folder: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = "make it writable, or set data_dir to another folder";
  return new Error(`The data folder ${folder} cannot be used (${reason}): ${advice}`, { cause });
}

async function createAdapters(
  { config, kinds, clock, log }: ProgramOptions,
  store: Store,
): Promise<ReadonlyMap<string, Adapter>> {
  const create = async (kind: AnyAdapterKind): Promise<[string, Adapter]> => {
    const { platform } = kind;
    const folder = path.join(config.dataDir, platform);
    makeFolder(folder);
    const { transcript } = store;
    const deps = { log: log.child({ platform }), clock, folder, secret: store.secret(platform), transcript };
    return [platform, await kind.create(settingsOf(kind, config), deps)];
  };
  return new Map(await Promise.all(kinds.filter((kind) => isEnabled(kind, config)).map(create)));
}

const isEnabled = ({ platform }: AnyAdapterKind, config: Config): boolean =>
  config.platforms[platform]?.enabled === true;
/** Boundary: the kind's own schema made these settings, so they have the type that the kind expects. */
const settingsOf = ({ platform }: AnyAdapterKind, config: Config): never =>
  config.platforms[platform]?.settings as never;

function toPolicy({ config, kinds }: ProgramOptions, model: string): Policy {
  const policies = kinds.flatMap(({ platform, access: kind, commandSign }) => {
    const own = config.platforms[platform];
    if (!own) return [];
    const { access, follow, answerers } = own;
    return [[platform, { trusted: kind === "owner", commandSign, access, follow, answerers }] as const];
  });
  return { platforms: Object.fromEntries(policies), idleResetMs: config.idleResetMs, model };
}

/** What the operator needs to begin: where the page or the bot is, and how to become the first admin. */
function announce({ config, kinds, log }: ProgramOptions, platform: string, identity: Identity, store: Store): void {
  const { name, link, codeLink } = identity;
  const trusted = kinds.some((kind) => kind.platform === platform && kind.access === "owner");
  const access = config.platforms[platform]?.access;
  const open = trusted || access?.mode === "open";
  const code = open || access?.admins.length ? undefined : store.adminCode();
  if (code === undefined) log.info({ platform, ...(link && { link }) }, link ? `${name}: ${link}` : `${name} is on`);
  else {
    const send = `send it ${code} in a direct message`;
    const how = codeLink ? `open ${codeLink}${code} (or ${send})` : link ? `${send}; ${name}: ${link}` : send;
    log.info({ platform, code }, `${name} has no admin yet: to become the first, ${how}`);
  }
  if (open && !trusted) log.warn({ platform }, `${platform} is open: everyone who finds the bot can use it`);
}

/** What `doctor` asks once the configuration has been read. */
export function createChecks(
  config: Config,
  kinds: readonly AnyAdapterKind[],
  env: ProgramOptions["env"],
): readonly Check[] {
  return [
    { title: "data folder", run: () => checkDataFolder(config.dataDir) },
    { title: "database", run: async () => checkDatabase(path.join(config.dataDir, "threadline.db")) },
    { title: "port", run: () => checkPort(config.http) },
    { title: "models", run: () => checkModels(config, env) },
    ...kinds.map((kind) => ({
      title: kind.platform,
      run: async () => (isEnabled(kind, config) ? kind.check(settingsOf(kind, config)) : [whyOff(kind, config)]),
    })),
  ];
}

function whyOff({ platform }: AnyAdapterKind, config: Config): Finding {
  const unset = config.platforms[platform]?.unset;
  return { ok: unset?.partly !== true, text: unset?.text ?? "off" };
}

async function checkModels(config: Config, env: ProgramOptions["env"]) {
  const { models, because } = await findModels(config, env);
  const [first] = models;
  const findings = await Promise.all(models.map((one) => checkModel(one, fetch)));
  return [{ ok: true, text: `${first?.displayName ?? first?.name} answers (${because})` }, ...findings];
}
