/** Misbehaviour on demand, the same for every loopback platform. */
export interface Fault {
  /** The method or route it strikes, as that platform's server names it; absent: any. */
  readonly method?: string;
  /** The chat, channel or route it strikes; absent: any. */
  readonly place?: string | number;
  /** How often; 1 unless set. */
  readonly times?: number;
  /** The first so many matching calls pass. */
  readonly skip?: number;
  /** An answer with this status. From 500 on it is a web page, as a proxy in front would send. */
  readonly status?: number;
  /** What the refusal says: an error code (Slack), a description or message elsewhere. */
  readonly error?: string;
  /** 429 with this delay, s. */
  readonly retryAfter?: number;
  /** `before`: the socket is cut and nothing was done. `after`: it was done, and the answer never comes. */
  readonly drop?: "before" | "after";
  /** The call is done so much later. */
  readonly delayMs?: number;
}

export interface Faults {
  add(fault: Fault): void;
  /** The fault that strikes this call; it is used up by being taken. */
  take(method: string, place: unknown): Fault | undefined;
  clear(): void;
}

export function createFaults(): Faults {
  let armed: { readonly fault: Fault; skip: number; left: number }[] = [];
  return {
    add: (fault) => void armed.push({ fault, skip: fault.skip ?? 0, left: fault.times ?? 1 }),
    clear: () => void (armed = []),
    take(method, place) {
      const matching = armed.find(
        ({ fault, left }) => left > 0 && (fault.method ?? method) === method && (fault.place ?? place) === place,
      );
      if (!matching) return undefined;
      if (matching.skip > 0) {
        matching.skip -= 1;
        return undefined;
      }
      matching.left -= 1;
      return matching.fault;
    },
  };
}
