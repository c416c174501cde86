import { describe, expect, it } from "vitest";
import { METHODS, placeKey, type Rate, threadKey } from "../../gateway/contract.ts";
import { type Call, createGovernor } from "../../gateway/governor.ts";

const GROUP: Rate = { scope: "place", places: "shared", methods: ["post", "edit"], calls: 1, perMs: 3000 };
const IN_ALL: Rate = { scope: "account", methods: METHODS, calls: 30, perMs: 1000 };

const edit = (place: string, over: Partial<Call> = {}): Call => ({
  method: "edit",
  thread: threadKey(place),
  place: { key: placeKey(place), type: "shared" },
  ...over,
});

/** Everybody asks again whenever told to, calls as soon as allowed, and has more to show 100 ms later. */
function play(rates: readonly Rate[], askers: Readonly<Record<string, Call>>, untilMs: number) {
  const governor = createGovernor(rates);
  const due = new Map(Object.keys(askers).map((who) => [who, 0]));
  const calls: (readonly [at: number, who: string])[] = [];
  for (let now = 0; now <= untilMs; now += 100) {
    for (const [who, call] of Object.entries(askers)) {
      if ((due.get(who) ?? 0) > now) continue;
      const at = governor.ask(who, call, now);
      due.set(who, Math.max(at, now + 100));
      if (at > now) continue;
      governor.made(call, now, who);
      calls.push([now, who]);
    }
  }
  return calls;
}

describe("the governor", () => {
  it("lets twelve who edit in one group go one after the other, each in its turn", () => {
    const askers = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`card ${i}`, edit("g")]));
    const calls = play([GROUP, IN_ALL], askers, 66_000);
    expect(calls.map(([at]) => at)).toEqual(Array.from({ length: 23 }, (_, i) => i * 3000));
    expect(calls.slice(0, 12).map(([, who]) => who)).toEqual(Object.keys(askers));
    expect(calls.slice(12).map(([, who]) => who)).toEqual(Object.keys(askers).slice(0, 11));
  });

  it("keeps what is counted for the whole account over all places, and is just there too", () => {
    const rate: Rate = { scope: "account", methods: ["edit"], calls: 2, perMs: 1000 };
    const askers = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`card ${i}`, edit(`g${i}`)]));
    const calls = play([rate], askers, 9900);
    expect(calls).toHaveLength(20);
    const shares = Object.keys(askers).map((who) => calls.filter(([, other]) => other === who).length);
    expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(2);
  });

  it("holds nobody elsewhere while a place is full", () => {
    const governor = createGovernor([GROUP, IN_ALL]);
    governor.made(edit("full"), 0);
    for (let i = 0; i < 100; i += 1) governor.ask(`waiting ${i}`, edit("full"), 100);
    expect(governor.ask("elsewhere", edit("free"), 100)).toBe(100);
  });

  it("counts what did not ask, and lets all who wait give way to it without losing their places", () => {
    const governor = createGovernor([GROUP]);
    governor.made(edit("g"), 0);
    expect(governor.ask("first", edit("g"), 0)).toBe(3000);
    expect(governor.ask("second", edit("g"), 0)).toBe(6000);
    governor.made(edit("g", { method: "post" }), 2000);
    expect(governor.ask("second", edit("g"), 3000)).toBe(8000);
    expect(governor.ask("first", edit("g"), 3000)).toBe(5000);
  });

  it("keeps a window of several calls, whatever the order in which they were counted", () => {
    const governor = createGovernor([{ scope: "place", methods: ["post", "edit"], calls: 3, perMs: 10_000 }]);
    for (const at of [0, 4000, 4000, 4000]) governor.made(edit("g"), at);
    expect(governor.ask("card", edit("g"), 5000)).toBe(14_000);
  });

  it("lets what need not wait go first when a hold is over", () => {
    const governor = createGovernor([GROUP]);
    governor.held(edit("g"), 20_000);
    expect(governor.ask("card", edit("g"), 20_000)).toBe(23_000);
  });

  it("counts methods, places and kinds of places apart where the rate says so", () => {
    const governor = createGovernor([GROUP]);
    governor.made(edit("g"), 0);
    expect(governor.ask("sign", edit("g", { method: "presence" }), 0)).toBe(0);
    expect(governor.ask("other", edit("h"), 0)).toBe(0);
    const direct = edit("g", { place: { key: placeKey("g"), type: "direct" } });
    expect(governor.ask("direct", direct, 0)).toBe(0);
    expect(governor.ask("same", edit("g"), 0)).toBe(3000);
  });

  it("gives a turn that was not used, and a place in the line that was left, to the next", () => {
    const governor = createGovernor([GROUP]);
    expect(governor.ask("first", edit("g"), 0)).toBe(0);
    expect(governor.ask("second", edit("g"), 0)).toBe(3000);
    expect(governor.ask("third", edit("g"), 0)).toBe(6000);
    governor.leave("second");
    expect(governor.ask("third", edit("g"), 0)).toBe(3000);
    governor.leave("first");
    expect(governor.ask("third", edit("g"), 0)).toBe(0);
  });

  it("has room to spare only where nobody in the line waits for it", () => {
    const governor = createGovernor([{ scope: "account", methods: ["edit", "presence"], calls: 1, perMs: 1000 }]);
    const sign = edit("g", { method: "presence" });
    expect(governor.spare(sign, 0)).toBe(0);
    governor.made(edit("g"), 0);
    governor.ask("card", edit("g"), 0);
    expect(governor.spare(sign, 1000)).toBe(2000);
  });

  it("waits for nothing that a clock set back has put into the far future", () => {
    const governor = createGovernor([GROUP]);
    governor.made(edit("g"), 3_600_000);
    expect(governor.ask("card", edit("g"), 1000)).toBe(1000);
  });

  it("forgets places in which nothing happens any more", () => {
    const governor = createGovernor([GROUP, IN_ALL]);
    for (let i = 0; i < 10_000; i += 1) governor.made(edit(`g${i}`), i * 100);
    expect(governor.size()).toBeLessThan(130);
  });

  it("tells 300 who wait for one account in a moment", () => {
    const governor = createGovernor([{ scope: "account", methods: ["edit"], calls: 1, perMs: 1200 }, IN_ALL]);
    const turns = Array.from({ length: 300 }, (_, i) => governor.ask(`card ${i}`, edit(`g${i}`), 0));
    expect(turns).toEqual(Array.from({ length: 300 }, (_, i) => i * 1200));
    // Once more, all of them: what a busy minute costs.
    const began = process.cpuUsage();
    for (let i = 1; i < 300; i += 1) governor.ask(`card ${i}`, edit(`g${i}`), 0);
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(2000);
  });
});
