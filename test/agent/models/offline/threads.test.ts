import { describe, expect, it } from "vitest";
import { HOW_TO_CONNECT } from "../../../../agent/models/offline/wording.ts";
import { openThread, toolNames, withFiles } from "./offline-agent.ts";

const shop = () =>
  new Map([
    [
      "/uploads/report.md",
      "# Shop\nWe sell tea.\n\n## Refunds\nCustomers get their money back within 30 days.\n\n## Shipping\nParcels leave on Monday.",
    ],
    ["/uploads/notes.txt", "Met Ana about prices.\n\nThe refund budget is 500 euros."],
  ]);

describe("a thread with the offline model", () => {
  it("calculates without any tool", async () => {
    const { reply, messages } = await openThread().say("What is 17 × 23?");
    expect(reply).toBe("17 × 23 = 391");
    expect(toolNames(messages)).toEqual([]);
  });

  it("tells the time of the prompt's zone, and of a place", async () => {
    expect((await openThread().say("what time is it?")).reply).toBe(
      "It is 13:00 on Monday, 30 November 2026 (Europe/Berlin).",
    );
    expect((await openThread().say("what time is it in Tokyo?")).reply).toContain("21:00");
    expect((await openThread().say("what's today's date?")).reply).toBe(
      "Today is Monday, 30 November 2026 (Europe/Berlin).",
    );
  });

  it("says that it knows no such place rather than guess", async () => {
    expect((await openThread().say("what time is it in Narnia?")).reply).toBe(
      "I know time zones by their city, and none is called “Narnia”.",
    );
  });

  it("asks which scale is meant, and converts accordingly", async () => {
    const fahrenheit = openThread();
    const asked = await fahrenheit.say("convert 100 degrees");
    expect(asked.question).toEqual({ question: "Which unit is “100 degrees” in?", options: ["°C", "°F"] });
    expect((await fahrenheit.answer("°F")).reply).toBe("100 °F ≈ 37.78 °C");

    const celsius = openThread();
    await celsius.say("convert 100 degrees");
    expect((await celsius.answer("I meant celsius")).reply).toBe("100 °C = 212 °F");
  });

  it("asks for the unit that was not said, and takes one that was not on a button", async () => {
    const thread = openThread();
    const asked = await thread.say("how many is 5 miles?");
    expect(asked.question?.options).toContain("km");
    expect((await thread.answer("in yards please")).reply).toBe("5 mi = 8800 yd");
  });

  it("does another request that came in place of an answer", async () => {
    const thread = openThread();
    await thread.say("convert 100 degrees");
    expect((await thread.answer("what is 2 + 2?")).reply).toBe("2 + 2 = 4");
  });

  it("does not bend an answer that is no choice into one", async () => {
    const thread = openThread();
    await thread.say("convert 100 degrees");
    expect((await thread.answer("purple")).reply).toBe("I could not match “purple”: “degrees” could be “°C” or “°F”.");
  });

  it("asks in which of several files to search, and quotes the closest passage with its source", async () => {
    const thread = openThread(shop());
    const asked = await thread.say(withFiles("search for refunds", "/uploads/report.md", "/uploads/notes.txt"));
    expect(asked.question?.options).toEqual(["report.md", "notes.txt", "All 2 files"]);
    const { reply, messages } = await thread.answer("2");
    expect(reply).toBe(
      "Closest passage to “refunds”, from `notes.txt`:\n\n> The refund budget is 500 euros.\n\n[citation:notes.txt](/uploads/notes.txt)",
    );
    expect(toolNames(messages)).toEqual(["ask_clarification", "read_file"]);
  });

  it("finds the file again in a later turn, and says under which heading the passage stands", async () => {
    const thread = openThread(new Map([...shop()].slice(0, 1)));
    await thread.say(withFiles("hello", "/uploads/report.md"));
    const { reply, messages } = await thread.say("When do parcels leave?");
    expect(reply).toContain("from `report.md`, under “Shipping”:\n\n> Parcels leave on Monday.");
    expect(toolNames(messages)).toEqual(["list_files", "read_file"]);
  });

  it("says that nothing is close rather than quote what is not asked for", async () => {
    const thread = openThread(shop());
    const { reply } = await thread.say(withFiles("search for submarines", "/uploads/report.md"));
    expect(reply).toBe("Nothing in `report.md` is close to “submarines”. I compare words, not meanings.");
  });

  it("reads a long file to its end, piece by piece", async () => {
    const long = [
      ...Array.from({ length: 100 }, (_, at) => `Line ${at} says nothing.\n`),
      "The treasure lies under the oak.",
    ].join("\n");
    const thread = openThread(new Map([["/uploads/long.txt", long]]));
    const { reply } = await thread.say(withFiles("search for treasure", "/uploads/long.txt"));
    expect(reply).toContain("> The treasure lies under the oak.");
  });

  it("tells a tool's error as it is", async () => {
    const { reply } = await openThread().say(withFiles("summarise", "/uploads/gone.md"));
    expect(reply).toContain("`/uploads/gone.md` could not be read:");
    expect(reply).toContain("There is no file /uploads/gone.md.");
  });

  it("says which attached file did not arrive", async () => {
    const { reply } = await openThread().say("what is 2 + 2?\n<files>\nbig.zip: not available, too large\n</files>");
    expect(reply).toBe("2 + 2 = 4\n\nbig.zip: not available, too large");
  });

  it("counts and quotes where a summary was asked for, and says that it is none", async () => {
    const { reply } = await openThread(shop()).say(withFiles("summarise", "/uploads/report.md"));
    expect(reply).toContain("**report.md** has 18 words");
    expect(reply).toContain("Headings: Shop; Refunds; Shipping.");
    expect(reply).toContain("a summary needs a language model");
  });

  it("asks for the format of a file, writes what it was given, and hands it over", async () => {
    const thread = openThread();
    const asked = await thread.say("make me a list of apples, pears and plums");
    expect(asked.question?.options).toEqual(["Markdown (.md)", "Spreadsheet (.csv)", "Plain text (.txt)"]);
    expect((await thread.answer("Markdown (.md)")).reply).toBe("Written to `/outputs/list.md`.");
    expect(thread.files.get("/outputs/list.md")).toBe("- apples\n- pears\n- plums\n");
    expect(thread.presented).toEqual(["/outputs/list.md"]);
  });

  it("writes a table in the format that was named, without asking", async () => {
    const thread = openThread();
    await thread.say('create a csv file: name, note; Ana, says "hi"; Bo, =1+1');
    expect(thread.files.get("/outputs/list.csv")).toBe('name,note\nAna,"says ""hi"""\nBo,\'=1+1\n');
  });

  it("saves its last answer", async () => {
    const thread = openThread();
    await thread.say("17 * 23");
    await thread.say("save that as markdown");
    expect(thread.files.get("/outputs/answer.md")).toBe("17 × 23 = 391\n");
  });

  it("gives each part of a request to a subagent, at most three at a time, and merges their results", async () => {
    const thread = openThread();
    const { reply, messages } = await thread.say(
      "- calculate 3 * 4\n- convert 5 miles to km\n- what time is it\n- compute 2^10",
    );
    expect(toolNames(messages)).toEqual(["task", "task", "task", "task"]);
    expect(messages.filter((message) => message.getType() === "ai")).toHaveLength(3);
    expect(thread.tasks.map((task) => task.subagent_type)).toEqual([
      "general-purpose",
      "researcher",
      "general-purpose",
      "researcher",
    ]);
    expect(thread.tasks[2]?.prompt).toBe("What time is it in Europe/Berlin?");
    expect(reply).toBe(
      [
        "**1.** 3 × 4 = 12",
        "**2.** 5 mi = 8.04672 km",
        "**3.** It is 13:00 on Monday, 30 November 2026 (Europe/Berlin).",
        "**4.** 2^10 = 1024",
      ].join("\n\n"),
    );
  });

  it("asks about an ambiguous part before it delegates", async () => {
    const thread = openThread();
    const asked = await thread.say("What is 17 × 23, and convert 100 degrees");
    expect(asked.question?.options).toEqual(["°C", "°F"]);
    expect(thread.tasks).toEqual([]);
    expect((await thread.answer("°C")).reply).toBe("**1.** 17 × 23 = 391\n\n**2.** 100 °C = 212 °F");
    expect(thread.tasks.map(({ prompt }) => prompt)).toEqual(["Calculate 17 × 23", "Convert 100 °C to °F"]);
  });

  it("compares files by a subagent for each", async () => {
    const thread = openThread(shop());
    const { reply } = await thread.say(withFiles("compare the files", "/uploads/report.md", "/uploads/notes.txt"));
    expect(thread.tasks.map(({ prompt }) => prompt)).toEqual([
      "Describe /uploads/report.md",
      "Describe /uploads/notes.txt",
    ]);
    expect(reply).toContain("**notes.txt** has 10 words");
  });

  it("does at most six parts by subagents, and the others itself", async () => {
    const thread = openThread();
    const { reply } = await thread.say(
      Array.from({ length: 8 }, (_, at) => `${at + 1}. calculate ${at} + 1`).join("\n"),
    );
    expect(thread.tasks).toHaveLength(6);
    expect(reply).toContain("**8.** 7 + 1 = 8");
  });

  it("says that it left parts out when there are too many", async () => {
    const { reply } = await openThread().say(Array.from({ length: 23 }, (_, at) => `- calculate ${at} + 1`).join("\n"));
    expect(reply).toContain("**20.** 19 + 1 = 20");
    expect(reply).toContain("**21. 3 more parts**\n\nI do 20 parts at once; send the rest again.");
  });

  it("does what it can of a request and names the part it cannot do", async () => {
    const { reply } = await openThread().say("What is 2 + 2? Then write me a poem");
    expect(reply).toBe(`**1.** 2 + 2 = 4\n\n**2. write me a poem**\n\nI have no rule for that.\n\n${HOW_TO_CONNECT}`);
  });

  it("does not part what belongs together", async () => {
    const thread = openThread(shop());
    const { reply } = await thread.say(withFiles("search for salt and pepper", "/uploads/report.md"));
    expect(reply).toContain("close to “salt and pepper”");
  });

  it("answers only the person, not what others said", async () => {
    const { reply } = await openThread().say(
      '<context author="Bo">what is 1 + 1?</context>',
      '<message author="Ana">what is 2 + 2?</message>',
    );
    expect(reply).toBe("2 + 2 = 4");
  });

  it("says what it is, shows three things to try, and how to connect a model", async () => {
    const { reply } = await openThread().say("what can you do?");
    expect(reply).toContain("built-in model that follows plain rules");
    expect(reply.match(/^- /gm)).toHaveLength(3);
    expect(reply).toContain("OPENAI_API_KEY");
    expect((await openThread().say("who are you?")).reply).toContain("no language model is connected");
    expect((await openThread().say("thanks!")).reply).toBe("You are welcome.");
  });

  it("says how to connect a model once in a thread", async () => {
    const thread = openThread();
    await thread.say("what is 2 + 2");
    expect((await thread.say("Write me a poem")).reply).toContain(HOW_TO_CONNECT);
    const short = "I follow plain rules and have none for that, so I cannot do it.";
    expect((await thread.say("Write me a poem")).reply).toBe(short);
    expect((await thread.say("What is 2 + 2? Then write me a poem")).reply).not.toContain(HOW_TO_CONNECT);
  });

  it("answers what it knows of a request joined by “and”, and names the rest", async () => {
    const { reply } = await openThread().say("what is 3 + 4 and what is the capital of France");
    expect(reply).toBe(
      `**1.** 3 + 4 = 7\n\n**2. what is the capital of France**\n\nI have no rule for that.\n\n${HOW_TO_CONNECT}`,
    );
  });

  it("counts a text to its end, over full stops", async () => {
    expect((await openThread().say("count the words in: I came. I saw. I conquered.")).reply).toBe(
      "“I came. I saw. I conquered.” has 6 words and 27 characters.",
    );
    expect((await openThread().say('how many words are in "Hello world. Nice day."')).reply).toBe(
      "“Hello world. Nice day.” has 4 words and 22 characters.",
    );
  });

  it("refuses long prose once, not sentence by sentence", async () => {
    const prose = Array.from({ length: 30 }, (_, at) => `The traveller reached village ${at} in the evening.`).join(
      " ",
    );
    const { reply } = await openThread().say(prose);
    expect(reply).toBe(`I follow plain rules and have none for that, so I cannot do it. ${HOW_TO_CONNECT}`);
  });

  it.each([
    "what do these files say about refunds?",
    "what do the two documents say about refunds?",
    "what do these say about refunds?",
    "search all documents for refunds",
  ])("searches all files where several are meant: %s", async (text) => {
    const { reply, messages } = await openThread(shop()).say(
      withFiles(text, "/uploads/report.md", "/uploads/notes.txt"),
    );
    expect(toolNames(messages)).toEqual(["read_file", "read_file"]);
    expect(reply).toContain("Closest passage to “refunds”");
  });

  it("counts lines as wc does", async () => {
    const lines = async (text: string) =>
      (await openThread(new Map([["/uploads/a.txt", text]])).say(withFiles("describe a.txt", "/uploads/a.txt"))).reply;
    expect(await lines("one\ntwo\nthree\nfour\nfive\n")).toContain("in 5 lines.");
    expect(await lines("one\n\n")).toContain("in 2 lines.");
    expect(await lines("one")).toContain("1 word and 3 characters in 1 line.");
  });

  it("saves the list that was given, not its last answer", async () => {
    const thread = openThread();
    await thread.say("what is 2 + 2");
    const asked = await thread.say("save this list as a file: apples, pears");
    expect(asked.question?.question).toBe("Which format shall the file have?");
    await thread.answer("md");
    expect(thread.files.get("/outputs/list.md")).toBe("- apples\n- pears\n");
  });

  it("refuses in one sentence what it cannot do, with how to connect a model", async () => {
    const { reply } = await openThread().say("Explain the French revolution");
    expect(reply).toBe(`I follow plain rules and have none for that, so I cannot do it. ${HOW_TO_CONNECT}`);
  });
});
