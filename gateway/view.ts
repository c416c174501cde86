/** What a thread should show, as plain data: the part of the gateway's contract that every adapter draws. */
import type { TaskSnapshot } from "../subagents/contract.ts";

/** What a thread should show in one slot. A new ability is a new member here, which every adapter must then draw. */
export type View = RequestView | ProgressView | QuestionView | ReplyView | NoticeView | FileView;
export type ViewOf<Type extends View["type"]> = Extract<View, { type: Type }>;

/** What somebody asked by a command, quoted and named, since nobody else could know it. Often opens its thread. */
export interface RequestView {
  readonly type: "request";
  readonly author: string;
  /** As it was typed: text, not markdown. */
  readonly text: string;
}

export interface ProgressView {
  readonly type: "progress";
  readonly state: "working" | "waiting" | "done" | "cancelled" | "failed";
  readonly tasks: readonly TaskSnapshot[];
  /** The growing reply; gone as soon as it comes as a message of its own, absent while a draft shows it. */
  readonly preview?: string;
  /** Total of the run, lead agent and subagents, each model call once. Absent: nothing reported so far. */
  readonly tokens?: number;
  /** The lead agent's model as people know it. */
  readonly model: string;
  readonly startedAt: number;
  /** When this view was made: elapsed times are counted up to here, so that `render` stays pure. */
  readonly at: number;
  /** Cancels the run; absent once it has ended. */
  readonly stopToken?: string;
}

export interface QuestionView {
  readonly type: "question";
  readonly icon: string;
  readonly question: string;
  readonly context?: string;
  readonly options: readonly { readonly token: string; readonly label: string }[];
  /** Present: a form is to be filled in; `form.token` comes back in the `form` event. */
  readonly form?: Form;
  /** Who may answer, as a name to show. */
  readonly asked: string;
  /** The platform refused its buttons: all is said in words, options by number, and answered by typing. */
  readonly inWords?: true;
  /** Present: no longer open, draw no buttons. */
  readonly closed?:
    | { readonly type: "answered"; readonly answer: string; readonly by: string }
    | { readonly type: "given_up"; readonly reason: string };
}

export interface Form {
  readonly token: string;
  readonly title: string;
  readonly fields: readonly FormField[];
}
/** Normalised as `facts` of the clarification contract say: every field has a label, a choice has options. */
export type FormField = {
  readonly name: string;
  readonly label: string;
  readonly required: boolean;
  readonly placeholder?: string;
} & (
  | { readonly type: "text" | "textarea" | "number" | "checkbox" | "date" }
  | {
      readonly type: "select" | "multi_select";
      readonly options: readonly { readonly id: string; readonly label: string }[];
    }
);

export interface ReplyView {
  readonly type: "reply";
  readonly markdown: string;
  /** What it cost, as one quiet line below; absent where a card with tasks tells it, or nobody reported it. */
  readonly usage?: { readonly model: string; readonly tokens: number };
}
export interface NoticeView {
  readonly type: "notice";
  readonly markdown: string;
  readonly tone: "info" | "warning";
  /** Buttons below; a press comes back with the token. */
  readonly actions?: readonly { readonly token: string; readonly label: string }[];
}
export interface FileView {
  readonly type: "file";
  /** Absolute path on this machine; read by `Adapter.upload`. */
  readonly path: string;
  readonly name: string;
  readonly mime: string;
  readonly sizeBytes: number;
}
