import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Scenarios start real programs and real clients; two cores are enough for them to need a little patience.
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Much of the time is waiting for clients and processes: both cores are used.
    maxWorkers: 2,
    reporters: ["default"],
  },
});
