import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { keepConnected } from "../../../adapters/slack/connection.ts";
import { openSocket } from "../../../adapters/slack/socket.ts";
import type { Socket } from "../../../adapters/slack/socket.ts";
import { formatThread } from "../../../adapters/slack/thread-key.ts";
import type { Inbound } from "../../../gateway/contract.ts";
import { createClock, silentLog, tempFolder } from "../../helpers.ts";
import { createSlackServer } from "../../wire/slack-server.ts";
import { eventually, fastClock, prepareAdapter, runAdapter } from "./running-adapter.ts";

const texts = (events: readonly Inbound[]) => events.flatMap((event) => (event.type === "message" ? [event.text] : []));

test("an event is acknowledged only after it is stored, and once", async () => {
  const running = await runAdapter();
  const { server, ana, inbound } = running;
  let stored = Infinity;
  running.answer = async () => {
    await sleep(30);
    stored = Date.now();
    return { accepted: true };
  };
  ana.say(ana.dm, "keep me");
  await eventually(() => expect(server.acks).toHaveLength(1));
  expect(server.acks[0]?.at).toBeGreaterThanOrEqual(stored);
  expect(texts(inbound)).toEqual(["keep me"]);
  expect(server.violations).toEqual([]);
});

test("an event that could not be stored is not acknowledged, and comes again", async () => {
  const running = await runAdapter({ ackMs: 300 });
  const { server, ana, inbound } = running;
  let refusals = 2;
  running.answer = () => {
    if (refusals-- > 0) throw new Error("SQLITE_FULL: database or disk is full");
    return { accepted: true };
  };
  ana.say(ana.dm, "me too");
  await eventually(() => expect(texts(inbound)).toEqual(["me too"]));
  await eventually(() => expect(server.acks.at(-1)?.retryAttempt).toBe(2));
});

test("an event of another shape is acknowledged and dropped with a warning that says where, without its content", async () => {
  const { server, ana, inbound, log } = await runAdapter();
  const event = { type: "message", channel: ana.dm.id, user: ana.account.id, text: "TOP SECRET", ts: "yesterday" };
  await server.socket.push("events_api", { type: "event_callback", team_id: server.team.id, event }).acked;
  ana.say(ana.dm, "next");
  await eventually(() => expect(texts(inbound)).toEqual(["next"]));
  expect(log.filter((line) => line.includes(`"level":40`))).toEqual([expect.stringContaining(`"at":["event.ts"]`)]);
  expect(log.join()).not.toContain("TOP SECRET");
});

test("it says once at each connection that it is connected", async () => {
  const { server, adapter, log } = await runAdapter();
  const said = () => log.filter((line) => line.includes(`"level":30`));
  expect(said()).toEqual([expect.stringContaining("Slack is connected")]);
  server.disconnect();
  await eventually(() => expect(said()).toHaveLength(2));
  expect(adapter.health().connected).toBe(true);
});

test("DUP-01: a redelivered event is the same event again, and every delivery is acknowledged", async () => {
  const { server, ana, inbound } = await runAdapter({ ackMs: 200 });
  server.socket.loseAcks(1);
  ana.say(ana.dm, "once");
  await eventually(() => expect(texts(inbound)).toEqual(["once", "once"]));
  expect(inbound[0]?.eventId).toBe(inbound[1]?.eventId);
  await eventually(() => expect(server.acks).toHaveLength(1));
});

test("what is said in one place is delivered in order, also when somebody there has to be looked up first", async () => {
  const { server, ana, team, inbound } = await runAdapter();
  const kim = server.user("U0KIM000001", "Kim");
  ana.say(team, "zero");
  await eventually(() => expect(inbound).toHaveLength(1));
  server.fail({ method: "users.info", delayMs: 150 });
  kim.say(team, "one");
  ana.say(team, "two");
  ana.say(ana.dm, "elsewhere");
  await eventually(() => expect(inbound).toHaveLength(4));
  expect(texts(inbound)).toEqual(["zero", "elsewhere", "one", "two"]);
});

test("a look-up that fails for a moment lets nothing overtake in that place: no message, no edit, no deletion", async () => {
  const { server, ana, team, inbound } = await runAdapter();
  const kim = server.user("U0KIM000001", "Kim");
  const zero = ana.say(team, "zero");
  await eventually(() => expect(inbound).toHaveLength(1));
  server.fail({ method: "users.info", status: 500 });
  const one = kim.say(team, "one");
  ana.say(team, "two");
  ana.edit(zero, "zero and a half");
  kim.delete(one);
  await eventually(() => expect(inbound).toHaveLength(5));
  expect(texts(inbound)).toEqual(["zero", "one", "two"]);
  expect(inbound.map(({ type }) => type)).toEqual(["message", "message", "message", "edited", "deleted"]);
  await eventually(() => expect(server.acks).toHaveLength(5));
  expect(server.acks.map(({ retryAttempt }) => retryAttempt)).toEqual([0, 0, 0, 0, 0]);
});

