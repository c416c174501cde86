/** Which chat is used for what: the same numbers for every bot, and none for two things. */

export interface StagePlan {
  readonly rounds: number;
  /** `message N` of a thread; in rising order. */
  readonly points: readonly number[];
}
export interface Chats {
  /** In which the next turn is message N. Below 100 each round has its own, since there a turn more counts. */
  readonly at: (point: number, round: number) => number;
  /** Nothing was said there; two of them for each round. */
  readonly fresh: readonly number[];
  readonly warm: number;
  /** The one with the most turns. */
  readonly long: number;
  /** Those that had turns before, and how many messages of a person the next one makes. */
  readonly old: readonly { readonly chat: number; readonly point: number }[];
  readonly all: readonly number[];
}

const WARM = 600_000;
/** The chats of a point begin here, so many apart: more than there are rounds. */
const APART = 1000;
const MANY_TURNS = 100;

export function planChats({ rounds, points }: StagePlan): Chats {
  const numbers = Array.from({ length: rounds }, (_, round) => round);
  const at = (point: number, round: number) =>
    WARM + APART * (1 + points.indexOf(point)) + (point < MANY_TURNS ? round : 0);
  const fresh = [...numbers, ...numbers.map((round) => rounds + round)].map(
    (index) => WARM + APART * (1 + points.length) + index,
  );
  const ofPoint = (point: number) => [...new Set(numbers.map((round) => at(point, round)))];
  const old = points.filter((point) => point > 1).flatMap((point) => ofPoint(point).map((chat) => ({ chat, point })));
  const first = points.filter((point) => point === 1).flatMap(ofPoint);
  const all = [WARM, ...fresh, ...first, ...old.map(({ chat }) => chat)];
  return { at, fresh, warm: WARM, long: at(points.at(-1) ?? 1, 0), old, all };
}
