import { beforeEach, expect, test } from 'vitest';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

// A notification says that something has changed, and never what it is now.

const database = await shared(createTestDatabase({ migrated: false }));

/** A shop in a schema of its own, with one product. */
const createShop = async (schema: string): Promise<{ readonly url: string }> => {
  const url = new URL(database.url);
  url.searchParams.set('schema', schema);
  await database.sql(`create schema ${schema}`);
  await applyMigrations({ url: url.href, log: () => {} });
  await database.sql(`insert into ${schema}.category (id, name, slug) values (1, 'C', 'c')`);
  await database.sql(
    `insert into ${schema}.product (id, category_id, name, slug, price, published_at) values (1, 1, 'Jug', 'jug', 10, '2020-01-01Z')`,
  );
  return { url: url.href };
};

const [shopA, shopB] = [await createShop('shop_a'), await createShop('shop_b')];
const gateway = await shared(createTestGateway(shopA, { FRESHNESS_MS: '1000' }));
const backOffice = await shared(openSession(database));

const ask = async (on: TestGateway = gateway): Promise<string> => (await on.get('/api/product/1')).text;
const isHit = async (): Promise<boolean> =>
  (await gateway.get('/api/product/1')).headers['cache-status'] === 'vitrine; hit';

let count = 0;

beforeEach(() => expect.poll(isHit, { interval: 5 }).toBe(true));

test('what another shop of the same database changes costs this one nothing, and is not shown', async () => {
  await database.sql('update shop_b.product set price = 0.02, stock = 0 where id = 1');
  await database.sql(`update shop_b.category set name = 'Other'`);
  // This is notified after it.
  await database.sql(`update shop_a.notice set title = ''`);
  await expect.poll(isHit, { interval: 5 }).toBe(true);
  expect(await gateway.countStatements(async () => expect(await ask()).toContain('"10.00"'))).toBe(0);
  await using other = await createTestGateway(shopB);
  expect(await ask(other)).toContain('"0.02"');
});

test.for([
  'product 1 1 Infinity 0.02,-,0,0,1790000000000000,1577836800000000',
  'product 1 1 Infinity 0.02,-,0,0,99999999999999999999,99999999999999999999',
  'product 1 1 Infinity oid=1',
  'product 1 1 NaN',
  'product 1 1 -1e999',
  `product 1 ${'9'.repeat(400)}`,
  'product 4294967297,-4294967297 1',
  'product',
  'product ',
  'product \n',
  'product oid=',
  'product 1 1 Infinity 0.02 oid=1 oid=2',
  'category 1 1',
  'nothing of ours',
  '',
])('a role without any right cannot change an answer, or make it fail, by "%s"', async (payload) => {
  await backOffice.query('begin');
  await backOffice.query('select pg_notify($1, $2)', ['vitrine', payload]);
  // Is notified after it.
  count += 1;
  await backOffice.query('update shop_a.category set slug = $1', [`c${count}`]);
  await backOffice.query('commit');
  const { data, errors } = await gateway.graphql('{ product(id: 1) { price { amount } category { name } } }');
  expect(errors).toBeUndefined();
  expect(data.product).toEqual({ price: { amount: '10.00' }, category: { name: 'C' } });
  const slugOf = async () => (await gateway.graphql('{ product(id: 1) { stock category { slug } } }')).data?.product;
  await expect.poll(slugOf, { interval: 5 }).toEqual({ stock: 0, category: { slug: `c${count}` } });
  const found = await gateway.graphql('{ product(id: 1) { price { amount } stock updatedAt } }');
  expect(found.errors).toBeUndefined();
  expect(found.data.product).toMatchObject({ price: { amount: '10.00' }, stock: 0 });
});

test('where schemas are swapped, the tables that are live now are heard, also in a transaction that began before', async () => {
  const shops = [await createShop('live'), await createShop('next')];
  await using live = await createTestGateway(shops[0] ?? { url: '' });
  await database.sql(`update next.product set name = 'Next' where id = 1`);
  await expect.poll(() => ask(live), { interval: 5 }).toContain('"Jug"');
  await backOffice.query('begin');
  await backOffice.query(`update next.product set name = 'Late' where id = 1`);
  await database.sql(
    'do $$ begin alter schema live rename to old; alter schema next rename to live; alter schema old rename to next; end $$',
  );
  await expect.poll(() => ask(live), { interval: 5 }).toContain('"Next"');
  await backOffice.query('commit');
  await expect.poll(() => ask(live), { interval: 5 }).toContain('"Late"');
  await database.sql(`update live.product set price = 7 where id = 1`);
  await expect.poll(() => ask(live), { interval: 5 }).toContain('"7.00"');
  const statements = await live.countStatements(async () => {
    await database.sql(`update next.product set name = 'Old' where id = 1`);
    expect(await ask(live)).toContain('"Late"');
  });
  expect(statements).toBe(0);
});
