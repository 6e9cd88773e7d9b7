import { expect, test } from 'vitest';
import type { FreshnessMonitor } from '../../src/cache/freshness-monitor.ts';
import { CacheHints } from '../../src/cache/hints.ts';
import { createKnownRows, type KnownRows, type KnownRowsOf } from '../../src/cache/known-rows.ts';
import { ROW_ALONE, textsOf } from '../../src/cache/row-texts.ts';
import { createTagVersions, type TagVersions } from '../../src/cache/tags.ts';
import { createClock } from '../../src/database/clock.ts';
import { numberOf } from '../../src/fast-path/short-lived.ts';
import { FEATURES } from '../../src/features.ts';
import { createTestDatabase } from '../support/database.ts';
import { cachedResponse, createTestGateway, JSON_HEADERS, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, momentFromNow } from '../support/rows.ts';
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

test('a renamed category is shown in lists of products that are known, however long they are', async () => {
  const shelf = await insertCategory(database, { name: 'Shelf' });
  for (const price of [1, 2, 3]) await insertProduct(database, { category_id: shelf, price, name: `Cup ${price}` });
  const list = (limit: number) =>
    `category(id: ${shelf}) { products(orderBy: PRICE_ASC, limit: ${limit}) { name category { name } } }`;
  await expect
    .poll(async () => {
      await ask(list(3));
      return statementsOf(list(3));
    })
    .toBe(0);
  for (const name of ['Shelf', 'Rack']) {
    await database.sql('update category set name = $1 where id = $2', [name, shelf]);
    for (const limit of [2, 3, 1, 100]) {
      const products = Array.from({ length: Math.min(limit, 3) }, (_, at) => ({
        name: `Cup ${at + 1}`,
        category: { name },
      }));
      await expect.poll(() => ask(list(limit))).toEqual({ category: { products } });
    }
  }
});

test('a response whose rows are known is there in the same turn of the event loop', async () => {
  const id = await insertProduct(database, { category_id: categoryId, name: 'At once' });
  const query = (name: string) => ({
    method: 'POST',
    target: '/graphql',
    headers: JSON_HEADERS,
    body: JSON.stringify({ query: `query ${name} { product(id: ${id}) { name category { name } } }` }),
  });
  await expect
    .poll(async () => {
      asked += 1;
      const response = cachedResponse(gateway, query(`AtOnce${asked}`));
      return response?.body;
    })
    .toBe('{"data":{"product":{"name":"At once","category":{"name":"Bowls"}}}}');
  // It is a miss like any other, and the next equal request a hit.
  const [first, second] = [1, 2].map(() => cachedResponse(gateway, query('Twice')));
  expect(first?.headers).toMatchObject({ 'cache-status': 'vitrine; fwd=miss', 'server-timing': expect.any(String) });
  expect(second?.headers).toMatchObject({ 'cache-status': 'vitrine; hit', etag: first?.headers.etag });
  expect(second?.body).toBe(first?.body);
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
  const publishedAt = await momentFromNow(database, 3000);
  const id = await insertProduct(database, { category_id: categoryId, published_at: publishedAt });
  expect(await ask(`product(id: ${id}) { name }`)).toEqual({ product: null });
  await expect.poll(() => ask(`product(id: ${id}) { id }`)).toEqual({ product: { id } });
});

test.for([
  ['nothing may be kept', { CACHE_MAX_MB: '0' }],
  ['each request must show the last commit', { FRESHNESS_MS: '0' }],
  ['changes are not notified', { CHANGE_FEED: 'poll' }],
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
    trustedUntilMs: () => undefined,
  }) as unknown as FreshnessMonitor;

const createRows = (tagVersions: TagVersions, ageMs = 0): KnownRows =>
  createKnownRows({
    tagVersions,
    freshnessMonitor: fresh(ageMs),
    clock: createClock(),
    freshnessMs: 1000,
    maxBytes: 10_000,
  });

const JSON_CHARS = 200;

/** As the executor does. */
const askForJson = (products: KnownRowsOf<{ id: number }>, id: number, key = 'name'): 'known' | 'kept' | 'written' => {
  const texts = textsOf(products.find(id) as object);
  if (texts?.find(key, ROW_ALONE) !== undefined) return 'known';
  if (!texts?.isWanted(numberOf(key))) return 'written';
  texts.keep(key, ROW_ALONE, 'x'.repeat(JSON_CHARS));
  return 'kept';
};

test('what is made of a known row is as old as the last heartbeat', async () => {
  const tagVersions = createTagVersions(FEATURES);
  const rows = createRows(tagVersions, 500);
  const products = rows.of<{ id: number }>('product');
  await products.keep(async () => [{ id: 1 }]);
  const hints = new CacheHints(tagVersions.tags);
  hints.asOfMs = performance.now();
  expect(products.mayUse(hints)).toBe(true);
  expect(products.find(1)).toMatchObject({ id: 1 });
  expect(performance.now() - hints.asOfMs).toBeGreaterThanOrEqual(500);
});