test.each(["warning", "refresh_requested"] as const)(
  "CONN-01: a connection that Slack takes back (%s) loses nothing, and is open again at once",
  async (reason) => {
    const { server, adapter, ana, inbound, waits, log } = await runAdapter();
    server.disconnect(reason);
    ana.say(ana.dm, "on the new one");
    await eventually(() => expect(texts(inbound)).toEqual(["on the new one"]));
    expect(waits).toEqual([]);
    expect(adapter.health()).toMatchObject({ connected: true });
    await eventually(() => expect(server.socket.connections()).toBe(1));
    expect(log.filter((line) => /"level":(40|50)/.test(line))).toEqual([]);
  },
);

test("CONN-01: what is in hand when Slack takes the connection back is acknowledged on it, while the next one is open", async () => {
  const running = await runAdapter();
  const { server, ana, inbound } = running;
  running.answer = async () => {
    running.answer = () => ({ accepted: true });
    server.disconnect();
    await eventually(() => expect(server.socket.connections()).toBe(2));
    return { accepted: true };
  };
  ana.say(ana.dm, "hello");
  await eventually(() => expect(server.acks).toHaveLength(1));
  await eventually(() => expect(server.socket.connections()).toBe(1));
  expect(texts(inbound)).toEqual(["hello"]);
});

test("CONN-01: a farewell before the hello ends nothing: the next connection works", async () => {
  const bodies: unknown[] = [];
  const { apiUrl } = await socketServer((socket, count) => {
    if (count === 1) return socket.send('{"type":"disconnect","reason":"warning"}');
    socket.send('{"type":"hello"}');
    socket.send('{"type":"events_api","envelope_id":"e1","payload":{"event":{"type":"message","text":"disconnect"}}}');
  });
  const handle = (body: unknown) => {
    bodies.push(body);
    return Promise.resolve({});
  };
  const open = () => openSocket({ appToken: "xapp-1", apiUrl, log: silentLog, handle, follow: () => {} });
  const waits: number[] = [];
  const connection = keepConnected({ clock: fastClock(waits), log: silentLog, prepare: () => Promise.resolve(), open });
  onTestFinished(() => connection.stop());
  await eventually(() => expect(bodies).toEqual([{ event: { type: "message", text: "disconnect" } }]));
  expect(connection.health()).toEqual({ connected: true });
  expect(waits).toEqual([1000]);
});

/** Gives an address for a socket to everybody who asks, and each socket its say. */
async function socketServer(greet: (socket: WebSocket, count: number) => void) {
  const server = createServer((_, response) => void response.end(JSON.stringify({ ok: true, url: address("ws") })));
  const sockets = new WebSocketServer({ server });
  let count = 0;
  sockets.on("connection", (socket) => greet(socket, (count += 1)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    sockets.close();
    server.closeAllConnections();
    server.close();
  });
  function address(scheme: string): string {
    const at = server.address();
    return `${scheme}://127.0.0.1:${typeof at === "object" && at ? at.port : 0}/`;
  }
  return { apiUrl: address("http") };
}

test("CONN-01: one that ends early is replaced at once; when all do, with growing patience", async () => {
  const clock = createClock();
  const began = clock.now();
  const opened: number[] = [];
  const open = () => {
    opened.push(clock.now() - began);
    return Promise.resolve({ ended: Promise.resolve(), close: () => Promise.resolve() });
  };
  const connection = keepConnected({ clock, log: silentLog, prepare: () => Promise.resolve(), open });
  await clock.advance(7500);
  expect(opened).toEqual([0, 0, 1000, 3000, 7000]);
  expect(connection.health()).toEqual({
    connected: false,
    lastError: expect.stringContaining("as soon as it was open"),
  });
  await connection.stop();
});

test("a killed socket is replaced, and what was not acknowledged comes on the new one", async () => {
  const running = await runAdapter();
  const { server, ana, inbound } = running;
  running.answer = async () => {
    running.answer = () => ({ accepted: true });
    server.killSocket();
    await sleep(20);
    return { accepted: true };
  };
  ana.say(ana.dm, "hello");
  await eventually(() => expect(server.acks).toHaveLength(1));
  expect(texts(inbound)).toEqual(["hello", "hello"]);
});

test("a 429, a 5xx and a cut line while connecting are waited out", async () => {
  const { server, ana, inbound, waits, start, adapter } = await prepareAdapter();
  server.fail({ method: "apps.connections.open", retryAfter: 7 });
  server.fail({ method: "apps.connections.open", status: 502 });
  server.fail({ method: "apps.connections.open", drop: "before" });
  await start();
  ana.say(ana.dm, "hello");
  await eventually(() => expect(texts(inbound)).toEqual(["hello"]));
  expect(waits).toEqual([7000, 2000, 4000]);
  expect(adapter.health()).not.toHaveProperty("lastError");
});

