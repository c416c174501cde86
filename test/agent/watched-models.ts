/** Scripted clients as the program wires real ones: each call is seen by the watch and written to the ledger. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelSettings } from "../../agent/contract.ts";
import { ModelWatch } from "../../agent/model-watch.ts";
import { createModels } from "../../agent/models/models.ts";
import type { Ledger } from "../../subagents/contract.ts";

export function watchedModels(
  ledger: Ledger,
  settings: readonly ModelSettings[],
  make: (name: string) => BaseChatModel,
  now = Date.now,
) {
  const watch = new ModelWatch({ write: (call) => ledger.modelCall(call), now });
  const models = createModels(
    settings,
    () => watch.callbacks(),
    async ({ name }, callbacks) => {
      const client = make(name);
      client.callbacks = callbacks;
      return client;
    },
  );
  return { watch, models };
}
