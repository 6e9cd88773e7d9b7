import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { scrape } from '../support/scrape.ts';
import { openSession } from '../support/session.ts';

// After a fault, where nothing is asked any more, nothing is counted as under way or waiting.

const MAX_WAIT_MS = 100;
const ADDRESSES = 300;
/** At the same time, whether in a line or not. */
const EXECUTIONS = 96;
const PATIENT = { timeout: 60_000, interval: 20 };

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql(`insert into category (name, slug) values ('Pans', 'pans')`);
  await database.sql(`insert into product (category_id, name, slug, price) values (1, 'Pan', 'pan', 9.9)`);
  await database.sql(`insert into notice (title, content) values ('Read me', '…')`);
  return () => database[Symbol.asyncDispose]();
});

const inFlight = async (gateway: TestGateway): Promise<number> =>
  (await scrape(gateway)).sum('vitrine_executions_in_flight');

/** What is raised and lowered again; the scrape is a request itself. */
const expectNothingLeft = (gateway: TestGateway): Promise<void> =>
  vi.waitFor(async () => {
    const { sum } = await scrape(gateway);
    expect({
      executions: sum('vitrine_executions_in_flight'),
      requests: sum('vitrine_requests_in_flight'),
      statementsWaiting: sum('vitrine_database_pool_waiting'),
      statements: sum('vitrine_database_pool_connections') - sum('vitrine_database_pool_idle'),
      views: sum('vitrine_views_waiting'),
      subscriptions: sum('vitrine_subscriptions'),
    }).toEqual({ executions: 0, requests: 1, statementsWaiting: 0, statements: 0, views: 0, subscriptions: 0 });
  }, PATIENT);

test('a lock of a table that all known answers need takes no place for longer than it lasts', async () => {
  await using gateway = await createTestGateway(database, { MAX_WAIT_MS: String(MAX_WAIT_MS) });
  const targets = Array.from({ length: ADDRESSES }, (_, id) => `/api/product/list?categoryIds=${id}`);
  const askAll = async (): Promise<number[]> =>
    (await Promise.all(targets.map((target) => gateway.get(target)))).map(({ status }) => status);
  for (const target of targets) expect((await gateway.get(target)).status).toBe(200);
  {
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('lock table product in access exclusive mode');
    await database.sql(`select pg_notify('vitrine', 'product')`);
    await vi.waitFor(async () => {
      const known = await Promise.race([gateway.get(targets[0] ?? ''), delay(20)]);
      expect(known, 'it is no longer given').toBeUndefined();
    }, PATIENT);
    const statuses = askAll();
    await vi.waitFor(async () => expect(await inFlight(gateway)).toBeGreaterThan(EXECUTIONS), PATIENT);
    await delay(MAX_WAIT_MS);
    await backOffice.query('commit');
    expect(new Set(await statuses)).toEqual(new Set([200, 503]));
  }
  await expectNothingLeft(gateway);
  for (let limit = 1; limit <= 10; limit += 1) {
    expect((await gateway.get(`/api/product/hot?limit=${limit}`)).status, 'what is not known').toBe(200);
  }
});

const MISSES = [
  ...Array.from({ length: 30 }, (_, index) => `/api/product/hot?limit=${index + 1}`),
  '/api/notice/1',
  '/api/notice/1',
];

/** Until the gateway waits for locks. */
const untilBlocked = (): Promise<void> =>
  vi.waitFor(async () => {
    const rows = await database.sql(
      `select from pg_stat_activity
       where datname = current_database() and application_name = 'vitrine' and wait_event_type = 'Lock'`,
    );
    expect(rows.length).toBeGreaterThan(2);
  }, PATIENT);

test.for<[string, () => Promise<unknown>]>([
  ['statements that take too long', async () => undefined],
  [
    'connections that are cut',
    async () => {
      await untilBlocked();
      await database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'vitrine'`,
      );
    },
  ],
])('%s leave nothing that is under way or waits', async ([, fail]) => {
  await using gateway = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '1500' });
  await using backOffice = await openSession(database);
  await backOffice.query('begin');
  await backOffice.query('lock table product, notice in access exclusive mode');
  const answers = Promise.all(MISSES.map((target) => gateway.get(target)));
  await fail();
  expect((await answers).map(({ status }) => status)).toContain(503);
  await backOffice.query('rollback');
  await expectNothingLeft(gateway);
});
