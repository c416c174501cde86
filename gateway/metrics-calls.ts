/** An adapter whose calls of its platform are timed and counted. */
import { type Adapter, AdapterError } from "./contract.ts";
import type { CallKind, CallResult, Metrics } from "./metrics.ts";

/** `now`: seconds that only go forward. */
export function countCalls(adapter: Adapter, metrics: Pick<Metrics, "called">, now: () => number): Adapter {
  const { platform } = adapter;
  async function timed<T>(kind: CallKind, call: () => Promise<T>): Promise<T> {
    const since = now();
    let result: CallResult = "ok";
    try {
      return await call();
    } catch (error) {
      result = error instanceof AdapterError ? error.code : "error";
      throw error;
    } finally {
      metrics.called(platform, kind, result, now() - since);
    }
  }
  return {
    platform,
    limits: adapter.limits,
    start: (deliver, http) => adapter.start(deliver, http),
    render: (view) => adapter.render(view),
    plain: (part) => adapter.plain(part),
    send: (...of) => timed("send", () => adapter.send(...of)),
    edit: (...of) => timed("edit", () => adapter.edit(...of)),
    remove: (...of) => timed("remove", () => adapter.remove(...of)),
    upload: (...of) => timed("upload", () => adapter.upload(...of)),
    find: (...of) => timed("find", () => adapter.find(...of)),
    presence: (...of) => adapter.presence(...of),
    download: (file) => timed("download", () => adapter.download(file)),
    history: (...of) => timed("history", () => adapter.history(...of)),
    health: () => adapter.health(),
    stop: () => adapter.stop(),
  };
}
