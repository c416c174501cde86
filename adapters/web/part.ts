/** What one message of the page holds. Made by `render`, kept in the outbox, drawn by the page. */
import { z } from "zod";
import type { Part } from "../../gateway/contract.ts";
import type { ProgressRow } from "../shared/progress-text.ts";

type Button = { readonly token: string; readonly label: string };
type FormPart = {
  readonly token: string;
  readonly title: string;
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly required: boolean;
    readonly type: string;
    readonly placeholder?: string;
    readonly options?: readonly { readonly id: string; readonly label: string }[];
  }[];
};

export type WebPart =
  | {
      readonly type: "progress";
      readonly state: string;
      readonly heading: string;
      readonly rows: readonly (Pick<ProgressRow, "icon" | "status" | "title" | "details"> & {
        readonly state: string;
      })[];
      readonly previewHtml?: string;
      readonly footer: string;
      readonly stopToken?: string;
    }
  | {
      readonly type: "question";
      readonly icon: string;
      readonly html: string;
      readonly contextHtml?: string;
      readonly options: readonly Button[];
      readonly form?: FormPart;
      readonly asked: string;
      readonly closed?:
        | { readonly type: "answered"; readonly answer: string; readonly by: string }
        | { readonly type: "given_up"; readonly reason: string };
    }
  /** `markdown` is what *Copy* takes and what `history` tells. */
  | { readonly type: "reply"; readonly html: string; readonly markdown: string; readonly footer?: string }
  | { readonly type: "notice"; readonly html: string; readonly tone: string; readonly actions: readonly Button[] }
  | {
      readonly type: "file";
      readonly name: string;
      readonly mime: string;
      readonly sizeBytes: number;
      readonly path: string;
    };

/** A part read back from the store, where it is only JSON. */
const filePart = z.object({ type: z.literal("file"), name: z.string(), path: z.string() });
const replyPart = z.object({ type: z.literal("reply"), markdown: z.string() });

/** The file behind a part; undefined when it is another kind of message. */
export const fileOf = (part: Part): { name: string; path: string } | undefined => filePart.safeParse(part).data;
/** The words of a final reply; undefined when it is another kind of message. */
export const replyOf = (part: Part): string | undefined => replyPart.safeParse(part).data?.markdown;

/** A part as the page may see it: paths of this machine stay here. */
export function forPage(part: Part): Part {
  const { path: _path, ...shown } = part;
  return shown;
}
