/** What somebody types after a native command that takes anything: `/threadline …`. */
import { type CommandName, COMMANDS } from "../../gateway/contract.ts";

export type CommandWords =
  | { readonly type: "command"; readonly name: CommandName; readonly args: string }
  | { readonly type: "request"; readonly text: string };

/**
 * The name of a command and nothing else is that command; whoever writes more, `new features of Python?`, asks for
 * something; only `forget me` is a command of two. `ask` may stand before a request, and is taken off. Nothing at all is a call for help.
 */
export function readCommandWords(text: string): CommandWords {
  const words = text.trim();
  if (/^[/!]?forget\s+me$/i.test(words)) return { type: "command", name: "forget", args: "me" };
  const alone = /^[/!]?([a-z]+)$/i.exec(words)?.[1]?.toLowerCase();
  const command = COMMANDS.find(({ name }) => name === alone);
  if (command) return { type: "command", name: command.name, args: "" };
  const request = words.replace(/^[/!]?ask(?:\s+|$)/i, "").trim();
  return request === "" ? { type: "command", name: "help", args: "" } : { type: "request", text: request };
}
