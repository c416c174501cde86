import { expect, test } from "vitest";
import { createBench, reply } from "../bench.ts";

test("a provider that gives the id of a completion again overwrites nothing, and each turn has its answer", async () => {
  const bench = createBench({
    scripts: { lead: (messages) => ({ id: "chatcmpl-7", content: `echo ${messages.at(-1)?.text}` }) },
  });
  for (const word of ["one", "two", "three"])
    expect(reply(await bench.run(bench.say(word, `run-${word}`)))).toContain(word);
  const history = bench.model("lead").requests.at(-1) ?? [];
  expect(history.filter(({ type }) => type !== "system").map(({ text }) => text.split("\n").at(-1))).toEqual([
    expect.stringContaining("one"),
    expect.stringContaining("echo"),
    expect.stringContaining("two"),
    expect.stringContaining("echo"),
    expect.stringContaining("three"),
  ]);
});
