import { createServer } from "node:http";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { intentsFor } from "../../../adapters/discord/connection.ts";
import { createApi } from "../../../adapters/discord/rest.ts";
import { openSession } from "../../../adapters/discord/session.ts";
import { openSocket } from "../../../adapters/discord/socket.ts";
import type { Dispatch } from "../../../adapters/discord/socket.ts";
import { systemClock } from "../../../gateway/system-clock.ts";
import { silentLog, tempFolder } from "../../helpers.ts";
import { createDiscordServer } from "../../wire/discord-server.ts";
import { eventually } from "./running-adapter.ts";

const ignored = () => {};
const EVENTS = {
  flowing: ignored,
  alive: ignored,
  dispatch: ignored,
  closed: ignored,
  failed: ignored,
  debug: ignored,
};
const newSession = () => openSession({ folder: tempFolder(), owner: "me", clock: systemClock, log: silentLog });

const server = await createDiscordServer({ heartbeatMs: 1000 });
afterAll(() => server.close());

test("a server that is silent for long, also to who connects again, costs neither the session nor what was missed", async () => {
  const api = createApi({ token: server.token, apiUrl: server.api });
  const session = newSession();
  const said: Dispatch[] = [];
  let attempts = 0;
  const helloMs = 300;
  const socket = openSocket(
    { api, intents: intentsFor(true), session, helloMs },
    {
      ...EVENTS,
      debug: (message) => void (attempts += Number(message.startsWith("Connecting to"))),
      dispatch: (dispatch) => void said.push(dispatch),
    },
  );
  await socket.ready;
  const kept = session.current()?.sessionId;
  server.gateway.setSilent(true);
  const sam = server.user("1100000000000000001", "Sam");
  sam.say(sam.dm, "anybody?");
  await eventually(() => expect(attempts).toBeGreaterThan(2));
  server.gateway.setSilent(false);
  await eventually(() => expect(said.filter(({ t }) => t === "MESSAGE_CREATE")).toHaveLength(1));
  expect(session.current()?.sessionId).toBe(kept);
  expect(server.gateway.identified).toHaveLength(1);
  await socket.leave();
});

test("a bot that may begin no more sessions begins none, and waits as long as Discord says", async () => {
  const limit = { total: 1000, remaining: 0, reset_after: 90_000, max_concurrency: 1 };
  const site = createServer((_, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ url: "ws://127.0.0.1:9", shards: 1, session_start_limit: limit }));
  });
  await new Promise<void>((resolve) => void site.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void site.close());
  const address = site.address();
  const apiUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/api`;
  const api = createApi({ token: server.token, apiUrl });
  const socket = openSocket({ api, intents: 0, session: newSession() }, EVENTS);
  await expect(socket.ready).rejects.toMatchObject({ code: "rate_limited", retryAfterMs: 90_000 });
});
