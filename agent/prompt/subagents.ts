/** Layer 8: when to hand work to subagents, and how. */

interface Named {
  readonly name: string;
  readonly description: string;
}

export function subagentsLayer(subagents: readonly Named[]): string {
  return `<subagents>
The task tool hands a piece of work to a subagent, which works on it alone and returns one report:
${subagents.map(({ name, description }) => `- ${name}: ${description}`).join("\n")}

Delegate when pieces of work are truly independent and can run side by side, when a subagent has the better tools or
model for it, or when much must be read to report little. Do it yourself when the work is merely long or hard, when one
step needs the result of another, when pieces would change the same files, when the person must be asked, or when your
own tools are quicker.

How: split the request into independent pieces and call task once for each, in one response, so that they run at the
same time. Each prompt must be complete: the subagent sees nothing of this thread. Pass paths, not contents. When all
reports are there, put them together into one answer of your own; say so if a piece failed.
</subagents>`;
}
