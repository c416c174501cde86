import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bindOnce } from "../../../agent/models/bind-once.ts";

const named = (name: string) => tool(() => "", { name, description: "d", schema: z.object({}) });
const client = () => bindOnce(new ChatOpenAI({ model: "m", apiKey: "none" }));

describe("a model to which tools are bound", () => {
  it("is the same one for the same tools, also in another list", () => {
    const [model, tools] = [client(), [named("a"), named("b")]];
    const options = { tool_choice: undefined } as object; // as createAgent gives it
    expect(model.bindTools?.([...tools], options)).toBe(model.bindTools?.([...tools], options));
  });

  it("is another one for other tools, in another order, or with options", () => {
    const [model, a, b] = [client(), named("a"), named("b")];
    const bound = [[a, b], [b, a], [a], [named("a"), b]].map((tools) => model.bindTools?.(tools));
    const chosen = model.bindTools?.([a, b], { tool_choice: "any" });
    expect(new Set([...bound, chosen]).size).toBe(5);
  });

  it("has the tools that were asked for, also when the list is changed afterwards", () => {
    const [model, a, b] = [client(), named("a"), named("b")];
    const list = [a];
    const first = model.bindTools?.(list);
    list.push(b);
    expect(model.bindTools?.(list)).not.toBe(first);
    expect(model.bindTools?.([a])).toBe(first);
  });
});
