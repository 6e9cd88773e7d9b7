import type { Plugin } from 'graphql-yoga';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { openStream, type TestStream, untilShown } from '../../support/events.ts';
import { cachedResponse, createTestGateway, PATIENT, type TestGateway } from '../../support/gateway.ts';
import { OUTAGES } from '../../support/outages.ts';
import {
  insertCategory,
  insertNotice,
  insertProduct,
  insertVariant,
  millisecondsSince,
  momentFromNow,
} from '../../support/rows.ts';
import { wireTo } from '../../support/wire.ts';

const CHANGES = 'subscription { changes { products categories notices everything } }';
const NONE = { products: [], categories: [], notices: [], everything: false };
const EVERYTHING = { changes: { ...NONE, everything: true } };
const names = (changes: object) => ({ changes: { ...NONE, ...changes } });

let database: TestDatabase;
let category: number;
let gateway: TestGateway;
let stream: TestStream;

beforeEach(async () => {
  database = await createTestDatabase();
  category = await insertCategory(database);
  // It begins to listen after that.
  gateway = await createTestGateway(database, PATIENT);
  stream = await openStream(gateway, CHANGES);
  return async () => {
    stream.leave();
    await gateway[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
});

const events = () => stream.results.slice(1).map(({ data }) => data.changes);

test('the first event is everything, because nobody knows what a client has missed', () => {
  expect(stream.results).toEqual([{ data: EVERYTHING }]);
});

describe('an event names', () => {
  test('products, categories and notices that were inserted, updated or deleted, and no others', async () => {
    const product = await insertProduct(database, { category_id: category });
    await untilShown(stream, names({ products: [product] }));
    const other = await insertCategory(database);
    await untilShown(stream, names({ categories: [other] }));
    const notice = await insertNotice(database, { title: 'First' });
    await untilShown(stream, names({ notices: [notice] }));
    await database.sql('update product set stock = 7');
    await untilShown(stream, names({ products: [product] }));
    await database.sql('update category set position = 7 where id = $1', [category]);
    await untilShown(stream, names({ categories: [category] }));
    await database.sql('delete from notice');
    await untilShown(stream, names({ notices: [notice] }));
    await database.sql('delete from product');
    await untilShown(stream, names({ products: [product] }));
    expect(events()).toHaveLength(7);
  });

  test('the product of a variant that was inserted, updated, moved or deleted', async () => {
    const one = await insertProduct(database, { category_id: category });
    await untilShown(stream, names({ products: [one] }));
    const other = await insertProduct(database, { category_id: category });
    await untilShown(stream, names({ products: [other] }));
    const id = await insertVariant(database, { product_id: one, price: '5.00' });
    await untilShown(stream, names({ products: [one] }));
    await database.sql('update product_variant set product_id = $1', [other]);
    await untilShown(stream, names({ products: [one, other] }));
    await database.sql(`update product_variant set barcode = '4006381333931'`);
    await untilShown(stream, names({ products: [other] }));
    await database.sql('update product_variant set product_id = $1', [one]);
    await untilShown(stream, names({ products: [one, other] }));
    await database.sql('delete from product_variant where id = $1', [id]);
    await untilShown(stream, names({ products: [one] }));
  });

  test('what one transaction has changed, together', async () => {
    const product = await insertProduct(database, { category_id: category });
    await untilShown(stream, names({ products: [product] }));
    await database.sql(
      `with a as (update product set stock = 8 returning id), b as (update category set name = 'Other' returning id)
       insert into notice (id, title, content) values (2, 'N', ''), (1, 'N', '')`,
    );
    await untilShown(stream, names({ products: [product], categories: [category], notices: [1, 2] }));
  });

  test('a product that stops being visible, and a notice that is withdrawn', async () => {
    const product = await insertProduct(database, { category_id: category });
    const notice = await insertNotice(database, { title: 'First' });
    await expect.poll(() => events().flatMap(({ notices }) => notices)).toEqual([notice]);
    await database.sql(`update product set status = 'OFF_SALE'`);
    await untilShown(stream, names({ products: [product] }));
    await database.sql(`update notice set status = 'WITHDRAWN'`);
    await untilShown(stream, names({ notices: [notice] }));
  });

  test('the old and the new id of a row', async () => {
    await database.sql('update category set id = 1000000 + id');
    await untilShown(stream, names({ categories: [category, 1_000_000 + category] }));
  });

  test('everything, when a notice or a product begins to show by its date', async () => {
    // From the moment of the statement itself, which is over long before.
    const soon = `clock_timestamp() + interval '1 second'`;
    for (const [kind, insert] of [
      ['notices', `notice (title, content, starts_at) values ('Soon', '', ${soon})`],
      ['products', `product (category_id, name, slug, price, published_at) values (${category}, 'P', 'p', 1, ${soon})`],
    ] as const) {
      const before = events().length;
      const [row] = await database.sql<{ id: number }>(`insert into ${insert} returning id`);
      await expect
        .poll(() => events().slice(before))
        .toEqual([
          { ...NONE, [kind]: [row?.id] },
          { ...NONE, everything: true },
        ]);
      expect((await gateway.graphql(`{ ${kind} { id } }`)).data).toEqual({ [kind]: [row] });
    }
  });

  test('everything, after a truncate', async () => {
    await insertProduct(database, { category_id: category });
    await expect.poll(events).toHaveLength(1);
    await database.sql('truncate product cascade');
    await untilShown(stream, EVERYTHING);
  });

  test.for<[what: string, table: string, columns: string, values: string]>([
    [
      'products',
      'product',
      'id, category_id, name, slug, price',
      `n, (select min(id) from category), 'N', 's' || n, 1`,
    ],
    ['categories', 'category', 'id, name, slug', `10000000 + n, 'N', 's' || n`],
    ['notices', 'notice', 'id, title, content', `n, 'N', ''`],
  ])('a thousand %s, and everything where there are more', async ([kind, table, columns, values]) => {
    const insert = (first: number, last: number) =>
      database.sql(
        `insert into ${table} (${columns}) select ${values} from generate_series(${first}::int, ${last}::int) n`,
      );
    await insert(1, 1000);
    await expect.poll(() => events().flatMap((changes) => changes[kind]).length).toBe(1000);
    expect(events().some(({ everything }) => everything)).toBe(false);
    await insert(1001, 9000);
    await untilShown(stream, EVERYTHING);
  });
});

describe('a reader that comes back to its stream after a while', () => {
  const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  /** Inserts notices one by one, each after the one before was told to another reader. */
  const insertAll = async (all: readonly number[]) => {
    for (const id of all) {
      await insertNotice(database, { id, title: 'New' });
      await untilShown(stream, names({ notices: [id] }));
    }
  };

  test('is told everything first, whatever has changed since it asked, and then all that has changed', async () => {
    const late = await openStream(gateway, CHANGES, { beforeStream: () => insertAll([1, 2, 3]) });
    // What it has not read is told at once, and not change by change.
    await expect.poll(() => late.results).toEqual([{ data: EVERYTHING }, { data: names({ notices: [1, 2, 3] }) }]);
    await insertNotice(database, { id: 4, title: 'New' });
    await expect.poll(() => late.results.slice(2)).toEqual([{ data: names({ notices: [4] }) }]);
    late.leave();
  });

  test('is told each of twelve changes that came while a plugin held it up, and everything where one of them was that', async () => {
    let gate = Promise.resolve();
    let held = 0;
    const slow: Plugin = {
      onSubscribe: () => ({
        onSubscribeResult: () => ({
          onNext: () => {
            held += 1;
            return gate;
          },
        }),
      }),
    };
    await using behind = await createTestGateway(database, PATIENT, [slow]);
    const reader = await openStream(behind, CHANGES);
    const holdDuring = async (work: () => Promise<unknown>) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = held;
      gate = promise;
      await database.sql('update category set position = position + 1');
      await expect.poll(() => held).toBe(before + 1);
      await work();
      gate = Promise.resolve();
      resolve();
    };
    await holdDuring(() => insertAll(ids(1, 12)));
    await untilShown(reader, names({ notices: ids(1, 12) }));
    await holdDuring(async () => {
      await database.sql('truncate notice');
      await untilShown(stream, EVERYTHING);
      await insertAll([20]);
    });
    await untilShown(reader, EVERYTHING);
    expect(reader.results.map(({ data }) => data.changes.notices.length)).toEqual([0, 0, 12, 0, 0]);
    reader.leave();
  });
});

describe('a notice that begins within a tenth of a second', () => {
  /** Opens a stream so that its first event comes just before a moment: on a busy machine it may be later, then it is tried again. */
  const openBefore = async (behind: TestGateway, leadMs: number): Promise<TestStream> => {
    for (;;) {
      const starts_at = await momentFromNow(database, leadMs + 300);
      await insertNotice(database, { title: 'Soon', starts_at });
      await expect.poll(() => millisecondsSince(database, starts_at), { interval: 1 }).toBeGreaterThan(-leadMs);
      const listener = await openStream(behind, CHANGES);
      if ((await millisecondsSince(database, starts_at)) < 0) return listener;
      listener.leave();
    }
  };

  test('of the first event is told', async () => {
    await using behind = await createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' });
    for (let tries = 0; tries < 3; tries += 1) {
      const listener = await openBefore(behind, 80);
      await expect.poll(() => listener.results).toEqual([{ data: EVERYTHING }, { data: EVERYTHING }]);
      listener.leave();
    }
  });

  test.for([
    ['of its insertion', 1],
    ['of an insertion that names no rows', 1001],
  ] as const)('%s is told, too', async ([, count]) => {
    await using behind = await createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' });
    const listener = await openStream(behind, CHANGES);
    let leadMs = 60;
    for (let tries = 0; tries < 5; ) {
      const before = listener.results.length;
      const starts_at = await momentFromNow(database, leadMs);
      await database.sql(
        `insert into notice (title, content, starts_at) select 'Soon', '', $1 from generate_series(1, $2)`,
        [starts_at, count],
      );
      await expect.poll(() => listener.results.length).toBeGreaterThan(before);
      // What is told after it has begun is told once: a busy machine needs more time.
      if ((await millisecondsSince(database, starts_at)) >= 0) leadMs *= 2;
      else {
        await expect.poll(() => listener.results.slice(before + 1)).toContainEqual({ data: EVERYTHING });
        tries += 1;
      }
    }
    listener.leave();
  });
});

test('no event comes where views are counted, and where nothing is named that is selected', async () => {
  const notices = await openStream(gateway, 'subscription { changes { named: notices everything } }');
  const id = await insertNotice(database, { title: 'Viewed' });
  await untilShown(notices, { changes: { named: [id], everything: false } });
  await gateway.graphql(`{ notice(id: ${id}) { viewCount } }`);
  const product = await insertProduct(database, { category_id: category });
  await untilShown(stream, names({ products: [product] }));
  const other = await insertNotice(database, { title: 'Other' });
  await untilShown(notices, { changes: { named: [other], everything: false } });
  expect(notices.results.map(({ data }) => data.changes.named)).toEqual([[], [id], [other]]);
  notices.leave();
});

test('a change comes from each gateway, and no sooner than the other has stopped to answer as it was before', async () => {
  await using wire = await wireTo(database);
  await using other = await createTestGateway(wire, { ...PATIENT, FRESHNESS_MS: '1000' });
  await using one = await createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '1000' });
  const [ofOne, ofOther] = [await openStream(one, CHANGES), await openStream(other, CHANGES)];
  const product = await insertProduct(database, { category_id: category, name: 'Before' });
  for (const each of [ofOne, ofOther]) await untilShown(each, names({ products: [product] }));
  const asked = { method: 'GET', target: `/api/product/${product}` };
  const isInMemory = async () => {
    await other.get(asked.target);
    return cachedResponse(other, asked)?.status;
  };
  await expect.poll(isInMemory).toBe(200);
  // From here on the other gateway hears nothing, and does not know that.
  wire.freeze();
  await database.sql(`update product set name = 'After'`);
  await expect.poll(() => ofOne.results.length, { interval: 1 }).toBe(3);
  expect(cachedResponse(other, asked)).toBeUndefined();
  await wire.restore();
  await expect.poll(() => ofOther.results.length).toBeGreaterThan(2);
  for (const each of [ofOne, ofOther]) each.leave();
});

