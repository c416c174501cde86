/**
 * LangChain prepares a trace at every step of a graph, also when nobody reads traces: a tenth of a turn's time. Unless
 * tracing is on, only what the steps need is put into their context: the config, which `interrupt` and nested calls find
 * there.
 *
 * This replaces a method of @langchain/core that is exported, but not for that; its test fails when an upgrade changes what
 * the method does.
 */
import { AsyncLocalStorageProviderSingleton as provider } from "@langchain/core/singletons";

/** As `@langchain/core` names them. */
const CHILD_CONFIG = Symbol.for("lc:child_config");
const CONTEXT_VARIABLES = Symbol.for("lc:context_variables");
const TRACING = ["LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING_V2", "LANGSMITH_TRACING", "LANGCHAIN_TRACING"];

type RunWithConfig = typeof provider.runWithConfig;

/** For the whole process. Does nothing where the environment asks for tracing. */
export function prepareNoTraces(env: Readonly<Record<string, string | undefined>> = process.env): void {
  if (TRACING.some((name) => env[name] === "true")) return;
  provider.runWithConfig = runUntraced;
}

const runUntraced: RunWithConfig = (config, callback, avoidCreatingRootRunTree) => {
  const storage = provider.getInstance();
  const variables: unknown = storage.getStore()?.[CONTEXT_VARIABLES];
  const context = {
    ...(!avoidCreatingRootRunTree && { tracingEnabled: false, extra: { [CHILD_CONFIG]: config } }),
    ...(variables !== undefined && { [CONTEXT_VARIABLES]: variables }),
  };
  const isEmpty = avoidCreatingRootRunTree && variables === undefined;
  return storage.run(isEmpty ? undefined : context, callback);
};
