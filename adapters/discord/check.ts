/** What `doctor` says about the bot. Reads only, and opens no connection for events. */
import { AdapterError } from "../../gateway/contract.ts";
import type { Finding } from "../../gateway/contract.ts";
import { fetchApplication, fetchUser, inviteLink, mayReadContent } from "./application.ts";
import { CONTENT_MISSING } from "./connection.ts";
import { createApi } from "./rest.ts";

export async function checkBot(settings: {
  readonly token: string;
  readonly apiUrl: string;
}): Promise<readonly Finding[]> {
  const api = createApi(settings);
  try {
    const me = await fetchUser(api);
    const application = await fetchApplication(api);
    return [
      { ok: true, text: `Discord: the token is that of ${me.global_name ?? me.username} (${me.id}).` },
      mayReadContent(application)
        ? { ok: true, text: "Message Content Intent is on: in a thread nobody has to mention the bot again." }
        : { ok: true, text: CONTENT_MISSING },
      { ok: true, text: `To add the bot to a server, with exactly the rights it needs: ${inviteLink(application.id)}` },
    ];
  } catch (error) {
    if (error instanceof AdapterError) return [{ ok: false, text: error.message }];
    throw error;
  } finally {
    api.close();
  }
}
