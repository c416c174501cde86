/** Bytes in and out. Without the bot's token a file's address shows a login page, with status 200, as Slack does. */
import type { ServerResponse } from "node:http";
import { answerPage, readUpload } from "./slack-http.ts";
import type { World } from "./slack-world.ts";

/** `v1/<file id>`: the address that files.getUploadURLExternal gave. */
export async function receiveUpload(
  world: World,
  path: string,
  { body, type }: { readonly body: Buffer; readonly type: string },
  response: ServerResponse,
): Promise<void> {
  const file = world.uploads.get(path.replace("v1/", ""));
  if (!file) return answerPage(response, 404, "Not found");
  const bytes = await readUpload(body, type);
  if (bytes.length !== file.sizeBytes) return answerPage(response, 400, `Expected ${file.sizeBytes} bytes`);
  file.bytes = bytes;
  response.writeHead(200, { "content-type": "text/plain" }).end(`OK - ${bytes.length}`);
}

/** `<team>-<file id>/[download/]<name>` */
export function sendBytes(
  { world, botToken }: { readonly world: World; readonly botToken: string },
  path: string,
  authorization: string | undefined,
  response: ServerResponse,
): void {
  const [, id = ""] = /^[^-]+-([^/]+)\//.exec(path) ?? [];
  const file = world.files.get(id);
  if (authorization !== `Bearer ${botToken}`) return answerPage(response, 200, "<title>Sign in | Slack</title>");
  if (!file) return answerPage(response, 404, "Not found");
  response.writeHead(200, { "content-type": file.mime }).end(file.bytes);
}
