import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest first, else the last of them runs alone: what starts programs and browsers. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(scenarios|browser)\//.test(moduleId);
    return [...files.filter(isLong), ...files.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Scenarios start real programs and real clients; two cores are enough for them to need a little patience.
    testTimeout: 40_000,
    hookTimeout: 20_000,
    // Modules are loaded once a worker, which halves the time; a test keeps no state outside what it makes itself.
    isolate: false,
    // Much of the time is waiting for clients and processes: three keep two cores at work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ["default"],
  },
});
