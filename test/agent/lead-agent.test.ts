import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { toolResults } from "../scripted-model.ts";
import { createBench, ofType, questions, reply } from "./bench.ts";

const ask = (question: string, more: Record<string, unknown> = {}) => ({
  name: "ask_clarification",
  args: { question, clarification_type: "missing_info", ...more },
});
const write = (file: string, content = "x") => ({ name: "write_file", args: { path: file, content } });

describe("a run", () => {
  it("tells the model's display name first, the growing reply whole, the tokens, and one end last", async () => {
    const bench = createBench({ scripts: { lead: () => "Hello dear Ana" } });
    const events = await bench.run(bench.say("hi"));
    expect(events[0]).toEqual({ type: "started", model: "lead label" });
    expect(ofType(events, "text").map((event) => event.markdown)).toEqual([
      "Hello",
      "Hello dear",
      "Hello dear Ana",
      "Hello dear Ana",
    ]);
    expect(ofType(events, "usage")).toEqual([{ type: "usage", tokens: 15 }]);
    expect(events.at(-1)).toEqual({ type: "end", outcome: "done" });
    expect(events.filter((event) => event.type === "end" || event.type === "error")).toHaveLength(1);
  });

  it("that has finished gives the stored text again without a model call, also after a restart", async () => {
    const bench = createBench({ scripts: { lead: () => "the answer" } });
    await bench.run(bench.say("hi"));
    bench.restart();
    const again = await bench.run(bench.say("hi"));
    expect(bench.model("lead").requests).toHaveLength(0);
    expect(reply(again)).toBe("the answer");
    expect(again.at(-1)).toEqual({ type: "end", outcome: "done" });
    expect(bench.ledger.calls).toHaveLength(1);
  });

  it("that is asked for again after a later turn gives its own text, not the later one's", async () => {
    const bench = createBench({ scripts: { lead: (messages) => `echo ${messages.at(-1)?.text}` } });
    await bench.run(bench.say("one", "run-1"));
    await bench.run(bench.say("two", "run-2"));
    expect(reply(await bench.run(bench.say("one", "run-1")))).toBe("echo one");
  });

  it("writes one row for each model call, with the caller, both names of the model and the usage", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) => (toolResults(messages).length ? "done" : { toolCalls: [{ name: "list_files", args: {} }] }),
      },
    });
    await bench.run(bench.say("hi"));
    expect(bench.ledger.calls).toHaveLength(2);
    expect(bench.ledger.calls[0]).toMatchObject({
      runId: "run-1",
      threadId: "thread-1",
      principal: "person-1",
      caller: "lead",
      model: "lead",
      reportedModel: "lead-2026",
      usage: { input: 10, output: 5, total: 15 },
    });
  });

  it("without a visible answer ends with a sentence, not with silence", async () => {
    const bench = createBench({ scripts: { lead: () => "<think>nothing to say</think>" } });
    const events = await bench.run(bench.say("hi"));
    expect(events.at(-1)).toMatchObject({ type: "error", message: expect.stringContaining("without an answer") });
  });

  it("gives presented files as absolute paths inside the thread's folder, again when it is recovered", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) => {
          const done = toolResults(messages).length;
          if (done === 0) return { toolCalls: [write("/outputs/list.md", "apples")] };
          return done === 1
            ? { toolCalls: [{ name: "present_files", args: { paths: ["/outputs/list.md"] } }] }
            : "here";
        },
      },
    });
    const file = { type: "file", path: path.join(bench.folder, "outputs/list.md") };
    expect(ofType(await bench.run(bench.say("a list")), "file")).toEqual([file]);
    expect(readFileSync(file.path, "utf8")).toBe("apples");
    bench.restart();
    expect(ofType(await bench.run(bench.say("a list")), "file")).toEqual([file]);
  });

  it("puts the date in the person's zone at the end of the prompt, after all that stays the same", async () => {
    const bench = createBench({ scripts: { lead: () => "ok" } });
    await bench.run(bench.say("hi"));
    const prompt = bench.model("lead").requests[0]?.[0]?.text ?? "";
    expect(prompt).toMatch(
      /<\/presenting_files>\s*<current_date>\d{4}-\d\d-\d\d, \w+day \(Europe\/Berlin\)<\/current_date>$/,
    );
  });
});

