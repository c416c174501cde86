/** The program's own HTTP server: health for operators, and what adapters mount. Loopback only. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import type { Finding, Health, HttpMount } from "./contract.ts";
import type { DiskHealth } from "./disk.ts";
import type { Prometheus } from "./metrics-prometheus.ts";
import { whoAnswers } from "./operator.ts";

export interface HttpServer extends HttpMount {
  close(): Promise<void>;
}
/** Each enabled platform by name; the reason says why one is not there at all. */
export type Readiness = Readonly<Record<string, Health>>;

/**
 * Listens at once, so that a port in use is found before any platform is started.
 * @throws Error with a sentence for the operator when the port cannot be had.
 */
export async function startHttp(
  at: { host: string; port: number },
  readiness: () => Readiness,
  disk: () => DiskHealth,
  metrics: Pick<Prometheus, "scrape">,
): Promise<HttpServer> {
  const app = new Hono();
  app.get("/healthz", (context) => context.text("ok"));
  app.get("/readyz", (context) => {
    const platforms = readiness();
    const space = disk();
    const ready = space.state === "roomy" && Object.values(platforms).every((health) => health.connected);
    return context.json({ ready, platforms, disk: space }, ready ? 200 : 503);
  });
  app.get("/metrics", async (context) => {
    const { type, text } = await metrics.scrape();
    return context.body(text, 200, { "content-type": type });
  });
  // Adapters mount after the server listens, and a router takes no routes once it has matched one.
  const mounts: { prefix: string; handler: Parameters<HttpMount["mount"]>[1] }[] = [];
  app.all("*", (context) => {
    const { path } = context.req;
    const mount = mounts.find(
      ({ prefix }) => path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`),
    );
    return mount ? mount.handler(context.req.raw) : context.notFound();
  });
  const { server, port } = await listen(app, at);
  return {
    origin: originOf(at.host, port),
    mount(prefix, handler) {
      mounts.push({ prefix, handler });
      mounts.sort((a, b) => b.prefix.length - a.prefix.length);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}

const SET_PORT = "set http.port in the configuration to another number above 1023";

/** For `doctor`: can the port be had, or does the running program of this data folder, whose secret this is, have it? */
export async function checkPort(
  { host, port }: { host: string; port: number },
  secret: () => string | undefined,
): Promise<readonly Finding[]> {
  if (port === 0) return [{ ok: true, text: "any free one" }];
  try {
    const { server } = await listen(new Hono(), { host, port });
    server.close();
    return [{ ok: true, text: `${host}:${port} is free` }];
  } catch (error) {
    switch (await whoAnswers(originOf(host, port), secret)) {
      case "own":
        return [{ ok: true, text: `${host}:${port} is used by the running Threadline of this data folder` }];
      case "other_threadline": {
        const text = `${host}:${port} is used by another Threadline, with another data folder: stop that one, or ${SET_PORT}`;
        return [{ ok: false, text }];
      }
      case "unknown":
        return [{ ok: false, text: error instanceof Error ? error.message : String(error) }];
    }
  }
}

const originOf = (host: string, port: number) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

function listen(app: Hono, { host, port }: { host: string; port: number }) {
  return new Promise<{ server: ReturnType<typeof serve>; port: number }>((resolve, reject) => {
    const server = serve({ fetch: app.fetch, hostname: host, port }, (info) => resolve({ server, port: info.port }));
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const inUse = error.code === "EADDRINUSE";
  const what = inUse ? "is already in use" : `cannot be opened (${error.code ?? error.message})`;
  const advice =
    error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND"
      ? "this machine has no such address; set http.host in the configuration to 127.0.0.1"
      : `${inUse ? "stop the other program, or " : ""}${SET_PORT}`;
  return new Error(`The port ${host}:${port} ${what}: ${advice}`, { cause: error });
}