test('a row that changes between its read and the end of the statement is not kept', async () => {
  const tagVersions = createTagVersions(FEATURES);
  const rows = createRows(tagVersions);
  const products = rows.of<{ id: number }>('product');
  await products.keep(async () => {
    tagVersions.changed({ table: 'product', rows: { ids: [2], groupIds: [], nextChangeMs: Number.POSITIVE_INFINITY } });
    return [{ id: 1 }, { id: 2 }];
  });
  expect(products.find(1)).toMatchObject({ id: 1 });
  expect(products.find(2)).toBeUndefined();
});

test('a known row is what the latest notification says, unless one before it said nothing', async () => {
  const tagVersions = createTagVersions(FEATURES);
  const rows = createRows(tagVersions);
  type Row = { id: number; text: string };
  const products = rows.of<Row>('product', ({ id }, text) => (text === 'nonsense' ? undefined : { id, text }));
  const read = (): Promise<Row[]> => products.keep(async () => [1, 2].map((id) => ({ id, text: 'read' })));
  const change = (id: number, values?: string): void =>
    tagVersions.changed({
      table: 'product',
      rows: {
        ids: [id],
        groupIds: [1],
        nextChangeMs: Number.POSITIVE_INFINITY,
        ...(values !== undefined && { now: { id, groupId: 1, values } }),
      },
    });
  await read();
  change(1, 'old');
  change(1, 'new');
  expect(products.find(1)?.text).toBe('new');
  expect(products.find(1)?.text).toBe('new');
  expect(products.find(2)?.text).toBe('read');
  change(1);
  change(1, 'newer');
  expect(products.find(1)).toBeUndefined();
  // A read that began before says nothing of what was notified meanwhile.
  await products.keep(async () => {
    change(2, 'meanwhile');
    return [{ id: 2, text: 'late' }];
  });
  expect(products.find(2)?.text).toBe('meanwhile');
  tagVersions.changed({ table: 'product' });
  change(2, 'newer');
  expect(products.find(2)).toBeUndefined();
  await read();
  change(1, 'nonsense');
  expect(products.find(1)).toBeUndefined();
});

test('a known row takes memory for itself and its JSON, however often it changes', async () => {
  const tagVersions = createTagVersions(FEATURES);
  const rows = createRows(tagVersions);
  const products = rows.of<{ id: number }>('product', ({ id }) => ({ id }));
  await products.keep(async () => [1, 2].map((id) => ({ id })));
  const bytesAtFirst = rows.size().bytes;
  for (let change = 1; change <= 3; change += 1) {
    expect(askForJson(products, 1)).toBe('kept');
    expect(askForJson(products, 1)).toBe('known');
    expect(rows.size().bytes).toBeGreaterThan(bytesAtFirst + JSON_CHARS);
    expect(rows.size().bytes).toBeLessThan(bytesAtFirst + JSON_CHARS + 200);
    tagVersions.changed({
      table: 'product',
      rows: { ids: [1], groupIds: [1], nextChangeMs: Number.POSITIVE_INFINITY, now: { id: 1, groupId: 1, values: '' } },
    });
    expect(products.find(1)).toMatchObject({ id: 1 });
    expect(rows.size().bytes).toBe(bytesAtFirst);
  }
  // Those that do not fit beside each other take each other's place.
  for (let selection = 1; selection <= 20; selection += 1) expect(askForJson(products, 1, `${selection}`)).toBe('kept');
  expect(askForJson(products, 1, '20')).toBe('known');
  expect(rows.size().bytes).toBeLessThan(bytesAtFirst + 1500);
});

test('texts of other letters than those of Latin-1 count twice, as they take twice the memory', async () => {
  const bytesOf = async (name: string): Promise<number> => {
    const rows = createRows(createTagVersions(FEATURES));
    await rows.of<{ id: number; name: string }>('product').keep(async () => [{ id: 1, name }]);
    return rows.size().bytes;
  };
  const ascii = await bytesOf('e'.repeat(1000));
  expect(await bytesOf('é'.repeat(1000))).toBe(ascii);
  expect(await bytesOf('€'.repeat(1000))).toBe(ascii + 1000);
});

test('where memory is short, the JSON of a row is kept once it is asked for again, and others are known for longer', async () => {
  const tagVersions = createTagVersions(FEATURES);
  const rows = createRows(tagVersions);
  const products = rows.of<{ id: number }>('product');
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  for (const id of ids) await products.keep(async () => [{ id }]);
  const outcomes = ids.map((id) => askForJson(products, id));
  const firstWithout = outcomes.indexOf('written');
  expect(outcomes.slice(0, firstWithout)).toContain('kept');
  expect(new Set(outcomes.slice(firstWithout))).toEqual(new Set(['written']));
  expect(ids.filter((id) => products.has(id))).toEqual(ids);
  expect(askForJson(products, 10)).toBe('kept');
  expect(askForJson(products, 10)).toBe('known');
});

