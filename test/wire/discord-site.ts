/** What a route works with. */
import type { Events } from "./discord-events.ts";
import type { Answer, Upload } from "./discord-http.ts";
import type { Interactions } from "./discord-interactions.ts";
import type { Json } from "./discord-account-json.ts";
import { checkBody } from "./discord-schemas.ts";
import type { BodyKind } from "./discord-schemas.ts";
import { invalid } from "./discord-refusals.ts";
import type { World } from "./discord-world.ts";

export interface Site {
  readonly world: World;
  readonly events: Events;
  readonly interactions: Interactions;
  readonly violate: (what: string) => void;
}
export interface RouteRequest {
  /** What the pattern's `:names` stand for, in order. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly uploads: readonly Upload[];
}
export type Handler = (request: RouteRequest, site: Site) => Answer | Promise<Answer>;
/** `POST /channels/:id/messages` and what it does. */
export type Routes = Readonly<Record<string, Handler>>;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const nothing: Answer = { status: 204 };

/**
 * The body as the specification reads it; what it would overlook is noted.
 * @throws Refusal 50035
 */
export function readAs(kind: BodyKind, body: unknown, violate: Site["violate"]): Json {
  const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
  if (!isObject) throw invalid([], "Only dictionaries may be used in a DictType", "DICT_TYPE_CONVERT");
  const json: Json = { ...body };
  for (const path of checkBody(kind, json)) violate(`unknown field "${path}"`);
  return json;
}
