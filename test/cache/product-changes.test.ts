import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NextChange } from '../../src/cache/freshness-monitor.ts';
import { createClock } from '../../src/database/clock.ts';
import { createTestDatabase, emptyTables, type TestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { untilKnown } from '../support/known-answers.ts';
import { millisecondsSince, momentFromNow } from '../support/rows.ts';
import { openSession, untilBlocked } from '../support/session.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());

/** Products 1 to 6, two in each of the categories 1 to 3, and 300 more in category 4. */
const refill = async (filled: TestDatabase): Promise<void> => {
  const { sql } = filled;
  await emptyTables(filled);
  await sql(`insert into category (id, name, slug) select n, 'C' || n, 'c' || n from generate_series(1, 4) n`);
  await sql(`
    insert into product (id, category_id, name, slug, price, published_at)
    select n, case when n <= 6 then (n + 1) / 2 else 4 end, 'P' || n, 'p' || n, n, '2020-01-01Z' from generate_series(1, 306) n`);
  await sql(`insert into notice (title, content, starts_at) values ('N', '', '2020-01-01Z')`);
};

describe('from memory come, after', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    // Each request waits for a heartbeat, and so for every notification before it.
    gateway = await createTestGateway(database, { FRESHNESS_MS: '0' });
  });
  afterAll(() => gateway[Symbol.asyncDispose]());
  beforeEach(() => refill(database));

  /** Paths, and operations. */
  const REQUESTS = {
    'product 1': '/api/product/1',
    'product 3': '/api/product/3',
    'product 7': '{ product(id: 7) { name category { name } } }',
    'slug of 1': '{ productBySlug(slug: "p1") { name } }',
    'slug of 3': '{ productBySlug(slug: "p3") { name } }',
    'no slug': '{ productBySlug(slug: "none") { name } }',
    'no product': '{ product(id: 999) { name } }',
    'category 1': '/api/product/list?categoryIds=1',
    'category 2': '/api/product/list?categoryIds=2&orderBy=PRICE_ASC',
    'category 3': '{ category(id: 3) { products { id price { amount } } } }',
    'categories 1, 2': '/api/product/list?categoryIds=1,2',
    'categories and theirs': '{ categories { products { id } } }',
    hot: '/api/product/hot',
    all: '{ products { id price { amount } } }',
    tree: '{ categories { name children { name } } }',
    notices: '/api/notice/list',
  } as const;
  type Name = keyof typeof REQUESTS;

  const ask = (name: Name): Promise<unknown> => {
    const request = REQUESTS[name];
    return request.startsWith('/') ? gateway.get(request) : gateway.graphql(request);
  };

  const names = Object.keys(REQUESTS) as Name[];

  const warm = (): Promise<unknown> =>
    expect.poll(() => gateway.countStatements(() => Promise.all(names.map(ask))), { interval: 5 }).toBe(0);

  /** Which are no longer in memory. */
  const forgotten = async (): Promise<Name[]> => {
    const gone: Name[] = [];
    for (const name of names) if ((await gateway.countStatements(() => ask(name))) > 0) gone.push(name);
    return gone;
  };

  const OF_ANY: Name[] = ['no slug', 'hot', 'all'];

  test.for<[string, string, Name[]]>([
    [
      'a price: all but the product, the lists of its category and those of all',
      'update product set price = 9 where id = 1',
      ['product 1', 'slug of 1', 'category 1', 'categories 1, 2', 'categories and theirs', ...OF_ANY],
    ],
    [
      'a product moved: all but it and the lists of both categories',
      'update product set category_id = 2 where id = 1',
      ['product 1', 'slug of 1', 'category 1', 'category 2', 'categories 1, 2', 'categories and theirs', ...OF_ANY],
    ],
    [
      'a product in another category: all products of others',
      `insert into product (id, category_id, name, slug, price) values (999, 3, 'New', 'new', 1)`,
      ['no product', 'category 3', 'categories and theirs', ...OF_ANY],
    ],
    ['a product deleted', 'delete from product where id = 6', ['category 3', 'categories and theirs', ...OF_ANY]],
    [
      'an id that becomes another',
      'update product set id = 999 where id = 3',
      ['product 3', 'slug of 3', 'no product', 'category 2', 'categories 1, 2', 'categories and theirs', ...OF_ANY],
    ],
    [
      'an upsert that changes one and adds one',
      `insert into product (id, category_id, name, slug, price) values (900, 1, 'Up', 'p1', 3), (901, 3, 'New', 'new', 3)
       on conflict (slug) do update set price = excluded.price`,
      ['product 1', 'slug of 1', 'category 1', 'category 3', 'categories 1, 2', 'categories and theirs', ...OF_ANY],
    ],
    [
      '300 prices elsewhere, by one statement',
      'update product set price = 9 where id > 6',
      ['product 7', 'categories and theirs', ...OF_ANY],
    ],
    ['a statement that changes no product: everything', 'update product set price = 9 where id = 0', []],
    [
      'more prices in one transaction than are notified: nothing of products',
      // As if 39,999 rows had been notified before.
      `do $$ begin perform set_config('vitrine.products_told', '39999', true); update product set price = 9 where id = 1; end $$`,
      names.filter((name) => name !== 'tree' && name !== 'notices'),
    ],
    [
      'a statement that is taken back, beside one that stays: what it left alone',
      `do $$ begin
         update product set price = 9 where id = 1;
         begin update product set price = 9; raise 'no'; exception when others then null; end;
       end $$`,
      ['product 1', 'slug of 1', 'category 1', 'categories 1, 2', 'categories and theirs', ...OF_ANY],
    ],
  ])('%s', async ([, statement, expected]) => {
    await warm();
    await database.sql(statement);
    expect((await forgotten()).toSorted()).toEqual(expected.toSorted());
  });

  test('a price change a millisecond: the answers of other products, with no statement at all', async () => {
    await untilKnown(gateway, [['GET', '/api/product/3']]);
    await using backOffice = await openSession(database);
    const statements = await gateway.countStatements(async () => {
      for (let change = 0; change < 300; change += 1) {
        await backOffice.query('update product set price = $1 where id = 1', [change]);
        expect((await gateway.get('/api/product/3')).headers['cache-status']).toBe('vitrine; hit');
      }
    });
    expect(statements).toBe(0);
  });
});