test('lists of known products by price are merged without a statement, and put in order again after a change', async () => {
  const one = await insertCategory(database, { name: 'One shelf' });
  const other = await insertCategory(database, { name: 'Another shelf' });
  const ids: number[] = [];
  for (const [category_id, price] of [
    [one, 3],
    [other, 1],
    [one, 2],
    [other, 4],
  ] as const)
    ids.push(await insertProduct(database, { category_id, price }));
  const list = (field: string) => `products(categoryIds: [${one}, ${other}], orderBy: PRICE_ASC) { ${field} }`;
  // Lists ask for ids once most of what lists showed was known.
  await expect
    .poll(async () => {
      await ask(list('id'));
      return statementsOf(list('name'));
    })
    .toBe(0);
  const inOrder = (order: readonly number[]) => ({ products: order.map((index) => ({ id: ids[index] })) });
  expect(await ask(list('id'))).toEqual(inOrder([1, 2, 0, 3]));
  await database.sql('update product set price = 9 where id = $1', [ids[1]]);
  await expect.poll(() => ask(list('id'))).toEqual(inOrder([2, 0, 3, 1]));
  await isKnown(list('stock'));
});

/** A shelf of 40 products by price, whose list and products are known. */
const knownShelf = async () => {
  const shelf = await insertCategory(database);
  const ids: number[] = [];
  for (let price = 1; price <= 40; price += 1) ids.push(await insertProduct(database, { category_id: shelf, price }));
  const list = `products(categoryIds: [${shelf}], orderBy: PRICE_ASC, limit: 3) { id stock price { amount } }`;
  await expect
    .poll(async () => {
      await ask(list);
      return statementsOf(list);
    })
    .toBe(0);
  const path = `/api/product/list?categoryIds=${shelf}&orderBy=PRICE_ASC&limit=3`;
  const isHit = async (): Promise<boolean> => (await gateway.get(path)).headers['cache-status'] === 'vitrine; hit';
  await expect.poll(isHit).toBe(true);
  return { ids, list, isHit };
};

test('a change that cannot alter a list takes one row, and none where no list of its category is known', async () => {
  const elsewhere = await insertProduct(database, { category_id: await insertCategory(database) });
  const { ids, isHit } = await knownShelf();

  /** How many statements the list takes after a change that was notified. */
  const statementsAfter = async (id: number | undefined): Promise<number> => {
    const product = `product(id: ${id}) { name }`;
    await isKnown(product);
    await database.sql(`update product set name = 'Other' where id = $1`, [id]);
    await expect.poll(() => ask(product)).toEqual({ product: { name: 'Other' } });
    return gateway.countStatements(async () => expect(await isHit()).toBe(true));
  };
  expect(await statementsAfter(ids[39])).toBe(1);
  expect(await statementsAfter(elsewhere)).toBe(0);
});

test('a new price or stock is shown, of a product and in its lists, and nothing is read', async () => {
  const { ids, list, isHit } = await knownShelf();
  const [cheapest, last] = [ids[0], ids[39]];
  const product = `product(id: ${cheapest}) { name stock price { amount } listPrice { amount } sales updatedAt category { id } }`;
  await isKnown(product);
  await isKnown(`product(id: ${last}) { name }`);
  const statements = await gateway.countStatements(async () => {
    const known = await ask(product);
    await database.sql(
      `update product set price = 1.5, list_price = 2, stock = 7, sales = 3, updated_at = '2026-11-25 08:00:00.5Z' where id = $1`,
      [cheapest],
    );
    await expect
      .poll(() => ask(product))
      .toEqual({
        product: {
          ...(known?.product as object),
          price: { amount: '1.50' },
          listPrice: { amount: '2.00' },
          stock: 7,
          sales: 3,
          updatedAt: '2026-11-25T08:00:00.500Z',
        },
      });
    const first = { id: cheapest, stock: 7, price: { amount: '1.50' } };
    expect(await ask(list)).toMatchObject({ products: [first, { id: ids[1] }, { id: ids[2] }] });
    await expect.poll(isHit).toBe(true);
    // Behind the end of the list nothing alters it.
    await database.sql('update product set price = 50 where id = $1', [last]);
    await expect
      .poll(() => ask(`product(id: ${last}) { price { amount } }`))
      .toEqual({ product: { price: { amount: '50.00' } } });
    expect(await isHit()).toBe(true);
    await database.sql('update product set price = 0.5 where id = $1', [last]);
    await expect.poll(() => ask(list)).toMatchObject({ products: [{ id: last }, first, { id: ids[1] }] });
  });
  expect(statements).toBe(0);
});

test('a list that is known before a publication is read again from then on', async () => {
  const shelf = await insertCategory(database);
  const list = `products(categoryIds: [${shelf}], orderBy: PRICE_ASC) { id }`;
  await expect
    .poll(async () => {
      await ask('hotProducts(limit: 2) { id }');
      await ask(list);
      return statementsOf(list);
    })
    .toBe(0);
  const publishedAt = await momentFromNow(database, 1500);
  const id = await insertProduct(database, { category_id: shelf, published_at: publishedAt });
  await isKnown(list);
  await expect.poll(() => ask(list), { timeout: 5000 }).toEqual({ products: [{ id }] });
});
