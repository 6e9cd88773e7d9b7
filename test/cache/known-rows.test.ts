import { expect, test } from 'vitest';
import { Dependencies } from '../../src/cache/dependencies.ts';
import type { FreshnessMonitor } from '../../src/cache/freshness-monitor.ts';
import { createKnownRows, type KnownRows } from '../../src/cache/known-rows.ts';
import { TagVersions } from '../../src/cache/tags.ts';
import { FEATURES } from '../../src/features.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { parseMetrics } from '../support/scrape.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

// Each operation has a name of its own, so that no response is cached, and heartbeats come seldom, so that rows are known for as long as a test takes.

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { FRESHNESS_MS: '1000' }));
const categoryId = await insertCategory(database, { name: 'Bowls' });

let asked = 0;

const ask = async (selection: string, on: TestGateway = gateway) => {
  asked += 1;
  const { data, errors } = await on.graphql(`query Q${asked} { ${selection} }`);
  expect(errors).toBeUndefined();
  return data;
};

const statementsOf = (selection: string, on: TestGateway = gateway): Promise<number> =>
  on.countStatements(() => ask(selection, on));

/** The rows are read, and every change before is notified. */
const isKnown = (selection: string, on?: TestGateway): Promise<void> =>
  expect.poll(() => statementsOf(selection, on)).toBe(0);

test('a product that was read is not read again for another selection, nor is its category', async () => {
  const id = await insertProduct(database, { category_id: categoryId, name: 'Known' });
  await ask(`product(id: ${id}) { name }`);
  await isKnown(`product(id: ${id}) { name price { amount } category { name } }`);
  expect(await ask(`product(id: ${id}) { id name category { name } }`)).toEqual({
    product: { id, name: 'Known', category: { name: 'Bowls' } },
  });
});

test('the products of a list are known by their ids', async () => {
  const id = await insertProduct(database, { category_id: categoryId, sales: 9999 });
  await ask('hotProducts(limit: 1) { id }');
  await isKnown(`product(id: ${id}) { name }`);
});

test('the rows of a list that are known are not read with it, and are as new as if they were', async () => {
  const shelf = await insertCategory(database);
  const ids: number[] = [];
  for (const price of ['1.00', '2.00', '3.00', '4.00']) {
    ids.push(await insertProduct(database, { category_id: shelf, price }));
  }
  const list = (limit: number) =>
    ask(`products(categoryIds: [${shelf}], orderBy: PRICE_ASC, limit: ${limit}) { id price { amount } }`);
  const known = async () => {
    const before = parseMetrics((await gateway.metrics.page()).body).sum('vitrine_known_row_hits_total');
    await list(10);
    return parseMetrics((await gateway.metrics.page()).body).sum('vitrine_known_row_hits_total') - before;
  };
  await list(1);
  await expect.poll(known).toBe(ids.length);
  const [first, second, third, last] = ids;
  await database.sql('update product set price = 9 where id = $1', [first]);
  await database.sql(`update product set status = 'OFF_SALE' where id = $1`, [second]);
  await database.sql('delete from product where id = $1', [third]);
  const added = await insertProduct(database, { category_id: shelf, price: '5.00' });
  await expect
    .poll(() => list(9))
    .toEqual({
      products: [
        { id: last, price: { amount: '4.00' } },
        { id: added, price: { amount: '5.00' } },
        { id: first, price: { amount: '9.00' } },
      ],
    });
});

test('a change is shown, and only the row that changed is read again', async () => {
  const [changed, other] = await Promise.all(
    ['Changed', 'Other'].map((name) => insertProduct(database, { category_id: categoryId, name })),
  );
  const both = `a: product(id: ${changed}) { name } b: product(id: ${other}) { name }`;
  await ask(both);
  await isKnown(both);
  await database.sql('update product set name = $1 where id = $2', ['Renamed', changed]);
  await expect.poll(() => ask(both)).toEqual({ a: { name: 'Renamed' }, b: { name: 'Other' } });
  expect(await statementsOf(`product(id: ${other}) { slug }`)).toBe(0);
});

test('a renamed category is shown with a product that is known', async () => {
  const shelf = await insertCategory(database, { name: 'Shelf' });
  const id = await insertProduct(database, { category_id: shelf });
  const selection = `product(id: ${id}) { name category { name } }`;
  await ask(selection);
  await isKnown(selection);
  await database.sql(`update category set name = 'Rack' where id = $1`, [shelf]);
  await expect.poll(() => ask(selection)).toMatchObject({ product: { category: { name: 'Rack' } } });
});

test('a product that is deleted, or taken off sale, is no longer shown', async () => {
  for (const statement of [
    'delete from product where id = $1',
    `update product set status = 'OFF_SALE' where id = $1`,
  ]) {
    const id = await insertProduct(database, { category_id: categoryId });
    const selection = `product(id: ${id}) { name }`;
    await ask(selection);
    await isKnown(selection);
    await database.sql(statement, [id]);
    await expect.poll(() => ask(selection)).toEqual({ product: null });
  }
});

