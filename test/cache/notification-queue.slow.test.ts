import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { startEmbeddedDatabase } from '../../src/database/embedded/server.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { examine } from '../../src/doctor/doctor.ts';
import { FEATURES } from '../../src/features.ts';
import { createTestGateway } from '../support/gateway.ts';
import { openSession } from '../support/session.ts';

/** A server whose queue of notifications has room for half a megabyte, and not for eight gigabytes. */
const startServer = async (disposal: AsyncDisposableStack): Promise<string> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'vitrine-queue-'));
  disposal.defer(() => rm(dataDir, { recursive: true }));
  const server = await startEmbeddedDatabase({ dataDir, log: () => {}, settings: { max_notify_queue_pages: '64' } });
  disposal.defer(() => server.stop());
  await applyMigrations({ url: server.url, log: () => {} });
  return server.url;
};

test('a queue that a listener has filled is found by the doctor, and emptied by the next heartbeat once the listener has gone', async () => {
  await using disposal = new AsyncDisposableStack();
  const url = await startServer(disposal);
  await using writer = await openSession({ url });
  const write = () => writer.query(`insert into notice (title, content) values ('Sale', 'Today')`);
  const isFull = expect.objectContaining({ message: 'too many notifications in the NOTIFY queue' });
  const queue = async () => (await examine(FEATURES, readConfig({}), url, 1)).find(({ check }) => check === 'queue');
  await using gateway = await createTestGateway({ url });
  const beat = () => gateway.get('/api/notice/list');

  const stuck = await openSession({ url });
  await stuck.query('listen vitrine');
  await stuck.query('begin; select 1');
  const fill = `select pg_notify('others', n || repeat('x', 7900)) from generate_series(1, 20) n`;
  await expect(
    (async () => {
      for (;;) await writer.query(fill);
    })(),
  ).rejects.toEqual(isFull);
  await expect(write()).rejects.toEqual(isFull);
  expect(await queue()).toMatchObject({ status: 'warn', message: expect.stringContaining('100 % full') });
  await stuck[Symbol.asyncDispose]();
  await expect(write()).rejects.toEqual(isFull);

  const writeAfterBeat = async (): Promise<unknown> => {
    await beat();
    return write().then(() => 'written', String);
  };
  await expect.poll(writeAfterBeat).toBe('written');
  expect(await queue()).toMatchObject({ status: 'ok', message: `PostgreSQL's queue of notifications is 0 % full` });
});
