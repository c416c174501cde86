import { describe, expect, test } from "vitest";
import { connect, refused, serverWithRest } from "./discord-client.ts";

describe("misbehaviour", () => {
  const POST = "POST /channels/:id/messages";

  test("429 for one place, with skip, and for the whole bot", async () => {
    const { server, say, ana, channel } = await serverWithRest();
    server.fail({ method: POST, place: channel.id, retryAfter: 1.5, skip: 1 });
    await say({ content: "one" });
    const limited = say({ content: "two" });
    await expect(limited).rejects.toMatchObject({
      name: expect.stringContaining("RateLimit"),
      retryAfter: expect.any(Number),
      global: false,
    });
    server.fail({ method: POST, retryAfter: 1, global: true });
    await expect(say({ content: "three" }, ana.dm.id)).rejects.toMatchObject({ global: true });
    expect(channel.messages.map(({ shown }) => shown.content)).toEqual(["one"]);
  });

  test("buckets of five messages in five seconds a channel, when asked", async () => {
    const { server, say, ana } = await serverWithRest({ buckets: true });
    for (const text of ["1", "2", "3", "4", "5"]) await say({ content: text });
    await expect(say({ content: "6" })).rejects.toMatchObject({ limit: 5 });
    await say({ content: "elsewhere" }, ana.dm.id);
    expect(server.calls.filter(({ status }) => status === 429)).toEqual([]);
  });

  test("answers of 5xx as pages, refusals with a code, and sockets that are cut before or after the work", async () => {
    const { server, say, channel } = await serverWithRest();
    server.fail({ method: POST, status: 502 });
    await expect(say({ content: "a" })).rejects.toMatchObject({ status: 502 });
    server.fail({ method: POST, status: 403, code: 50013, error: "Missing Permissions" });
    await expect(say({ content: "b" })).rejects.toMatchObject(refused(50013, 403));
    server.fail({ method: POST, drop: "before" });
    await expect(say({ content: "c" })).rejects.toThrow();
    server.fail({ method: POST, drop: "after" });
    await expect(say({ content: "d" })).rejects.toThrow();
    server.fail({ method: POST, delayMs: 100 });
    const began = Date.now();
    await say({ content: "e" });
    expect(Date.now() - began).toBeGreaterThanOrEqual(95);
    expect(channel.messages.map(({ shown }) => shown.content)).toEqual(["d", "e"]);
  });

  test("CONN-06: the way to the gateway fails at first", async () => {
    const { server } = await serverWithRest();
    server.fail({ method: "GET /gateway/bot", status: 502 });
    await expect(connect(server, { rest: { api: server.api, retries: 0 } })).rejects.toMatchObject({ status: 502 });
    await connect(server);
  });
});
