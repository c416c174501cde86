import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import type { Inbound } from "../../../gateway/contract.ts";
import { createTelegramServer } from "../../wire/telegram-server.ts";
import { eventually, prepareAdapter, runAdapter } from "./running-adapter.ts";

const texts = (events: readonly Inbound[]) => events.flatMap((event) => (event.type === "message" ? [event.text] : []));
const complaints = (log: readonly string[]) => log.filter((line) => line.includes("no updates from Telegram"));

test("updates are delivered one after another, in order, and confirmed when they are stored", async () => {
  const running = await prepareAdapter();
  const sam = running.server.user(1, "Sam");
  for (const text of ["one", "two", "three"]) sam.say(sam.dm, text);
  let inside = 0;
  let most = 0;
  running.answer = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await sleep(15);
    inside -= 1;
    return { accepted: true };
  };
  await running.start();
  await eventually(() => expect(texts(running.inbound)).toEqual(["one", "two", "three"]));
  expect(most).toBe(1);
  await eventually(() => expect(running.server.updates.pending()).toEqual([]));
});

test("an update that could not be stored is not confirmed, and given again", async () => {
  const running = await runAdapter();
  const sam = running.server.user(1, "Sam");
  let refusals = 3;
  running.answer = () => {
    if (refusals-- > 0) throw new Error("SQLITE_FULL: database or disk is full");
    return { accepted: true };
  };
  const { updateId } = sam.say(sam.dm, "keep me");
  await eventually(() => expect(refusals).toBeLessThan(3));
  expect(running.server.updates.pending()).toEqual([updateId]);
  sam.say(sam.dm, "me too");
  await eventually(() => expect(texts(running.inbound)).toEqual(["keep me", "me too"]));
  await eventually(() => expect(running.server.updates.pending()).toEqual([]));
});

test("a redelivered update is the same event again, and the offset does not go back", async () => {
  const { server, inbound } = await runAdapter();
  const sam = server.user(1, "Sam");
  const first = sam.say(sam.dm, "one");
  sam.say(sam.dm, "two");
  await eventually(() => expect(inbound).toHaveLength(2));
  server.updates.redeliver(first.updateId ?? 0);
  await eventually(() => expect(texts(inbound)).toEqual(["one", "two", "one"]));
  expect(inbound[2]?.eventId).toBe(inbound[0]?.eventId);
  const offsets = server.calls
    .filter(({ method }) => method === "getUpdates")
    .map(({ params }) => Number(params["offset"] ?? 0));
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
});

test("a malformed update is dropped, its content is not logged, and the next one works", async () => {
  const { server, inbound, log } = await runAdapter();
  const sam = server.user(1, "Sam");
  server.updates.pushRaw({ message: { message_id: "no number", text: "TOP SECRET", chat: null } });
  server.updates.pushRaw({ message: 7 });
  server.updates.pushRaw({});
  sam.say(sam.dm, "next");
  await eventually(() => expect(texts(inbound)).toEqual(["next"]));
  expect(log.filter((line) => line.includes("was dropped"))).toHaveLength(2);
  expect(log.join()).toContain("message.message_id");
  expect(log.join()).not.toContain("TOP SECRET");
});

test("CONN-03: a second poller is waited out, with few words, and polling goes on", async () => {
  const { server, inbound, log, waits, start, adapter } = await prepareAdapter();
  server.fail({
    method: "getUpdates",
    status: 409,
    times: 5,
    error: "Conflict: terminated by other getUpdates request",
  });
  const sam = server.user(1, "Sam");
  sam.say(sam.dm, "still here?");
  await start();
  await eventually(() => expect(adapter.health().lastError).toContain("a second process"));
  expect(adapter.health().connected).toBe(false);
  await eventually(() => expect(texts(inbound)).toEqual(["still here?"]));
  expect(adapter.health()).toMatchObject({ connected: true });
  // 5 failures wait 1, 2, 4, 8 and 16 s: 31 s by the adapter's clock, so at most 4 lines.
  expect(waits.filter((ms) => ms >= 1000).slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 16000]);
  expect(complaints(log).length).toBeLessThanOrEqual(4);
  expect(log.filter((line) => line.includes("Telegram is connected"))).toHaveLength(1);
});

