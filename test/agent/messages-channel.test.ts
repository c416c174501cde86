import { AIMessage, AIMessageChunk, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addMessages } from "../../agent/messages-channel.ts";

const id = fc.constantFrom("a", "b", "c", "d");
const content = fc.string({ maxLength: 4 });
const message: fc.Arbitrary<BaseMessage> = fc.oneof(
  fc.record({ id, content }).map((fields) => new HumanMessage(fields)),
  fc.record({ id, content }).map((fields) => new AIMessage(fields)),
  fc.record({ id, content }).map((fields) => new AIMessageChunk(fields)),
);
const kept = fc.uniqueArray(
  fc.record({ id, content }).map((fields) => new HumanMessage(fields)),
  { selector: (one) => one.id },
);
const news = fc.array(
  fc.oneof(
    message,
    id.map((removed) => new RemoveMessage({ id: removed })),
    fc.constant(new RemoveMessage({ id: "__remove_all__" })),
  ),
  { maxLength: 4 },
);

/** What each is, or that it was refused. */
function shapes(work: () => readonly BaseMessage[]): unknown {
  try {
    return work().map((one) => [one.constructor.name, one.id, one.content]);
  } catch (error) {
    return String(error);
  }
}

describe("messages that are added to a thread", () => {
  it("give what LangGraph's reducer gives, whatever they are", () => {
    fc.assert(
      fc.property(kept, news, (before, added) => {
        expect(shapes(() => addMessages(before, added))).toEqual(shapes(() => messagesStateReducer(before, added)));
      }),
      { numRuns: 2000 },
    );
  });

  it("may be one, in any form that LangGraph takes, and have an id afterwards", () => {
    const before = [new HumanMessage({ id: "a", content: "first" })];
    for (const one of ["said", { role: "user", content: "said" }, new HumanMessage("said")]) {
      const [first, second] = addMessages(before, one as string);
      expect(first).toBe(before[0]);
      expect(second).toMatchObject({ content: "said", id: expect.stringMatching(/.{8}/) });
    }
  });

  it("leave the list that was there as it was, since a route looks ahead on it", () => {
    const before = [new HumanMessage({ id: "a", content: "first" })];
    addMessages(before, [new AIMessage({ id: "b", content: "second" })]);
    expect(before).toHaveLength(1);
  });
});
