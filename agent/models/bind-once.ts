/**
 * `createAgent` binds its tools to the model before each call, and the client libraries make a new client each time, with
 * the schemas of all tools. An agent's tools stay the same, so what was bound once is used again.
 */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";

type Bind = NonNullable<BaseChatModel["bindTools"]>;
interface Bound {
  readonly tools: Parameters<Bind>[0];
  readonly model: ReturnType<Bind>;
}

/** One list of tools for each agent that uses the model, and few more. Ours. */
const KEEP = 32;

/** The same client, whose `bindTools` gives the same model for the same tools. Options, where there are any, bind anew. */
export function bindOnce(client: BaseChatModel): BaseChatModel {
  const bind = client.bindTools?.bind(client);
  if (!bind) return client;
  let kept: readonly Bound[] = [];
  client.bindTools = (tools, options) => {
    if (Object.values(options ?? {}).some((value) => value !== undefined)) return bind(tools, options);
    const known = kept.find((one) => isSame(one.tools, tools));
    if (known) return known.model;
    const model = bind(tools, options);
    kept = [...kept, { tools: [...tools], model }].slice(-KEEP);
    return model;
  };
  return client;
}

const isSame = (one: Bound["tools"], other: Bound["tools"]): boolean =>
  one.length === other.length && one.every((tool, index) => tool === other[index]);
