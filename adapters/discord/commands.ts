/** The slash commands: set where they differ from what Discord has. */
import { Routes } from "discord.js";
import type { Logger } from "pino";
import { z } from "zod";
import { COMMANDS } from "../../gateway/contract.ts";
import type { Clock } from "../../gateway/contract.ts";
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
  ...COMMANDS.map(({ name, description }) => ({ name, description, options: [] })),
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

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 600_000;

/** A failure is logged and tried again later; it never reaches the caller. No servers: everywhere. */
export function keepCommands(deps: {
  readonly api: Api;
  readonly application: () => Promise<string>;
  readonly guilds: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}): { stop(): void } {
  const { api, application, guilds, clock, log } = deps;
  let stopped = false;
  let cancel = () => {};
  const attempt = (retryMs: number): void => {
    setAll().catch((error: unknown) => {
      if (stopped) return;
      // Mentions and direct messages work without them: that Discord is away is said by the connection.
      log.debug({ err: error, retryMs }, "the slash commands could not be set; it is tried again");
      cancel = clock.after(retryMs, () => attempt(Math.min(retryMs * 2, LAST_RETRY_MS)));
    });
  };
  async function setAll(): Promise<void> {
    const id = await application();
    for (const guild of guilds.length > 0 ? guilds : [undefined]) await setWhereDifferent(api, id, guild);
  }
  attempt(FIRST_RETRY_MS);
  return {
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

async function setWhereDifferent(api: Api, application: string, guild: string | undefined): Promise<void> {
  const route =
    guild === undefined ? Routes.applicationCommands(application) : Routes.applicationGuildCommands(application, guild);
  const wanted = commandsFor(guild);
  const current = await api.call({ method: "GET", route }, registered);
  if (same(current, registered.parse(wanted), guild === undefined)) return;
  await api.call({ method: "PUT", route, body: wanted }, nothing);
}

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