test("a network that is away at the start does not stop it; the bot is known from the last time, and connects when it can", async () => {
  const folder = tempFolder();
  const before = await prepareAdapter({ folder });
  const identity = await before.start();
  await before.adapter.stop();
  await before.server.close();
  // The client must see its idle connection end first: a request that dies on it would have an unknown outcome.
  await sleep(50);
  const { port } = new URL(before.server.apiUrl);
  const { start, adapter, inbound } = await prepareAdapter({ folder, apiUrl: before.server.apiUrl });
  await expect(start()).resolves.toEqual(identity);
  expect(adapter.health()).toMatchObject({ connected: false, lastError: expect.stringContaining("cannot be reached") });
  const server = await createSlackServer({ port: Number(port) });
  onTestFinished(() => server.close());
  const ana = server.user("U0ANA000001", "Ana");
  ana.say(ana.dm, "back?");
  await eventually(() => expect(texts(inbound)).toEqual(["back?"]));
});

test("with no memory of the bot and no network the start still succeeds, without an account", async () => {
  const gone = await createSlackServer();
  await gone.close();
  const { start } = await prepareAdapter({ apiUrl: gone.apiUrl });
  await expect(start()).resolves.toEqual({ account: "", name: "Slack bot" });
});

test.each([
  ["app", "app_token"],
  ["bot", "bot_token"],
] as const)("a wrong %s token ends the start with a sentence that says which key", async (token, key) => {
  const { server, start, adapter } = await prepareAdapter();
  server.setRevoked(token, "invalid_auth");
  await expect(start()).rejects.toMatchObject({
    code: "auth",
    message: expect.stringContaining(`platforms.slack.${key}`),
  });
  expect(adapter.health()).toMatchObject({ connected: false, lastError: expect.stringContaining(key) });
});

test("an app token that is revoked while running stops this platform, which says so, and nothing is unhandled", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const { server, adapter, log } = await runAdapter();
  server.setRevoked("app", true);
  server.killSocket();
  await eventually(() => expect(adapter.health().lastError).toContain("platforms.slack.app_token"));
  expect(adapter.health().connected).toBe(false);
  expect(log.filter((line) => line.includes(`"level":50`))).toHaveLength(1);
  await sleep(50);
  expect(unhandled).toEqual([]);
});

test("a bot token that is revoked while running is said, although the socket stays, and is forgotten when it works again", async () => {
  const { server, adapter, ana, inbound, log } = await runAdapter({ ackMs: 200 });
  server.setRevoked("bot", true);
  ana.say(ana.dm, "anyone?");
  await eventually(() => expect(adapter.health().lastError).toContain("platforms.slack.bot_token"));
  expect(adapter.health().connected).toBe(false);
  await adapter.presence(formatThread(server.team.id, ana.dm.id, "1.2"), true);
  expect(log.filter((line) => line.includes(`"level":50`))).toEqual([expect.stringContaining("refuses the bot token")]);
  server.setRevoked("bot", false);
  await eventually(() => expect(texts(inbound)).toEqual(["anyone?"]));
  expect(adapter.health()).toMatchObject({ connected: true });
});

test("after `stop` nothing more is delivered, and what is in hand is stored and acknowledged first", async () => {
  const running = await runAdapter();
  const { server, ana, adapter, inbound } = running;
  let begun = false;
  running.answer = async () => {
    begun = true;
    await sleep(50);
    return { accepted: true };
  };
  ana.say(ana.dm, "one");
  await eventually(() => expect(begun).toBe(true));
  await adapter.stop();
  expect(texts(inbound)).toEqual(["one"]);
  await eventually(() => expect(server.acks).toHaveLength(1));
  ana.say(ana.dm, "two");
  await sleep(50);
  expect(texts(inbound)).toEqual(["one"]);
  expect(adapter.health().connected).toBe(false);
  await eventually(() => expect(server.socket.connections()).toBe(0));
});

test("a stop does not wait for a connection that is still to open, which is closed as soon as it does", async () => {
  let opened = (_socket: Socket): void => {};
  let closed = false;
  const open = () => new Promise<Socket>((resolve) => (opened = resolve));
  const connection = keepConnected({ clock: createClock(), log: silentLog, prepare: () => Promise.resolve(), open });
  await sleep(5);
  await connection.stop();
  const close = () => {
    closed = true;
    return Promise.resolve();
  };
  opened({ ended: new Promise(() => {}), close });
  await eventually(() => expect(closed).toBe(true));
  expect(connection.health()).toEqual({ connected: false });
  await expect(connection.first).resolves.toBeUndefined();
});
