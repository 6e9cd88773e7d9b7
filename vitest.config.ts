import { configDefaults, defineConfig } from 'vitest/config';

const SLOW = 'test/**/*.slow.test.ts';

/** What measures times of its own. */
const TIMED = [
  'test/cache/{added-models-properties,properties,stale-if-error,wrong-clock}.slow.test.ts',
  'test/database/{replicas,silent-connections,slow-database}.slow.test.ts',
  'test/{http/shutdown,notice/views-lock,overload/overload}.slow.test.ts',
];

/** What changes its process for good, as what adds to the schema does; and what waits longest, as these begin before the others. */
const APART = [
  'test/graphql/{added-fields,added-model,prisma-reads,visible-relations}.slow.test.ts',
  'test/{deploy/caching-proxies,examples/live-clients}.slow.test.ts',
];

/** One more than two processors keep busy: much of what a test does is waiting. */
const WORKERS = 3;

/** On a busy machine each start of a program takes seconds, and a test has up to five. No test measures by it: it ends one that hangs. */
const TEST_MS = 120_000;

const POLL_MS = 30_000;

const common = {
  setupFiles: 'test/support/worker-setup.ts',
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  // A condition is awaited for as long as a busy machine needs; what has to be quicker says so beside its expectation.
  expect: { poll: { interval: 5, timeout: POLL_MS } },
  // Each gateway has tens of megabytes outside of the heap: V8 would collect all garbage for every third one.
  execArgv: ['--external-memory-accounted-in-global-limit'],
  // Node runs the sources as they are, as in production; through Vite they would get a second copy of `graphql`.
  experimental: { viteModuleRunner: false },
};

/** They wait for processes, proxies and time limits still more, and look less often, which takes processor time. */
const waiting = {
  ...common,
  expect: { poll: { interval: 25, timeout: POLL_MS } },
  maxWorkers: WORKERS + 1,
  sequence: { groupOrder: 2 },
};

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    experimental: common.experimental,
    projects: [
      {
        test: {
          ...common,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, SLOW],
          // A worker loads the sources once for all its files, which saves more than half a second of CPU time per file.
          isolate: false,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...waiting,
          name: 'apart',
          include: APART,
        },
      },
      {
        test: {
          ...waiting,
          name: 'slow',
          include: [SLOW],
          exclude: [...configDefaults.exclude, ...TIMED, ...APART],
          // As above.
          isolate: false,
        },
      },
      {
        test: {
          ...common,
          name: 'timed',
          include: TIMED,
          // They mostly wait; a third would take processor time that they measure.
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