describe("questions", () => {
  it("AGT-03: two questions in one step keep their own answers, given one by one, over a restart", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) => {
          const results = toolResults(messages);
          return results.length
            ? results.map((one) => one.text).join(" | ")
            : { toolCalls: [ask("color?"), ask("size?")] };
        },
      },
    });
    const asked = await bench.run(bench.say("a shirt"));
    expect(asked.at(-1)).toEqual({ type: "end", outcome: "waiting" });
    const [color, size] = questions(asked);
    expect([color?.question, size?.question]).toEqual(["color?", "size?"]);
    expect(color?.interruptId).not.toBe(size?.interruptId);

    const half = await bench.run(bench.answer({ [size?.interruptId ?? ""]: { type: "text", value: "L" } }));
    expect(half.at(-1)).toEqual({ type: "end", outcome: "waiting" });
    expect(questions(half).map((one) => one.question)).toEqual(["color?"]);
    expect(bench.model("lead").requests).toHaveLength(1);

    bench.restart();
    const done = await bench.run(bench.answer({ [color?.interruptId ?? ""]: { type: "text", value: "red" } }));
    expect(reply(done)).toBe(
      'For your clarification "color?", my answer is: red | For your clarification "size?", my answer is: L',
    );
    expect(questions(done)).toEqual([]);
    expect(done.at(-1)).toEqual({ type: "end", outcome: "done" });
  });

  it("AGT-02: a tool beside a question runs once, and each call has one result", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) =>
          toolResults(messages).length ? "done" : { toolCalls: [ask("sure?"), write("/workspace/note.md")] },
      },
    });
    const asked = await bench.run(bench.say("go"));
    expect(bench.exists("workspace/note.md")).toBe(true);
    expect(questions(asked)).toHaveLength(1);
    await bench.run(bench.answer({ [questions(asked)[0]?.interruptId ?? ""]: { type: "text", value: "yes" } }));
    expect(bench.ledger.starts.filter((start) => start.tool === "write_file")).toHaveLength(1);
    const history = bench.model("lead").requests.at(-1) ?? [];
    expect(toolResults(history)).toHaveLength(2);
    expect(ofType(asked, "question")).toHaveLength(1);
  });

  it("BTN-11: a typed answer resumes the question with that exact text and starts no fresh run", async () => {
    const options = ["the first", "the second", "the third"];
    const bench = createBench({
      scripts: {
        lead: (messages) => toolResults(messages)[0]?.text ?? { toolCalls: [ask("which?", { options })] },
      },
    });
    const [question] = questions(await bench.run(bench.say("one of them")));
    expect(question?.input).toMatchObject({ type: "choice_with_other", options: [{ id: "option-1" }, {}, {}] });
    const text = "the second, but in blue";
    const done = await bench.run(bench.answer({ [question?.interruptId ?? ""]: { type: "text", value: text } }));
    expect(reply(done)).toBe(`For your clarification "which?", my answer is: ${text}`);
    expect(bench.model("lead").requests).toHaveLength(2);
    const humans = bench.model("lead").requests[1]?.filter((message) => message.getType() === "human");
    expect(humans).toHaveLength(1);
  });

  it("are told again when a run that waits is asked for again, without a model call", async () => {
    const bench = createBench({ scripts: { lead: () => ({ toolCalls: [ask("sure?")] }) } });
    const first = questions(await bench.run(bench.say("go")));
    bench.restart();
    const again = await bench.run(bench.say("go"));
    expect(questions(again)).toEqual(first);
    expect(again.at(-1)).toEqual({ type: "end", outcome: "waiting" });
    expect(bench.model("lead").requests).toHaveLength(0);
  });

  it("a late answer to a run that has finished changes nothing and gives the stored text", async () => {
    const bench = createBench({
      scripts: { lead: (messages) => toolResults(messages)[0]?.text ?? { toolCalls: [ask("sure?")] } },
    });
    const interruptId = questions(await bench.run(bench.say("go")))[0]?.interruptId ?? "";
    const done = await bench.run(bench.answer({ [interruptId]: { type: "text", value: "yes" } }));
    const late = await bench.run(bench.answer({ [interruptId]: { type: "text", value: "no" } }));
    expect(reply(late)).toBe(reply(done));
    expect(late.at(-1)).toEqual({ type: "end", outcome: "done" });
    expect(bench.model("lead").requests).toHaveLength(2);
  });

  it("AGT-01: new text while a question waits drops it, and the provider gets a result for every call", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) =>
          messages.at(-1)?.text === "never mind"
            ? "fine"
            : { toolCalls: [ask("sure?"), { name: "list_files", args: {} }] },
      },
    });
    await bench.run(bench.say("go"));
    const next = await bench.run(bench.say("never mind", "run-2"));
    expect(next.at(-1)).toEqual({ type: "end", outcome: "done" });
    const kinds = bench
      .model("lead")
      .requests.at(-1)
      ?.map((message) => message.getType());
    expect(kinds).toEqual(["system", "human", "ai", "tool", "tool", "human"]);
  });
});