/** Reads until something shows, and gives the last time at which it was asked for and did not, in milliseconds since the moment. */
const lastMissedMs = async (moment: string, isShown: () => Promise<boolean>): Promise<number> => {
  let missedMs = -Infinity;
  const look = async (): Promise<boolean> => {
    const sentMs = await millisecondsSince(database, moment);
    if (await isShown()) return true;
    missedMs = sentMs;
    return false;
  };
  await expect.poll(look, { interval: 5 }).toBe(true);
  return missedMs;
};

test('a product that is yet to be published is not asked for again until it is', async () => {
  await refill(database);
  await using gateway = await createTestGateway(database, { FRESHNESS_MS: '1000' });
  const names = async (): Promise<unknown[]> => {
    const { data } = await gateway.graphql('{ product(id: 1) { name } productBySlug(slug: "p1") { name } }');
    return [data.product?.name, data.productBySlug?.name];
  };
  // On a busy machine the moment may come before there was time to look: then another is watched, which is further away.
  for (let leadMs = 1200; ; leadMs *= 2) {
    const moment = await momentFromNow(database, leadMs);
    await database.sql('update product set published_at = $1 where id = 1', [moment]);
    await expect.poll(() => gateway.countStatements(names), { interval: 5 }).toBe(0);
    // And changes of others say nothing about it, once its row is known.
    let before: unknown[] = [];
    const askAfterAnotherChange = async (): Promise<number> => {
      await database.sql('update product set price = 9 where id = 3');
      return gateway.countStatements(async () => {
        before = await names();
      });
    };
    await expect.poll(askAfterAnotherChange, { interval: 5 }).toBe(0);
    if ((await millisecondsSince(database, moment)) > 0 && leadMs < 10_000) continue;
    expect(before).toEqual([undefined, undefined]);
    const isShown = async () => String(await names()) === 'P1,P1';
    expect(await lastMissedMs(moment, isShown)).toBeLessThan(500);
    return;
  }
});

