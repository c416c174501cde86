import { expect, test } from "vitest";
import { parseCpuMs, parseMemory, readProcess } from "./process-figures.ts";

test("time on the processors is found behind a program name with blanks and brackets", () => {
  const stat = "42 (node (main) x) S 1 42 42 0 -1 4194304 100 0 0 0 150 25 0 0 20 0 11 0 100 1000 200";
  expect(parseCpuMs(stat)).toBe(1750);
});

test("memory is read in megabytes, now and at most", () => {
  const status = "Name:\tnode\nVmPeak:\t  999999 kB\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n";
  expect(parseMemory(status)).toEqual({ residentMb: 100, peakMb: 200 });
});

test("what is no such file is refused with what was expected", () => {
  expect(() => parseCpuMs("nothing")).toThrow("/proc/<pid>/stat");
  expect(() => parseMemory("Name:\tnode\n")).toThrow("VmRSS");
});

test("this very process has used a processor and memory", () => {
  const { cpuMs, residentMb, peakMb } = readProcess(process.pid);
  expect(cpuMs).toBeGreaterThan(0);
  expect(residentMb).toBeGreaterThan(10);
  expect(peakMb).toBeGreaterThanOrEqual(residentMb * 0.99);
});
