/** The page's calls to its server. */

/** What the server said no to, in words for the person. */
export class Refused extends Error {
  /** @param {string} message @param {boolean} worthRepeating */
  constructor(message, worthRepeating) {
    super(message);
    this.worthRepeating = worthRepeating;
  }
}

const UNREACHABLE = "Threadline cannot be reached just now.";

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function call(path, init) {
  const response = await fetch(path, init).catch(() => {
    throw new Refused(UNREACHABLE, true);
  });
  // The cookie is gone: the server's own page says where the link is.
  if (response.status === 401) location.reload();
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new Refused(body.error ?? UNREACHABLE, response.status >= 500);
}

const pathOf = (/** @type {string} */ thread) => `/api/threads/${encodeURIComponent(thread)}`;

/** @returns {Promise<{ thread: string, title: string, updatedAt: number, state: string }[]>} */
export const loadThreads = async () => (await call("/api/threads")).threads;
/** @param {string} thread */
export const loadThread = (thread) => call(pathOf(thread));

/** @param {File} file */
export const upload = (file) =>
  call(`/api/uploads?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    headers: { "content-type": file.type || "application/octet-stream" },
    body: file,
  });

/** Where a file of a thread is saved from. `file`: its id, or the key of its message. */
export const fileAddress = (/** @type {string} */ thread, /** @type {string} */ file) =>
  `/files?${new URLSearchParams({ thread, file })}`;

const WAITS_MS = [0, 800, 2500, 6000];

/**
 * Posts a message, a press or a form. The event carries its own id, so trying again never does it twice.
 * @param {string} thread
 * @param {Record<string, unknown>} event
 */
export async function post(thread, event) {
  for (const [attempt, wait] of WAITS_MS.entries()) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      return await call(`${pathOf(thread)}/events`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(event),
      });
    } catch (error) {
      const last = attempt === WAITS_MS.length - 1;
      if (last || !(error instanceof Refused && error.worthRepeating)) throw error;
    }
  }
}
