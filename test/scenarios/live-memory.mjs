/**
 * Loaded before the program (`node --import`): asked by its parent, collects what nothing refers to any more and answers
 * how much is left. V8 lets its heap grow long before it collects, so that a process's size alone tells no leak.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

process.on("message", ({ type }) => {
  if (type !== "memory") return;
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ live: heapUsed + external, rss });
});
process.channel?.unref();
