import { afterEach, expect, test } from "vitest";
import { type BenchTelegram, createBenchTelegram } from "./telegram.ts";
import { markOf, question } from "./texts.ts";

let telegram: BenchTelegram | undefined;
afterEach(() => telegram?.close());

async function createCaller() {
  telegram = await createBenchTelegram();
  const { url, token } = telegram;
  const call = async (method: string, params: object): Promise<{ ok: boolean; result?: unknown }> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/bot${token}/${method}`, {
      method: "POST",
      headers,
      body: JSON.stringify(params),
    });
    return (await response.json()) as { ok: boolean; result?: unknown }; // the shape of every answer of the Bot API
  };
  return { telegram, call };
}

test("what a person writes is given out, also to a client that asks for all kinds by an empty list", async () => {
  const { telegram: server, call } = await createCaller();
  server.say(11, question(markOf(1)));
  const { result } = await call("getUpdates", { allowed_updates: [], timeout: 0 });
  expect(result).toMatchObject([{ message: { chat: { id: 11 }, text: question(markOf(1)) } }]);
});

test("calls are told with their chat, their turn and their time, whether the chat's id is a number or text", async () => {
  const { telegram: server, call } = await createCaller();
  const saidAt = server.say(11, "hello");
  const next = server.next(({ method }) => method === "sendMessage");
  await call("sendChatAction", { chat_id: 11, action: "typing" });
  await call("sendMessage", { chat_id: "11", text: `${markOf(5)} done`, parse_mode: "MarkdownV2" });
  expect(await next).toMatchObject({ chat: 11, mark: "k0000005" });
  expect(server.outgoing.map(({ method }) => method)).toEqual(["sendChatAction", "sendMessage"]);
  expect((await next).at).toBeGreaterThan(saidAt);
});

test("a method that it does not know and a chat that does not exist are refused", async () => {
  const { call } = await createCaller();
  expect(await call("sendDice", {})).toMatchObject({ ok: false });
  expect(await call("sendMessage", { chat_id: 99, text: "hello" })).toMatchObject({ ok: false });
});
