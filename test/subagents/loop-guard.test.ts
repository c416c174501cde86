import { describe, expect, it } from "vitest";
import { judgeLoop } from "../../subagents/loop-guard.ts";

const read = (path: string) => ({ name: "read", args: { path, from: 1 } });
const times = <One>(count: number, make: (at: number) => One) => Array.from({ length: count }, (_, at) => make(at));

describe("a subagent's turns", () => {
  it.each([
    [2, "none"],
    [3, "warn"],
    [4, "warn"],
    [5, "stop"],
  ])("with the same calls %i times: %s", (count, wanted) => {
    expect(judgeLoop(times(count, () => [read("a")]))).toBe(wanted);
  });

  it.each([
    [29, "none"],
    [30, "warn"],
    [49, "warn"],
    [50, "stop"],
  ])("with one tool %i times, each time differently: %s", (count, wanted) => {
    expect(judgeLoop(times(count, (at) => [read(`${at}`)]))).toBe(wanted);
  });

  it("are the same calls in any order, of calls and of arguments", () => {
    const turn = [{ name: "read", args: { from: 1, path: "b" } }, read("a")];
    expect(judgeLoop([[read("a"), read("b")], turn, [read("b"), read("a")]])).toBe("warn");
  });

  it("forget calls that lie more than 20 turns back", () => {
    const others = times(19, (at) => [{ name: `tool${at}`, args: {} }]);
    expect(judgeLoop([...times(4, () => [read("a")]), ...others, [read("a")]])).toBe("none");
  });

  it("are no loop when the last one calls nothing", () => {
    expect(judgeLoop([...times(6, () => [read("a")]), []])).toBe("none");
  });
});
