/** Layer 8: when to hand work to subagents, and how. */
import type { DelegationLimits } from "../../subagents/contract.ts";

interface Named {
  readonly name: string;
  readonly description: string;
}

export function subagentsLayer(subagents: readonly Named[], { perResponse, perRun }: DelegationLimits): string {
  return `<subagents>
The task tool hands a piece of work to a subagent, which works on it alone and returns one report:
${subagents.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}

Delegate when pieces of work are truly independent and can run side by side, when a subagent has the better tools or
model for it, or when much must be read to report little. Do it yourself when the work is merely long or hard, when one
step needs the result of another, when pieces would change the same files, when the person must be asked, or when your
own tools are quicker.

Hard limit: ${atMost(perResponse, "task call")} in one response; what is over is dropped unread. ${perRun} in one turn.

How:
1. DECOMPOSE: in your thinking, split the request into independent pieces and count them.
2. COUNT: up to ${perResponse} go out in one response, so that they run at the same time.
3. BATCH: if there are more, plan batches of at most ${perResponse}.
4. DELEGATE: call task once for each piece of this batch only. Each prompt must be complete: the subagent sees nothing
   of this thread. Pass paths, not contents.
5. WAIT: the calls return when the reports are there; then delegate the next batch.
6. SYNTHESIZE: when all reports are there, put them together into one answer of your own; say so if a piece failed.
</subagents>`;
}

const atMost = (count: number, what: string): string => `at most ${count} ${what}${count === 1 ? "" : "s"}`;
