/**
 * The first minute of a stranger: nothing set, the built program, a real browser. THREADLINE_PICTURE=1 also takes the
 * README's picture.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tempFolder, until } from "../helpers.ts";
import { chromiumPath, launchChromium, NO_CHROMIUM } from "./chromium.ts";

interface Started {
  readonly child: ChildProcess;
  readonly link: string;
  readonly log: readonly string[];
}

/** In an empty folder, with no variable of ours; `port` 0 has to be written somewhere, the rest is as it comes. */
async function startBare(folder: string, port = "0"): Promise<Started> {
  writeFileSync(path.join(folder, "config.yaml"), `http: { port: ${port} }\n`);
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder };
  const child = spawn(process.execPath, [path.resolve("dist/gateway/cli.js"), "start"], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  const log: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => log.push(line));
  await until("ready", () => log.some((line) => line.includes('"msg":"ready"')));
  const link = /http:\/\/127\.0\.0\.1:\d+\/open\?key=\w+/.exec(log.join("\n"))?.[0] ?? "";
  return { child, link, log };
}

if (chromiumPath === undefined) console.warn(NO_CHROMIUM);

describe.skipIf(chromiumPath === undefined)("the first minute on the page, with nothing set", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  async function open(link: string): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 1200, height: 860 },
      colorScheme: "light",
      reducedMotion: "reduce",
    });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(link);
    return page;
  }
  const reply = (page: Page, text: string) => page.locator("#messages .prose:not(.preview)", { hasText: text });
  const ask = async (page: Page, text: string) => {
    await page.getByRole("textbox").fill(text);
    await page.keyboard.press("Enter");
  };

  it("prints the link and which model answers", async () => {
    const { link, log } = await startBare(tempFolder());
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\?key=/);
    expect(log.join("\n")).toMatch(/offline answers/);
  });

  it("an ambiguous request brings buttons, and a press continues it", async () => {
    const { link } = await startBare(tempFolder());
    const page = await open(link);
    await ask(page, "convert 100 degrees");
    await page.getByRole("button", { name: "°C", exact: true }).click();
    await reply(page, "100 °C = 212 °F").waitFor();
    expect(await page.getByRole("button", { name: "°C", exact: true }).count()).toBe(0);
  });

  it("a request in parts brings one progress message with two subagents, their models and growing tokens, then one reply", async () => {
    const { link } = await startBare(tempFolder());
    const page = await open(link);
    const seen: string[][] = [];
    await page.exposeFunction("sawRows", (rows: string[]) => void seen.push(rows));
    await page.evaluate(`
      new MutationObserver(() => {
        const rows = [...document.querySelectorAll(".progress-card .rows li")].map((row) => row.textContent);
        if (rows.length > 0) globalThis.sawRows(rows);
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
    `);
    await ask(page, "count the words in 'to be or not to be' and calculate 12% of 840");
    await reply(page, "12% × 840 = 100.8").waitFor();
    await page.locator(".progress-card", { hasText: "Done" }).waitFor();
    const last = seen.at(-1) ?? [];
    expect(last).toHaveLength(2);
    for (const [index, row] of last.entries()) {
      expect(row).toMatch(/general-purpose · offline · \d+ tokens/);
      const totals = seen.flatMap((rows) => /(\d+) tokens/.exec(rows[index] ?? "")?.[1] ?? []).map(Number);
      expect(totals).toEqual(totals.toSorted((a, b) => a - b));
      expect(new Set(totals).size).toBeGreaterThan(1);
    }
    expect(await reply(page, "12% × 840 = 100.8").count()).toBe(1);
    if (process.env["THREADLINE_PICTURE"]) {
      await ask(page, "convert 100 degrees");
      await page.getByRole("button", { name: "°C", exact: true }).waitFor();
      await page.waitForTimeout(500);
      await page.screenshot({ path: "adapters/web/picture.png" });
    }
  });

  it("being forgotten empties every open page at once, by `/forget me` and by the operator's command", async () => {
    const folder = tempFolder();
    const { link } = await startBare(folder);
    const page = await open(link);
    const ways = [
      () => ask(page, "/forget me"),
      () =>
        promisify(execFile)(process.execPath, [path.resolve("dist/gateway/cli.js"), "forget", "web:owner"], {
          cwd: folder,
        }),
    ];
    for (const forget of ways) {
      await page.getByRole("button", { name: "New thread" }).click();
      await ask(page, "calculate 17 * 23");
      await reply(page, "391").waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      await reply(other, "391").waitFor();
      await forget();
      for (const one of [page, other]) {
        await expect.poll(() => one.getByRole("article").count(), { timeout: 10_000 }).toBe(0);
        await expect.poll(() => one.getByRole("navigation").getByRole("link").count()).toBe(0);
      }
    }
  });

  it("a question outlives kill -9: the same page goes on after the restart", async () => {
    const folder = tempFolder();
    const first = await startBare(folder);
    const port = new URL(first.link).port;
    const page = await open(first.link);
    await ask(page, "convert 100 degrees");
    await page.getByRole("button", { name: "°C", exact: true }).waitFor();
    first.child.kill("SIGKILL");
    await until("its end", () => first.child.signalCode !== null);
    await startBare(folder, port);
    await page.getByRole("button", { name: "°C", exact: true }).click();
    await reply(page, "100 °C = 212 °F").waitFor();
    expect(await reply(page, "100 °C = 212 °F").count()).toBe(1);
  });
});
