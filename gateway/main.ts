/** Wires the folders together; nothing else does. `cli.ts` starts it. */
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import type { Database } from "better-sqlite3";
import type { Logger } from "pino";
import { discord } from "../adapters/discord/adapter.ts";
import { slack } from "../adapters/slack/adapter.ts";
import { telegram } from "../adapters/telegram/adapter.ts";
import { web } from "../adapters/web/adapter.ts";
import { checkModel } from "../agent/models/check.ts";
import { type Detected, detectModels } from "../agent/models/detect.ts";
import type { BackupSummary } from "../store/backup.ts";
import { checkDatabase } from "../store/check.ts";
import { openDatabase } from "../store/database.ts";
import { watchWrites } from "../store/disk.ts";
import { createFigures } from "../store/figures.ts";
import { createForgetOrder } from "../store/forget-order.ts";
import { createStore, type Store } from "../store/gateway-store.ts";
import { lockDataFolder } from "../store/lock.ts";
import { keepOperator, readOperator } from "../store/operator.ts";
import { createUpkeep, type UpkeepDeps } from "../store/upkeep.ts";
import { rewriteAtStart } from "../store/vacuum.ts";
import { LIMITS, type SubagentSettings } from "../subagents/contract.ts";
import { generalPurpose } from "../subagents/general-purpose.ts";
import { createSlots } from "../subagents/slots.ts";
import type { Config } from "./config.ts";
import type { Adapter, AnyAdapterKind, Clock, Finding, HttpMount, Identity } from "./contract.ts";
import type { Policy } from "./policy.ts";
import { createDisk, freeBytesAt } from "./disk.ts";
import { checkDataFolder, type Check } from "./doctor.ts";
import { createGateway } from "./gateway.ts";
import { checkPort, startHttp } from "./http.ts";
import { askToForget, createOperatorRoute, sentenceFor } from "./operator.ts";
import { createPlatforms, type Platforms } from "./platforms.ts";
import { createUpkeepNews, startUpkeep } from "./upkeep.ts";

/** A platform that is away for longer does not learn how a forgotten person's run ended. */
const SHOW_MS = 60_000;

/** Every platform there is. A new one is one more line here. */
export const KINDS: readonly AnyAdapterKind[] = [slack, discord, telegram, web];

