import { describe, expect, it } from "vitest";
import { createSlots } from "../../subagents/slots.ts";

/** Enters one after the other, and keeps in which order they begin. */
function queue(most: number) {
  const slots = createSlots(most);
  const begun: string[] = [];
  const enter = async (name: string, signal?: AbortSignal) => {
    const leave = await slots.enter(signal);
    begun.push(name);
    return leave;
  };
  return { slots, begun, enter };
}

describe("the slots of a process", () => {
  it("let in as many as there are, and the others in the order in which they came", async () => {
    const { slots, begun, enter } = queue(2);
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => enter(name));
    (await b)?.();
    (await a)?.();
    await Promise.all([c, d]);
    expect(begun).toEqual(["a", "b", "c", "d"]);
    expect([slots.taken, slots.waiting, slots.full]).toEqual([2, 0, true]);
  });

  it("let the next one in when the first who waits has gone away", async () => {
    const { slots, begun, enter } = queue(1);
    const leave = await enter("a");
    const gone = new AbortController();
    const b = enter("b", gone.signal);
    const c = enter("c");
    gone.abort(new Error("stop"));
    await expect(b).rejects.toThrow("stop");
    leave();
    await c;
    expect(begun).toEqual(["a", "c"]);
    expect(slots.waiting).toBe(0);
  });

  it("turn away who comes with a signal that is aborted", async () => {
    const { slots, enter } = queue(1);
    await expect(enter("a", AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
    expect(slots.taken).toBe(0);
  });
});
