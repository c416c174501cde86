import { describe, expect, it } from "vitest";
import { partsOf } from "../../../../agent/models/offline/parts.ts";
import { understand } from "../../../../agent/models/offline/understand.ts";

const known = async (text: string) => !["unknown", "talk"].includes((await understand(text, false)).type);
const parts = (text: string) => partsOf([text], known);

describe("the parts of a request", () => {
  it("lets an unknown part stand beside a known one, whichever comes first", async () => {
    const [sum, capital] = ["what is 3 + 4", "what is the capital of France"];
    expect(await parts(`${sum} and ${capital}`)).toEqual([sum, capital]);
    expect(await parts(`${capital}, and ${sum}`)).toEqual([capital, sum]);
    expect(await parts(`${sum}, ${capital} and convert 5 miles to km`)).toEqual([
      sum,
      capital,
      "convert 5 miles to km",
    ]);
  });

  it.each([
    "calculate 3 + 4 and the capital of France",
    "search for salt and what is white",
    "write about bread and what is new",
    "count the words in: I came. I saw. What is 2 + 2? Then I conquered, and what is 3 + 4",
    "count the words in:\nI came.\n\nI saw.",
    'how many words are in "Hello world. Nice day."',
    'search for "what is 2 + 2, and what is 3 + 4"',
  ])("keeps together what is one request: %s", async (text) => {
    expect(await parts(text)).toEqual([text]);
  });

  it("parts before a text that is carried, and after a quoted one", async () => {
    expect(await parts("what is 2 + 2 and count the words in: I came. I saw.")).toEqual([
      "what is 2 + 2",
      "count the words in: I came. I saw.",
    ]);
    expect(await parts('how many words are in "One. Two." and what is 2 + 2')).toEqual([
      'how many words are in "One. Two."',
      "what is 2 + 2",
    ]);
  });

  it("ends a carried text with its item of a list", async () => {
    expect(await parts("- count the words in: a. B c\n- what is 2 + 2")).toEqual([
      "count the words in: a. B c",
      "what is 2 + 2",
    ]);
  });
});
