import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // By `npm run test:cluster`.
    exclude: [...configDefaults.exclude, 'test/haproxy/**'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/worker-setup.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A condition is awaited for as long as a busy machine needs; what has to be quicker says so beside its expectation.
    expect: { poll: { interval: 5, timeout: 10_000 } },
    // Node runs the sources as they are, as in production; through Vite they would get a second copy of `graphql`.
    experimental: { viteModuleRunner: false },
  },
});