test('in a flood of changes a response is made once within the bound, and misses no commit that is older', async () => {
  await refill(database);
  await using gateway = await createTestGateway(database, { FRESHNESS_MS: '200' });
  await using backOffice = await openSession(database);
  const acknowledgedMs: number[] = [];
  const lasted = (): number => (acknowledgedMs.at(-1) ?? 0) - (acknowledgedMs[0] ?? 0);
  let reads = 0;
  const statements = await gateway.countStatements(async () => {
    for (let price = 0; lasted() < 1200 || reads <= 40; price += 1) {
      await backOffice.query('update product set price = $1 where id = 1', [price]);
      acknowledgedMs.push(performance.now());
      const sentMs = performance.now();
      const shown = Number(/"id":1,.*?"amount":"([\d.]+)"/.exec((await gateway.get('/api/product/list')).text)?.[1]);
      const missed = acknowledgedMs[shown + 1] ?? Number.POSITIVE_INFINITY;
      expect(sentMs - missed, `${shown} at ${price}`).toBeLessThan(200);
      reads += 1;
    }
  });
  // Each time with its categories: a few at once, and then one in 200 ms.
  expect(statements / 2).toBeLessThan(10 + lasted() / 120);
});

test('what was read before a change and finished after it is kept by nobody', async () => {
  await refill(database);
  await using gateway = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '5000' });
  await using backOffice = await openSession(database);
  const prices = async (fields: string): Promise<string> =>
    JSON.stringify(await gateway.graphql(`{ products(categoryIds: [1]) { price { amount } ${fields} } }`));
  await backOffice.query('begin');
  await backOffice.query('lock table category in access exclusive mode');
  const early = prices('category { name }');
  await untilBlocked(database);
  await database.sql('update product set price = 77 where id = 1');
  const acknowledgedMs = performance.now();
  await expect.poll(() => prices(''), { interval: 5 }).toContain('"77.00"');
  await expect.poll(() => performance.now() - acknowledgedMs, { interval: 5 }).toBeGreaterThan(100);
  await backOffice.query('commit');
  expect(await early).not.toContain('"77.00"');
  expect(await prices('category { name }')).toContain('"77.00"');
});

// One that was published just now must not hide those to come.
test.for(['1', '1, 999'])(
  'a product that will be published shows on the moment, before any heartbeat has read it: %s',
  async (ids) => {
    await refill(database);
    await using gateway = await createTestGateway(database);
    await database.sql(`insert into product (id, category_id, name, slug, price) values (999, 1, 'New', 'new', 1)`);
    const list = async (): Promise<string> => (await gateway.get('/api/product/list?categoryIds=1')).text;
    await untilKnown(gateway, [['GET', '/api/product/list?categoryIds=1']]);
    // As above.
    for (let leadMs = 1000; ; leadMs *= 2) {
      const moment = await momentFromNow(database, leadMs);
      await database.sql(
        `update product set published_at = case id when 1 then $1::timestamptz else published_at end where id in (${ids})`,
        [moment],
      );
      const isShown = async () => (await list()).includes('"P1"');
      // Until the gateway knows of it.
      let isHidden = false;
      while (!isHidden && (await millisecondsSince(database, moment)) < 0) isHidden = !(await isShown());
      if (!isHidden && leadMs < 10_000) continue;
      expect(isHidden).toBe(true);
      expect(await lastMissedMs(moment, isShown)).toBeLessThan(500);
      return;
    }
  },
);

test('a change that is notified while a heartbeat is under way counts beside the heartbeat', () => {
  const next = new NextChange(createClock());
  const nowMs = Date.now();
  next.isAt(nowMs + 5000);
  expect(next.ms()).toBe(nowMs + 5000);
  next.isAsked();
  next.mayBeAt(nowMs + 2000);
  expect(next.ms()).toBe(nowMs + 2000);
  next.isAt(nowMs + 5000);
  expect(next.ms()).toBe(nowMs + 2000);
  // The heartbeat knows what was notified before it was sent.
  next.isAsked();
  next.isAt(nowMs + 3000);
  expect(next.ms()).toBe(nowMs + 3000);
  next.mayBeAt(nowMs - 1);
  expect(next.ms()).toBeUndefined();
});

