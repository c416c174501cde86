/**
 * Why a run was aborted when nobody has decided anything: its caller stopped listening, at a shutdown for one. Its tasks
 * are then not ended; they go on from the last checkpoint. Any other abort is a cancel.
 */
export class Detached extends Error {
  override readonly name = "Detached";
  constructor() {
    super("Nobody listens to this run any more; it can be resumed from its last checkpoint");
  }
}

export function isDetached(signal: AbortSignal | undefined): boolean {
  return signal?.reason instanceof Detached;
}
