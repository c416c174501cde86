/** The configured models: built on first use, each with its own client library loaded only then. */
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ModelSettings } from "../contract.ts";
import { redact } from "../redact.ts";
import { bindOnce } from "./bind-once.ts";
import { withOwnSignals } from "./own-signal.ts";
import { createClient } from "./providers.ts";

export interface Model {
  readonly name: string;
  /** What cards show. */
  readonly label: string;
  readonly client: BaseChatModel;
}
export interface Models {
  /** The first of the settings; known without loading a client. */
  readonly default: { readonly name: string; readonly label: string };
  /** Without a name: the default. Throws when no model has that name, naming those there are. */
  get(name?: string): Promise<Model>;
  /** What cards show for the model of this name; the name itself where there is none. */
  label(name: string): string;
  /** A text without the configured keys, for the log. */
  redact(text: string): string;
}
/** How a client is made; replaced in tests. */
export type CreateClient = (settings: ModelSettings, callbacks: BaseCallbackHandler[]) => Promise<BaseChatModel>;

/** `callbacks` makes what sees each call of one client. Throws when there are no settings. */
export function createModels(
  settings: readonly ModelSettings[],
  callbacks: () => BaseCallbackHandler[] = () => [],
  create: CreateClient = createClient,
): Models {
  const [first] = settings;
  if (!first) throw new Error("Expected at least one model under `models`, got none. Add one, or leave the key out.");
  const built = new Map<string, Promise<Model>>();
  const build = async (one: ModelSettings): Promise<Model> => ({
    name: one.name,
    label: label(one),
    client: bindOnce(withOwnSignals(await create(one, callbacks()))),
  });
  const keys = settings.flatMap((one) => one.apiKey ?? []);
  return {
    default: { name: first.name, label: label(first) },
    async get(name = first.name) {
      const found = settings.find((one) => one.name === name);
      if (!found) throw new Error(unknownModel(name, settings));
      const model = built.get(name) ?? build(found);
      built.set(name, model);
      // A client that could not be made (its library is missing) is tried again the next time.
      model.catch(() => built.delete(name));
      return model;
    },
    label: (name) => label(settings.find((one) => one.name === name) ?? { name }),
    redact: (text) => redact(text, keys),
  };
}

function label({ displayName, name }: Pick<ModelSettings, "displayName" | "name">): string {
  return displayName?.trim() || name;
}
function unknownModel(name: string, settings: readonly ModelSettings[]): string {
  return `Expected the name of a configured model (${settings.map((one) => one.name).join(", ")}), got "${name}".`;
}
