import { expect, test } from "vitest";
import { formView, readForm, readOrigin } from "../../../adapters/slack/modal.ts";
import { formatThread } from "../../../adapters/slack/thread-key.ts";
import type { Form } from "../../../gateway/contract.ts";
import { readView } from "../../wire/slack-views.ts";

const options = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `o${index}`, label: `Option ${index}` }));
const form: Form = {
  token: "f1",
  title: "Where shall the trip go, and when?",
  fields: [
    { name: "where", label: "Where", required: true, type: "text", placeholder: "Rome" },
    { name: "why", label: "Why", required: false, type: "textarea" },
    { name: "people", label: "People", required: true, type: "number" },
    { name: "sure", label: "Sure?", required: true, type: "checkbox" },
    { name: "day", label: "Day", required: true, type: "date" },
    { name: "how", label: "How", required: true, type: "select", options: options(3) },
    { name: "what", label: "What", required: false, type: "multi_select", options: options(2) },
  ],
};
const opened = { thread: formatThread("T1", "C1", "100.000100"), direct: false };

test("every type of field becomes an input that Slack takes, and a long title stands whole above them", () => {
  const view = readView(formView(form, opened));
  expect(view.title.text).toBe("Where shall the trip go…");
  expect(view.blocks[0]).toMatchObject({ type: "section", text: { text: form.title } });
  expect(view.blocks.slice(1)).toMatchObject([
    { block_id: "where", optional: false, element: { type: "plain_text_input", placeholder: { text: "Rome" } } },
    { block_id: "why", optional: true, element: { type: "plain_text_input", multiline: true } },
    { block_id: "people", element: { type: "number_input", is_decimal_allowed: true } },
    { block_id: "sure", optional: true, element: { type: "checkboxes" } },
    { block_id: "day", element: { type: "datepicker" } },
    { block_id: "how", element: { type: "static_select" } },
    { block_id: "what", element: { type: "multi_static_select" } },
  ]);
});

test("the longest words that a form may hold still fit", () => {
  const long = "w".repeat(200);
  const fields = [
    { name: long, label: long, required: true, type: "text" as const, placeholder: long },
    {
      name: "many",
      label: long,
      required: true,
      type: "select" as const,
      options: options(24).map((one) => ({ ...one, label: long })),
    },
    { name: "more", label: long, required: true, type: "select" as const, options: options(130) },
  ];
  const view = readView(formView({ token: "0123456789abcdef", title: long.repeat(20), fields }, opened));
  expect(view.blocks).toHaveLength(4);
  // Slack: 100 options at most, unless they stand in groups.
  expect(view.blocks.at(-1)).toMatchObject({
    element: { option_groups: [{ label: { text: "1 to 100" } }, { label: { text: "101 to 130" } }] },
  });
});

test("labels that are cut bear numbers, so that equal beginnings stay distinguishable; others are as they were", () => {
  const labels = (given: readonly string[]) => {
    const field = { name: "a", label: "A", required: true, type: "select" as const };
    const chosen = given.map((label, index) => ({ id: `a-option-${index + 1}`, label }));
    const view = readView(formView({ token: "f", title: "T", fields: [{ ...field, options: chosen }] }, opened));
    return view.blocks.flatMap((block) =>
      block.type === "input" && block.element.type === "static_select"
        ? (block.element.options ?? []).map(({ text }) => text.text)
        : [],
    );
  };
  const same = "The same beginning of ".repeat(5);
  const cut = labels([`${same}one`, `${same}two`, "short"]);
  expect(cut).toEqual([expect.stringMatching(/^1\. The .*…$/), expect.stringMatching(/^2\. The .*…$/), "3. short"]);
  expect(labels(["one", "two"])).toEqual(["one", "two"]);
});

test("where it was opened comes back; a modal of somebody else is told apart", () => {
  const view = readView(formView(form, opened));
  expect(readOrigin(view)).toEqual(opened);
  for (const private_metadata of ["", "{}", "null", `{"thread":1,"direct":true}`])
    expect(readOrigin({ private_metadata })).toBeUndefined();
});

test("values come back by name, in the type of the field; what is empty is left out", () => {
  const values = {
    where: { "text:0": { type: "plain_text_input", value: "Rome" } },
    why: { "textarea:1": { type: "plain_text_input", value: null } },
    people: { "number:2": { type: "number_input", value: "2.5" } },
    sure: { "checkbox:3": { type: "checkboxes", selected_options: [] } },
    day: { "date:4": { type: "datepicker", selected_date: "2026-12-01" } },
    how: { "select:5": { type: "static_select", selected_option: { value: "=o1" } } },
    what: { "multi_select:6": { type: "multi_static_select", selected_options: [{ value: "=o0" }, { value: "~-1" }] } },
  };
  expect(readForm({ private_metadata: "", state: { values } })).toEqual({
    where: "Rome",
    people: 2.5,
    sure: false,
    day: "2026-12-01",
    how: "o1",
    what: ["o0", "what-1"],
  });
});
