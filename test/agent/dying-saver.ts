/** A checkpointer whose process "dies": from a chosen write on, nothing reaches the file any more. */
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";

export interface Death {
  /** Called before each write; true: this one and all later ones are lost. */
  when: (write: {
    readonly type: "checkpoint" | "writes";
    readonly namespace: string;
    readonly step: number;
  }) => boolean;
  dead: boolean;
}

export function createDyingSaver(file: string, death: Death): SqliteSaver {
  const saver = SqliteSaver.fromConnString(file);
  const { put, putWrites } = { put: saver.put.bind(saver), putWrites: saver.putWrites.bind(saver) };
  const lost = new Promise<never>(() => undefined);
  const reaches = (type: "checkpoint" | "writes", namespace: unknown, step: number) => {
    death.dead ||= death.when({ type, namespace: typeof namespace === "string" ? namespace : "", step });
    return !death.dead;
  };
  saver.put = async (config, checkpoint, metadata) =>
    reaches("checkpoint", config.configurable?.["checkpoint_ns"], metadata.step)
      ? put(config, checkpoint, metadata)
      : lost;
  saver.putWrites = async (config, writes, taskId) =>
    reaches("writes", config.configurable?.["checkpoint_ns"], -1) ? putWrites(config, writes, taskId) : lost;
  return saver;
}
