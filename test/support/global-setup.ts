import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { connectionConfig, withConnection } from '../../src/database/connection.ts';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated database without a row, which every test database is a copy of. */
    readonly templateUrl: string;
    /** The name of the database with the demo catalogue, for whoever is the first to need it. */
    readonly demoTemplate: string;
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
const ENOUGH_BYTES = 4 * 2 ** 30;

/** The folder of all temporary files of a run, as `os.tmpdir()` gives it. */
const makeTemporaryFolder = async (): Promise<string> => {
  const { bavail, bsize } = await statfs(IN_MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  const folder = await mkdtemp(path.join(bavail * bsize < ENOUGH_BYTES ? tmpdir() : IN_MEMORY, 'vitrine-test-'));
  // Other users, as which PostgreSQL and proxies run, have folders in it.
  await chmod(folder, 0o755);
  return folder;
};

const DEMO_TEMPLATE = `demo_${randomBytes(8).toString('hex')}`;

/** The server of a run: that of TEST_DATABASE_URL (of a superuser), or one of its own. The first is for Windows, where administrators cannot run the second. */
const startServer = async (log: (line: string) => void): Promise<{ url: string; stop: () => Promise<unknown> }> => {
  const { TEST_DATABASE_URL } = process.env;
  if (TEST_DATABASE_URL) {
    const dropDemo = `drop database if exists ${DEMO_TEMPLATE}`;
    const stop = () =>
      withConnection(connectionConfig(TEST_DATABASE_URL), undefined, (client) => client.query(dropDemo));
    return { url: TEST_DATABASE_URL, stop };
  }
  const dataDir = await mkdtemp(path.join(tmpdir(), 'server-'));
  return startEmbeddedDatabase({ dataDir, log, settings: SETTINGS });
};

/** One PostgreSQL server for the whole run, and one cache of what Node has compiled for all test workers and programs that tests start. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  // Test files have another URL in each run, so an old cache would only grow. Another run may be writing there.
  await rm(CACHE, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(CACHE, { recursive: true, mode: 0o700 });
  process.env.NODE_COMPILE_CACHE = path.join(CACHE, 'workers');
  process.env.XDG_CACHE_HOME = CACHE;

  const folder = await makeTemporaryFolder();
  process.env.TMPDIR = folder;
  // Also where the run is interrupted: memory would stay taken.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  const lines: string[] = [];
  const server = await startServer((line) => lines.push(line));
  await applyMigrations({ url: server.url, log: (line) => lines.push(line) });
  project.provide('templateUrl', server.url);
  project.provide('demoTemplate', DEMO_TEMPLATE);
  return async () => {
    await server.stop();
  };
};