test('what was read while it changed is read again', async () => {
  const id = await insertProduct(database, { category_id: categoryId, name: 'Before' });
  const selection = `product(id: ${id}) { name }`;
  await using session = await openSession(database);
  // The change commits, and is notified, only after the read.
  await session.query(`begin; update product set name = 'After' where id = ${id}`);
  expect(await ask(selection)).toEqual({ product: { name: 'Before' } });
  await session.query('commit');
  await expect.poll(() => ask(selection)).toEqual({ product: { name: 'After' } });
});

test('a product that is known before its publication is shown from then on', async () => {
  // On a busy machine the moment may come before there was time to look: then another is waited for, which is further away.
  for (let leadMs = 1500; ; leadMs *= 2) {
    const publishedAt = await momentFromNow(database, leadMs);
    const id = await insertProduct(database, { category_id: categoryId, published_at: publishedAt });
    const before = await ask(`product(id: ${id}) { name }`);
    if ((await millisecondsSince(database, publishedAt)) > 0 && leadMs < 10_000) continue;
    expect(before).toEqual({ product: null });
    await expect.poll(() => ask(`product(id: ${id}) { id }`)).toEqual({ product: { id } });
    return;
  }
});

test.for([
  ['nothing may be kept', { CACHE_MAX_MB: '0' }],
  ['each request must show the last commit', { FRESHNESS_MS: '0' }],
] as const)('no row is known where %s', async ([, environment]) => {
  await using other = await createTestGateway(database, environment);
  const id = await insertProduct(database, { category_id: categoryId });
  for (let round = 0; round < 3; round += 1) {
    expect(await statementsOf(`product(id: ${id}) { name }`, other)).toBe(1);
  }
});

test('a request that counts a view reads the products beside it', async () => {
  const notice = await insertNotice(database);
  const id = await insertProduct(database, { category_id: categoryId });
  await isKnown(`product(id: ${id}) { name }`);
  const selection = `notice(id: ${notice}) { viewCount } product(id: ${id}) { name }`;
  expect(await ask(selection)).toMatchObject({ notice: { viewCount: 1 } });
});

const fresh = (ageMs: number): FreshnessMonitor =>
  ({
    isFresh: () => true,
    isLost: () => false,
    asOfMs: () => performance.now() - ageMs,
  }) as unknown as FreshnessMonitor;

const createRows = (tagVersions: TagVersions, ageMs = 0): KnownRows =>
  createKnownRows({ tagVersions, freshnessMonitor: fresh(ageMs), maxBytes: 10_000 });

test('what is made of a known row is as old as the last heartbeat', async () => {
  const tagVersions = new TagVersions(FEATURES);
  const rows = createRows(tagVersions, 500);
  const products = rows.of<{ id: number }>('product');
  await products.keep(async () => [{ id: 1 }]);
  const dependencies = new Dependencies(tagVersions);
  dependencies.asOfMs = performance.now();
  expect(products.find(1, dependencies)).toMatchObject({ id: 1 });
  expect(performance.now() - dependencies.asOfMs).toBeGreaterThanOrEqual(500);
});

test('a row that changes between its read and the end of the statement is not kept', async () => {
  const tagVersions = new TagVersions(FEATURES);
  const rows = createRows(tagVersions);
  const products = rows.of<{ id: number }>('product');
  await products.keep(async () => {
    tagVersions.changed({ table: 'product', rows: { ids: [2], groupIds: [], nextChangeMs: Number.POSITIVE_INFINITY } });
    return [{ id: 1 }, { id: 2 }];
  });
  const dependencies = new Dependencies(tagVersions);
  expect(products.find(1, dependencies), 'with a view that is counted').toBeUndefined();
  dependencies.asOfMs = performance.now();
  expect(products.find(1, dependencies)).toMatchObject({ id: 1 });
  expect(products.find(2, dependencies)).toBeUndefined();
});

test('texts count as many bytes as UTF-8 has for them', async () => {
  const bytesOf = async (name: string): Promise<number> => {
    const rows = createRows(new TagVersions(FEATURES));
    await rows.of<{ id: number; name: string }>('product').keep(async () => [{ id: 1, name }]);
    return rows.size().bytes;
  };
  const ascii = await bytesOf('e'.repeat(1000));
  expect(await bytesOf('é'.repeat(1000))).toBe(ascii + 1000);
  expect(await bytesOf('€'.repeat(1000))).toBe(ascii + 2000);
});

test('texts in lists and in JSON count, too', async () => {
  const bytesOf = async (values: object): Promise<number> => {
    const rows = createRows(new TagVersions(FEATURES));
    await rows.of<{ id: number }>('product').keep(async () => [{ id: 1, ...values }]);
    return rows.size().bytes;
  };
  const none = await bytesOf({ tags: [], attributes: {} });
  expect(await bytesOf({ tags: ['ab', 'c'], attributes: { Size: 'M', Fits: ['abc', 'def'], Width: 12 } })).toBe(
    none + 10,
  );
});
