/** How a platform counts what it takes in one message. */
import type { Span } from "./spans.ts";

/** Counts one message while it is filled, in the order of its text. What is too much stays too much. */
export interface Meter {
  /** Takes the units from `start` to `end` of a span; false if the message does not hold all that was taken. */
  take(span: Span, start: number, end: number): boolean;
}

/** A meter for a message that is still empty. */
export type Limit = () => Meter;

export function takeAll(meter: Meter, spans: readonly Span[]): boolean {
  let fits = true;
  for (const span of spans) fits = meter.take(span, 0, span.text.length);
  return fits;
}

export const fits = (spans: readonly Span[], limit: Limit): boolean => takeAll(limit(), spans);
