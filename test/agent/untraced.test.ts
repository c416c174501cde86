/** Steps of a graph without traces that nobody reads. */
import { AsyncLocalStorageProviderSingleton as provider } from "@langchain/core/singletons";
import { getContextVariable, setContextVariable } from "@langchain/core/context";
import { RunnableLambda } from "@langchain/core/runnables";
import { describe, expect, it, onTestFinished } from "vitest";
import { prepareNoTraces } from "../../agent/untraced.ts";
import "@langchain/langgraph"; // gives the library its context

type RunWithConfig = typeof provider.runWithConfig;
const methodOf = (holder: { runWithConfig: RunWithConfig }): RunWithConfig => Reflect.get(holder, "runWithConfig");
const original = methodOf(Object.getPrototypeOf(provider));

/** What a step sees, with the library's own method and with ours. */
async function seen(method: RunWithConfig): Promise<unknown> {
  const before = methodOf(provider);
  provider.runWithConfig = method;
  onTestFinished(() => void (provider.runWithConfig = before));
  const inner = RunnableLambda.from(() => ({
    config: provider.getRunnableConfig()?.configurable,
    variable: getContextVariable("variable"),
  }));
  // Nothing is handed on: the inner one finds the config in the context.
  const outer = RunnableLambda.from(async () => inner.invoke("x"));
  return provider.getInstance().run({}, () => {
    setContextVariable("variable", 7);
    return outer.invoke("x", { configurable: { thread_id: "t" } });
  });
}

describe("a step without a trace", () => {
  it("finds what it finds with one: the config of its caller and the variables of its context", async () => {
    prepareNoTraces({});
    const ours = methodOf(provider);
    expect(ours).not.toBe(original);
    const found = await seen(ours);
    expect(found).toEqual(await seen(original));
    expect(found).toEqual({ config: expect.objectContaining({ thread_id: "t" }), variable: 7 });
  });

  it("has one where the environment asks for it", () => {
    const before = methodOf(provider);
    onTestFinished(() => void (provider.runWithConfig = before));
    provider.runWithConfig = original;
    prepareNoTraces({ LANGSMITH_TRACING: "true" });
    expect(methodOf(provider)).toBe(original);
  });
});
