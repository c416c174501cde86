import { describe, expect, it } from "vitest";
import { fileOf, forPage } from "../../../adapters/web/part.ts";
import { render } from "../../../adapters/web/render.ts";
import { aForm, aProgress, aQuestion, aReply, aTask } from "./views.ts";

describe("a view as one message of the page", () => {
  it("gives progress as rows with state, title and details, and a way to stop", () => {
    const tasks = [
      aTask({ state: "completed", calls: 2, usage: { input: 1, output: 1, total: 12_345 }, endedAt: 3000 }),
      aTask({ label: "Sum", model: "Claude Haiku" }),
    ];
    expect(render(aProgress({ tasks, tokens: 14_000, stopToken: "t-stop" }))).toEqual([
      {
        type: "progress",
        state: "working",
        heading: "Working… · 14.0k tokens",
        rows: [
          {
            icon: "✓",
            status: "done",
            title: "Count the words",
            details: "general-purpose · Claude Sonnet · 12.3k tokens · 2 s",
            state: "completed",
          },
          {
            icon: "⏳",
            status: "running",
            title: "Sum",
            details: "general-purpose · Claude Haiku · collecting… · 3 s",
            state: "running",
          },
        ],
        footer: "Claude Opus · 4 s",
        stopToken: "t-stop",
      },
    ]);
  });

  it("gives the growing reply as safe HTML", () => {
    const [part] = render(aProgress({ preview: "so **far** <script>" }));
    expect(part).toMatchObject({ previewHtml: '<p dir="auto">so <strong>far</strong> &#x3C;script></p>' });
  });

  it("draws only the beginning of a long growing reply, the same however long it has become", () => {
    const lines = "some **words** and a [link](https://example.org)\n\n".repeat(1000);
    const [part] = render(aProgress({ preview: lines }));
    expect(part).toEqual(render(aProgress({ preview: `${lines}and more` }))[0]);
    expect(part).toMatchObject({ previewHtml: expect.stringMatching(/<\/a><\/p>\n<p dir="auto">…<\/p>$/) });
    expect(JSON.stringify(part).length).toBeLessThan(30_000);
  });

  it("does not cut that beginning inside a character", () => {
    for (const before of ["", "x"]) {
      const [part] = render(aProgress({ preview: `${before}${"😀".repeat(4000)}` }));
      expect(JSON.stringify(part)).not.toMatch(/\\ud[89a-f]/i);
    }
  });

  it("gives an open question its buttons, with nothing but token and label", () => {
    const [part] = render(aQuestion({ context: "They differ." }));
    expect(part).toMatchObject({
      html: '<p dir="auto">Which scale?</p>',
      contextHtml: '<p dir="auto">They differ.</p>',
      options: [
        { token: "t-celsius", label: "Celsius" },
        { token: "t-fahrenheit", label: "Fahrenheit" },
      ],
    });
  });

  it("leaves a closed question nothing to press or to fill in", () => {
    const closed = { type: "answered", answer: "Celsius", by: "sam" } as const;
    const [part] = render(aQuestion({ form: aForm, closed }));
    expect(part).toMatchObject({ options: [], closed });
    expect(part).not.toHaveProperty("form");
  });

  it("is plain JSON for every kind of view, also forms", () => {
    const views = [
      aProgress(),
      aQuestion({ form: aForm }),
      aReply("x"),
      { type: "notice", markdown: "n", tone: "info", actions: [{ token: "a", label: "A" }] },
      { type: "file", path: "/tmp/a.csv", name: "a.csv", mime: "text/csv", sizeBytes: 3 },
    ] as const;
    for (const view of views) {
      const parts = render(view);
      expect(JSON.parse(JSON.stringify(parts))).toEqual(parts);
    }
  });

  it("keeps the path of a file for itself", () => {
    const [part] = render({ type: "file", path: "/data/out/a.csv", name: "a.csv", mime: "text/csv", sizeBytes: 3 });
    expect(fileOf(part)).toEqual({ type: "file", name: "a.csv", path: "/data/out/a.csv" });
    expect(JSON.stringify(forPage(part))).not.toContain("/data/out");
  });
});