export interface ProgramOptions {
  readonly config: Config;
  readonly kinds: readonly AnyAdapterKind[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the disk of the data folder has left; absent: what its file system says. */
  readonly freeBytes?: () => Promise<number>;
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
  const { agent, answers, checkpointer } = await orClose(createAgent(options, settings, folder));
  rewriteAtStart(folder.db, createUpkeepNews(log));
  const metrics = await orClose(createMetrics(folder));
  const { freeBytes = () => freeBytesAt(config.dataDir) } = options;
  const disk = createDisk({ writes: watchWrites(folder.db), freeBytes, clock, log });
  const platforms = createPlatforms(await orClose(createAdapters(options, store)), log);
  const http = await orClose(
    startHttp(
      config.http,
      () => platforms.readiness(),
      () => disk.health(),
      metrics,
    ),
  );
  const gateway = createGateway({
    store,
    agent,
    adapters: metrics.watch(platforms.adapters),
    metrics,
    disk,
    policy: toPolicy(options, agent.defaultModel),
    ...(config.questionTtlMs !== undefined && { questionTtlMs: config.questionTtlMs }),
    clock,
    log,
    input: { threadsFolder: path.join(config.dataDir, "threads"), timezone: config.timezone },
    onForget: () => upkeep.poke(),
  });
  const chores = createUpkeep({
    db: folder.db,
    checkpointer,
    dataDir: config.dataDir,
    retention: config.retention,
    now: () => clock.now(),
    halt: (runs) => gateway.halt(runs),
    showMs: SHOW_MS,
    onDeleted: (platform, thread) => store.transcript.deleted(platform, thread),
    tell: createUpkeepNews(log),
  });
  const upkeep = startUpkeep(chores, clock, log);
  takeOrders(folder.db, http, clock, (runs) => {
    gateway.halt(runs);
    upkeep.poke();
  });
  for (const [platform, { unset }] of Object.entries(config.platforms))
    if (unset?.partly) log.warn({ platform }, `${platform} is ${unset.text}`);
  log.info({ model: answers, because }, `${answers} answers (${because})`);
  if (platforms.adapters.size === 0) log.warn("every platform is switched off: nobody can write to me");
  await disk.start();
  await gateway.recover();
  await platforms.start(gateway.deliver, http, (platform, identity) => announce(options, platform, identity, store));
  return {
    http,
    platforms,
    async stop() {
      disk.stop();
      await upkeep.stop();
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
  const [{ createLeadAgent }, { ModelWatch }, { createModels }, { createCheckpointer }, { moveEarlierCheckpoints }] =
    await Promise.all([
      import("../agent/lead-agent.ts"),
      import("../agent/model-watch.ts"),
      import("../agent/models/models.ts"),
      import("../store/checkpointer.ts"),
      import("../store/earlier-checkpoints.ts"),
    ]);
  const now = () => clock.now();
  const watch = new ModelWatch({ write: (call) => store.ledger.modelCall(call), now });
  const models = createModels(settings, () => watch.callbacks());
  const subagents = toSubagents(config);
  const checkpointer = createCheckpointer(db);
  await moveEarlierCheckpoints(db, checkpointer, (done, all) =>
    log.info({ done, all }, "moving the checkpoints of an earlier version, thread by thread"),
  );
  const agent = createLeadAgent({
    models,
    watch,
    subagents,
    limits: config.subagents.limits,
    slots: createSlots(LIMITS.slots),
    checkpointer,
    ledger: store.ledger,
    log,
    now,
  });
  return { agent, answers: models.default.label, checkpointer };
}

/** From whoever can read the database. */
function takeOrders(db: Database, http: HttpMount, clock: Clock, begin: UpkeepDeps["halt"]): void {
  const { secret } = keepOperator(db, http.origin);
  const forget = createForgetOrder(db, () => clock.now());
  const route = createOperatorRoute(secret, (person) => {
    const ordered = forget(person);
    if (ordered.type === "begun") begin(ordered.runs);
    return ordered;
  });
  http.mount("/operator", route);
}

/**
 * Forgets a person for an operator: the running program is asked, and without one it is done here and now. Returns what
 * to print.
 * @throws Error with a sentence: nobody is called like this, or the data folder cannot be used.
 */
export async function forgetPerson({ dataDir }: Config, clock: Clock, person: string): Promise<string> {
  const file = path.join(dataDir, "threadline.db");
  if (!existsSync(file)) throw new Error(`Expected a database at ${file}, found none: there is nobody to forget`);
  let folder: ReturnType<typeof openDataFolder>;
  try {
    folder = openDataFolder(dataDir, clock);
  } catch (error) {
    const running = isInUse(error) ? readOperator(file) : undefined;
    if (!running) throw error;
    return sentenceFor(await askToForget(running, person), person, "begun");
  }
  try {
    const { forgetHere } = await import("../store/forget-here.ts");
    return sentenceFor(await forgetHere(folder.db, dataDir, () => clock.now(), person), person, "done");
  } finally {
    folder.close();
  }
}

async function createMetrics({ db }: ReturnType<typeof openDataFolder>) {
  const { createPrometheus } = await import("./metrics-prometheus.ts");
  return createPrometheus(createFigures(db));
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

const isInUse = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  "code" in error.cause &&
  String(error.cause.code).startsWith("SQLITE_BUSY");

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

/** For `backup`, also while the program runs. @throws Error with a sentence for the operator. */
export async function backUpData({ dataDir }: Config, file: string): Promise<BackupSummary> {
  const { backUp } = await import("../store/backup.ts");
  return backUp(dataDir, file);
}

/** What `doctor` asks once the configuration has been read. */
export function createChecks(
  config: Config,
  kinds: readonly AnyAdapterKind[],
  env: ProgramOptions["env"],
): readonly Check[] {
  const database = path.join(config.dataDir, "threadline.db");
  return [
    { title: "data folder", run: () => checkDataFolder(config.dataDir) },
    { title: "database", run: async () => checkDatabase(database) },
    { title: "port", run: () => checkPort(config.http, () => readOperator(database)?.secret) },
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
