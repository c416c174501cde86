import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { threadKey, type ThreadKey, type View } from "../../gateway/contract.ts";
import { type Running, startPage } from "../adapters/web/memory-gateway.ts";
import { aForm, aProgress, aQuestion, aReply, aTask } from "../adapters/web/views.ts";
import { chromiumPath, launchChromium, NO_CHROMIUM } from "./chromium.ts";

if (chromiumPath === undefined) console.warn(NO_CHROMIUM);

/** What playwright opens unless told otherwise. */
const USUAL = { width: 1280, height: 720 };
const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`).join("\n\n");

describe.skipIf(chromiumPath === undefined)("the page in a real browser", () => {
  let browser: Browser;
  let server: Running;
  let page: Page;
  let problems: string[];
  const folder = mkdtempSync(join(tmpdir(), "threadline-browser-"));
  let shared: { server: Running; page: Page };
  beforeAll(async () => {
    browser = await launchChromium();
    server = await startPage();
    shared = { server, page: await openPage(server) };
  });
  afterAll(async () => {
    await browser.close();
    await shared.server.close();
    rmSync(folder, { recursive: true });
  });
  // One server and one browser window for all, since opening them takes longer than most tests; each test loads the page anew.
  let loads = 0;
  beforeEach(async () => {
    ({ server, page } = shared);
    server.gateway.answerWith(() => ({ accepted: true }));
    server.gateway.events.length = 0;
    problems = [];
    loads += 1;
    await page.goto(`${server.origin}/?load=${loads}`);
  });
  afterEach(() => {
    expect(problems).toEqual([]);
  });

  async function openPage({ identity }: Running, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: "en-GB", reducedMotion: "reduce", ...options });
    const opened = await context.newPage();
    opened.on("pageerror", (error) => problems.push(String(error)));
    await opened.goto(identity.link ?? "");
    return opened;
  }
  const composer = () => page.getByRole("textbox", { name: "Message" });
  const messages = () => page.getByRole("list", { name: "Messages" });
  /** Says something in a new thread; the thread it opened. */
  async function say(text: string): Promise<ThreadKey> {
    await composer().fill(text);
    await composer().press("Enter");
    await expect.poll(() => server.gateway.events.length).toBeGreaterThan(0);
    return threadKey(new URL(page.url()).hash.slice(1));
  }
  const show = (thread: ThreadKey, slot: string, view: View) => server.gateway.show(server.adapter, thread, slot, view);
  const scriptless = async (code: string) => await page.evaluate<unknown>(code);
  /** How far the thread is scrolled up from its end, in pixels. */
  const toEnd = async () =>
    Number(
      await scriptless(
        `(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector("#scroll"))`,
      ),
    );

  it("shows a message at once, stores it once, and shows the answer without a reload", async () => {
    const thread = await say("what is 17 * 23?");
    await messages().getByText("what is 17 * 23?").waitFor();
    await show(thread, "reply:1", aReply("It is **391**."));
    await messages().getByText("It is 391.").waitFor();
    expect(await messages().getByRole("article").count()).toBe(2);
    expect(server.gateway.events).toHaveLength(1);
    await page.reload();
    await messages().getByText("It is 391.").waitFor();
    expect(await messages().getByRole("article").count()).toBe(2);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("what is 17 * 23?");
  });

  it("begins with three examples that are sent as they stand", async () => {
    await page.getByRole("button", { name: /count the words/ }).click();
    await expect
      .poll(() => server.gateway.events)
      .toMatchObject([{ type: "message", text: "count the words in 'to be or not to be' and calculate 12% of 840" }]);
    expect(await page.getByText("What shall we work on?").isVisible()).toBe(false);
  });

  it("edits progress in place and keeps the focus on its Stop button", async () => {
    const thread = await say("go");
    await show(thread, "progress:1", aProgress({ stopToken: "t-stop" }));
    const stop = page.getByRole("button", { name: "Stop" });
    await stop.focus();
    await scriptless(`document.querySelector(".from-shown").marked = true`);
    const usage = { input: 1, output: 1, total: 9_900 };
    await show(
      thread,
      "progress:1",
      aProgress({ stopToken: "t-stop", tasks: [aTask({ usage }), aTask({ label: "Sum" })] }),
    );
    await page.getByText("9.9k tokens").waitFor();
    expect(await page.getByRole("list", { name: "Tasks" }).getByRole("listitem").count()).toBe(2);
    expect(await scriptless(`document.querySelectorAll(".from-shown").length`)).toBe(1);
    expect(await scriptless(`document.querySelector(".from-shown").marked`)).toBe(true);
    expect(await scriptless(`document.activeElement.textContent`)).toBe("Stop");
    await stop.press("Enter");
    await expect.poll(() => server.gateway.events.at(-1)).toMatchObject({ type: "press", token: "t-stop" });
  });

  it("presses an answer once, then shows who answered what, without buttons", async () => {
    const thread = await say("convert 100 degrees");
    await show(thread, "question:1", aQuestion());
    await page.getByRole("button", { name: "Fahrenheit" }).dblclick();
    await expect.poll(() => server.gateway.events.at(-1)).toMatchObject({ type: "press", token: "t-fahrenheit" });
    expect(server.gateway.events.filter(({ type }) => type === "press")).toHaveLength(1);
    await show(thread, "question:1", aQuestion({ closed: { type: "answered", answer: "Fahrenheit", by: "sam" } }));
    await page.getByText("answered by sam").waitFor();
    expect(await page.getByRole("button", { name: "Celsius" }).count()).toBe(0);
  });

  it("tells the person what the gateway says to them alone, and gives the button back", async () => {
    const thread = await say("x");
    await show(thread, "question:1", aQuestion());
    server.gateway.answerWith(() => ({ accepted: false, reply: { type: "notice", text: "It is Ann who is asked." } }));
    await page.getByRole("button", { name: "Celsius" }).click();
    await page.getByText("It is Ann who is asked.").waitFor();
    const celsius = page.getByRole("button", { name: "Celsius" });
    await expect.poll(() => celsius.getAttribute("aria-disabled")).toBeNull();
  });

  it("draws a form natively, says what is missing or wrong at its field, and sends typed values", async () => {
    const thread = await say("book");
    await show(thread, "question:1", aQuestion({ options: [], form: aForm }));
    const form = page.getByRole("form", { name: "Booking" });
    await form.getByRole("button", { name: "Send" }).click();
    expect(await form.getByText("Please fill this in.").count()).toBe(3);
    expect(await scriptless(`document.activeElement.name`)).toBe("who");

    await form.getByLabel("Name").fill("Ann");
    await form.getByLabel("People").fill("4");
    await form.getByLabel("Day").fill("2026-12-24");
    await form.getByLabel("Place").selectOption("Garden");
    await form.getByLabel("Vegetarian").check();
    await form.getByLabel("Send a confirmation").check();
    server.gateway.answerWith(() => ({
      accepted: false,
      reply: { type: "invalid", errors: { people: "At most 3." } },
    }));
    await form.getByRole("button", { name: "Send" }).click();
    await form.getByText("At most 3.").waitFor();
    expect(await form.getByLabel("People").getAttribute("aria-invalid")).toBe("true");
    expect(await form.getByLabel("Name").inputValue()).toBe("Ann");

    server.gateway.answerWith(() => ({ accepted: true }));
    await form.getByLabel("People").fill("3");
    await form.getByRole("button", { name: "Send" }).click();
    await expect
      .poll(() => server.gateway.events.at(-1))
      .toMatchObject({
        type: "form",
        token: "t-form",
        values: { who: "Ann", people: 3, day: "2026-12-24", place: "out", wishes: ["veg"], mail: true },
      });
  });

  it("opens a form that answers a press in a dialog", async () => {
    const thread = await say("x");
    await show(thread, "question:1", aQuestion());
    server.gateway.answerWith(() => ({ accepted: true, reply: { type: "form", form: aForm } }));
    await page.getByRole("button", { name: "Celsius" }).click();
    await page.getByRole("dialog", { name: "Booking" }).getByLabel("Name").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
  });

  it("attaches files by button, lets them be removed, and sends them with the message", async () => {
    const [one, two] = [join(folder, "one.txt"), join(folder, "two.txt")];
    writeFileSync(one, "first");
    writeFileSync(two, "second");
    await page.locator("#files").setInputFiles([one, two]);
    await page.getByRole("button", { name: "Remove one.txt" }).click();
    await say("read this");
    expect(server.gateway.events).toMatchObject([{ text: "read this", files: [{ name: "two.txt", sizeBytes: 6 }] }]);
    const download = page.waitForEvent("download");
    await messages().getByRole("link", { name: "two.txt" }).click();
    expect(readFileSync(await (await download).path(), "utf8")).toBe("second");
  });

  it("sends a message where and as it was written, whatever is typed or opened while its files are on their way", async () => {
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await page.route("**/api/uploads*", async (route) => {
      await arrived;
      await route.continue();
    });
    const first = await say("hello");
    await page.locator("#files").setInputFiles({ name: "slow.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await composer().fill("with a file");
    await composer().press("Enter");
    await messages().getByText("with a file").waitFor();
    await composer().pressSequentially("the next thought");
    await page.getByRole("button", { name: "New thread" }).click();
    arrive();
    await expect
      .poll(() => server.gateway.events.at(-1))
      .toMatchObject({ thread: first, text: "with a file", files: [{ name: "slow.txt" }] });
    expect(await messages().getByText("with a file").count()).toBe(0);
    await page.goBack();
    await messages().getByText("with a file").waitFor();
    expect(await composer().inputValue()).toBe("the next thought");
    await page.unrouteAll();
  });

  it("attaches what is dropped and pasted", async () => {
    for (const [type, field] of [
      ["drop", "dataTransfer"],
      ["paste", "clipboardData"],
    ] as const) {
      await scriptless(`{
        const data = new DataTransfer();
        data.items.add(new File(["x"], "${type}.txt"));
        const event = new ${type === "drop" ? "DragEvent" : "ClipboardEvent"}("${type}", { ${field}: data, bubbles: true });
        document.querySelector("#text").dispatchEvent(event);
      }`);
    }
    await page.getByRole("button", { name: "Remove drop.txt" }).waitFor();
    await page.getByRole("button", { name: "Remove paste.txt" }).waitFor();
  });

  it("saves a file of ours under its name", async () => {
    const path = join(folder, "result.csv");
    writeFileSync(path, "a,b");
    const thread = await say("x");
    await show(thread, "file:1/0/0", { type: "file", path, name: "result.csv", mime: "text/csv", sizeBytes: 3 });
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: /result\.csv/ }).click();
    expect((await download).suggestedFilename()).toBe("result.csv");
    expect(readFileSync(await (await download).path(), "utf8")).toBe("a,b");
  });

  it("works with the keyboard alone", async () => {
    await composer().focus();
    await page.keyboard.type("first line");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("second line");
    await page.keyboard.press("Enter");
    await expect.poll(() => server.gateway.events).toMatchObject([{ text: "first line\nsecond line" }]);
    const thread = threadKey(new URL(page.url()).hash.slice(1));
    await show(thread, "question:1", aQuestion());
    await page.getByRole("button", { name: "Celsius" }).waitFor();
    const reached = [];
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press("Shift+Tab");
      reached.push(
        await scriptless(`document.activeElement.getAttribute("aria-label") || document.activeElement.textContent`),
      );
      if (reached.at(-1) === "Celsius") break;
    }
    expect(reached).toEqual(["Attach files", "Fahrenheit", "Celsius"]);
    expect(await scriptless(`getComputedStyle(document.activeElement).outlineStyle`)).toBe("solid");
    await page.keyboard.press("Enter");
    await expect.poll(() => server.gateway.events.at(-1)).toMatchObject({ type: "press", token: "t-celsius" });
  });

  it("names its parts for a screen reader", async () => {
    const thread = await say("convert 100 degrees");
    await show(thread, "progress:1", aProgress({ stopToken: "t-stop" }));
    await show(thread, "question:1", aQuestion());
    await page.getByRole("button", { name: "Celsius" }).waitFor();
    const tree = await page.locator("body").ariaSnapshot();
    for (const name of [
      'navigation "Threads"',
      'button "New thread"',
      "main",
      'heading "convert 100 degrees" [level=1]',
      'list "Messages"',
      /article "You, \d{1,2}:\d\d"/,
      /article "Threadline, \d{1,2}:\d\d"/,
      'list "Tasks"',
      'img "running"',
      'button "Stop"',
      'group "Answers"',
      'button "Fahrenheit"',
      'form "New message"',
      'button "Attach files"',
      'textbox "Message"',
      'button "Send"',
    ]) {
      expect(tree).toMatch(name);
    }
  });

  it("says a new message aloud once, and stays quiet at edits and progress", async () => {
    const thread = await say("x");
    await scriptless(`{
      window.spoken = [];
      const box = document.querySelector("[aria-live=polite]");
      new MutationObserver(() => spoken.push(box.textContent)).observe(box, { childList: true });
    }`);
    await show(thread, "progress:1", aProgress());
    await show(thread, "progress:1", aProgress({ state: "done" }));
    await show(thread, "reply:1", aReply("It is **391**."));
    await show(thread, "reply:1", aReply("It is 391, sure."));
    await messages().getByText("sure").waitFor();
    expect(await scriptless("spoken")).toEqual(["Threadline: It is 391."]);
    expect(await page.locator("#messages [aria-live], #messages [role=log]").count()).toBe(0);
  });

  it("a send and an edit that happen between subscribing and loading are shown once, in their newest state", async () => {
    const thread = await say("x");
    await show(thread, "progress:1", aProgress());
    await page.route("**/api/threads/web*", async (route) => {
      const stale = await route.fetch();
      await show(thread, "progress:1", aProgress({ state: "done" }));
      await show(thread, "reply:1", aReply("391"));
      await messages().getByText("391").waitFor();
      await route.fulfill({ response: stale });
    });
    await page.reload();
    await page.waitForResponse("**/api/threads/web*");
    await messages().getByText("Done").waitFor();
    expect(await messages().getByText("391").count()).toBe(1);
    expect(await messages().getByText("Working").count()).toBe(0);
    expect(await messages().getByRole("article").count()).toBe(3);
    await page.unrouteAll();
  });

  it("says quietly that the connection is lost, and afterwards shows what it missed, once", async () => {
    server = await startPage();
    page = await openPage(server);
    const thread = await say("x");
    await messages().getByText("x", { exact: true }).waitFor();
    const port = Number(new URL(server.origin).port);
    await server.close();
    await page.getByText("Reconnecting…").waitFor();
    await composer().fill("sent while away");
    await composer().press("Enter");
    await messages().getByText("Sending…").waitFor();
    server = await startPage({ gateway: server.gateway, port });
    await show(thread, "reply:1", aReply("missed"));
    await messages().getByText("missed").waitFor();
    await page.getByText("Connected again").waitFor();
    await expect.poll(() => server.gateway.events.length, { timeout: 12_000 }).toBe(2);
    await expect.poll(() => messages().getByText("Sending…").count()).toBe(0);
    expect(await messages().getByText("sent while away").count()).toBe(1);
    await page.context().close();
    await server.close();
  });

  it("keeps a half-filled form and a draft while the program restarts", async () => {
    server = await startPage();
    page = await openPage(server);
    const thread = await say("book");
    await show(thread, "question:1", aQuestion({ options: [], form: aForm }));
    await page.getByLabel("Name").fill("Ann");
    await composer().fill("half a thought");
    const port = Number(new URL(server.origin).port);
    await server.close();
    await page.getByText("Reconnecting…").waitFor();
    server = await startPage({ gateway: server.gateway, port });
    // The store has its own time of the post, as the outbox writes it before the call.
    const entries = server.gateway.of(thread);
    entries.splice(0, entries.length, ...entries.map((entry) => ({ ...entry, at: entry.at - 70_000 })));
    await show(thread, "reply:1", aReply("missed"));
    await messages().getByText("missed").waitFor();
    await page.getByText("Connected again").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("Ann");
    expect(await composer().inputValue()).toBe("half a thought");
    await page.context().close();
    await server.close();
  });

  it("lets go of its connection while nobody looks, and shows what it missed to who looks again", async () => {
    server = await startPage();
    page = await openPage(server);
    const thread = await say("x");
    await messages().getByText("x", { exact: true }).waitFor();
    await page.clock.install();
    const look = (state: string) =>
      scriptless(`{
        Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      }`);
    await look("hidden");
    await page.clock.fastForward(31_000);
    await show(thread, "reply:1", aReply("missed"));
    await page.clock.fastForward(10_000);
    expect(await messages().getByText("missed").count()).toBe(0);
    await look("visible");
    await messages().getByText("missed").waitFor();
    await page.context().close();
    await server.close();
  });

  it("keeps a message that could not be stored, and sends the same one again", async () => {
    server.gateway.answerWith(() => ({ accepted: false, reply: { type: "notice", text: "Not now." } }));
    await composer().fill("important");
    await composer().press("Enter");
    await page.getByText("Not sent.").waitFor();
    server.gateway.answerWith(() => ({ accepted: true }));
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => server.gateway.events).toMatchObject([{ text: "important" }]);
    await expect.poll(() => page.getByText("Not sent.").count()).toBe(0);
    expect(await messages().getByText("important").count()).toBe(1);
  });

  it("shows a typing sign until there is something to read", async () => {
    const thread = await say("x");
    await server.adapter.presence(thread, true);
    await page.getByText("Threadline is thinking").waitFor();
    await show(thread, "reply:1", aReply("done"));
    await messages().getByText("done").waitFor();
    expect(await page.getByText("Threadline is thinking").isVisible()).toBe(false);
  });

  it("keeps threads apart: each has its messages, its draft and its state in the list", async () => {
    const first = await say("first thread");
    server.gateway.setState(first, "waiting");
    await page.getByRole("button", { name: "New thread" }).click();
    await composer().fill("second thread");
    await composer().press("Enter");
    await messages().getByText("second thread").waitFor();
    expect(await messages().getByText("first thread").count()).toBe(0);
    await composer().fill("half a thought");
    await page
      .getByRole("link", { name: /first thread.*needs an answer/ })
      .first()
      .click();
    await messages().getByText("first thread").waitFor();
    expect(await composer().inputValue()).toBe("");
    await page.goBack();
    await messages().getByText("second thread").waitFor();
    expect(await composer().inputValue()).toBe("half a thought");
  });

  it("drops a thread that is deleted, from the messages and from the list, without a reload; others stay", async () => {
    const kept = await say("words that stay");
    await show(kept, "reply:1", aReply("an answer that stays"));
    await page.getByRole("button", { name: "New thread" }).click();
    await composer().fill("words that go");
    await composer().press("Enter");
    await expect.poll(() => server.gateway.events.length).toBe(2);
    const gone = threadKey(new URL(page.url()).hash.slice(1));
    await show(gone, "reply:1", aReply("an answer that goes"));
    await messages().getByText("an answer that goes").waitFor();
    await composer().fill("half a thought");
    const link = (name: RegExp) => page.getByRole("navigation").getByRole("link", { name });
    await link(/words that go/).waitFor();

    server.gateway.delete(gone);
    await expect.poll(() => messages().getByRole("article").count()).toBe(0);
    await expect.poll(() => link(/words that go/).count()).toBe(0);
    expect(await page.title()).not.toContain("words that go");
    expect(await composer().inputValue()).toBe("half a thought");
    await composer().fill("a fresh start");
    await composer().press("Enter");
    await messages().getByText("a fresh start").waitFor();
    expect(await messages().getByRole("article").count()).toBe(1);
    await link(/words that stay/)
      .first()
      .click();
    await messages().getByText("an answer that stays").waitFor();

    server.gateway.delete(gone);
    await expect.poll(() => link(/a fresh start/).count()).toBe(0);
    expect(await messages().getByText("an answer that stays").count()).toBe(1);
  });

  it("runs nothing and loads nothing that the model wrote", async () => {
    const thread = await say("x");
    const foreign: string[] = [];
    page.on("request", (request) => foreign.push(...(request.url().startsWith(server.origin) ? [] : [request.url()])));
    const attack = `<img src=x onerror="window.hit=1"><script>window.hit=1</script> ![p](http://127.0.0.1:1/p.png) [j](javascript:hit=1)`;
    await show(thread, "reply:1", aReply(attack));
    await messages().getByText("onerror").waitFor();
    expect(await scriptless("window.hit === undefined")).toBe(true);
    expect(await messages().locator("img, script, a[href^=javascript]").count()).toBe(0);
    expect(foreign).toEqual([]);
  });

  it("shows the newest words of a growing answer to who reads at the end", async () => {
    const thread = await say("x");
    for (const count of [3, 30, 90]) {
      const preview = Array.from({ length: count }, (_, at) => `Sentence number ${at + 1} of it.`).join("\n\n");
      await show(thread, "progress:1", aProgress({ preview }));
      await messages().getByText(`Sentence number ${count} of it.`).waitFor();
      await expect.poll(() => scriptless(END_IS_SEEN)).toBe(true);
    }
  });

  it("is dark where the system is dark, with text that stands out", async () => {
    const thread = await say("x");
    const tasks = [aTask({ state: "failed" }), aTask({ state: "completed", usage: { input: 1, output: 1, total: 2 } })];
    await show(thread, "progress:1", aProgress({ tasks, stopToken: "t", preview: "so far" }));
    await show(thread, "question:1", aQuestion({ context: "They differ.", form: aForm }));
    await show(thread, "question:2", aQuestion({ closed: { type: "answered", answer: "Celsius", by: "sam" } }));
    await show(thread, "notice:1", { type: "notice", markdown: "Careful with `this`.", tone: "warning" });
    await show(thread, "reply:1", aReply("hello [link](https://example.org) `code`"));
    await messages().getByText("hello").waitFor();
    const contrast = async () => Number(await scriptless(CONTRAST));
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const isDark = await scriptless(`getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0] < 80`);
      expect(isDark).toBe(colorScheme === "dark");
      // WCAG 2.2, 1.4.3: at least 4.5 to 1, also for the quiet lines.
      expect(await contrast()).toBeGreaterThan(4.5);
    }
    await page.emulateMedia({ colorScheme: null });
  });

  it("fits a phone: nothing scrolls sideways, and the list of threads is a drawer", async () => {
    const thread = await say("x");
    const wide = `| ${"column | ".repeat(12)}\n|${"---|".repeat(12)}\n| ${"value | ".repeat(12)}\n\n\`${"x".repeat(200)}\`\n\n    ${"y".repeat(200)}`;
    await show(thread, "progress:1", aProgress({ tasks: [aTask({ description: "z".repeat(120) })], stopToken: "t" }));
    await show(thread, "question:1", aQuestion({ options: [], form: aForm }));
    await show(thread, "reply:1", aReply(wide));
    await page.setViewportSize({ width: 360, height: 740 });
    await messages().getByText("yyyy").waitFor();
    expect(await scriptless(`document.documentElement.scrollWidth <= 360`)).toBe(true);
    expect(await scriptless(`document.querySelector("#scroll").scrollWidth <= 360`)).toBe(true);
    const list = page.getByRole("navigation", { name: "Threads" });
    await list.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Threads" }).click();
    await list.getByRole("link").first().waitFor();
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    expect(await scriptless(`document.activeElement.id`)).toBe("menu");
    await page.setViewportSize(USUAL);
  });

  it("has one scrollbar at most: nothing of the document itself scrolls, at any size", async () => {
    const over = () =>
      scriptless(
        `[document.documentElement, document.body].map((n) => n.scrollHeight - innerHeight).filter((px) => px > 0)`,
      );
    const sizes = [
      [1200, 860],
      [700, 500],
      [390, 844],
      [360, 320],
      [320, 180],
    ] as const;
    const attached = Array.from({ length: 30 }, (_, at) => ({
      name: `a file with a name of some length, ${at}.txt`,
      mimeType: "text/plain",
      buffer: Buffer.from("x"),
    }));
    for (const place of ["the start", "a long thread with a form", "a message with many files"]) {
      if (place === "a long thread with a form") {
        const thread = await say(lines(90));
        await show(thread, "question:1", aQuestion({ options: [], form: aForm }));
        await page.getByRole("form", { name: "Booking" }).waitFor();
      }
      if (place === "a message with many files") await page.locator("#files").setInputFiles(attached);
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        expect(await over(), `${place}, ${width} × ${height}`).toEqual([]);
      }
    }
    await page.setViewportSize(USUAL);
  });

  it("opens a long thread at its end, and stays there when the window turns or shrinks", async () => {
    const thread = await say("x");
    await show(thread, "reply:1", aReply(lines(120)));
    await messages().getByText("line 120").waitFor();
    await page.reload();
    await messages().getByText("line 120").waitFor();
    await expect.poll(toEnd).toBeLessThan(2);
    for (const [width, height] of [
      [860, 400],
      [400, 860],
      [1280, 300],
    ] as const) {
      await page.setViewportSize({ width, height });
      await expect.poll(toEnd, { message: `${width} × ${height}` }).toBeLessThan(2);
    }
    await page.setViewportSize(USUAL);
  });

  it("leads to the newest by a button while scrolled up, and to one's own message by itself", async () => {
    const thread = await say("x");
    await show(thread, "reply:1", aReply(lines(120)));
    await messages().getByText("line 120").waitFor();
    const newest = page.getByRole("button", { name: "To the newest" });
    await scriptless(`document.querySelector("#scroll").scrollTop = 0`);
    expect(await newest.isVisible()).toBe(false);
    await show(thread, "reply:2", aReply("and one more"));
    await newest.waitFor();
    expect(await scriptless(`document.querySelector("#scroll").scrollTop`)).toBe(0);
    await newest.click();
    await expect.poll(toEnd).toBeLessThan(2);
    expect(await newest.isVisible()).toBe(false);

    await scriptless(`document.querySelector("#scroll").scrollTop = 0`);
    await composer().fill("my own words");
    await composer().press("Enter");
    await messages().getByText("my own words").waitFor();
    await expect.poll(toEnd).toBeLessThan(2);
    await server.adapter.presence(thread, true);
    await page.getByText("Threadline is thinking").waitFor();
    await expect.poll(toEnd).toBeLessThan(2);
  });

  it("shows a reply that is higher than the window from its beginning, and leaves a reader of its end there", async () => {
    const thread = await say("x");
    await show(thread, "reply:1", aReply(lines(120)));
    await messages().getByText("line 120").waitFor();
    const top = () => scriptless(`document.querySelector(".reply").getBoundingClientRect().top`);
    await expect.poll(async () => Math.abs(Number(await top()) - 80)).toBeLessThan(60);
    await scriptless(`document.querySelector("#scroll").scrollTop = 1e6`);
    await expect.poll(toEnd).toBeLessThan(2);
    await show(thread, "reply:1", aReply(lines(121)));
    await messages().getByText("line 121").waitFor();
    await expect.poll(toEnd).toBeLessThan(2);
  });

  it("has the focus where one writes: on load, in a chosen thread and in a new one", async () => {
    const focused = () => scriptless(`document.activeElement.id`);
    await expect.poll(focused).toBe("text");
    await say("some thread");
    const link = page.getByRole("link", { name: /some thread/ }).first();
    await link.waitFor();
    await page.getByRole("button", { name: "New thread" }).click();
    expect(await focused()).toBe("text");
    for (const _ of ["another thread", "the same thread"]) {
      await link.click();
      await messages().getByText("some thread").waitFor();
      await expect.poll(focused).toBe("text");
    }
  });

  it("does not bring up the keyboard of a touch screen unasked", async () => {
    const phone = await browser.newContext({
      hasTouch: true,
      isMobile: true,
      storageState: await page.context().storageState(),
    });
    const touched = await phone.newPage();
    await touched.goto(server.origin);
    await touched.getByText("What shall we work on?").waitFor();
    expect(await touched.evaluate<unknown>(`document.activeElement.id`)).toBe("");
    await phone.close();
  });

  it("cuts a long name between words and says so with …", async () => {
    await say(`${"some words ".repeat(12)}and an end`);
    const name = `${"some words ".repeat(7).trim()}…`;
    const heading = page.getByRole("heading", { level: 1 });
    await expect.poll(() => heading.textContent()).toBe(name);
    expect(await page.title()).toBe(`${name} · Threadline`);
    await page.getByRole("link", { name }).waitFor();
    await page.getByRole("button", { name: "New thread" }).click();
    await say("😀".repeat(60));
    await expect.poll(() => heading.textContent()).toMatch(/^(😀){20,}…$/u);
  });

  it("says how long a message may be and keeps a longer one in the box", async () => {
    await composer().fill("y".repeat(200_001));
    await composer().press("Enter");
    await page.getByText(/at most 200,000 characters.*200,001/).waitFor();
    expect((await composer().inputValue()).length).toBe(200_001);
    expect(await messages().getByRole("article").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await say("y".repeat(200_000));
    expect(server.gateway.events).toHaveLength(1);
  });

  it("offers no second try where it cannot work", async () => {
    await page.locator("#files").setInputFiles({ name: "gone.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await page.locator(".attachment[data-state=ready]").waitFor();
    await page.route("**/events", (route) => route.fulfill({ status: 404, json: { error: "Attach it again." } }));
    await composer().fill("with a file that is gone");
    await composer().press("Enter");
    await page.getByText("Attach it again.").waitFor();
    await messages().getByText("Not sent.").waitFor();
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.unrouteAll();
  });

  it("shows a way back at an address that does not exist", async () => {
    const answer = await page.goto(`${server.origin}/t/nonsense`);
    expect(answer?.status()).toBe(404);
    await page.getByRole("heading", { name: "There is nothing at this address" }).waitFor();
    await page.getByRole("link", { name: "To the start" }).click();
    await page.getByText("What shall we work on?").waitFor();
  });

  it("calls a thread that has no name yet a new thread", async () => {
    await page.locator("#files").setInputFiles({ name: "only.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
    await composer().press("Enter");
    await page
      .getByRole("navigation")
      .getByRole("link", { name: /^New thread/ })
      .first()
      .waitFor();
  });

  it("tells a browser that has no cookie where the link is, and that a used link opens no more", async () => {
    const stranger = await browser.newContext();
    const strange = await stranger.newPage();
    await strange.goto(server.origin);
    await strange.getByRole("heading", { name: "This page needs its link" }).waitFor();
    await strange.goto(server.identity.link ?? "");
    await strange.getByRole("heading", { name: "This link no longer opens" }).waitFor();
    await stranger.close();
  });
});

/** The last words of the growing answer are neither below the window's end nor cut off by what they stand in. */
const END_IS_SEEN = `(() => {
  const preview = document.querySelector(".preview");
  const { bottom } = preview.lastElementChild.getBoundingClientRect();
  return bottom <= preview.getBoundingClientRect().bottom && bottom <= document.querySelector("#scroll").getBoundingClientRect().bottom;
})()`;

/** The least contrast of any visible text against the colour behind it. */
const CONTRAST = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => numbers(color).slice(0, 3).map((v) => (v /= 255, v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => { for (let at = node; at; at = at.parentElement) { const c = getComputedStyle(at).backgroundColor; if ((numbers(c)[3] ?? 1) > 0.9) return c; } return "rgb(255,255,255)"; };
  const texts = [...document.querySelectorAll("body *")].filter((n) => n.checkVisibility() && [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim()));
  return Math.min(...texts.map((n) => { const [a, b] = [light(getComputedStyle(n).color), light(behind(n))]; return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }));
})()`;
