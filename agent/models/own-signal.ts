/**
 * `createAgent` makes a signal of its own for each model call, by `AbortSignal.any`, and the providers' libraries listen to
 * it and never stop. Node keeps such a signal for ever, unless it aborts: https://github.com/nodejs/node/issues/54614. So
 * each call gets one more signal, which nobody outside knows, and which goes with the call.
 */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { RunnableConfig } from "@langchain/core/runnables";

interface Invocable<Input, Options extends RunnableConfig, Output> {
  invoke(input: Input, options?: Partial<Options>): Promise<Output>;
}

/** The same client; no call of it, or of what tools are bound to, leaves anything behind at the signal that it is given. */
export function withOwnSignals(client: BaseChatModel): BaseChatModel {
  const bind = client.bindTools?.bind(client);
  if (bind) client.bindTools = (tools, options) => withOwnSignal(bind(tools, options));
  return withOwnSignal(client);
}

export function withOwnSignal<Input, Options extends RunnableConfig, Output, Model>(
  model: Model & Invocable<Input, Options, Output>,
): Model {
  const invoke = model.invoke.bind(model);
  model.invoke = async (input, options) => {
    const { signal } = options ?? {};
    if (!signal || signal.aborted) return invoke(input, options);
    const own = new AbortController();
    const abort = () => own.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    try {
      return await invoke(input, { ...options, signal: own.signal } as Partial<Options>);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
  return model;
}
