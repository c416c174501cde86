import { defineConfig } from "vitest/config";

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
    reporters: ["default"],
  },
});
