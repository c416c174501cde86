/** Discord's answers that are no success: status, code and words. https://discord.com/developers/docs/topics/opcodes-and-status-codes */

export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: unknown;
  constructor(status: number, code: number, message: string, errors?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

const KNOWN = {
  unauthorized: [401, 0, "401: Unauthorized"],
  no_route: [404, 0, "404: Not Found"],
  method_not_allowed: [405, 0, "405: Method Not Allowed"],
  unknown_account: [404, 10002, "Unknown Application"],
  unknown_channel: [404, 10003, "Unknown Channel"],
  unknown_guild: [404, 10004, "Unknown Guild"],
  unknown_message: [404, 10008, "Unknown Message"],
  unknown_user: [404, 10013, "Unknown User"],
  unknown_webhook: [404, 10015, "Unknown Webhook"],
  unknown_interaction: [404, 10062, "Unknown interaction"],
  unknown_command: [404, 10063, "Unknown application command"],
  too_large: [413, 40005, "Request entity too large"],
  acknowledged: [400, 40060, "Interaction has already been acknowledged."],
  missing_access: [403, 50001, "Missing Access"],
  dm_action: [403, 50003, "Cannot execute action on a DM channel"],
  not_author: [403, 50005, "Cannot edit a message authored by another user"],
  empty_message: [400, 50006, "Cannot send an empty message"],
  dm_closed: [403, 50007, "Cannot send messages to this user"],
  no_text_channel: [400, 50008, "Cannot send messages in a non-text channel"],
  missing_permissions: [403, 50013, "Missing Permissions"],
  channel_type: [400, 50024, "Cannot execute action on this channel type"],
  token_expired: [401, 50027, "Invalid Webhook Token"],
  archived: [400, 50083, "Thread is archived"],
  no_history: [403, 160002, "Cannot reply without permission to read message history"],
  thread_exists: [400, 160004, "A thread has already been created for this message"],
} as const satisfies Record<string, readonly [number, number, string]>;

export function refusal(name: keyof typeof KNOWN): Refusal {
  const [status, code, message] = KNOWN[name];
  return new Refusal(status, code, message);
}

interface Defect {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly message: string;
}
/** 50035 as Discord writes it: `errors.content._errors[0]`. */
export function invalidBody(defects: readonly Defect[]): Refusal {
  const tree: Record<string, unknown> = {};
  for (const { path, code, message } of defects) {
    const leaf = path.reduce<Record<string, unknown>>((node, key) => {
      const next = node[String(key)];
      const child = typeof next === "object" && next !== null ? (next as Record<string, unknown>) : {}; // made here
      node[String(key)] = child;
      return child;
    }, tree);
    const before = Array.isArray(leaf["_errors"]) ? leaf["_errors"] : [];
    leaf["_errors"] = [...before, { code, message }];
  }
  return new Refusal(400, 50035, "Invalid Form Body", tree);
}
export const invalid = (path: readonly PropertyKey[], message: string, code = "BASE_TYPE_BAD_VALUE"): Refusal =>
  invalidBody([{ path, code, message }]);
