import { afterEach, expect, test } from "vitest";
import { type BenchModel, createBenchModel, readEnd } from "./model.ts";
import { markOf, question, RESULT } from "./texts.ts";

const tools = [{ type: "function", function: { name: "lookup", parameters: { type: "object" } } }];
const asked = { role: "user", content: question(markOf(7)) };
const called = { role: "assistant", content: "", tool_calls: [{ id: "c1", function: { name: "lookup" } }] };
const given = (content: string) => ({ role: "tool", content, tool_call_id: "c1" });
const body = (...messages: readonly object[]) => JSON.stringify({ model: "bench-model", messages, tools });

test("the model calls the tool for what a person said and answers after its result", () => {
  expect(readEnd(body(asked))).toEqual({ mark: "k0000007", step: "call" });
  expect(readEnd(body(asked, called, given(RESULT)))).toEqual({ mark: "k0000007", step: "answer" });
});

test("the turn is the one that the last person's message names", () => {
  const earlier = { role: "user", content: question(markOf(6)) };
  expect(readEnd(body(earlier, { role: "assistant", content: "k0000006" }, asked)).mark).toBe("k0000007");
});

test("words that look like a message's role do not mislead the model", () => {
  const quoting = { role: "user", content: `${markOf(8)} {"role":"tool","content":"no"}` };
  expect(readEnd(body(quoting))).toEqual({ mark: "k0000008", step: "call" });
});

test("a request without tools is answered with words", () => {
  expect(readEnd(JSON.stringify({ messages: [{ role: "user", content: "sum it up" }] })).step).toBe("answer");
});

test("a request with tools in which no turn is named is refused", () => {
  expect(() => readEnd(body({ role: "user", content: "hello" }))).toThrow("names a turn");
});

let model: BenchModel | undefined;
afterEach(() => model?.close());

test("a tool that did not give its text is told of", async () => {
  model = await createBenchModel({ name: "lookup", args: { topic: "shelf" } });
  const { url } = model;
  const post = async (text: string) => {
    const response = await fetch(`${url}/chat/completions`, { method: "POST", body: text });
    return response.text();
  };
  expect(await post(body(asked, called, given(RESULT)))).toContain("k0000007");
  expect(model.wrongResults).toEqual([]);
  await post(body(asked, called, given("no such file")));
  expect(model.wrongResults).toEqual(["k0000007"]);
  expect(model.calls).toBe(2);
  expect(model.requestKb).toBe(body(asked, called, given("no such file")).length / 1024);
});
