import { mkdtemp, rm } from 'node:fs/promises';
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

/** One PostgreSQL server for the whole run. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'vitrine-test-'));
  // Nothing in here has to survive a power cut.
  const settings = { fsync: 'off', max_connections: '300' };
  const lines: string[] = [];
  const database = await startEmbeddedDatabase({ dataDir, log: (line) => lines.push(line), settings });
  await applyMigrations({ url: database.url, log: (line) => lines.push(line) });
  project.provide('templateUrl', database.url);
  return async () => {
    await database.stop();
    await rm(dataDir, { recursive: true });
  };
};
