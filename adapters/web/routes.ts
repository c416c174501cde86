/** The page's routes: guard → door → page, API, files. Nothing here waits for a run. */
import { Hono, type Context } from "hono";
import { bodyLimit } from "hono/body-limit";
import { getCookie, setCookie } from "hono/cookie";
import type { Logger } from "pino";
import {
  AdapterError,
  type Author,
  type Delivered,
  type Inbound,
  type InboundFile,
  type ThreadKey,
  type Transcript,
} from "../../gateway/contract.ts";
import type { Changes } from "./changes.ts";
import { askForLink, linkIsSpent, nothingHere } from "./denied-page.ts";
import type { Door } from "./door.ts";
import { asAttachment, safeHeaders } from "./headers.ts";
import { refusal } from "./own-host.ts";
import type { PageFile } from "./page-files.ts";
import { parseThread, PLATFORM, type Posted, postedSchema, toInbound } from "./posted.ts";
import { formPart } from "./render.ts";
import { knownFile, threadForPage } from "./thread-page.ts";
import { readFileAt, type Uploads } from "./uploads.ts";

export interface RouteDeps {
  readonly origin: string;
  readonly door: Door;
  readonly pageFiles: ReadonlyMap<string, PageFile>;
  readonly transcript: Transcript;
  readonly changes: Changes;
  readonly uploads: Uploads;
  readonly uploadBytes: number;
  readonly author: Author;
  readonly now: () => number;
  readonly log: Logger;
  /** Stores the event and tells every page. */
  readonly accept: (event: Inbound) => Promise<Delivered>;
}

// More than the longest message (200,000 characters of up to 4 bytes, escaped) ever needs.
const MOST_JSON_BYTES = 2_000_000;
const COOKIE_SECONDS = 365 * 24 * 3600;

export function createRoutes(deps: RouteDeps): Hono {
  const app = new Hono();
  app.use(async (c, next) => {
    const refused = refusal(c.req.raw, deps.origin);
    if (refused !== undefined) c.res = c.text(refused, 403);
    else await next();
    for (const [name, value] of Object.entries(safeHeaders())) {
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    }
  });
  addDoor(app, deps);
  addPage(app, deps);
  addThreads(app, deps);
  addFiles(app, deps);
  app.notFound((c) => (isVisit(c) ? nothingHere() : c.json({ error: "There is nothing at this address." }, 404)));
  app.onError((error, c) => failed(error, c, deps.log));
  return app;
}

/** Someone who typed or followed an address, not the page's own call. */
const isVisit = ({ req }: Context) =>
  !req.path.startsWith("/api/") && (req.header("accept") ?? "").includes("text/html");

function addDoor(app: Hono, { door }: RouteDeps): void {
  const isKnown = (c: Context) => door.knows(getCookie(c, door.cookieName));
  // Only a real visit spends the key, not a browser or a scanner that looks ahead.
  const looksAhead = (c: Context) => c.req.method !== "GET" || c.req.header("sec-purpose") !== undefined;
  app.get("/open", (c) => {
    if (isKnown(c)) return c.redirect("/", 303);
    if (looksAhead(c)) return c.body(null, 204);
    if (!door.use(c.req.query("key"))) return linkIsSpent();
    setCookie(c, door.cookieName, door.cookieValue, {
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      maxAge: COOKIE_SECONDS,
    });
    return c.redirect("/", 303);
  });
  app.use((c, next) =>
    isKnown(c) ? next() : Promise.resolve(askForLink(c.req.header("sec-fetch-site") === "cross-site")),
  );
}

function addPage(app: Hono, { pageFiles }: RouteDeps): void {
  for (const [path, { body, type }] of pageFiles) {
    app.get(path, (c) => c.body(body, 200, { "content-type": type }));
  }
}

const smallBody = bodyLimit({
  maxSize: MOST_JSON_BYTES,
  onError: (c) => c.json({ error: "Expected a shorter message. Attach long text as a file." }, 413),
});

function addThreads(app: Hono, deps: RouteDeps): void {
  const { transcript, changes } = deps;
  app.get("/api/changes", () => changes.connect());
  app.get("/api/threads", async (c) => c.json({ threads: await transcript.threads(PLATFORM) }));
  app.get("/api/threads/:thread", async (c) => {
    const thread = parseThread(c.req.param("thread"));
    return thread ? c.json(await threadForPage(transcript, changes, thread)) : c.notFound();
  });
  app.post("/api/threads/:thread/events", smallBody, async (c) => {
    const thread = parseThread(c.req.param("thread"));
    if (!thread) return c.notFound();
    const posted = postedSchema.safeParse(await c.req.json().catch(() => undefined));
    if (!posted.success) return c.json({ error: posted.error.issues[0]?.message ?? "This could not be read." }, 400);
    const { accepted, reply } = await accept(deps, thread, posted.data);
    const shown = reply?.type === "form" ? { type: reply.type, form: formPart(reply.form) } : reply;
    return c.json({ accepted, reply: shown });
  });
}

async function accept(deps: RouteDeps, thread: ThreadKey, posted: Posted): Promise<Delivered> {
  const files = posted.type === "message" ? await storedFiles(deps.uploads, posted.files) : [];
  return deps.accept(toInbound(posted, { thread, author: deps.author, sentAt: deps.now(), files }));
}

async function storedFiles(uploads: Uploads, labels: readonly { id: string; name: string; mime: string }[]) {
  const found = await Promise.all(labels.map((label) => uploads.find(label)));
  const files = found.filter((file): file is InboundFile => file !== undefined);
  if (files.length === labels.length) return files;
  throw new AdapterError("not_found", "Expected files that were uploaded before, missed one. Attach it again.");
}

function addFiles(app: Hono, { uploads, uploadBytes, transcript }: RouteDeps): void {
  app.post("/api/uploads", async (c) => {
    const { body } = c.req.raw;
    if (!body || Number(c.req.header("content-length") ?? 0) > uploadBytes) {
      return c.json({ error: `Expected a file of at most ${uploadBytes} bytes.` }, 413);
    }
    const mime = c.req.header("content-type") ?? "application/octet-stream";
    return c.json(await uploads.save(body, { name: c.req.query("name") ?? "", mime: mime.slice(0, 255) }));
  });
  app.get("/files", async (c) => {
    const thread = parseThread(c.req.query("thread"));
    const file = thread && (await knownFile(transcript, thread, c.req.query("file") ?? ""));
    if (!file) return c.notFound();
    const bytes = file.type === "path" ? await readFileAt(file.path) : await uploads.read(file.id);
    return new Response(ReadableStream.from(bytes), { headers: asAttachment(file.name) });
  });
}

/** What the page can act on is told in words; anything else is logged and told to be tried again. */
function failed(error: unknown, c: Context, log: Logger): Response {
  if (error instanceof AdapterError) {
    const status = error.code === "too_long" ? 413 : error.code === "unavailable" ? 503 : 404;
    return c.json({ error: error.message }, status);
  }
  if (c.req.raw.signal.aborted) log.debug({ err: error }, "a browser gave up its request");
  else log.error({ err: error }, "the local page could not answer a request");
  return c.json({ error: "Threadline could not store this just now. Try again." }, 503);
}
