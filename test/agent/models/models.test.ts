import { describe, expect, it } from "vitest";
import { createModels } from "../../../agent/models/models.ts";
import { ScriptedModel } from "../../scripted-model.ts";

const settings = [
  { name: "a", displayName: "Model A", provider: "openai", model: "a-1" },
  { name: "b", provider: "ollama", model: "b-1" },
] as const;

describe("configured models", () => {
  it("the first is the default, with its display name, before any client is made", async () => {
    let made = 0;
    const models = createModels(settings, undefined, async ({ name }) => (made++, new ScriptedModel(name, () => "x")));
    expect(models.default).toEqual({ name: "a", label: "Model A" });
    expect(made).toBe(0);
    expect((await models.get()).name).toBe("a");
    expect((await models.get("b")).label).toBe("b");
    expect(await models.get("b")).toBe(await models.get("b"));
    expect(made).toBe(2);
  });

  it("an unknown name is refused with the names there are", async () => {
    await expect(createModels(settings).get("c")).rejects.toThrow('configured model (a, b), got "c"');
  });

  it("a client that could not be made is tried again the next time", async () => {
    let tries = 0;
    const models = createModels(settings, undefined, async ({ name }) => {
      if (tries++ === 0) throw new Error("not yet");
      return new ScriptedModel(name, () => "x");
    });
    await expect(models.get()).rejects.toThrow("not yet");
    expect((await models.get()).name).toBe("a");
  });

  it("keep their keys out of the log", () => {
    const models = createModels([{ name: "a", provider: "openai", model: "m", apiKey: "odd-key-1" }]);
    expect(models.redact("Incorrect API key: odd-key-1")).toBe("Incorrect API key: [redacted]");
  });

  it("none at all is a mistake that says what to do", () => {
    expect(() => createModels([])).toThrow("at least one model");
  });
});
