/** A view as one message of the page. Pure; a page has no limits, so there is always exactly one part. */
import type { Form, View, ViewOf } from "../../gateway/contract.ts";
import { progressText, usageText } from "../shared/progress-text.ts";
import type { WebPart } from "./part.ts";
import { growingText, quotedText, richText } from "./rich-text.ts";

export function render(view: View): readonly [WebPart] {
  switch (view.type) {
    case "request":
      return [{ type: "notice", html: quotedText(view.author, view.text), tone: "info", actions: [] }];
    case "progress":
      return [progress(view)];
    case "question":
      return [question(view)];
    case "reply":
      return [
        {
          type: "reply",
          html: richText(view.markdown),
          markdown: view.markdown,
          ...(view.usage && { footer: usageText(view.usage) }),
        },
      ];
    case "notice":
      return [
        { type: "notice", html: richText(view.markdown), tone: view.tone, actions: (view.actions ?? []).map(button) },
      ];
    case "file":
      return [{ type: "file", name: view.name, mime: view.mime, sizeBytes: view.sizeBytes, path: view.path }];
  }
}

function progress(view: ViewOf<"progress">): WebPart {
  const { heading, rows, preview, footer } = progressText(view);
  return {
    type: "progress",
    state: view.state,
    heading,
    rows: rows.map(({ icon, status, title, details }, index) => {
      return { icon, status, title, details, state: view.tasks[index]?.state ?? "pending" };
    }),
    ...(preview && { previewHtml: growingText(preview) }),
    footer,
    ...(view.stopToken !== undefined && { stopToken: view.stopToken }),
  };
}

/** A closed question keeps its words and loses what could still be pressed. */
function question(view: ViewOf<"question">): WebPart {
  return {
    type: "question",
    icon: view.icon,
    html: richText(view.question),
    ...(view.context && { contextHtml: richText(view.context) }),
    options: view.closed ? [] : view.options.map(button),
    ...(view.form && !view.closed && { form: formPart(view.form) }),
    asked: view.asked,
    ...(view.closed && { closed: { ...view.closed } }),
  };
}

const button = (one: { token: string; label: string }) => ({ token: one.token, label: one.label });
/** The form as plain JSON. */
export const formPart = (form: Form) => ({
  token: form.token,
  title: form.title,
  fields: form.fields.map((field) => ({ ...field })),
});
