/**
 * The platforms' rates as an oracle: which calls that can wait (edits) came although their window was full. Answers,
 * questions and notices leave at once: they fill a window, and a full one is no fault of theirs.
 */
export interface Rate {
  readonly name: string;
  readonly calls: number;
  readonly perMs: number;
  /** What the call is counted for; undefined: it is not counted. */
  readonly of: (call: Counted) => string | undefined;
  /** It could have waited. */
  readonly canWait: (call: Counted) => boolean;
}
export interface Counted {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly at: number;
}

/** Calls that leave in time may come closer together: the way to the server is not always equally long. */
const JITTER_MS = 100;

export function tooFast(calls: readonly Counted[], rates: readonly Rate[]): string[] {
  return rates.flatMap((rate) => {
    const windows = new Map<string, number[]>();
    return calls.flatMap((call) => {
      const key = rate.of(call);
      if (key === undefined) return [];
      const recent = (windows.get(key) ?? []).filter((at) => at > call.at - rate.perMs + JITTER_MS);
      windows.set(key, [...recent, call.at]);
      if (recent.length < rate.calls || !rate.canWait(call)) return [];
      return [`${rate.name}: ${call.method} in ${key} after ${recent.length} calls in ${rate.perMs} ms`];
    });
  });
}

/** https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this; edits count. */
export const TELEGRAM_RATES: readonly Rate[] = [
  { name: "1 a second in a chat", calls: 1, perMs: 1000, of: chat((id) => id > 0), canWait: isEdit },
  { name: "20 a minute in a group", calls: 20, perMs: 60_000, of: chat((id) => id < 0), canWait: isEdit },
  { name: "30 a second in all", calls: 30, perMs: 1000, of: ({ method }) => chatCall(method), canWait: isEdit },
];

function chat(which: (id: number) => boolean): Rate["of"] {
  return ({ method, params }) =>
    chatCall(method) !== undefined && which(Number(params["chat_id"])) ? String(params["chat_id"]) : undefined;
}
const chatCall = (method: string): string | undefined =>
  /^(send(?!ChatAction)|editMessage)/.test(method) ? "the bot" : undefined;
function isEdit({ method }: Counted): boolean {
  return /^editMessage|^sendMessageDraft$|^chat\.update$/.test(method);
}

/** https://docs.slack.dev/apis/web-api/rate-limits: Tier 3, by method and workspace. */
export const SLACK_RATES: readonly Rate[] = [
  {
    name: "50 edits a minute in a workspace",
    calls: 50,
    perMs: 60_000,
    of: ({ method }) => (method === "chat.update" ? "the workspace" : undefined),
    canWait: isEdit,
  },
];
