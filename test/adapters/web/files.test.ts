import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createUploads } from "../../../adapters/web/uploads.ts";
import { type InboundFile, threadKey } from "../../../gateway/contract.ts";
import { type Running, startPage } from "./memory-gateway.ts";

let page: Running;
let headers: Record<string, string>;
const outside = mkdtempSync(join(tmpdir(), "threadline-out-"));
beforeAll(async () => {
  page = await startPage();
  headers = await page.enter();
});
afterAll(async () => {
  await page.close();
  rmSync(outside, { recursive: true });
});

const newThread = () => threadKey(`web:${crypto.randomUUID()}`);
const upload = async (name: string, body: string) => {
  const url = `${page.origin}/api/uploads?name=${encodeURIComponent(name)}`;
  const response = await fetch(url, { method: "POST", headers: { ...headers, "content-type": "text/plain" }, body });
  return (await response.json()) as InboundFile;
};
const attach = ({ id, name }: InboundFile) => ({ id, name, mime: "text/plain" });
const send = (thread: string, files: readonly unknown[]) =>
  fetch(`${page.origin}/api/threads/${thread}/events`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ type: "message", id: crypto.randomUUID(), text: "", files }),
  });
const save = (thread: string, file: string) =>
  fetch(`${page.origin}/files?${new URLSearchParams({ thread, file }).toString()}`, { headers });

async function text(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("files that people send", () => {
  it("come with the message, are read by download and can be saved again", async () => {
    const thread = newThread();
    const file = await upload("notes.txt", "some notes");
    expect((await send(thread, [attach(file)])).status).toBe(200);
    const event = page.gateway.events.at(-1);
    if (event?.type !== "message") throw new Error("Expected a message.");
    expect(event.files).toEqual([{ id: file.id, name: "notes.txt", mime: "text/plain", sizeBytes: 10 }]);
    for (const one of event.files) expect(await text(await page.adapter.download(one))).toBe("some notes");
    expect(await (await save(thread, file.id)).text()).toBe("some notes");
  });

  it.each(["x/../../CONFIG.md", "..\\..\\a.txt", "/etc/x", "", ".", "x".repeat(300), "a\u0000b.png", "con.txt"])(
    "ATT-04: whatever the sender calls a file (%j), it lies in the upload folder under a name of ours",
    async (name) => {
      const file = await upload(name, "x");
      expect(readdirSync(page.folder)).toContain(file.id);
      for (const stored of readdirSync(page.folder)) expect(stored).toMatch(/^[0-9a-f-]{36}$/);
      expect(statSync(join(page.folder, file.id)).mode & 0o777).toBe(0o600);
      expect(file.name).not.toBe("");
      expect(Buffer.byteLength(file.name)).toBeLessThanOrEqual(255);
      expect(file.name).not.toContain("\u0000");
      expect((await send(newThread(), [attach(file)])).status).toBe(200);
    },
  );

  it("are bounded: what is too large is refused and nothing of it stays", async () => {
    const folder = mkdtempSync(join(tmpdir(), "threadline-up-"));
    const uploads = createUploads(folder, 10);
    const body = async function* () {
      yield Buffer.from("12345678");
      yield Buffer.from("9012");
    };
    await expect(uploads.save(body(), { name: "a", mime: "b" })).rejects.toMatchObject({ code: "too_long" });
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it("are tidied at start when a crash left them half written", async () => {
    const folder = mkdtempSync(join(tmpdir(), "threadline-up-"));
    writeFileSync(join(folder, "a.part"), "half");
    writeFileSync(join(folder, "b"), "whole");
    await createUploads(folder, 10).tidy();
    expect(readdirSync(folder)).toEqual(["b"]);
    rmSync(folder, { recursive: true });
  });

  it("are refused when they were never uploaded, and then the message is not stored", async () => {
    const stored = page.gateway.events.length;
    const response = await send(newThread(), [{ id: crypto.randomUUID(), name: "a", mime: "b" }]);
    expect(response.status).toBe(404);
    expect(page.gateway.events).toHaveLength(stored);
    await expect(page.adapter.download({ id: "../x", name: "x" })).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("files that we show", () => {
  const path = join(outside, "result.csv");
  writeFileSync(path, "a,b\n1,2\n");
  const view = { type: "file", path, name: 'rés"ult.csv', mime: "text/html", sizeBytes: 8 } as const;

  it("are saved under their own name and never opened in place", async () => {
    const thread = newThread();
    await page.gateway.show(page.adapter, thread, "file:1/0/0", view);
    const response = await save(thread, "file:1/0/0");
    expect(await response.text()).toBe("a,b\n1,2\n");
    expect(response.headers.get("content-disposition")).toBe(
      `attachment; filename="r_s_ult.csv"; filename*=UTF-8''r%C3%A9s%22ult.csv`,
    );
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("are only those that this thread showed", async () => {
    const thread = newThread();
    await page.gateway.show(page.adapter, thread, "file:1", view);
    await page.gateway.show(page.adapter, thread, "reply:1", { type: "reply", markdown: "x" });
    const stranger = await upload("never sent", "x");
    const wrong = [
      [thread, path],
      [thread, "reply:1"],
      [thread, ""],
      [thread, stranger.id],
      [newThread(), "file:1"],
      ["web:..", "file:1"],
    ] as const;
    for (const [where, file] of wrong) expect((await save(where, file)).status, `${where} ${file}`).toBe(404);
  });

  it("are told missing when they are gone from the disk", async () => {
    const thread = newThread();
    await page.gateway.show(page.adapter, thread, "file:1", { ...view, path: join(outside, "gone.csv") });
    expect((await save(thread, "file:1")).status).toBe(404);
  });
});
