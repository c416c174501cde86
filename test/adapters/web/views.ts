/** Views to show in tests, whole but for what a test is about. */
import type { ViewOf } from "../../../gateway/contract.ts";
import { executionId } from "../../../subagents/contract.ts";

type Task = ViewOf<"progress">["tasks"][number];

export const aTask = (more: Partial<Task> = {}): Task => ({
  taskId: "call-1",
  executionId: executionId("e1"),
  order: 1,
  description: "Count the words",
  subagent: "general-purpose",
  model: "Claude Sonnet",
  state: "running",
  calls: 0,
  steps: 0,
  startedAt: 1000,
  ...more,
});

export const aProgress = (more: Partial<ViewOf<"progress">> = {}): ViewOf<"progress"> => ({
  type: "progress",
  state: "working",
  tasks: [aTask()],
  model: "Claude Opus",
  startedAt: 0,
  at: 4000,
  ...more,
});

export const aReply = (markdown: string): ViewOf<"reply"> => ({
  type: "reply",
  markdown,
  usage: { model: "Claude", tokens: 12 },
});

export const aQuestion = (more: Partial<ViewOf<"question">> = {}): ViewOf<"question"> => ({
  type: "question",
  icon: "🤔",
  question: "Which scale?",
  options: [
    { token: "t-celsius", label: "Celsius" },
    { token: "t-fahrenheit", label: "Fahrenheit" },
  ],
  asked: "sam",
  ...more,
});

export const aForm = {
  token: "t-form",
  title: "Booking",
  fields: [
    { name: "who", label: "Name", required: true, type: "text" },
    { name: "people", label: "People", required: true, type: "number" },
    { name: "day", label: "Day", required: false, type: "date" },
    {
      name: "place",
      label: "Place",
      required: true,
      type: "select",
      options: [
        { id: "in", label: "Inside" },
        { id: "out", label: "Garden" },
      ],
    },
    {
      name: "wishes",
      label: "Wishes",
      required: false,
      type: "multi_select",
      options: [
        { id: "veg", label: "Vegetarian" },
        { id: "chair", label: "High chair" },
      ],
    },
    { name: "mail", label: "Send a confirmation", required: false, type: "checkbox" },
    { name: "notes", label: "Notes", required: false, type: "textarea" },
  ],
} as const;
