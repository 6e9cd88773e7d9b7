import { mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database without a row, which every test database is a copy of. */
    readonly templateUrl: string;
  }
}

const CACHE = path.join(import.meta.dirname, '../../node_modules/.cache/vitrine-test');

// Nothing in here has to survive a power cut.
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_connections: '300',
  // It would start a process for each of many databases that live for a second, and analyse a table sooner or later, as it happens.
  autovacuum: 'off',
};

/** Linux keeps files in memory here, where a database is made and dropped in a seventh of the processor time. */
const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 2 ** 30;

const folderOfServer = async (): Promise<string> => {
  const { bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize < ENOUGH_BYTES ? tmpdir() : IN_MEMORY;
};

/** The server of a run: that of TEST_DATABASE_URL (of a superuser), or one of its own. The first is for Windows, where administrators cannot run the second. */
const startServer = async (log: (line: string) => void): Promise<{ url: string; stop: () => Promise<void> }> => {
  const { TEST_DATABASE_URL } = process.env;
  if (TEST_DATABASE_URL) return { url: TEST_DATABASE_URL, stop: async () => {} };
  const dataDir = await mkdtemp(path.join(await folderOfServer(), 'vitrine-test-'));
  const server = await startEmbeddedDatabase({ dataDir, log, settings: SETTINGS });
  return { url: server.url, stop: () => server.stop().then(() => rm(dataDir, { recursive: true })) };
};

/** One PostgreSQL server for the whole run, and one cache of what Node has compiled for all test workers and programs that tests start. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  // Test files have another URL in each run, so an old cache would only grow. Another run may be writing there.
  await rm(CACHE, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(CACHE, { recursive: true, mode: 0o700 });
  process.env.NODE_COMPILE_CACHE = path.join(CACHE, 'workers');
  process.env.XDG_CACHE_HOME = CACHE;

  const lines: string[] = [];
  const server = await startServer((line) => lines.push(line));
  await applyMigrations({ url: server.url, log: (line) => lines.push(line) });
  project.provide('templateUrl', server.url);
  return server.stop;
};
