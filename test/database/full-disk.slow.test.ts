import { readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startGatewayProcess } from '../support/process.ts';
import { createSmallDisk } from '../support/small-disk.ts';
import { view } from '../support/views.ts';

const DISK_MEBIBYTES = 128;

test('a full disk of the embedded PostgreSQL: lists stay, views are counted or refused, and all is well once there is room', async () => {
  await using disk = await createSmallDisk(DISK_MEBIBYTES);
  await using gateway = await startGatewayProcess({ DATA_DIR: path.join(disk.path, 'data') }, disk.launcher);
  const { pid = 0 } = gateway.command.child;
  const url = (await readFile(path.join(disk.seenFrom(pid), 'data/database-url'), 'utf8')).trim();
  const get = (target: string): Promise<Response> => fetch(gateway.url + target);
  const list = await (await get('/api/product/hot')).text();
  const first = await view(gateway.url, 2);
  expect(first.status).toBe(200);

  await disk.fill(pid);
  // It does not have room for the next segment of its log, and that ends it.
  const backOffice = new pg.Client({ connectionString: url });
  backOffice.on('error', () => {});
  await backOffice.connect();
  const refused: unknown = await backOffice
    .query(`create table more as select repeat('x', 1000) as x from generate_series(1, 100000)`)
    .catch((error) => error);
  expect(refused).toBeInstanceOf(Error);
  // A segment that was made before it was needed takes no room: after those, one does.
  const log = 'select pg_switch_wal(), pg_logical_emit_message(true, $1, $2)';
  while (
    await backOffice.query(log, ['', 'x']).then(
      () => true,
      () => false,
    )
  );
  await gateway.command.printed(/the embedded database ended: starting it again/);

  for (let round = 0; round < 20; round += 1) {
    const [live, hot, seen] = await Promise.all([get('/livez'), get('/api/product/hot'), view(gateway.url, 2)]);
    expect([live.status, hot.status, await hot.text()]).toEqual([200, 200, list]);
    expect(seen).toMatchObject({ status: 503, retryAfter: '1' });
  }
  expect((await get('/readyz')).status).toBe(503);

  await disk.free(pid);
  await expect.poll(async () => (await get('/readyz')).status, { timeout: 30_000 }).toBe(200);
  expect(await view(gateway.url, 2)).toEqual({ ...first, number: (first.number ?? 0) + 1 });
});
