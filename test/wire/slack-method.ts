/** A method of the Web API: who may call it, its arguments as a schema, the work as a function. */
import { z } from "zod";
import type { Events } from "./slack-events.ts";
import { Refusal } from "./slack-rules.ts";
import type { SocketMode } from "./slack-socket.ts";
import { isMember } from "./slack-world.ts";
import type { WireChannel, World } from "./slack-world.ts";

export interface MethodContext {
  readonly world: World;
  readonly events: Events;
  readonly socket: SocketMode;
  readonly violate: (what: string) => void;
  readonly token: "bot" | "app";
}
export type Answer = Readonly<Record<string, unknown>>;
export interface Method {
  readonly token: "bot" | "app" | "any";
  /** The scope it needs; absent: none. */
  readonly scope?: string;
  readonly params: z.ZodObject;
  readonly run: (input: unknown, context: MethodContext) => Answer;
}
type Needs = Pick<Method, "token" | "scope">;

/** A method of the bot token unless said otherwise; what its schema refuses is `invalid_arguments`. */
export function method<Shape extends z.ZodRawShape>(
  needs: Needs | string,
  shape: Shape,
  run: (params: z.output<z.ZodObject<Shape>>, context: MethodContext) => Answer,
): Method {
  const params = z.object(shape);
  const needed: Needs = typeof needs === "string" ? { token: "bot", scope: needs } : needs;
  return {
    ...needed,
    params,
    run: (input, context) => {
      const read = params.safeParse(input);
      if (read.success) return run(read.data, context);
      const messages = read.error.issues.map(
        ({ path, message }) => `[ERROR] ${message} [json-pointer:/${path.join("/")}]`,
      );
      throw new Refusal("invalid_arguments", messages);
    },
  };
}

/** Forms carry text only: numbers, booleans and objects come as JSON. */
export const flag = z.preprocess(
  (value) => (value === "1" ? true : value === "0" ? false : fromJson(value)),
  z.boolean(),
);
export const count = (max: number) => z.coerce.number().int().min(1).max(max);
export const json = z.preprocess(fromJson, z.unknown());

export function fromJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A channel that the bot can see; `channel_not_found` also hides what is private. */
export function channelOf({ world }: MethodContext, id: string): WireChannel {
  const channel = world.channels.get(id);
  const hidden = channel && channel.type !== "channel" && !isMember(channel, world.bot);
  if (!channel || hidden) throw new Refusal("channel_not_found");
  return channel;
}

/** A channel in which the bot may write. */
export function writableChannel(context: MethodContext, id: string): WireChannel {
  const channel = channelOf(context, id);
  if (!isMember(channel, context.world.bot)) throw new Refusal("not_in_channel");
  if (channel.archived) throw new Refusal("is_archived");
  return channel;
}