describe("failures", () => {
  const failing =
    (error: Error, times: number) =>
    ({ call }: { call: number }) =>
      call < times ? { error } : "recovered";

  it("that pass are tried again, three attempts in all", async () => {
    const busy = Object.assign(new Error("overloaded"), { status: 529 });
    const bench = createBench({ scripts: { lead: (_, context) => failing(busy, 2)(context) } });
    expect(reply(await bench.run(bench.say("hi")))).toBe("recovered");
    expect(bench.model("lead").requests).toHaveLength(3);
  });

  it("that stay end in a sentence for people; the raw cause is only in the log, without secrets", async () => {
    const refused = Object.assign(new Error("Incorrect API key provided: sk-secret123456"), { status: 401 });
    const bench = createBench({ scripts: { lead: () => ({ error: refused }) } });
    const events = await bench.run(bench.say("hi"));
    expect(events.at(-1)).toMatchObject({ type: "error", message: expect.stringContaining("missing or was refused") });
    expect(JSON.stringify(events)).not.toContain("Incorrect");
    expect(bench.logged.join("")).toContain("Incorrect API key");
    expect(bench.logged.join("")).not.toContain("secret123456");
    expect(bench.model("lead").requests).toHaveLength(1);
  });

  it("of a model call leave a run that goes on where it was", async () => {
    let broken = true;
    const bench = createBench({
      scripts: {
        lead: (messages) => {
          if (toolResults(messages).length === 0) return { toolCalls: [write("/workspace/a.md")] };
          return broken ? { error: Object.assign(new Error("bad"), { status: 400 }) } : "done";
        },
      },
    });
    expect((await bench.run(bench.say("go"))).at(-1)).toMatchObject({ type: "error" });
    broken = false;
    expect(reply(await bench.run(bench.say("go")))).toBe("done");
    expect(bench.ledger.starts).toHaveLength(1);
  });

  it("of a tool become a sentence the model can act on", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) =>
          toolResults(messages)[0]?.text ?? { toolCalls: [{ name: "read_file", args: { path: "/uploads/none.md" } }] },
      },
    });
    expect(reply(await bench.run(bench.say("read")))).toContain("There is no file /uploads/none.md.");
  });
});

describe("arguments that do not fit", () => {
  it("are told to the model, which can call again", async () => {
    const bench = createBench({
      scripts: {
        lead: (messages) => toolResults(messages)[0]?.text ?? { toolCalls: [{ name: "read_file", args: { file: 1 } }] },
      },
    });
    expect(reply(await bench.run(bench.say("read")))).toContain("The arguments do not fit the schema of read_file.");
  });

  it("are people's words: at info the log names the tool and the kind of failure, and none of them", async () => {
    const args = { path: 1, content: "a private sentence" };
    const bench = createBench({
      scripts: { lead: (messages) => toolResults(messages)[0]?.text ?? { toolCalls: [{ name: "write_file", args }] } },
    });
    await bench.run(bench.say("write"));
    const atInfo = bench.logged.filter((line) => !/"level":[12]0/.test(line)).join("");
    expect(atInfo).toContain('"tool":"write_file"');
    expect(atInfo).not.toContain("a private sentence");
  });
});

describe("cancelling", () => {
  it("ends the run within a second, although the model ignores its signal", async () => {
    const never = new Promise(() => undefined);
    const bench = createBench({ scripts: { lead: () => ({ until: never, deaf: true }) } });
    const stop = new AbortController();
    const began = Date.now();
    setTimeout(() => stop.abort(), 100);
    const events = await bench.run(bench.say("hi"), stop.signal);
    expect(events.at(-1)).toEqual({ type: "end", outcome: "cancelled" });
    expect(Date.now() - began).toBeLessThan(1100);
  });

  it("before it began ends at once", async () => {
    const bench = createBench({ scripts: { lead: () => "never" } });
    const events = await bench.run(bench.say("hi"), AbortSignal.abort());
    expect(events.at(-1)).toEqual({ type: "end", outcome: "cancelled" });
    expect(events.filter((event) => event.type === "end")).toHaveLength(1);
  });
});
