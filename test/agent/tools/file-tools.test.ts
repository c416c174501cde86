import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ToolMessage } from "@langchain/core/messages";
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentTool } from "../../../agent/tools/agent-tool.ts";
import { editFile } from "../../../agent/tools/edit-file.ts";
import { listFiles } from "../../../agent/tools/list-files.ts";
import { presentedFiles, presentFiles } from "../../../agent/tools/present-files.ts";
import { readFile } from "../../../agent/tools/read-file.ts";
import { searchFiles } from "../../../agent/tools/search-files.ts";
import { writeFile } from "../../../agent/tools/write-file.ts";
import { tempFolder } from "../../helpers.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = tempFolder();
  folder = path.join(root, "thread");
  for (const area of ["workspace", "uploads", "outputs"]) mkdirSync(path.join(folder, area), { recursive: true });
  writeFileSync(path.join(root, "CONFIG.md"), "secret");
});
const put = (virtual: string, content: string | Uint8Array) => writeFileSync(path.join(folder, virtual), content);

/** Calls a tool as the graph does, and gives the text or throws its refusal. */
async function call({ tool }: AgentTool, args: Record<string, unknown>): Promise<string> {
  const result: unknown = await tool.invoke({ type: "tool_call", id: "c1", name: tool.name, args }, {
    context: {
      runId: "r",
      threadId: "t",
      principal: { id: "p", name: "Ana" },
      platform: "web",
      audience: "direct",
      folder,
      timezone: "UTC",
    },
  } as object);
  if (!ToolMessage.isInstance(result)) throw new Error("Expected a tool message");
  return result.text;
}

describe("paths", () => {
  const escapes = [
    "/workspace/../../CONFIG.md",
    "x/../../CONFIG.md",
    "../CONFIG.md",
    "..\\..\\a.txt",
    "/etc/passwd",
    "/",
    "/workspacex/a",
    "/workspace/.hidden",
    "/.ssh/key",
    "/workspace/a\u0000b.png",
    `/workspace/${"x".repeat(300)}`,
  ];
  it.each(escapes)("ATT-04: %j leads nowhere: neither read, written, edited, searched nor presented", async (given) => {
    for (const [tool, args] of [
      [readFile, { path: given }],
      [writeFile, { path: given, content: "x" }],
      [editFile, { path: given, old_text: "secret", new_text: "x" }],
      [presentFiles, { paths: [given] }],
    ] as const) {
      await expect(call(tool, args)).rejects.toThrow();
    }
    if (given !== "/") await expect(call(searchFiles, { query: "secret", path: given })).rejects.toThrow();
    expect(readFileSync(path.join(root, "CONFIG.md"), "utf8")).toBe("secret");
    expect(readdirSync(root).toSorted()).toEqual(["CONFIG.md", "thread"]);
    expect(readdirSync(path.join(folder, "workspace"))).toEqual([]);
  });

  it("ATT-04: a link out of the folder is refused, for a file, a folder and a file yet to be made", async () => {
    symlinkSync(path.join(root, "CONFIG.md"), path.join(folder, "workspace/link.md"));
    symlinkSync(root, path.join(folder, "workspace/up"));
    await expect(call(readFile, { path: "/workspace/link.md" })).rejects.toThrow("outside this thread's folder");
    await expect(call(readFile, { path: "/workspace/up/CONFIG.md" })).rejects.toThrow("outside");
    await expect(call(writeFile, { path: "/workspace/up/new.md", content: "x" })).rejects.toThrow("outside");
    expect(existsSync(path.join(root, "new.md"))).toBe(false);
    expect(await call(searchFiles, { query: "secret" })).toBe('No file contains "secret".');
    expect(await call(listFiles, {})).toBe("There are no files here.");
  });

  it("ATT-04: a link to a file that is not there yet makes none, outside or hidden", async () => {
    symlinkSync(path.join(root, "new.md"), path.join(folder, "workspace/dangling.md"));
    symlinkSync(path.join(folder, "workspace/.hidden"), path.join(folder, "outputs/dangling.md"));
    for (const given of ["/workspace/dangling.md", "/outputs/dangling.md", "/workspace/dangling.md/x"])
      await expect(call(writeFile, { path: given, content: "x" })).rejects.toThrow("leads nowhere");
    expect(existsSync(path.join(root, "new.md"))).toBe(false);
    expect(readdirSync(path.join(folder, "workspace"))).toEqual(["dangling.md"]);
  });

  it("a path of thousands of folders is refused at once", async () => {
    const deep = `${"a/".repeat(3000)}x`;
    await expect(call(writeFile, { path: deep, content: "x" })).rejects.toThrow("at most 1000 bytes");
    expect(readdirSync(path.join(folder, "workspace"))).toEqual([]);
  });

  it("a relative path is below /workspace", async () => {
    expect(await call(writeFile, { path: "notes/a.md", content: "hi" })).toBe("Wrote /workspace/notes/a.md (2 B).");
    expect(await call(readFile, { path: "/workspace/notes/a.md" })).toBe("hi");
  });

  it("uploads are read-only", async () => {
    put("uploads/a.md", "original");
    await expect(call(writeFile, { path: "/uploads/a.md", content: "x" })).rejects.toThrow("read-only");
    await expect(call(editFile, { path: "/uploads/a.md", old_text: "o", new_text: "x" })).rejects.toThrow("read-only");
    expect(await call(readFile, { path: "/uploads/a.md" })).toBe("original");
  });
});

