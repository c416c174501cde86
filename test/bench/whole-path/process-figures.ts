/** What Linux tells of a process: time on the processors, memory now and at most. */
import { readFileSync } from "node:fs";

export interface ProcessFigures {
  /** User and system time, ms. */
  readonly cpuMs: number;
  readonly residentMb: number;
  readonly peakMb: number;
}

/** @throws Error where there is no such process, or no /proc. */
export function readProcess(pid: number): ProcessFigures {
  const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, "utf8");
  return { cpuMs: parseCpuMs(read("stat")), ...parseMemory(read("status")) };
}

/** proc(5): 100 ticks a second on every Linux that matters here. */
const TICK_MS = 10;

/** proc(5): fields 14 and 15 are utime and stime; field 2, in brackets, may hold blanks and brackets itself. */
export function parseCpuMs(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  if (!Number.isFinite(ticks)) throw new Error(`Expected the line of /proc/<pid>/stat, got "${stat.slice(0, 80)}"`);
  return ticks * TICK_MS;
}

export function parseMemory(status: string): Pick<ProcessFigures, "residentMb" | "peakMb"> {
  return { residentMb: megabytes(status, "VmRSS"), peakMb: megabytes(status, "VmHWM") };
}

function megabytes(status: string, key: string): number {
  const found = new RegExp(`^${key}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (found === undefined) throw new Error(`Expected a line ${key} in /proc/<pid>/status, and found none`);
  return Number(found) / 1024;
}
