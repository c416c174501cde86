/** The commands that Telegram shows behind its menu button. */
import type { Logger } from "pino";
import { COMMANDS } from "../../gateway/contract.ts";
import type { Clock } from "../../gateway/contract.ts";
import { keepTrying } from "../shared/keep-trying.ts";
import type { Trying } from "../shared/keep-trying.ts";
import type { Api, MenuCommand } from "./api.ts";

/** Telegram: name 1 to 32 of a-z 0-9 _, description 1 to 256. */
export const MENU: readonly MenuCommand[] = COMMANDS.map(({ name, description }) => ({ command: name, description }));

export const isMenuCommand = (name: string): boolean => MENU.some(({ command }) => command === name.toLowerCase());

/** Sets the menu where it differs. A failure is logged and tried again later; it never reaches the caller. */
export const keepMenu = (api: Api, clock: Clock, log: Logger): Trying =>
  keepTrying(
    clock,
    () => setWhereDifferent(api),
    // That Telegram is away is said by the polling.
    (error, retryMs) => log.debug({ err: error, retryMs }, "the command menu could not be set; it is tried again"),
  );

async function setWhereDifferent(api: Api): Promise<void> {
  const current = await api.call("getMyCommands", {});
  const same = JSON.stringify(current.map(({ command, description }) => ({ command, description })));
  if (same !== JSON.stringify(MENU)) await api.call("setMyCommands", { commands: MENU });
}
