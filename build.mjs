/**
 * `npm run build`: the program as a bundle in `dist/`. Loading a few large files takes half of the time that loading the
 * thousands of small ones of LangChain, OpenAI, discord.js and their like takes. What is loaded with `import()` stays in
 * files of its own that are read when they are asked for.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

const OUT = "dist";

const { outputFiles } = await build({
  // The command line; the others, so that `npm run bench` can load one part of a start after the other. Each of them is
  // loaded by a start: what is loaded later must have a hash in its name, since the next build replaces what has none.
  entryPoints: [
    { in: "gateway/cli.ts", out: "gateway/cli" },
    { in: "gateway/main.ts", out: "gateway/main" },
    { in: "gateway/metrics-prometheus.ts", out: "gateway/metrics-prometheus" },
    { in: "agent/lead-agent.ts", out: "agent/lead-agent" },
    { in: "agent/models/models.ts", out: "agent/models/models" },
    { in: "store/checkpointer.ts", out: "store/checkpointer" },
    { in: "store/earlier-checkpoints.ts", out: "store/earlier-checkpoints" },
    { in: "adapters/slack/wired.ts", out: "adapters/slack/wired" },
    { in: "adapters/discord/wired.ts", out: "adapters/discord/wired" },
    { in: "adapters/telegram/wired.ts", out: "adapters/telegram/wired" },
    // Also for the page's files, which it looks for beside itself.
    { in: "adapters/web/wired.ts", out: "adapters/web/wired" },
  ],
  outdir: OUT,
  chunkNames: "parts/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.20",
  // Compiled code, found through its own folder. LangChain is all inside: of two copies, neither knows the other's classes.
  external: ["better-sqlite3"],
  // What CommonJS packages ask Node for by `require`, which a module does not have.
  banner: { js: 'import{createRequire as ownRequire}from"node:module";const require=ownRequire(import.meta.url);' },
  // Spaces and line ends would be held in memory, 14 MB of them. Names stay: LangChain and zod read those of classes.
  minifyWhitespace: true,
  minifySyntax: true,
  keepNames: true,
  legalComments: "external",
  // For `node --enable-source-maps`, which starts a quarter slower and takes 35 MB.
  sourcemap: "linked",
  sourcesContent: false,
  write: false,
});

const PAGE = "adapters/web/page";
const page = readdirSync(PAGE).map((name) => ({
  path: path.resolve(OUT, PAGE, name),
  contents: readFileSync(path.join(PAGE, name)),
}));

// A program that runs from here may load a part at any moment: what is the same is not touched.
const made = [...outputFiles, ...page];
for (const { path: file, contents } of made) {
  if (existsSync(file) && readFileSync(file).equals(contents)) continue;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, contents);
}
// Parts of earlier builds stay for as long as a program may go on after an update before it is started anew.
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const LIST = path.resolve(OUT, "current.json");
const current = made.map(({ path: file }) => path.relative(OUT, file));
const before = existsSync(LIST) ? JSON.parse(readFileSync(LIST, "utf8")) : [];
writeFileSync(LIST, JSON.stringify(current));
const now = new Date();
for (const entry of readdirSync(OUT, { recursive: true, withFileTypes: true })) {
  const file = path.resolve(entry.parentPath, entry.name);
  const name = path.relative(OUT, file);
  if (!entry.isFile() || file === LIST || current.includes(name)) continue;
  // From now on it is an earlier build's.
  if (before.includes(name)) utimesSync(file, now, now);
  else if (now.getTime() - statSync(file).mtimeMs > KEPT_MS) rmSync(file);
}