test('in a flood of changes there are at most ten events a second, and none of the changes is lost', async () => {
  const startedMs = performance.now();
  const inserted: number[] = [];
  for (let count = 0; count < 200; count += 1) inserted.push(await insertNotice(database, { title: 'Flood' }));
  const named = () => events().flatMap(({ notices }) => notices);
  await expect.poll(() => named().length).toBe(200);
  expect(named()).toEqual(inserted);
  expect(events().length).toBeLessThanOrEqual((performance.now() - startedMs) / 100 + 2);
});

test('a connection to the database that was lost gives everything when it is back', async () => {
  await using outage = await OUTAGES['that refuses connections'](database);
  await using behind = await createTestGateway(outage, { ...PATIENT, DATABASE_TIMEOUT_MS: '1500' });
  const listener = await openStream(behind, CHANGES);
  const product = await insertProduct(database, { category_id: category });
  await untilShown(listener, names({ products: [product] }));
  await outage.begin();
  await database.sql('update product set stock = 9');
  await outage.end();
  await expect.poll(() => listener.results.at(-1)?.data, { timeout: 30_000 }).toEqual(EVERYTHING);
  await database.sql('update product set stock = 10');
  await untilShown(listener, names({ products: [product] }));
  listener.leave();
});

test('a table that is watched beside those of the shop is everything', async () => {
  await database.sql(`create table sundial (id int); select vitrine_watch('sundial')`);
  await using watching = await createTestGateway(database, PATIENT);
  const listener = await openStream(watching, CHANGES);
  await insertNotice(database, { title: 'First' });
  await expect.poll(() => listener.results.length).toBe(2);
  await database.sql('insert into sundial values (1)');
  await untilShown(listener, EVERYTHING);
  listener.leave();
});

test('it needs a token where queries do, counts as a subscription, and is refused where changes are not notified', async () => {
  const TOKEN = 'a-token-0123456789';
  await using restricted = await createTestGateway(database, {
    ...PATIENT,
    ACCESS_TOKENS: TOKEN,
    MAX_SUBSCRIPTIONS: '1',
  });
  expect((await openStream(restricted, CHANGES)).status).toBe(401);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const admitted = await openStream(restricted, CHANGES, { headers });
  expect(admitted.results).toEqual([{ data: EVERYTHING }]);
  expect((await openStream(restricted, CHANGES, { headers })).status).toBe(503);
  restricted.completeSubscriptions();
  await expect.poll(admitted.isComplete).toBe(true);
});
