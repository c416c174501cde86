/** All routes, found by method and path. */
import { APPLICATION_ROUTES } from "./discord-application-routes.ts";
import { INTERACTION_ROUTES } from "./discord-interaction-routes.ts";
import { MESSAGE_ROUTES } from "./discord-message-routes.ts";
import { refusal } from "./discord-refusals.ts";
import type { Handler } from "./discord-site.ts";
import { THREAD_ROUTES } from "./discord-thread-routes.ts";

interface Route {
  /** As in the tables: `POST /channels/:id/messages`. */
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly handler: Handler;
}
export interface Found {
  readonly name: string;
  readonly params: readonly string[];
  readonly handler: Handler;
}

const ROUTES: readonly Route[] = Object.entries({
  ...APPLICATION_ROUTES,
  ...MESSAGE_ROUTES,
  ...THREAD_ROUTES,
  ...INTERACTION_ROUTES,
}).map(([name, handler]) => {
  const [method = "", path = ""] = name.split(" ");
  return { name, method, pattern: new RegExp(`^${path.replace(/:\w+/g, "([^/]+)")}$`), handler };
});

/**
 * @param path decoded, without `/api/v10`; a literal such as `@me` wins over a name
 * @throws Refusal 404 and 405
 */
export function findRoute(method: string, path: string): Found {
  const matching = ROUTES.filter(({ pattern }) => pattern.test(path));
  const route = matching.find((one) => one.method === method);
  if (!route) throw refusal(matching.length > 0 ? "method_not_allowed" : "no_route");
  return { name: route.name, handler: route.handler, params: route.pattern.exec(path)?.slice(1) ?? [] };
}

/** Routes whose token stands in the path need no other. */
export const needsNoToken = (name: string): boolean => / \/(interactions|webhooks)\//.test(name);
