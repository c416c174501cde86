/**
 * The stream of changes. connecting → connected → lost → connected …: the browser reconnects by itself after a drop, and
 * we after a refusal (a server that is just starting). A page that nobody looks at for a while goes asleep, since a
 * browser keeps only six connections to one address, and connects when it is looked at again. Whatever happened in
 * between is loaded on each connection.
 */
import { loadThreads } from "./api.js";

const RETRY_MS = 2000;
const ASLEEP_AFTER_MS = 30_000;

/** @param {{ connected: () => void, lost: () => void, change: (change: any) => void }} on */
export function followChanges(on) {
  let source = connect(on);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const again = () => {
    source.close();
    source = connect(on);
  };
  document.addEventListener("visibilitychange", () => {
    clearTimeout(timer);
    if (document.visibilityState === "hidden") timer = setTimeout(() => source.close(), ASLEEP_AFTER_MS);
    else if (source.readyState === EventSource.CLOSED) again();
  });
  setInterval(() => {
    if (source.readyState === EventSource.CLOSED && document.visibilityState === "visible") void askWhy().then(again);
  }, RETRY_MS);
}

/** @param {{ connected: () => void, lost: () => void, change: (change: any) => void }} on */
function connect(on) {
  const source = new EventSource("/api/changes");
  source.addEventListener("open", () => on.connected());
  source.addEventListener("message", (event) => on.change(JSON.parse(event.data)));
  source.addEventListener("error", () => on.lost());
  return source;
}

/** A refused stream does not say why; an ordinary call does, and leads to the link when the cookie is gone. */
const askWhy = () => loadThreads().catch(() => undefined);
