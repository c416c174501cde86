import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { detectModels } from "../../../agent/models/detect.ts";
import { createModelServer } from "../../wire/model-server.ts";

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map(
      (server) =>
        new Promise((done) => {
          server.close(done);
          server.closeAllConnections();
        }),
    ),
  );
});

/** Ollama's two answers: a list of names, and what each can do. A name without an entry never answers. */
async function ollama(able: Record<string, readonly string[] | "hangs">): Promise<string> {
  const server = createServer((request, response) => {
    const json = (body: unknown): void => void response.end(JSON.stringify(body));
    if (request.url === "/api/tags") return json({ models: Object.keys(able).map((name) => ({ name, size: 1 })) });
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      const { model } = JSON.parse(body) as { model: string };
      const capabilities = able[model];
      if (request.url === "/api/show" && capabilities !== "hangs") json({ capabilities });
    });
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Nobody listens on port 1 of this machine. */
const NOBODY = "http://127.0.0.1:1";
/** Patient, since a busy machine must not look like a missing server. */
const detect = (env: Record<string, string>, ollamaUrl = NOBODY, timeoutMs = 5000) =>
  detectModels(env, { fetch, timeoutMs, ollamaUrl });

describe("with nothing set", () => {
  test("the offline model answers, and why is told", async () => {
    expect(await detect({})).toEqual({
      models: [{ name: "offline", provider: "offline", model: "offline" }],
      because: "no key is set and no Ollama with tools answers",
    });
  });

  test("a variable that is set to nothing is not set", async () => {
    const { models } = await detect({ THREADLINE_MODEL: "", OPENAI_BASE_URL: " ", ANTHROPIC_API_KEY: "\n" });
    expect(models[0]?.provider).toBe("offline");
  });

  test("the first model of Ollama that can call tools is taken, also when another one does not answer", async () => {
    const url = await ollama({
      embed: ["embedding"],
      stuck: "hangs",
      "qwen3:8b": ["completion", "tools"],
      llama: ["tools"],
    });
    expect(await detect({}, url, 1000)).toEqual({
      models: [{ name: "qwen3:8b", provider: "ollama", model: "qwen3:8b", baseUrl: url }],
      because: "Ollama on this machine has a model that can call tools",
    });
  });

  test("an Ollama whose models cannot call tools leaves the offline model", async () => {
    expect((await detect({}, await ollama({ embed: ["embedding"] }))).models[0]?.provider).toBe("offline");
  });

  test("only this machine is asked", async () => {
    const asked: string[] = [];
    const spy: typeof fetch = (input) => {
      asked.push(input instanceof Request ? input.url : input.toString());
      return Promise.reject(new Error("no"));
    };
    await detectModels({}, { fetch: spy, timeoutMs: 400, ollamaUrl: "http://ollama.example:11434" });
    expect(asked).toEqual([]);
    await detectModels({}, { fetch: spy, timeoutMs: 400 });
    expect(asked).toEqual(["http://127.0.0.1:11434/api/tags"]);
  });

  test("a server that never answers costs the time-out and no more", async () => {
    const server = createServer(() => undefined);
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const ollamaUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const before = performance.now();
    const { models } = await detectModels({}, { fetch, timeoutMs: 100, ollamaUrl });
    expect(models[0]?.provider).toBe("offline");
    expect(performance.now() - before).toBeLessThan(1500);
  });
});

describe("in order", () => {
  test("THREADLINE_MODEL goes before everything else", async () => {
    const env = {
      THREADLINE_MODEL: "ollama:qwen3:8b",
      OPENAI_BASE_URL: NOBODY,
      ANTHROPIC_API_KEY: "a",
      OPENAI_API_KEY: "o",
    };
    expect(await detect(env)).toEqual({
      models: [{ name: "qwen3:8b", provider: "ollama", model: "qwen3:8b", baseUrl: NOBODY }],
      because: "THREADLINE_MODEL is set",
    });
    const openai = await detect({ ...env, THREADLINE_MODEL: "openai:gpt-4o" });
    expect(openai.models).toEqual([
      { name: "gpt-4o", provider: "openai", model: "gpt-4o", apiKey: "o", baseUrl: NOBODY },
    ]);
    expect((await detect({ ...env, THREADLINE_MODEL: "offline" })).models[0]?.provider).toBe("offline");
  });

  test("OPENAI_BASE_URL goes before keys, with the model that is named or the first one the server lists", async () => {
    const server = await createModelServer({ models: ["first", "second"], apiKey: "sk-local" });
    const env = { OPENAI_BASE_URL: `${server.url}/`, OPENAI_API_KEY: "sk-local", ANTHROPIC_API_KEY: "a" };
    const listed = { name: "first", provider: "openai", model: "first", baseUrl: server.url, apiKey: "sk-local" };
    expect(await detect(env)).toEqual({ models: [listed], because: "OPENAI_BASE_URL is set" });
    expect((await detect({ ...env, OPENAI_MODEL: "mine" })).models[0]?.model).toBe("mine");
    await server.close();
  });

  test("Anthropic's key goes before OpenAI's, and OpenAI's before Ollama", async () => {
    const url = await ollama({ qwen3: ["tools"] });
    expect(await detect({ ANTHROPIC_API_KEY: "a\n", OPENAI_API_KEY: "o" }, url)).toEqual({
      models: [
        {
          name: "claude-sonnet-4-6",
          displayName: "Claude Sonnet 4.6",
          provider: "anthropic",
          model: "claude-sonnet-4-6",
          apiKey: "a",
        },
      ],
      because: "ANTHROPIC_API_KEY is set",
    });
    expect((await detect({ OPENAI_API_KEY: "o" }, url)).models).toEqual([
      { name: "gpt-4o-mini", provider: "openai", model: "gpt-4o-mini", apiKey: "o" },
    ]);
  });
});

describe("what was asked for and cannot be had is said, without a value", () => {
  test.each([
    ["a form that is none", { THREADLINE_MODEL: "sk-secret-value" }, /^THREADLINE_MODEL: expected provider:model/],
    ["a provider without its key", { THREADLINE_MODEL: "anthropic:x" }, /expected ANTHROPIC_API_KEY to be set/],
    [
      "a server that does not answer",
      { OPENAI_BASE_URL: "http://u:sk-secret-value@127.0.0.1:1/v1" },
      /^OPENAI_BASE_URL: .*OPENAI_MODEL/,
    ],
  ])("%s", async (_, env, wanted) => {
    const error = await detect(env as Record<string, string>).catch((reason: unknown) => reason);
    expect(String(error instanceof Error ? error.message : error)).toMatch(wanted);
    expect(String(error)).not.toContain("secret");
  });
});
