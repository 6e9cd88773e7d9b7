import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../src/database/embedded/server.ts';
import { applyMigrations } from '../src/database/migrations.ts';
import { startGatewayProcess } from './support/process.ts';
import { expectHonest, numbers, startLoad } from './support/views.ts';

const RECOVERY_MS = 2000;

/** A server of the test's own, which keeps what it has committed. */
const startServer = (dataDir: string): Promise<EmbeddedDatabase> =>
  startEmbeddedDatabase({ dataDir, log: () => {}, settings: { max_connections: '50' } });

/** As if the machine had lost its power: sessions are cut, nothing is written out. */
const stopAtOnce = async (server: EmbeddedDatabase, dataDir: string): Promise<void> => {
  const [pid] = (await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGQUIT');
  await server.exited;
  await server.stop();
};

test('what was answered survives 5 immediate restarts of the database under load, and the gateway recovers by itself', {
  timeout: 90_000,
}, async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'vitrine-restart-'));
  let server = await startServer(dataDir);
  const { url } = server;
  const sql = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.end();
    }
  };
  try {
    await applyMigrations({ url, log: () => {} });
    const rows = await sql<{ id: number }>(
      `insert into notice (title, content) select 'Notice', '' from generate_series(1, 5) returning id`,
    );
    await using gateway = await startGatewayProcess({ DATABASE_URL: url });
    await using load = startLoad({ url: () => gateway.url, ids: rows.map(({ id }) => id), clients: 20 });
    await load.answered(200);

    for (const restart of numbers(1, 5)) {
      const refused = load.count(503);
      await stopAtOnce(server, dataDir);
      await expect.poll(() => load.count(503), { interval: 5, timeout: 5000 }).toBeGreaterThan(refused);
      server = await startServer(dataDir);
      expect(server.url, 'the same address').toBe(url);
      const startedMs = performance.now();
      await load.answered(1);
      expect(performance.now() - startedMs, `recovery from restart ${restart}`).toBeLessThan(RECOVERY_MS);
      await expectHonest({ sql }, load.tally);
      await load.answered(200);
    }
    await load.stop();

    await expectHonest({ sql }, load.tally);
    expect(load.count(0), 'every request is answered').toBe(0);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true });
  }
});
