/** The saves that LangGraph asks for in the first turn of a thread, recorded once, to be made again without LangGraph. */
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { createBot } from "./bot.ts";

/** Makes one save as part of `thread`. */
type Save = (saver: BaseCheckpointSaver, thread: string) => Promise<unknown>;

export async function recordSaves(): Promise<readonly Save[]> {
  const saves: Save[] = [];
  const recorder: BaseCheckpointSaver = new MemorySaver();
  const put = recorder.put.bind(recorder);
  const putWrites = recorder.putWrites.bind(recorder);
  recorder.put = (config, ...rest) => {
    saves.push((saver, thread) => saver.put(inThread(config, thread), ...rest));
    return put(config, ...rest);
  };
  recorder.putWrites = (config, ...rest) => {
    saves.push((saver, thread) => saver.putWrites(inThread(config, thread), ...rest));
    return putWrites(config, ...rest);
  };
  await createBot(recorder).turn("recorded");
  return saves;
}

type Config = Parameters<BaseCheckpointSaver["put"]>[0];

function inThread(config: Config, thread: string): Config {
  return { ...config, configurable: { ...config.configurable, thread_id: thread } };
}
