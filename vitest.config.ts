import { defineConfig } from 'vitest/config';

/** Long property runs and simulations belong to `npm run test:full`. */
const isFull = process.env['CAUSEWAY_TEST_FULL'] === '1';

const besideTheLab = ['test/lab/scenarios.test.ts', 'test/lab/bird-matrix.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{unit,property,golden,contract}/**/*.test.ts'],
          // Two thirds of the time of a worker of its own for each file would go into reading the same modules again.
          isolate: false,
          maxWorkers: 2,
          testTimeout: isFull ? 7_200_000 : 60_000,
        },
      },
      {
        // Every scenario of `npm run lab -- --list`, two labs at a time, and one fault on each BIRD; mostly waiting, so it
        // runs beside `lab`.
        test: {
          name: 'scenarios',
          include: besideTheLab,
          testTimeout: 240_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // Nodes with their carriers, in network namespaces: root, one file after the other, generous deadlines.
        test: {
          name: 'lab',
          include: ['test/lab/**/*.test.ts'],
          exclude: besideTheLab,
          testTimeout: 240_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // Real programs without carriers (terminal, doctor, Redis, GeoDNS, edge), in a stream of their own.
        test: {
          name: 'host',
          include: ['test/host/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        // One fuzz target for as long as `npm run fuzz` is told.
        test: { name: 'fuzz', include: ['test/fuzz/long.test.ts'] },
      },
      {
        // Long runs, for `npm run test:full` alone.
        test: {
          name: 'full',
          include: ['test/full/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
