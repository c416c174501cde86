/** Misfortune at random, on every platform at once. */
import type { Mishap, Stage } from "./stage.ts";

/** What may strike a call; one kind is as likely as another. */
const MISHAPS: Readonly<Record<string, () => Mishap>> = {
  "429": () => ({ retryAfter: 1 + Math.floor(Math.random() * 3) }),
  "500": () => ({ status: 500 }),
  "closed before": () => ({ drop: "before" }),
  "closed after": () => ({ drop: "after" }),
  slow: () => ({ delayMs: Math.random() * 3000 }),
};
const DUPLICATE = "given twice";
const RECONNECT = "reconnect";

export interface Rain {
  /** How often what has struck, or lies in wait. */
  readonly fallen: Readonly<Record<string, number>>;
  stop(): void;
}

/** A fault every so many ms; one in ten is an event that comes again, one in fifty a lost connection. */
export function letItRain(stages: readonly Stage[], everyMs: number): Rain {
  const fallen: Record<string, number> = {};
  const timer = setInterval(() => {
    const stage = pick(stages);
    const kind = stage && strike(stage);
    if (kind !== undefined) fallen[kind] = (fallen[kind] ?? 0) + 1;
  }, everyMs);
  return { fallen, stop: () => clearInterval(timer) };
}

function strike(stage: Stage): string | undefined {
  const luck = Math.random();
  if (luck < 0.02) {
    stage.disturb();
    return RECONNECT;
  }
  if (luck < 0.12) {
    stage.redeliver();
    return DUPLICATE;
  }
  const entry = pick(Object.entries(MISHAPS));
  if (!entry) return undefined;
  const [kind, make] = entry;
  stage.fail(Math.random() < 0.7 ? "post" : "edit", make());
  return kind;
}

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];