test("that updates flow is said once, and again after a failure that was said", async () => {
  const { server, inbound, log } = await runAdapter();
  const told = () => log.filter((line) => line.includes(`"level":30`));
  const sam = server.user(1, "Sam");
  sam.say(sam.dm, "one");
  await eventually(() => expect(texts(inbound)).toEqual(["one"]));
  await eventually(() => expect(told()).toEqual([expect.stringContaining("Telegram is connected")]));
  server.fail({ method: "getUpdates", status: 502 });
  sam.say(sam.dm, "two");
  await eventually(() => expect(complaints(log)).toHaveLength(1));
  await eventually(() => expect(told()).toHaveLength(2));
});

test("a refused token is an error in the log, also right after another failure", async () => {
  const { server, log, start } = await prepareAdapter();
  server.fail({ method: "getMe", status: 502 });
  server.fail({ method: "getMe", status: 502 });
  server.fail({ method: "getMe", status: 401, error: "Unauthorized" });
  await start();
  await eventually(() => expect(complaints(log)).toHaveLength(2));
  expect(complaints(log).map((line) => Number(/"level":(\d+)/.exec(line)?.[1]))).toEqual([40, 50]);
});

test("CONN-03: two bots on one token take turns, and neither ends", async () => {
  const first = await runAdapter();
  const { server, inbound } = first;
  await eventually(() => expect(first.adapter.health().connected).toBe(true));
  const url = `${server.url}/bot${server.token}/getUpdates`;
  const other = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: `{"timeout":0}`,
  });
  expect(other.status).toBe(200);
  await eventually(() => expect(server.calls.some(({ status }) => status === 409)).toBe(true));
  const sam = server.user(1, "Sam");
  sam.say(sam.dm, "hello");
  await eventually(() => expect(texts(inbound)).toContain("hello"));
});

test("a 429 to polling is waited out exactly, a 5xx and a cut connection with growing patience", async () => {
  const { server, inbound, waits, start } = await prepareAdapter();
  server.fail({ method: "getUpdates", retryAfter: 7 });
  server.fail({ method: "getUpdates", status: 502 });
  server.fail({ method: "getUpdates", drop: "before" });
  const sam = server.user(1, "Sam");
  sam.say(sam.dm, "hello");
  await start();
  await eventually(() => expect(texts(inbound)).toEqual(["hello"]));
  expect(waits.slice(0, 3)).toEqual([7000, 2000, 4000]);
});

test("a token that is revoked stops this platform, which says so", async () => {
  const { server, adapter, log } = await runAdapter();
  await eventually(() => expect(adapter.health().connected).toBe(true));
  server.setRevoked(true);
  const sam = server.user(1, "Sam");
  sam.say(sam.dm, "anyone?");
  await eventually(() => expect(adapter.health().lastError).toContain("BotFather"));
  expect(adapter.health().connected).toBe(false);
  expect(complaints(log).at(-1)).toContain('"level":50');
});

test("a network that is down at the start does not stop the start; it connects when it can", async () => {
  const probe = await createTelegramServer();
  const { port, url } = probe;
  await probe.close();
  const { start, adapter, inbound } = await prepareAdapter({ apiUrl: url });
  await expect(start()).resolves.toEqual({ account: "7000000001", name: "Telegram bot" });
  await eventually(() => expect(adapter.health().lastError).toContain("cannot be reached"));
  const server = await createTelegramServer({ port });
  onTestFinished(() => server.close());
  const sam = server.user(1, "Sam");
  sam.say(sam.dm, "@threadlinetstbot hi");
  await eventually(() => expect(texts(inbound)).toEqual(["hi"]));
  expect(adapter.health()).toMatchObject({ connected: true });
});

test("after `stop` nothing more is delivered, and what is in hand is stored first", async () => {
  const running = await runAdapter();
  const sam = running.server.user(1, "Sam");
  let begun = false;
  running.answer = async () => {
    begun = true;
    await sleep(50);
    return { accepted: true };
  };
  sam.say(sam.dm, "one");
  sam.say(sam.dm, "two");
  await eventually(() => expect(begun).toBe(true));
  await running.adapter.stop();
  expect(texts(running.inbound)).toEqual(["one"]);
  expect(running.adapter.health().connected).toBe(false);
});
