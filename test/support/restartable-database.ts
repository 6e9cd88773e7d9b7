import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import type { TestDatabase } from './database.ts';

/** A PostgreSQL server with a migrated database, of the caller's own. */
export interface RestartableDatabase extends Pick<TestDatabase, 'url' | 'sql'>, AsyncDisposable {
  /** As if the machine had lost its power: sessions are cut, nothing is written out. */
  readonly stopAtOnce: () => Promise<void>;
  /** At the same address as before. */
  readonly startAgain: () => Promise<void>;
}

export const createRestartableDatabase = async (): Promise<RestartableDatabase> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'vitrine-restart-'));
  const start = () => startEmbeddedDatabase({ dataDir, log: () => {}, settings: { max_connections: '50' } });
  let server = await start();
  const { url } = server;
  await applyMigrations({ url, log: () => {} });
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    url,
    sql: async (text, values) => (await pool.query(text, values)).rows,
    stopAtOnce: async () => {
      const [pid] = (await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      await server.exited;
      await server.stop();
    },
    startAgain: async () => {
      server = await start();
      if (server.url !== url) throw new Error(`it is at ${server.url} now, not at ${url}`);
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
