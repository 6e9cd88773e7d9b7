import { beforeAll, describe, expect, test } from 'vitest';
import { createListen } from '../../src/cache/listen.ts';
import { readConfig } from '../../src/config/config.ts';
import { connectionConfig, DatabaseClient } from '../../src/database/connection.ts';
import { examine } from '../../src/doctor/doctor.ts';
import { FEATURES } from '../../src/features.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { KNOWN, type Request, untilKnown } from '../support/known-answers.ts';
import { hasPgBouncer, type PgBouncer, type PoolMode, startPgBouncer } from '../support/pgbouncer.ts';
import { createPricedProduct, priceIn } from '../support/priced-product.ts';
import { createRestartableDatabase } from '../support/restartable-database.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { apiOf, ascending, numbers, stored, type View, viewOf, viewRequest } from '../support/views.ts';

const FRESHNESS_MS = 100;

/** What is asked for differently by each: with an id, with a list, with text, with a time in it. */
const REQUESTS: readonly Request[] = [
  ...KNOWN,
  ['GET', '/api/product/list?categoryIds=1,2&orderBy=PRICE_ASC'],
  ['GET', '/api/notice/page?keyword=Cont&pageSize=3'],
  ['GET', '/graphql?query={category(id:1){products{publishedAt createdAt}}notices{startsAt}}'],
];

const product = await shared(createPricedProduct());
const { database } = product;
const name = new URL(database.url).pathname.slice(1);
// Where a session says nothing of its time zone, it is this one.
await database.sql(`alter database ${name} set timezone = 'Asia/Tokyo'`);
await database.sql(`alter database ${name} set statement_timeout = '1500ms'`);
await insertNotice(database);

/** What a gateway is told of the way to its database. */
const environmentFor = (mode: PoolMode, { url }: PgBouncer): Record<string, string> =>
  mode === 'session'
    ? { DATABASE_POOLER: mode }
    : { DATABASE_POOLER: mode, DATABASE_URL: url, DATABASE_DIRECT_URL: database.url };

const viewAll = (gateway: TestGateway, id: number, count: number): Promise<View[]> =>
  Promise.all(
    numbers(1, count).map(async (index) => {
      const { status, headers, json } = await gateway.request(...viewRequest(id, apiOf(index)));
      return viewOf(status, headers['retry-after'] ?? null, json);
    }),
  );