test('every change is notified on one channel: which rows changed, or else the table', async () => {
  await refill(database);
  const client = new pg.Client(database.url);
  await client.connect();
  const noticeIds = (await database.sql<{ id: number }>('select id from notice order by id')).map(({ id }) => id);
  const heard: (string | undefined)[] = [];
  client.on('notification', ({ channel, payload }) => void heard.push(`${channel}: ${payload}`));
  await client.query('listen vitrine');
  for (const statement of [
    `update product set price = 9, updated_at = '2026-11-25Z' where id = 1`,
    `update product set name = 'Other' where id = 1`,
    'update product set category_id = 2 where id = 1',
    'update product set price = 9 where id > 203',
    'insert into product_variant (id, product_id, price) values (7, 3, 3)',
    'delete from product where id = 2',
    `insert into product (id, category_id, name, slug, price, published_at) values (999, 1, 'N', 'n', 1, '2999-01-01Z')`,
    `insert into product (id, category_id, name, slug, price) select n, 1, 'N', 'n' || n, 1 from generate_series(10001, 30001) n`,
    'truncate product cascade',
    `update category set name = 'Other' where id = 1`,
    'update category set id = 2000 where id = 1',
    'delete from category where id = 2000',
    `update notice set title = 'Other'`,
    `insert into notice (id, title, content) select n, 'N', '' from generate_series(5001, 7000) n`,
    'truncate notice',
    'update notice set view_count = view_count + 1',
  ])
    await client.query(statement);
  await client.query('select 1');
  await client.end();
  const many = Array.from({ length: 103 }, (_, index) => 204 + index);
  const [ids, more] = [[...many, ...many].slice(0, 200), [...many, ...many].slice(200)];
  const tables = ['product', 'product_variant', 'category', 'notice'];
  const [oids = {}] = await database.sql<Record<string, number>>(
    `select ${tables.map((table) => `'${table}'::regclass::oid::int as ${table}`)}`,
  );
  expect(heard).toEqual([
    `vitrine: product 1,1 1,1 Infinity oid=${oids.product}`,
    `vitrine: product 1,1 1,1 Infinity oid=${oids.product}`,
    `vitrine: product 1,1 2,1 Infinity oid=${oids.product}`,
    // A payload has 200 rows.
    `vitrine: product ${ids} ${ids.map(() => 4)} Infinity oid=${oids.product}`,
    `vitrine: product ${more} ${more.map(() => 4)} Infinity oid=${oids.product}`,
    `vitrine: product_variant 7 3 Infinity oid=${oids.product_variant}`,
    `vitrine: product 3,3 2,2 Infinity oid=${oids.product}`,
    `vitrine: product 2 1 Infinity oid=${oids.product}`,
    `vitrine: product 999 1 ${Date.parse('2999-01-01Z')} oid=${oids.product}`,
    // More rows than are notified one by one.
    `vitrine: product oid=${oids.product}`,
    `vitrine: product oid=${oids.product}`,
    `vitrine: product_variant oid=${oids.product_variant}`,
    `vitrine: category 1 0 -Infinity oid=${oids.category}`,
    `vitrine: category 1,2000 0 -Infinity oid=${oids.category}`,
    `vitrine: category 2000 0 -Infinity oid=${oids.category}`,
    ...noticeIds.map((id) => `vitrine: notice ${id} 0 -Infinity oid=${oids.notice}`),
    ...Array.from({ length: 1000 }, (_, index) => `vitrine: notice ${5001 + index} 0 -Infinity oid=${oids.notice}`),
    // More rows than are notified one by one.
    `vitrine: notice oid=${oids.notice}`,
    `vitrine: notice oid=${oids.notice}`,
  ]);
});

describe('a program that writes past the triggers can notify', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await createTestGateway(database);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test.for([
    ['that any product may have changed', 'product'],
    ['which product changed', 'product 1 1'],
    ['what nobody can read of it', 'product 1 1 Infinity 77'],
    ['what earlier versions read as values', 'product 1 1 Infinity 66.00,-,0,0,0,0'],
    ['ids that no row has', 'product 1,99999999999 1,-99999999999'],
  ])('%s', async ([, payload]) => {
    await refill(database);
    const paths = ['/api/product/1', '/api/product/list?categoryIds=1'];
    const untilShown = async (price: string): Promise<void> => {
      for (const path of paths)
        await expect.poll(async () => (await gateway.get(path)).text, { interval: 5 }).toContain(`"${price}"`);
    };
    await untilShown('1.00');
    await untilKnown(
      gateway,
      paths.map((path) => ['GET', path]),
    );
    await using backOffice = await openSession(database);
    await backOffice.query('begin');
    await backOffice.query('alter table product disable trigger user');
    await backOffice.query('update product set price = 77 where id = 1');
    await backOffice.query('alter table product enable trigger user');
    await backOffice.query('select pg_notify($1, $2)', ['vitrine', payload]);
    await backOffice.query('commit');
    await untilShown('77.00');
  });
});
