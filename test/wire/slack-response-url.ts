/** What comes to a `response_url`: a message for the presser alone, for all, or in place of the one that was pressed. */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { checkContent } from "./slack-chat-methods.ts";
import type { Events } from "./slack-events.ts";
import { answerJson, readArguments } from "./slack-http.ts";
import { flag, json } from "./slack-method.ts";
import { POST_TEXT, Refusal } from "./slack-rules.ts";
import { addMessage, changeMessage } from "./slack-world.ts";
import type { World } from "./slack-world.ts";

const answer = z.strictObject({
  text: z.string().default(""),
  blocks: json.optional(),
  metadata: json.optional(),
  thread_ts: z.string().optional(),
  response_type: z.enum(["ephemeral", "in_channel"]).default("ephemeral"),
  replace_original: flag.default(false),
  delete_original: flag.default(false),
  unfurl_links: flag.optional(),
  unfurl_media: flag.optional(),
});

interface Parts {
  readonly world: World;
  readonly events: Events;
  readonly violate: (what: string) => void;
}

export async function respond(parts: Parts, id: string, body: Buffer, response: ServerResponse): Promise<void> {
  try {
    take(parts, id, answer.parse(await readArguments(body, "application/json")));
    response.writeHead(200, { "content-type": "text/html" }).end("ok");
  } catch (error) {
    const code = error instanceof Refusal ? error.code : "invalid_payload";
    answerJson(response, { ok: false, error: code }, error instanceof Refusal ? 404 : 400);
  }
}

function take({ world, events, violate }: Parts, id: string, given: z.output<typeof answer>): void {
  const to = world.responseUrls.get(id);
  if (!to || to.left === 0) throw new Refusal("used_url");
  if (world.now() > to.expiresAt) throw new Refusal("expired_url");
  to.left -= 1;
  const { channel, user, message } = to;
  if (given.delete_original) return void (message && (message.deleted = true));
  const content = checkContent(given, POST_TEXT, { violate: (what) => violate(`response_url: ${what}`) });
  if (given.replace_original && message) return changeMessage(world, message, content);
  const thread = given.thread_ts === undefined ? {} : { thread_ts: given.thread_ts };
  if (given.response_type === "in_channel") {
    events.message(addMessage(world, { channel, user: world.bot, ...content, ...thread }));
    return;
  }
  const { text, blocks } = content;
  channel.ephemerals.push({ channel, user, ts: world.nextTs(), text, blocks, at: Date.now(), ...thread });
}
