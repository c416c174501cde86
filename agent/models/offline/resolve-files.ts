/** Which files a job is about: named, all, or asked for where there are several. */
import type { Option } from "./ask.ts";
import { baseName, knownFiles } from "./files.ts";
import type { Job, JobOf } from "./jobs.ts";
import { hopeless, leftOpen, pick, ready, type Resolution } from "./picking.ts";
import type { Script } from "./script.ts";
import type { Situation } from "./situation.ts";
import { oneOf } from "./wording.ts";

type FileJob = JobOf<"search" | "describe">;
type Paths = readonly string[];

export async function* resolveScope(job: FileJob, situation: Situation): Script<Resolution> {
  const { scope } = job;
  if (scope.type === "paths") return ready(...onPaths(job, scope.paths));
  const fits = (files: Paths) => (scope.type === "named" ? filesNamed(scope.name, files).length > 0 : files.length > 0);
  const files = yield* knownFiles(situation, fits);
  if (files === undefined) return hopeless(job.type, "I could not list the files of this thread");
  if (files.length === 0)
    return hopeless(job.type, "There is no file in this thread that I could read; attach a text file");
  if (scope.type === "all") return ready(...onPaths(job, files));
  const named = scope.type === "named" ? filesNamed(scope.name, files) : [];
  if (scope.type === "named" && named.length === 0 && scope.name.includes(".")) {
    return hopeless(job.type, `There is no file “${scope.name}” in this thread, only ${oneOf(files.map(baseName))}`);
  }
  const candidates = named.length > 0 ? named : files;
  const options = fileOptions(candidates);
  const chosen = yield* pick(
    situation,
    job.type === "search" ? `Search for “${job.query}” in which file?` : "Which file?",
    options,
  );
  return chosen.type === "chosen" ? ready(...onPaths(job, chosen.value)) : leftOpen(chosen, options, "the file");
}

/** Files are searched together for the one closest passage, but described one by one. */
function onPaths(job: FileJob, paths: Paths): readonly Job[] {
  if (job.type === "search") return [{ ...job, scope: { type: "paths", paths } }];
  return paths.map((path) => ({ ...job, scope: { type: "paths", paths: [path] } }));
}

function fileOptions(paths: Paths): readonly Option<Paths>[] {
  const single = paths.map((path) => ({
    label: baseName(path),
    value: [path],
    words: [path, baseName(path).replace(/\.\w+$/, "")],
  }));
  const all = { label: `All ${paths.length} files`, value: paths, words: ["all", "both", "every"] };
  return paths.length > 1 ? [...single, all] : single;
}

export async function* resolveCompare(job: JobOf<"compare">, situation: Situation): Script<Resolution> {
  const files = (yield* knownFiles(situation, (own) => job.names.length === 0 && own.length > 1)) ?? [];
  const paths = job.names.length > 0 ? job.names.flatMap((name) => filesNamed(name, files).slice(0, 1)) : files;
  if (paths.length < 2) return hopeless("compare", "I compare two files, and do not see both in this thread");
  const options = groupsOf(paths).map((group) => ({
    label: group.length === 2 ? group.map(baseName).join(" and ") : `All ${group.length} files`,
    value: group,
  }));
  const chosen = yield* pick(situation, "Which files shall I compare?", options);
  if (chosen.type !== "chosen") return leftOpen(chosen, options, "the files");
  return ready(...onPaths({ type: "describe", scope: { type: "all" } }, chosen.value));
}

/** Each pair while that is few buttons, and all of them. */
function groupsOf(paths: Paths): readonly Paths[] {
  const pairs = paths.flatMap((one, at) => paths.slice(at + 1).map((other) => [one, other]));
  if (paths.length === 2) return pairs;
  return paths.length > 3 ? [paths] : [...pairs, paths];
}

const filesNamed = (name: string, files: Paths): Paths =>
  files.filter((path) => path === name || baseName(path).toLowerCase().includes(baseName(name).toLowerCase()));
