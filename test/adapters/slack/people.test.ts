import { describe, expect, test } from "vitest";
import type { Api, SlackUser } from "../../../adapters/slack/api.ts";
import { createPeople, personOf } from "../../../adapters/slack/people.ts";
import { AdapterError } from "../../../gateway/contract.ts";

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

test("the directory is asked once for ten minutes, and again after a failure", async () => {
  let now = 0;
  let away = false;
  const asked: string[] = [];
  // What the table of methods promises for this one method.
  const call = async (_method: string, { user: id }: { user: string }) => {
    asked.push(id);
    if (away) throw new AdapterError("unavailable", "away");
    return { user: user({ id }) };
  };
  const people = createPeople(
    { call, refusal: () => undefined } as unknown as Api,
    () => bot,
    () => now,
  );
  await Promise.all([people.author("U1"), people.author("U1")]);
  now = 9 * 60_000;
  await people.author("U1");
  expect(asked).toEqual(["U1"]);
  now = 11 * 60_000;
  away = true;
  await expect(people.author("U1")).rejects.toThrow("away");
  expect(await people.named("U1")).toBeUndefined();
  away = false;
  expect(await people.author("U1")).toMatchObject({ name: "sam", member: true });
  expect(asked).toEqual(["U1", "U1", "U1", "U1"]);
});
