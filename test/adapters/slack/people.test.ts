import { describe, expect, test } from "vitest";
import type { Api, SlackUser } from "../../../adapters/slack/api.ts";
import { createPeople, personOf } from "../../../adapters/slack/people.ts";
import { AdapterError } from "../../../gateway/contract.ts";
import type { AdapterErrorCode } from "../../../gateway/contract.ts";

const bot = { team: "T1", user: "UBOT1", name: "bot" };
const user = (fields: Partial<SlackUser> = {}): SlackUser => ({ id: "U1", team_id: "T1", name: "sam", ...fields });

describe("who is a member", () => {
  test.each([
    ["of the workspace", {}, true],
    ["a guest", { is_restricted: true }, false],
    ["a guest of one channel", { is_ultra_restricted: true }, false],
    ["of another workspace", { team_id: "T9" }, false],
    ["never seen before", { is_stranger: true }, false],
    ["whose account is closed", { deleted: true }, false],
    ["a bot", { is_bot: true }, false],
    [
      "of an organisation, and of this workspace in it",
      { team_id: "T9", enterprise_user: { teams: ["T8", "T1"] } },
      true,
    ],
    ["of an organisation, but of other workspaces in it", { team_id: "T9", enterprise_user: { teams: ["T8"] } }, false],
  ])("%s", (_, fields, member) => {
    expect(personOf(user(fields), bot).member).toBe(member);
  });
  test("nobody, while the bot does not know its own workspace", () => {
    expect(personOf(user(), undefined).member).toBe(false);
  });
});

test("the name is the one that a person chose, else the real one, else the account's, else the id", () => {
  const name = (fields: Partial<SlackUser>) => personOf(user(fields), bot).name;
  expect(name({ profile: { display_name: "Sammy", real_name: "Sam" }, real_name: "Sam A." })).toBe("Sammy");
  expect(name({ profile: { display_name: "", real_name: "Sam" } })).toBe("Sam");
  expect(name({ real_name: "Sam A." })).toBe("Sam A.");
  expect(name({})).toBe("sam");
  expect(personOf({ id: "U1" }, bot)).toMatchObject({ name: "U1" });
});

/** The directory as the table of methods promises it; `failing` is what it says instead. */
function directory() {
  const state = { now: 0, failing: [] as AdapterError[], asked: [] as string[], waits: [] as number[] };
  const call = async (_method: string, { user: id }: { user: string }) => {
    state.asked.push(id);
    const failure = state.failing.shift();
    if (failure) throw failure;
    return { user: user({ id }) };
  };
  const clock = {
    now: () => state.now,
    after(ms: number, callback: () => void) {
      state.waits.push(ms);
      queueMicrotask(callback);
      return () => {};
    },
  };
  const api = { call, refusal: () => undefined } as unknown as Api; // one method is all that is asked for
  return { state, people: createPeople(api, () => bot, clock) };
}
const away = (count: number, code: AdapterErrorCode = "unknown_outcome", retryAfterMs?: number) =>
  Array.from({ length: count }, () => new AdapterError(code, "away", { retryAfterMs }));

describe("the directory", () => {
  test("is asked once for ten minutes, also by many at the same time", async () => {
    const { state, people } = directory();
    await Promise.all([people.author("U1"), people.author("U1"), people.named("U1")]);
    state.now = 9 * 60_000;
    await people.author("U1");
    expect(state.asked).toEqual(["U1"]);
    state.now = 11 * 60_000;
    await people.author("U1");
    expect(state.asked).toEqual(["U1", "U1"]);
  });
  test("is asked again for about 2 s where somebody is not known, and then nobody is made up", async () => {
    const { state, people } = directory();
    state.failing = away(3);
    expect(await people.author("U1")).toMatchObject({ name: "sam", member: true });
    expect(state.waits).toEqual([200, 600, 1200]);
    state.failing = away(4);
    await expect(people.author("U2")).rejects.toThrow("away");
    expect(state.failing).toEqual([]);
  });
  test("is not asked again when it refuses, or wants to be left alone for longer; a short wait is kept", async () => {
    const { state, people } = directory();
    for (const failure of [away(1, "auth"), away(1, "forbidden"), away(1, "rate_limited", 26_000)]) {
      state.failing = failure;
      await expect(people.author("U1")).rejects.toThrow("away");
    }
    expect(state.waits).toEqual([]);
    state.failing = away(1, "rate_limited", 1000);
    expect(await people.author("U1")).toMatchObject({ name: "sam" });
    expect(state.waits).toEqual([1000]);
  });
  test("what it said earlier stands in while it is away, and it is asked again the next time", async () => {
    const { state, people } = directory();
    await people.author("U1");
    state.now = 11 * 60_000;
    state.failing = away(2);
    expect(await people.author("U1")).toMatchObject({ name: "sam", member: true });
    expect(await people.named("U1")).toMatchObject({ name: "sam" });
    expect(state.waits).toEqual([]);
    await people.author("U1");
    await people.author("U1");
    expect(state.asked).toHaveLength(4);
  });
  test("is asked only once for a mere name", async () => {
    const { state, people } = directory();
    state.failing = away(1);
    expect(await people.named("U1")).toBeUndefined();
    expect(state.waits).toEqual([]);
  });
});
