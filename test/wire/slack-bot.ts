/** A small bot over the real clients of Slack: what drives the loopback server in its own tests. */
import { App, LogLevel, SocketModeReceiver, webApi } from "@slack/bolt";
import { onTestFinished } from "vitest";
import { createSlackServer } from "./slack-server.ts";
import type { SlackServerOptions } from "./slack-server.ts";

const clientOptions = (slackApiUrl: string) => ({
  slackApiUrl,
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  logger: silentLogger,
});

async function serverWithClient(options: SlackServerOptions = {}) {
  const server = await createSlackServer(options);
  onTestFinished(() => server.close());
  const client = new webApi.WebClient(server.botToken, clientOptions(server.apiUrl));
  const ana = server.user("U0ANA000001", "Ana");
  const team = server.channel("C0TEAM00001", "team", [ana]);
  return { server, client, ana, team };
}

/** A bot that calls the Web API and hears nothing. */
export async function apiOnly() {
  const parts = await serverWithClient();
  const { client, team } = parts;
  const call = async (method: string, given: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> => ({
    ...(await client.apiCall(method, given)),
  });
  const post = (given: Readonly<Record<string, unknown>>) => call("chat.postMessage", { channel: team.id, ...given });
  return { ...parts, call, post };
}

/** What bolt was told of an event. */
interface Received {
  readonly body: Readonly<Record<string, unknown>>;
  readonly retry: number;
}

/** The same with a socket. */
export async function connectedBot(options: SlackServerOptions = {}) {
  const parts = await serverWithClient(options);
  const { server } = parts;
  const received: Received[] = [];
  const receiver = new SocketModeReceiver({
    appToken: server.appToken,
    clientPingTimeout: 100,
    installerOptions: { clientOptions: clientOptions(server.apiUrl) },
    logger: silentLogger,
  });
  const app = new App({
    token: server.botToken,
    receiver,
    ignoreSelf: false,
    clientOptions: clientOptions(server.apiUrl),
    logger: silentLogger,
  });
  app.use(async ({ body, context, next }) => {
    received.push({ body: { ...body }, retry: context.retryNum ?? 0 });
    await next();
  });
  onTestFinished(async () => void (await app.stop()));
  await app.start();
  return { ...parts, app, received };
}

const silentLogger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Payloads in the order in which they were sent; bolt gives them to middleware in any order. */
export const inOrder = (received: readonly Received[]): Received["body"][] =>
  received.map(({ body }) => body).toSorted((a, b) => String(a["event_id"]).localeCompare(String(b["event_id"])));
/** The inner events of them. */
export const eventsOf = (received: readonly Received[]): unknown[] => inOrder(received).map(({ event }) => event);

/** What the client throws when Slack answers `ok: false`. */
export const refused = (error: string) => ({ data: { ok: false, error } });

export const words = (text: string) => ({ type: "rich_text_section", elements: [{ type: "text", text }] });
export const rich = (...elements: readonly object[]) => ({ type: "rich_text", elements });
export const actions = (...elements: readonly object[]) => ({ type: "actions", elements });
export const button = (label: string, action_id: string, more: object = {}) => ({
  type: "button",
  action_id,
  text: { type: "plain_text", text: label },
  ...more,
});
