/** The slash commands: set where they differ from what Discord has, and taken away where they no longer belong. */
import { Routes } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import { COMMANDS } from "../../gateway/contract.ts";
import type { Clock } from "../../gateway/contract.ts";
import { keepTrying } from "../shared/keep-trying.ts";
import type { Trying } from "../shared/keep-trying.ts";
import type { CommandPlaces } from "./command-places.ts";
import { refusedWith } from "./errors.ts";
import { nothing } from "./rest.ts";
import type { Api } from "./rest.ts";

/** Discord's numbers: a command that is typed, an option that is text. */
const [CHAT_INPUT, STRING] = [1, 3] as const;
/** Of a server and of the bot's direct messages; installed to servers. */
const SCOPE = { contexts: [0, 1], integration_types: [0] };

const textOption = (name: string, description: string) => [{ type: STRING, name, description, required: true }];

/** Discord: names 1 to 32 in lower case, descriptions 1 to 100. */
const NAMED = [
  {
    name: "ask",
    description: "Ask me something; the answer comes in a thread",
    options: textOption("text", "What you want to know or have done"),
  },
  // What takes a word more is given by `/threadline`.
  ...COMMANDS.filter(({ name }) => name !== "forget").map(({ name, description }) => ({
    name,
    description,
    options: [],
  })),
  {
    name: "threadline",
    description: "Any command, or a request",
    options: textOption("request", "A command such as status, or what you want"),
  },
].map((command) => ({ type: CHAT_INPUT, ...command }));

/** In one server a command has no scope of its own. */
const commandsFor = (guild: string | undefined) =>
  guild === undefined ? NAMED.map((command) => ({ ...command, ...SCOPE })) : NAMED;

const registered = z.array(
  z.object({
    type: z.number().default(CHAT_INPUT),
    name: z.string(),
    description: z.string(),
    options: z
      .array(
        z.object({ type: z.number(), name: z.string(), description: z.string(), required: z.boolean().default(false) }),
      )
      .default([]),
    contexts: z.array(z.number()).nullish(),
    integration_types: z.array(z.number()).nullish(),
  }),
);

export interface CommandsDeps {
  readonly api: Api;
  readonly application: () => Promise<string>;
  /** Of servers; none: everywhere. */
  readonly guilds: readonly string[];
  /** Where earlier starts have set them. */
  readonly places: CommandPlaces;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A failure is logged and tried again later; it never reaches the caller. */
export const keepCommands = (deps: CommandsDeps): Trying =>
  keepTrying(
    deps.clock,
    () => setAll(deps),
    // Mentions and direct messages work without them: that Discord is away is said by the connection.
    (error, retryMs) =>
      deps.log.debug({ err: error, retryMs }, "the slash commands could not be set; it is tried again"),
  );

/** In the wanted places, and no longer in those of before: there they would stand twice. */
async function setAll({ api, application, guilds, places }: CommandsDeps): Promise<void> {
  const id = await application();
  const before = places.guilds().filter((guild) => !guilds.includes(guild));
  places.keep([...before, ...guilds]);
  for (const guild of guilds.length > 0 ? guilds : [undefined]) await setWhereDifferent(api, id, guild);
  for (const guild of guilds.length > 0 ? [undefined, ...before] : before) await takeAway(api, id, guild);
  places.keep(guilds);
}

const routeFor = (application: string, guild: string | undefined) =>
  guild === undefined ? Routes.applicationCommands(application) : Routes.applicationGuildCommands(application, guild);

async function setWhereDifferent(api: Api, application: string, guild: string | undefined): Promise<void> {
  const route = routeFor(application, guild);
  const wanted = commandsFor(guild);
  const current = await api.call({ method: "GET", route }, registered);
  if (same(current, registered.parse(wanted), guild === undefined)) return;
  await api.call({ method: "PUT", route, body: wanted }, nothing);
}

/** Only where all are ours: the application may serve another program too. Nothing where the bot no longer is. */
async function takeAway(api: Api, application: string, guild: string | undefined): Promise<void> {
  const route = routeFor(application, guild);
  try {
    const current = await api.call({ method: "GET", route }, registered);
    const areOurs = current.every(({ name }) => NAMED.some((one) => one.name === name));
    if (current.length > 0 && areOurs) await api.call({ method: "PUT", route, body: [] }, nothing);
  } catch (error) {
    if (guild === undefined || !refusedWith(error, UNKNOWN_SERVER, NO_ACCESS)) throw error;
  }
}
const [UNKNOWN_SERVER, NO_ACCESS] = [10004, 50001] as const;

type Registered = z.output<typeof registered>;

function same(current: Registered, wanted: Registered, scoped: boolean): boolean {
  const text = (commands: Registered) =>
    commands
      .map(({ contexts, integration_types, ...command }) =>
        JSON.stringify(scoped ? { ...command, contexts, integration_types } : command),
      )
      .toSorted()
      .join("\n");
  return text(current) === text(wanted);
}
