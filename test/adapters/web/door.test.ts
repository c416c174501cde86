import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryGateway, type Running, startPage } from "./memory-gateway.ts";

const running: Running[] = [];
async function start(...options: Parameters<typeof startPage>) {
  const page = await startPage(...options);
  running.push(page);
  return page;
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((page) => page.close()));
});

/** fetch may choose neither `Host` nor `Sec-Fetch-Mode`. */
function get(
  origin: string,
  path: string,
  headers: Record<string, string>,
  posted?: string,
): Promise<{ status?: number; body: string }> {
  return new Promise((resolve, reject) => {
    const method = posted === undefined ? "GET" : "POST";
    httpRequest(`${origin}${path}`, { headers, method }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end(posted);
  });
}
const status = async (...request: Parameters<typeof get>) => (await get(...request)).status;

describe("the door of the page", () => {
  it("lets nobody see anything without the cookie, and says where the link is", async () => {
    const { origin } = await start();
    for (const path of [
      "/",
      "/main.js",
      "/base.css",
      "/api/threads",
      "/api/changes",
      "/files?thread=x&file=y",
      "/nothing",
    ]) {
      const response = await fetch(origin + path);
      expect(response.status, path).toBe(401);
      expect(await response.text()).toContain("printed a link");
    }
  });

  it("opens once with the printed link and remembers the browser with a cookie no script can read", async () => {
    const { origin, identity } = await start();
    const first = await fetch(identity.link ?? "", { redirect: "manual" });
    expect(first.status).toBe(303);
    expect(first.headers.get("location")).toBe("/");
    const cookie = first.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/HttpOnly/);
    expect(cookie).toMatch(/SameSite=Strict/);
    expect(cookie.split("=")[0]).toContain(new URL(origin).port);
    expect(cookie).not.toContain(new URL(identity.link ?? "").searchParams.get("key"));
    expect((await fetch(origin, { headers: { cookie } })).status).toBe(200);

    const again = await fetch(identity.link ?? "", { headers: { cookie }, redirect: "manual" });
    expect(again.headers.get("location")).toBe("/");

    const second = await fetch(identity.link ?? "", { redirect: "manual" });
    expect(second.status).toBe(403);
    expect(second.headers.get("set-cookie")).toBeNull();
    expect(await second.text()).toContain("newest printed link");
  });

  it("is not opened by a wrong key, and a wrong key does not spend the right one", async () => {
    const { origin, enter } = await start();
    for (const query of ["", "?key=", "?key=0", `?key=${"0".repeat(48)}`]) {
      expect((await fetch(`${origin}/open${query}`, { redirect: "manual" })).status).toBe(403);
    }
    expect((await enter()).cookie).not.toBe("");
  });

  it("does not spend the link on a browser or scanner that looks ahead", async () => {
    const { identity, enter } = await start();
    await fetch(identity.link ?? "", { method: "HEAD", redirect: "manual" });
    await fetch(identity.link ?? "", { headers: { "sec-purpose": "prefetch" }, redirect: "manual" });
    expect((await enter()).cookie).not.toBe("");
  });

  it("knows the cookie again after a restart, and prints another link", async () => {
    const before = await startPage();
    const { cookie } = await before.enter();
    const port = Number(new URL(before.origin).port);
    await before.close();
    const after = await start({ port });
    expect((await fetch(after.origin, { headers: { cookie } })).status).toBe(200);
    expect(after.identity.link).not.toBe(before.identity.link);
    expect((await fetch(`${after.origin}${before.identity.link?.slice(before.origin.length)}`)).status).toBe(403);
  });

  it("does not take a cookie made with another secret", async () => {
    const other = await start({ secret: "cd".repeat(32) });
    const own = await start();
    const value = (await other.enter()).cookie.split("=")[1];
    const cookie = `threadline_${new URL(own.origin).port}=${value}`;
    expect((await fetch(own.origin, { headers: { cookie } })).status).toBe(401);
  });

  it("refuses foreign hosts (DNS rebinding), with or without the cookie, also for the link", async () => {
    const { origin, identity, enter } = await start();
    const { cookie } = await enter();
    const { port } = new URL(origin);
    const path = identity.link?.slice(origin.length) ?? "";
    for (const host of [`evil.example:${port}`, "evil.example", "127.0.0.1", `127.0.0.1:${Number(port) + 1}`]) {
      expect(await status(origin, "/", { host, cookie })).toBe(403);
      expect(await status(origin, path, { host })).toBe(403);
    }
    expect(await status(origin, "/", { host: `localhost:${port}`, cookie })).toBe(200);
  });

  it("refuses foreign origins and calls from other sites' pages, and allows no origin to read", async () => {
    const gateway = createMemoryGateway();
    const { origin, enter } = await start({ gateway });
    const headers = { ...(await enter()), "content-type": "application/json" };
    const body = JSON.stringify({ type: "message", id: crypto.randomUUID(), text: "x", files: [] });
    const url = `${origin}/api/threads/web:${crypto.randomUUID()}/events`;
    for (const foreign of [
      "http://evil.example",
      "null",
      `http://localhost:${new URL(origin).port}`,
      "http://127.0.0.1:1",
    ]) {
      const refused = await fetch(url, { method: "POST", headers: { ...headers, origin: foreign }, body });
      expect(refused.status, foreign).toBe(403);
      expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    }
    expect(
      await status(origin, "/api/threads", { ...headers, "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }),
    ).toBe(403);
    // A form of another local site posts as a navigation; only a link may be followed.
    const posted = { ...headers, "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" };
    expect(await status(origin, new URL(url).pathname, posted, body)).toBe(403);
    expect(gateway.events).toEqual([]);
    expect((await fetch(url, { method: "POST", headers: { ...headers, origin }, body })).status).toBe(200);
  });

  it("lets a link from another site lead to the page once more, so that the cookie comes along", async () => {
    const { origin } = await start();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect((await get(origin, "/", headers)).body).toContain('http-equiv="refresh"');
    expect((await get(origin, "/", {})).body).not.toContain("http-equiv");
  });

  it("runs no script but its own, is framed by nobody and tells nobody where it was", async () => {
    const { origin, enter } = await start();
    const { headers } = await fetch(origin, { headers: await enter() });
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("answers an unknown address with a page to a browser, and in JSON to the page's own calls", async () => {
    const { origin, enter } = await start();
    const headers = { ...(await enter()), accept: "text/html,*/*;q=0.8" };
    const visited = await get(origin, "/t/nonsense", headers);
    expect(visited.status).toBe(404);
    expect(visited.body).toContain('<a href="/">');
    expect(JSON.parse((await get(origin, "/api/threads/nonsense", headers)).body)).toHaveProperty("error");
    expect(
      JSON.parse((await get(origin, "/t/nonsense", { cookie: headers.cookie, accept: "*/*" })).body),
    ).toHaveProperty("error");
  });

  it.each(["/..%2fadapter.ts", "/%2e%2e/adapter.ts", "/page/index.html", "/main.js/../../adapter.ts", "/.env"])(
    "serves no file but the page's own: %s",
    async (path) => {
      const { origin, enter } = await start();
      expect(await status(origin, path, await enter())).toBe(404);
    },
  );
});