describe.skipIf(!hasPgBouncer).each(['session', 'transaction'] as const)('through PgBouncer in %s mode', (mode) => {
  let bouncer: PgBouncer;
  let gateway: TestGateway;

  beforeAll(async () => {
    bouncer = await startPgBouncer(database, { mode, poolSize: mode === 'session' ? 40 : 5 });
    gateway = await createTestGateway(bouncer, environmentFor(mode, bouncer));
    return async () => {
      await gateway[Symbol.asyncDispose]();
      await bouncer[Symbol.asyncDispose]();
    };
  });

  test('every answer is the same as without, and comes from memory the second time', async () => {
    await using straight = await createTestGateway(database);
    const expected = await untilKnown(straight, REQUESTS);
    const answers = await untilKnown(gateway, REQUESTS);
    expect(answers.map(({ status, text }) => [status, text])).toEqual(
      expected.map(({ status, text }) => [status, text]),
    );
  });

  test('a change of price shows within the bound', async () => {
    for (let price = 11; price <= 16; price += 1) {
      const acknowledgedMs = await product.setPrice(price);
      let hits = 0;
      for (let sentMs = acknowledgedMs; sentMs - acknowledgedMs < 1.5 * FRESHNESS_MS || hits === 0; ) {
        sentMs = performance.now();
        const answer = await product.read(gateway);
        if (sentMs - acknowledgedMs >= FRESHNESS_MS) expect(priceIn(answer)).toBe(price);
        if (answer.headers['cache-status'] === 'vitrine; hit') hits += 1;
      }
    }
  });

  test('500 views at once are 500, each with a number of its own', async () => {
    const id = await insertNotice(database);
    const views = await viewAll(gateway, id, 500);
    expect(ascending(views.map(({ number = 0 }) => number))).toEqual(numbers(1, 500));
    expect(await stored(database, id)).toBe(500);
  });

  test('a restart of the pooler under load costs what is on its way, and no view that was answered', async () => {
    const id = await insertNotice(database);
    const seen: number[] = [];
    const statuses = new Set<number>();
    let isLoaded = true;
    const load = async (): Promise<void> => {
      for (let round = 0; isLoaded; round += 1) {
        // Of which no two are equal, so that none is in memory.
        statuses.add((await gateway.get(`/api/product/hot?limit=${1 + (round % 100)}&${round}`)).status);
        for (const { status, number } of await viewAll(gateway, id, 2)) {
          statuses.add(status);
          if (number !== undefined) seen.push(number);
        }
      }
    };
    const loads = numbers(1, 8).map(load);
    await expect.poll(() => seen.length).toBeGreaterThan(200);
    await bouncer.kill();
    await expect.poll(() => statuses.has(503)).toBe(true);
    await bouncer.start();
    const before = seen.length;
    await expect.poll(() => seen.length).toBeGreaterThan(before + 200);
    isLoaded = false;
    await Promise.all(loads);
    expect([...statuses].toSorted()).toEqual([200, 503]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(await stored(database, id)).toBeGreaterThanOrEqual(seen.length);

    await product.setPrice(21);
    await expect.poll(() => product.readPrice(gateway)).toBe(21);
    await product.untilHit(gateway);
  });
});

test.skipIf(!hasPgBouncer)(
  'a restart of the database is over for those behind a pooler, too, once it is back',
  async () => {
    await using restartable = await createRestartableDatabase();
    const categoryId = await insertCategory(restartable);
    await insertProduct(restartable, { category_id: categoryId });
    const id = await insertNotice(restartable);
    await using bouncer = await startPgBouncer(restartable, { mode: 'session', poolSize: 20 });
    await using gateway = await createTestGateway(bouncer, { DATABASE_POOLER: 'session', FRESHNESS_MS: '0' });
    const statuses = async (): Promise<number[]> =>
      Promise.all(
        ['product/1', 'product/hot', `notice/${id}`].map(async (path) => (await gateway.get(`/api/${path}`)).status),
      );
    expect(await statuses()).toEqual([200, 200, 200]);
    await restartable.stopAtOnce();
    expect((await gateway.get(`/api/notice/${id}`)).status).toBe(503);
    await restartable.startAgain();
    await expect.poll(statuses).toEqual([200, 200, 200]);
    expect((await gateway.get(`/api/notice/${id}`)).json).toMatchObject({ viewCount: await stored(restartable, id) });
  },
);

describe.skipIf(!hasPgBouncer)('a pooler in transaction mode', () => {
  let bouncer: PgBouncer;
  let config: { DATABASE_URL: string; DATABASE_POOLER: string };

  beforeAll(async () => {
    bouncer = await startPgBouncer(database, { mode: 'transaction' });
    config = { DATABASE_URL: bouncer.url, DATABASE_POOLER: 'transaction' };
    return () => bouncer[Symbol.asyncDispose]();
  });

  test('is refused where nothing leads around it, with what to do', () => {
    expect(() => readConfig(config)).toThrow(/needs DATABASE_DIRECT_URL beside it, for a session/);
  });

  test('that nobody has told of is refused, with the variable that tells of it', async () => {
    await expect(createTestGateway(bouncer, { DATABASE_URL: bouncer.url })).rejects.toThrow('set DATABASE_POOLER');
  });

  test('that drops a setting of the session is refused, with the setting', async () => {
    const settings = 'ignore_startup_parameters = search_path';
    await using pooler = await startPgBouncer(database, { mode: 'session', settings });
    const url = `${pooler.url}?schema=pg_catalog`;
    await expect(createTestGateway({ url }, { DATABASE_URL: url, DATABASE_POOLER: 'session' })).rejects.toThrow(
      'drops settings of the session: search_path = pg_catalog',
    );
  });

  test('that leads to another database than the direct URL is found out', async () => {
    await using other = await createTestDatabase();
    await expect(createTestGateway(bouncer, { ...config, DATABASE_DIRECT_URL: other.url })).rejects.toThrow(
      'let both lead to the same database',
    );
  });

  test('is what the doctor sees, with what is amiss', async () => {
    const look = async (environment: Record<string, string>) =>
      (await examine(FEATURES, readConfig({ ...config, ...environment }), bouncer.url, 1))
        .filter(({ check, status }) => status !== 'ok' || ['pooler', 'notifications'].includes(check))
        .map(({ check, status }) => `${check} ${status}`);
    expect(await look({ DATABASE_DIRECT_URL: database.url })).toEqual(['pooler ok', 'notifications ok']);
  });

  test('where statements have no timeout: it is said, and the view of a locked notice is given up before it is counted', async () => {
    await using bare = await createTestDatabase();
    await using pooler = await startPgBouncer(bare, { mode: 'transaction' });
    const id = await insertNotice(bare);
    await using gateway = await createTestGateway(pooler, {
      DATABASE_POOLER: 'transaction',
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: bare.url,
    });
    expect(gateway.logged.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('statement_timeout'));
    await using backOffice = await openSession(bare);
    await backOffice.query('begin');
    await backOffice.query('select from notice for update');
    expect((await gateway.get(`/api/notice/${id}`)).status).toBe(503);
    await backOffice.query('rollback');
    expect((await gateway.get(`/api/notice/${id}`)).json).toMatchObject({ viewCount: 1 });
  });
});

test('a session that does not listen has no beat', async () => {
  const client = new DatabaseClient(connectionConfig(database.url));
  await client.connect();
  const sendHeartbeat = await createListen(FEATURES)(client, () => {});
  expect(await sendHeartbeat(0, () => {})).toHaveProperty('now');
  await client.query('unlisten *');
  await expect(sendHeartbeat(0, () => {})).rejects.toThrow('does not listen');
  await client.end();
});
