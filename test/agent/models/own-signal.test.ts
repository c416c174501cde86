import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { expect, test } from "vitest";
import { withOwnSignal } from "../../../agent/models/own-signal.ts";
import { createModels } from "../../../agent/models/models.ts";
import { createModelServer } from "../../wire/model-server.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** As `createAgent` makes it for each call, from one that lives as long as the process. */
const combined = (of: AbortSignal): AbortSignal => AbortSignal.any([of]);

test("a model call that is over leaves nothing behind, however long the signal that could have ended it lives", async () => {
  const server = await createModelServer({ models: ["m"] });
  server.script(() => ({ content: "Done." }));
  const { client } = await createModels([
    { name: "m", provider: "openai", model: "m", baseUrl: server.url, apiKey: server.apiKey },
  ]).get();
  const life = new AbortController();
  const signals: WeakRef<AbortSignal>[] = [];
  for (let call = 0; call < 5; call += 1) {
    const signal = combined(life.signal);
    signals.push(new WeakRef(signal));
    await client.invoke("Hello", { signal });
    await client.bindTools?.([]).invoke("Hello", { signal });
  }
  await sleep(50);
  collect();
  await server.close();
  // The last one may still be in hand.
  expect(signals.filter((signal) => signal.deref() !== undefined).length).toBeLessThanOrEqual(1);
});

test("an abort reaches the call that is under way, with its reason", async () => {
  const stop = new AbortController();
  const model = withOwnSignal({
    invoke: (_input: string, options: RunnableConfig = {}) =>
      new Promise<never>((_, reject) => {
        options.signal?.addEventListener("abort", () => reject(options.signal?.reason as Error));
      }),
  });
  const answer = model.invoke("Hello", { signal: stop.signal });
  stop.abort(new Error("said /stop"));
  await expect(answer).rejects.toThrow("said /stop");
});

test("a model is told of an abort that came before", async () => {
  const model = withOwnSignal({
    invoke: async (_input: string, options: RunnableConfig = {}) => options.signal?.aborted,
  });
  expect(await model.invoke("Hello", { signal: AbortSignal.abort() })).toBe(true);
});