describe("file tools", () => {
  it("list with sizes, folder by folder", async () => {
    put("uploads/report.md", "x".repeat(2100));
    put("outputs/b.md", "y");
    expect(await call(listFiles, {})).toBe("/uploads/report.md (2.1 kB)\n/outputs/b.md (1 B)");
    expect(await call(listFiles, { path: "/outputs" })).toBe("/outputs/b.md (1 B)");
  });

  it("make the thread's folders when they are missing", async () => {
    folder = path.join(root, "fresh");
    expect(await call(listFiles, {})).toBe("There are no files here.");
    expect(readdirSync(folder).toSorted()).toEqual(["outputs", "uploads", "workspace"]);
  });

  it("read long files in pieces that say where to go on", async () => {
    put("uploads/long.md", Array.from({ length: 10 }, (_, index) => `line ${index + 1}`).join("\n"));
    expect(await call(readFile, { path: "/uploads/long.md", offset: 3, limit: 2 })).toBe(
      "line 3\nline 4\n[10 lines in all; go on with offset 5.]",
    );
    expect(await call(readFile, { path: "/uploads/long.md", offset: 10 })).toBe("line 10");
    expect(await call(readFile, { path: "/uploads/long.md", offset: 11 })).toContain("only 10 lines");
  });

  it("never return more than 60,000 characters of a file at once", async () => {
    put("uploads/wide.md", `${"x".repeat(70_000)}\nsecond`);
    const text = await call(readFile, { path: "/uploads/wide.md" });
    expect(text.length).toBeLessThan(60_200);
    expect(text).toContain("[Line 1 is longer and was cut here.]");
    expect(text).toContain("go on with offset 2");
  });

  it("refuse what is missing, a folder, or no text, in a sentence", async () => {
    put("uploads/photo.png", new Uint8Array([1, 0, 2]));
    await expect(call(readFile, { path: "/uploads/no.md" })).rejects.toThrow("There is no file /uploads/no.md.");
    await expect(call(readFile, { path: "/uploads" })).rejects.toThrow("is a folder");
    await expect(call(readFile, { path: "/uploads/photo.png" })).rejects.toThrow("not a text file");
  });

  it("edit exactly one place", async () => {
    put("outputs/a.md", "one two two");
    expect(await call(editFile, { path: "/outputs/a.md", old_text: "one", new_text: "$& 1" })).toBe(
      "Changed /outputs/a.md.",
    );
    expect(readFileSync(path.join(folder, "outputs/a.md"), "utf8")).toBe("$& 1 two two");
    await expect(call(editFile, { path: "/outputs/a.md", old_text: "two", new_text: "2" })).rejects.toThrow("2 times");
    await expect(call(editFile, { path: "/outputs/a.md", old_text: "six", new_text: "6" })).rejects.toThrow(
      "does not stand",
    );
  });

  it("search stops soon in a file where every line fits", async () => {
    put("workspace/all.txt", "b\n".repeat(1_000_000));
    const lines = (await call(searchFiles, { query: "b" })).split("\n");
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toContain("more than 100 lines");
  });

  it("search says when it did not read every file, so that nothing found is not nothing there", async () => {
    put("workspace/large.txt", "needle\n".repeat(800_000));
    expect(await call(searchFiles, { query: "needle" })).toMatch(
      /No file contains "needle"\.\n… not all files were read/,
    );
    for (let index = 0; index < 501; index++) put(`outputs/${1000 + index}.txt`, `pin ${index}`);
    expect(await call(searchFiles, { query: "pin 499" })).toMatch(
      /^\/outputs\/1499\.txt:1: pin 499\n… not all files were read/,
    );
  });

  it("search any case, skip binaries, and say where", async () => {
    put("uploads/a.md", "nothing\nThe Price is 5");
    put("uploads/b.bin", new Uint8Array([...Buffer.from("price"), 0]));
    expect(await call(searchFiles, { query: "price" })).toBe("/uploads/a.md:2: The Price is 5");
  });

  it("present only files that exist, each once, and what was presented can be read back", async () => {
    put("outputs/a.md", "x");
    await expect(call(presentFiles, { paths: ["/outputs/a.md", "/outputs/b.md"] })).rejects.toThrow(
      "no file /outputs/b.md",
    );
    const result: unknown = await presentFiles.tool.invoke(
      { type: "tool_call", id: "c1", name: "present_files", args: { paths: ["/outputs/a.md", "/outputs/./a.md"] } },
      {
        context: {
          runId: "r",
          threadId: "t",
          principal: { id: "p", name: "A" },
          platform: "web",
          audience: "direct",
          folder,
          timezone: "UTC",
        },
      } as object,
    );
    expect(presentedFiles(ToolMessage.isInstance(result) ? [result] : [])).toEqual(["/outputs/a.md"]);
  });
});
