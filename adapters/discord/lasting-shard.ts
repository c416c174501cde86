/**
 * The library's connection, with another rule for when a session ends. The library throws it away whenever it has waited
 * in vain or could not reach the server, and what was said meanwhile is lost then. Here it ends where Discord says so.
 */
import { CloseCodes, WebSocketShard, WebSocketShardDestroyRecovery } from "@discordjs/ws";
import type { WebSocketShardDestroyOptions } from "@discordjs/ws";

/** Discord's close code for a sequence number that it does not know: nothing can be resumed from there. */
const INVALID_SEQUENCE = 4007;
/** What the library calls op 9 `false`, the answer to a session that Discord has no more. */
const INVALID_SESSION = "Invalid session";

/** Also ends with the codes after which the library connects no more. */
export class LastingShard extends WebSocketShard {
  override destroy(options: WebSocketShardDestroyOptions = {}): Promise<void> {
    const { recover, reason, code } = options;
    const isOver = reason === INVALID_SESSION || code === INVALID_SEQUENCE;
    if (recover !== WebSocketShardDestroyRecovery.Reconnect || isOver) return super.destroy(options);
    // Not 1000, after which Discord forgets the session.
    return super.destroy({ ...options, code: CloseCodes.Resuming, recover: WebSocketShardDestroyRecovery.Resume });
  }
}
