import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { createSmallShop, STALE } from '../support/known-answers.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { openSession, untilBlocked } from '../support/session.ts';
import { numbers } from '../support/views.ts';

/** Nobody waits for longer than 2 s, whatever the database does; the rest is for a machine that is busy with other tests. */
const MAX_WAIT_MS = 6000;

interface Timed {
  readonly target: string;
  readonly status: number;
  readonly cache: string | null;
  readonly retryAfter: string | null;
  readonly text: string;
  readonly ms: number;
}

const timed = async (url: string, target: string): Promise<Timed> => {
  const sentMs = performance.now();
  // Of a gateway that is gone because the test has failed.
  const response = await fetch(url + target).catch(() => Response.error());
  const text = await response.text();
  return {
    target,
    status: response.status,
    cache: response.headers.get('cache-status'),
    retryAfter: response.headers.get('retry-after'),
    text,
    ms: performance.now() - sentMs,
  };
};

const ASK_FOR_MS = 2500;

describe.concurrent('while tables are locked', () => {
  test('for long, what is known is answered, the rest refused in time, and all is well right after', {
    timeout: 90_000,
  }, async ({ expect }) => {
    await using database = await createSmallShop();
    // The process may well not run for 100 ms: then it would have to ask the database whether what it knows still holds.
    const environment = { DATABASE_URL: database.url, STALE_IF_ERROR_S: '60', FRESHNESS_MS: '1000' };
    await using gateway = await startGatewayProcess(environment);
    const KNOWN = ['/api/product/1', '/api/notice/list', '/graphql?query={categories{name,products{id}}}'];
    for (const target of KNOWN) await timed(gateway.url, target);

    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('lock table category, product, notice in access exclusive mode');
    const untilMs = performance.now() + ASK_FOR_MS;
    const asked: Promise<Timed>[] = [];
    for (let turn = 0; performance.now() < untilMs; turn += 1) {
      const targets = [...KNOWN, `/api/product/${100 + turn}`, '/api/notice/1', '/livez', '/readyz'];
      asked.push(...targets.map((target) => timed(gateway.url, target)));
      await delay(50);
    }
    // The lock is not given back before all of them are answered.
    for (const { target, status, cache, retryAfter, text, ms } of await Promise.all(asked)) {
      expect(ms, target).toBeLessThan(MAX_WAIT_MS);
      // The database is not away.
      expect(cache, target).not.toBe(STALE);
      // Its counts may lag by 3 s, and then it is read again.
      const mayBeRefused = target === '/api/notice/list';
      if ((KNOWN.includes(target) && !mayBeRefused) || target === '/livez') expect(status, target + text).toBe(200);
      else if (status !== 200) expect([status, retryAfter], target).toEqual([503, '1']);
    }
    await backOffice.query('rollback');
    const statuses = async () =>
      Promise.all(
        [...KNOWN, '/api/notice/1', '/api/product/2', '/readyz'].map(
          async (target) => (await timed(gateway.url, target)).status,
        ),
      );
    await expect.poll(statuses).toEqual(Array(6).fill(200));
  });

  test('and every connection waits, nobody waits for a connection for long, and the pool is whole again afterwards', async ({
    expect,
  }) => {
    await using database = await createSmallShop();
    await using gateway = await startGatewayProcess({
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: '2',
      CACHE_MAX_MB: '0',
    });
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('lock table product in access exclusive mode');
    const ask = (count: number) =>
      numbers(1, count).map((limit) => timed(gateway.url, `/api/product/hot?limit=${limit}`));
    const asked = ask(100);
    await untilBlocked(database, 2);
    asked.push(timed(gateway.url, '/api/notice/1'), timed(gateway.url, '/api/notice/list'));
    const live = await timed(gateway.url, '/livez');
    expect([live.status, live.ms < MAX_WAIT_MS]).toEqual([200, true]);
    // Between two that give up, a connection is free for others.
    const readiness = async (): Promise<number> => {
      asked.push(...ask(20));
      return (await timed(gateway.url, '/readyz')).status;
    };
    await expect.poll(readiness, { interval: 200 }).toBe(503);
    for (const { target, status, retryAfter, ms } of await Promise.all(asked)) {
      if (target.includes('product') || status !== 200) expect([status, retryAfter], target).toEqual([503, '1']);
      expect(ms, target).toBeLessThan(MAX_WAIT_MS);
    }
    await backOffice.query('rollback');
    await expect
      .poll(async () => new Set((await Promise.all(ask(40))).map(({ status }) => status)))
      .toEqual(new Set([200]));
    const [row] = await database.sql<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'vitrine'`,
    );
    expect(row?.count, 'the pool and the listener').toBeLessThanOrEqual(3);
  });
});

test.concurrent('a server that has no connection left for us refuses what needs one, and is used again once it has', async ({
  expect,
}) => {
  await using database = await createSmallShop();
  await insertNotice(database, { id: 7 });
  const role = `r${new URL(database.url).pathname.slice(1)}`;
  await database.sql(`create role ${role} login password 'p' in role pg_read_all_data, pg_write_all_data`);
  try {
    const url = Object.assign(new URL(database.url), { username: role, password: 'p' }).href;
    await using gateway = await startGatewayProcess({ DATABASE_URL: url, CACHE_MAX_MB: '0' });
    await database.sql(`alter role ${role} connection limit 0`);
    await database.sql(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${role}'`);
    const refused = async (): Promise<unknown> => {
      const { status, retryAfter, ms } = await timed(gateway.url, '/api/notice/7');
      return [status, retryAfter, ms < MAX_WAIT_MS];
    };
    await expect.poll(refused).toEqual([503, '1', true]);
    expect((await timed(gateway.url, '/livez')).status).toBe(200);
    await database.sql(`alter role ${role} connection limit -1`);
    await expect.poll(async () => (await timed(gateway.url, '/api/notice/7')).status).toBe(200);
    await expect.poll(async () => (await timed(gateway.url, '/api/notice/list')).status).toBe(200);
  } finally {
    await database.sql(`drop role ${role}`);
  }
});
