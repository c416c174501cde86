/** The local page as a platform. It has no server of its own to keep messages: the transcript is what it shows. */
import { userInfo } from "node:os";
import {
  type Adapter,
  type AdapterDeps,
  type Author,
  type Deliver,
  type Delivered,
  type HttpMount,
  type Identity,
  type Inbound,
  type Limits,
  METHODS,
  type Part,
  postRef,
  type ThreadKey,
} from "../../gateway/contract.ts";
import { type Changes, createChanges } from "./changes.ts";
import { createDoor } from "./door.ts";
import { earlier } from "./history.ts";
import { readPageFiles } from "./page-files.ts";
import { forPage } from "./part.ts";
import { ACCOUNT, PLATFORM } from "./posted.ts";
import { render } from "./render.ts";
import { createRoutes } from "./routes.ts";
import { saidForPage } from "./thread-page.ts";
import { createUploads } from "./uploads.ts";

const NAME = "local page";
const LIMITS: Limits = {
  rates: [{ scope: "thread", methods: ["post", "edit"], calls: 1, perMs: 100 }],
  waits: [{ scope: "thread", methods: METHODS }],
  // The page shows any answer whole.
  answerParts: Infinity,
  presenceMs: 10_000,
  draftMs: 0,
  // What the bot shows is only linked to, so there is no limit of the page's own.
  uploadBytes: 1_000_000_000,
  downloadBytes: 100_000_000,
};

export function createWebAdapter(deps: AdapterDeps): Adapter {
  const { clock, transcript } = deps;
  const changes = createChanges(clock);
  transcript.onDeleted(PLATFORM, (thread) => changes.push({ type: "deleted", thread }));
  const uploads = createUploads(deps.folder, LIMITS.downloadBytes);
  let connected = false;
  let lastEventAt: number | undefined;

  const show = (thread: ThreadKey, key: string, part: Part) =>
    changes.push({ type: "shown", thread, key, at: clock.now(), part: forPage(part) });

  const start = async (deliver: Deliver, http: HttpMount): Promise<Identity> => {
    await uploads.tidy();
    const door = createDoor(deps.secret, http.origin);
    const accept = async (event: Inbound) => {
      lastEventAt = clock.now();
      return tellPages(changes, event, await deliver(event));
    };
    const app = createRoutes({
      origin: http.origin,
      door,
      pageFiles: readPageFiles(),
      transcript,
      changes,
      uploads,
      uploadBytes: LIMITS.downloadBytes,
      author: owner(),
      now: () => clock.now(),
      log: deps.log,
      accept,
    });
    http.mount("/", (request) => (connected ? app.fetch(request) : new Response("Threadline stops.", { status: 503 })));
    connected = true;
    return { account: ACCOUNT, name: NAME, link: `${http.origin}/open?key=${door.key}` };
  };

  return {
    platform: PLATFORM,
    limits: LIMITS,
    start,
    render,
    plain: (part) => part,
    // A message's reference is its nonce: the same post twice is the same post.
    async send(thread, part, nonce) {
      show(thread, nonce, part);
      return { post: postRef(nonce) };
    },
    async edit(thread, post, part) {
      show(thread, post, part);
    },
    async remove(thread, post) {
      changes.push({ type: "removed", thread, key: post });
    },
    async upload(thread, file, nonce) {
      show(thread, nonce, render(file)[0]);
      return { post: postRef(nonce) };
    },
    async find(_thread, _part, nonce) {
      return { post: postRef(nonce) };
    },
    async presence(thread, on) {
      changes.push({ type: "presence", thread, on, forMs: LIMITS.presenceMs });
    },
    download: (file) => uploads.read(file.id),
    async history(thread, before, limit) {
      return earlier(await transcript.entries(PLATFORM, thread), before, limit, NAME);
    },
    health: () => ({ connected, ...(lastEventAt !== undefined && { lastEventAt }) }),
    async stop() {
      connected = false;
      changes.close();
    },
  };
}

/** A message that was taken in appears on every open page, also where it was not typed. */
function tellPages(changes: Changes, event: Inbound, delivered: Delivered): Delivered {
  if (event.type === "message" && delivered.accepted) {
    const { post, text, files, thread } = event;
    const said = { type: "inbound", post, text, files, author: event.author.name, at: event.sentAt } as const;
    changes.push({ ...saidForPage(said), thread });
  }
  return delivered;
}

/** Everyone who can open the page is the one owner of this machine's account. */
function owner(): Author {
  return { id: "owner", name: accountName() || "You", isBot: false };
}
function accountName(): string | undefined {
  try {
    const { username } = userInfo();
    // In a container everybody is root: a name that names nobody.
    return username === "root" ? undefined : username;
  } catch {
    // An account without an entry in the system's list, as in some containers.
    return undefined;
  }
}
