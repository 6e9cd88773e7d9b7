import { expect, test } from 'vitest';
import { IndexKeeper } from '../../src/browse/index/keeper.ts';
import type { ProductIndex } from '../../src/browse/index/product-index.ts';
import { UnfitCatalogue } from '../../src/browse/index/read.ts';
import { search } from '../../src/browse/index/search.ts';
import type { Change } from '../../src/cache/tags.ts';
import { connectionConfig, DatabaseClient } from '../../src/database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';

/** A part of the statement that reads them. */
const CHANGES = 'p.id = any';
/** A part of the statement that reads between which names a new one stands. */
const NEIGHBOURS = 'left join lateral';
/** The beginning of the statement that reads all names in their order. */
const ALL_NAMES = 'select p.id::int, p.name::text from product';

const changeOf = (ids: readonly number[]): Change => ({
  table: 'product',
  rows: { ids, groupIds: [], nextChangeMs: Number.POSITIVE_INFINITY },
});

/** A keeper of a database, until the test is over. @param opened is given each of its connections, and gives what it uses */
const startKeeper = (database: TestDatabase, maxBytes = 1e9, opened = (client: DatabaseClient) => client) => {
  let isOver = false;
  let client: DatabaseClient | undefined;
  const connect = async (): Promise<DatabaseClient> => {
    // The only end that he has.
    if (isOver) throw new UnfitCatalogue('the test is over');
    client = new DatabaseClient(connectionConfig(database.url));
    client.on('error', () => {});
    await client.connect();
    return opened(client);
  };
  const logged: string[] = [];
  const log = (_: string, message: string): void => void logged.push(message);
  const keeper = new IndexKeeper({ connect, maxBytes, languages: [], onStatus: () => {}, log });
  const running = keeper.run();
  running.catch(() => {});
  return {
    keeper,
    running,
    logged,
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      client?.connection.stream.destroy();
      keeper.changed({ table: 'product' });
      await expect(running).rejects.toThrow('the test is over');
    },
  };
};

/** A keeper with three products for 1, 2 and 3, who learns when the test lets him that some of what he reads has come: by default, that of changes. */
const setUp = async (held = CHANGES) => {
  const database = await createTestDatabase();
  const categoryId = await insertCategory(database);
  const ids: number[] = [];
  for (const price of [1, 2, 3]) ids.push(await insertProduct(database, { category_id: categoryId, price }));

  const reads: PromiseWithResolvers<void>[] = [];
  const started = startKeeper(database, undefined, (client) => {
    const query = client.query.bind(client) as (statement: object, values?: unknown[]) => unknown;
    const answerLater = async (answer: unknown): Promise<unknown> => {
      const result = await answer;
      const read = Promise.withResolvers<void>();
      reads.push(read);
      await read.promise;
      return result;
    };
    return Object.assign(client, {
      query: (statement: string | { readonly text: string }, values?: unknown[]) => {
        const answer = query(statement as object, values);
        const text = typeof statement === 'string' ? statement : statement.text;
        return text.includes(held) ? answerLater(answer) : answer;
      },
    });
  });
  const { keeper } = started;

  /** The ids, the cheapest first, once all that was notified is in the index. */
  const byPrice = async (word?: string): Promise<number[] | undefined> => {
    const index = await keeper.current(false);
    if (!index) return undefined;
    const page = { from: 'start', size: 3 } as const;
    const asked = {
      terms: word === undefined ? [] : [{ text: word, isPrefix: false }],
      filter: {},
      order: 'PRICE_ASC',
      page,
      isCounted: true,
      facets: new Set<never>(),
    } as const;
    return search(index, { ...asked, now: new Date() }).items.map(({ id }) => id);
  };
  if (held === CHANGES) await expect.poll(() => byPrice(), { interval: 5 }).toEqual(ids);
  return {
    database,
    keeper,
    ids,
    byPrice,
    /** The read of this number, once its rows have come. */
    readOf: async (number: number) => {
      await expect.poll(() => reads.length, { interval: 1 }).toBe(number);
      return reads[number - 1];
    },
    [Symbol.asyncDispose]: async () => {
      for (const read of reads) read.resolve();
      await started[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

/** The ids of an index, in the order of names. */
const byName = (index: ProductIndex): number[] => {
  const page = { from: 'start', size: 10 } as const;
  const asked = { terms: [], filter: {}, order: 'NAME_ASC', page, isCounted: false, facets: new Set<never>() } as const;
  return search(index, { ...asked, now: new Date() }).items.map(({ id }) => id);
};

test('what is read of a product does not hide what is notified of it meanwhile', async () => {
  await using scene = await setUp();
  const { database, keeper, ids, byPrice, readOf } = scene;
  const [first, second, third = 0] = ids;
  keeper.changed(changeOf([third]));
  const early = await readOf(1);
  await database.sql('update product set price = 0.5 where id = $1', [third]);
  keeper.changed(changeOf([third]));
  early?.resolve();
  const asking = byPrice();
  (await readOf(2))?.resolve();
  expect(await asking).toEqual([third, first, second]);
});

test('a page by name waits until the new name has its place among the others; a page by price does not', async () => {
  await using scene = await setUp(NEIGHBOURS);
  const { database, keeper, ids, byPrice, readOf } = scene;
  const [first, second, third = 0] = ids;
  await expect.poll(() => byPrice(), { interval: 5 }).toEqual(ids);
  await expect.poll(() => keeper.status.isReady, { interval: 5 }).toBe(true);
  await database.sql(`update product set name = 'A' where id = $1`, [third]);
  keeper.changed(changeOf([third]));
  const answered: string[] = [];
  const ask = async (when: string) => {
    const index = await keeper.current(true);
    answered.push(when);
    return index;
  };
  const before = ask('before its row is read');
  const names = await readOf(1);
  expect(await byPrice()).toEqual(ids);
  const after = ask('after it');
  expect(await byPrice()).toEqual(ids);
  expect(answered).toEqual([]);
  names?.resolve();
  const [index] = await Promise.all([before, after]);
  expect(index && byName(index)).toEqual([third, first, second]);
});

test('new names stand among the others as in the database, also those that have come between the same two', async () => {
  await using database = await createTestDatabase();
  const categoryId = await insertCategory(database);
  const ids: number[] = [];
  const rename = async (names: readonly string[], renamed: readonly number[]) => {
    await database.sql(
      `update product p set name = n.name from unnest($1::text[], $2::int[]) n(name, id) where p.id = n.id`,
      [names, renamed],
    );
    keeper.changed(changeOf(renamed));
  };
  for (const name of ['b', 'd', 'f', 'h', 'j', 'l', 'n'])
    ids.push(await insertProduct(database, { category_id: categoryId, name }));
  await using started = startKeeper(database);
  const { keeper } = started;
  await expect.poll(() => keeper.status.isReady, { interval: 5 }).toBe(true);
  for (const [names, places] of [
    [
      ['c3', 'c1', 'c2'],
      [4, 5, 6],
    ],
    [
      ['z', 'a', 'z'],
      [4, 1, 0],
    ],
    [
      ['zz', 'zy', 'c21', 'c22'],
      [3, 1, 0, 2],
    ],
  ] as const) {
    await rename(
      names,
      places.map((place) => ids[place] as number),
    );
    const index = await keeper.current(true);
    const rows = await database.sql<{ id: number }>('select id from product order by name, id');
    expect(index && byName(index)).toEqual(rows.map(({ id }) => id));
  }
});

test('a product that was off sale just while a name was put beside it stands on the right side of that name', async () => {
  await using scene = await setUp(NEIGHBOURS);
  const { database, keeper, ids, byPrice, readOf } = scene;
  const [first = 0, second = 0, third = 0] = ids;
  await database.sql(`update product set name = case id when $1 then 'a' when $2 then 'm' else 'z' end`, [
    first,
    second,
  ]);
  keeper.changed({ table: 'product' });
  await expect.poll(() => byPrice('m'), { interval: 5 }).toEqual([second]);
  const added = await insertProduct(database, { category_id: 1, name: 'l', price: 4 });
  await database.sql(`update product set status = 'OFF_SALE' where id = $1`, [second]);
  keeper.changed(changeOf([added]));
  const names = await readOf(1);
  await database.sql(`update product set status = 'ON_SALE' where id = $1`, [second]);
  keeper.changed(changeOf([second]));
  names?.resolve();
  const asking = keeper.current(true);
  (await readOf(2))?.resolve();
  const index = await asking;
  await expect.poll(() => index?.texts.names.areKnown, { interval: 5 }).toBe(true);
  expect(index && byName(index)).toEqual([first, added, second, third]);
});

test('changes come into the index while so many names are new that all are read again', async () => {
  await using scene = await setUp(ALL_NAMES);
  const { database, keeper, ids, byPrice, readOf } = scene;
  const [first, second, third = 0] = ids;
  (await readOf(1))?.resolve();
  await expect.poll(() => byPrice(), { interval: 5 }).toEqual(ids);
  const added = await database.sql<{ id: number }>(
    `insert into product (category_id, name, slug, price)
     select category_id, 'Product ' || n, 'product-' || n, 9 from product, generate_series(1, 1500) n where id = $1 returning id`,
    [third],
  );
  keeper.changed(changeOf(added.map(({ id }) => id)));
  const names = await readOf(2);
  expect(await keeper.current(true)).toMatchObject({ texts: { names: { areKnown: false } } });
  await database.sql('update product set price = 0.5 where id = $1', [third]);
  keeper.changed(changeOf([third]));
  expect(await byPrice()).toEqual([third, first, second]);
  names?.resolve();
  await expect.poll(async () => (await keeper.current(true))?.texts.names.areKnown, { interval: 5 }).toBe(true);
});

test('what changes while products are read is read again before the index answers', async () => {
  await using scene = await setUp('order by p.id limit');
  const { database, keeper, ids, byPrice, readOf } = scene;
  const [first = 0, second = 0, third = 0] = ids;
  const products = await readOf(1);
  await database.sql(`update product set name = 'Kettle' where id = $1`, [first]);
  await database.sql('delete from product where id = $1', [second]);
  await database.sql(`update product set name = 'Lamp', price = 0.5 where id = $1`, [third]);
  keeper.changed(changeOf(ids));
  expect(keeper.status.isReady).toBe(false);
  products?.resolve();
  await expect.poll(() => byPrice('lamp'), { interval: 5 }).toEqual([third]);
  expect(await byPrice()).toEqual([third, first]);
  expect(await byPrice('kettle')).toEqual([first]);
  expect(keeper.status).toMatchObject({ isReady: true, filledShare: 1 });
});

test('a step of the clock leaves the index as it is', async () => {
  await using scene = await setUp();
  const { keeper, ids, byPrice } = scene;
  keeper.changed({ table: 'product', isOfClock: true });
  expect(keeper.status.isReady).toBe(true);
  expect(await byPrice()).toEqual(ids);
});

test('products in Chinese are found by characters that follow each other, however many', async () => {
  await using scene = await setUp('order by p.id limit');
  const { database, keeper, ids, byPrice, readOf } = scene;
  const [first = 0, second = 0, third = 0] = ids;
  (await readOf(1))?.resolve();
  await database.sql(`update product set name = 'Kettle' where id = $1`, [first]);
  await database.sql(`update product set name = '不锈钢保温杯' where id = $1`, [second]);
  await database.sql(`update product set name = '保温, 温杯', description = '𠀀𠀁𠀂杯' where id = $1`, [third]);
  keeper.changed(changeOf(ids));
  await expect.poll(() => byPrice('保温杯'), { interval: 5 }).toEqual([second]);
  expect(await byPrice('kettle')).toEqual([first]);
  expect(await byPrice('温杯')).toEqual([second, third]);
  expect(await byPrice('𠀁𠀂杯')).toEqual([third]);
  expect(await byPrice('锈钢温')).toEqual([]);
});

test('products that were read before a change of any number of rows do not answer, also where only their order was still to be read', async () => {
  await using scene = await setUp('order by p.name');
  const { database, keeper, ids, byPrice, readOf } = scene;
  const order = await readOf(1);
  await database.sql('delete from product where id = $1', [ids[0]]);
  keeper.changed({ table: 'product' });
  order?.resolve();
  (await readOf(2))?.resolve();
  await expect.poll(() => byPrice(), { interval: 5 }).toEqual(ids.slice(1));
});

test('an index that changes have made too large gives back the room that their rows and words have left, and goes on', async () => {
  await using database = await createTestDatabase();
  const categoryId = await insertCategory(database);
  // Of 500 words each product has 60, so that what is known of words is much of the index.
  await database.sql(
    `insert into product (category_id, name, slug, price, description)
     select $1, 'Product', 'product-' || n, 1, (select string_agg('word' || (n * 7 + w * 13) % 500, ' ') from generate_series(1, 60) w)
     from generate_series(1, 2000) n`,
    [categoryId],
  );
  const rows = await database.sql<{ id: number }>('select id from product where id % 2 = 0');
  /** Half of the products have another word, twice. @returns the index that has it */
  const change = async (keeper: IndexKeeper) => {
    await expect.poll(() => keeper.status.isReady).toBe(true);
    for (const word of ['one', 'two']) {
      await database.sql(`update product set description = description || ' ' || $1 where id % 2 = 0`, [word]);
      keeper.changed(changeOf(rows.map(({ id }) => id)));
      await keeper.current(true);
    }
    return keeper.current(true);
  };
  const grownBytes = async (): Promise<number> => {
    await using unlimited = startKeeper(database);
    return (await change(unlimited.keeper))?.bytes ?? 0;
  };
  const bound = (await grownBytes()) * 0.99;
  await using limited = startKeeper(database, bound);
  const index = await change(limited.keeper);
  await expect.poll(() => limited.keeper.status.bytes, { interval: 5 }).toBeLessThan(bound);
  expect((await limited.keeper.current(true)) === index).toBe(true);
});

/** What the log says whenever the index is filled. */
const FILLED = /^the index has \d+ products in /;

/** A keeper of a database with so many products, each of which a new value can be given. */
const setUpStamped = async (
  products: number,
  maxBytes: number,
  opened?: (client: DatabaseClient) => DatabaseClient,
) => {
  const database = await createTestDatabase();
  const categoryId = await insertCategory(database);
  await database.sql(
    `insert into product (category_id, name, slug, price) select $1, 'Product', 'product-' || n, 1 from generate_series(1, $2::int) n`,
    [categoryId, products],
  );
  const rows = await database.sql<{ id: number }>('select id from product');
  const started = startKeeper(database, maxBytes, opened);
  const { keeper, logged } = started;
  await expect.poll(() => keeper.status.isReady, { interval: 5 }).toBe(true);
  let stamps = 0;
  return {
    ...started,
    database,
    filled: () => logged.filter((message) => FILLED.test(message)).length,
    stamp: async (length = 1) => {
      stamps += 1;
      await database.sql(`update product set attributes = jsonb_build_object('Stamp', id || ' ' || repeat($1, $2))`, [
        String(stamps),
        length,
      ]);
      keeper.changed(changeOf(rows.map(({ id }) => id)));
      return keeper.current(true);
    },
    [Symbol.asyncDispose]: async () => {
      await started[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

test('an index that is full of values that no product has any more is filled again, and answers', async () => {
  await using scene = await setUpStamped(1000, 2_000_000);
  const { keeper, logged, filled, stamp } = scene;
  while (filled() < 3) {
    await stamp();
    await expect.poll(() => keeper.status.isReady, { timeout: 20_000, interval: 5 }).toBe(true);
    expect(keeper.status.bytes).toBeLessThan(2_000_000);
  }
  expect(keeper.status).toMatchObject({ products: 1000, filledShare: 1 });
  expect(logged).toContainEqual(
    expect.stringMatching(/^the index of products has grown to 2 MB, and is filled again in /),
  );
});

test('an index that is full soon after it was filled is filled again after twenty times as long as that took', async () => {
  const fillMs = 150;
  const fillSlowly = (client: DatabaseClient) => {
    const query = client.query.bind(client) as (statement: object, values?: unknown[]) => Promise<unknown>;
    const isOfFilling = (statement: unknown): boolean => `${statement}`.includes('order by p.id limit');
    return Object.assign(client, {
      query: async (statement: object, values?: unknown[]) => {
        if (isOfFilling(statement)) await query(`select pg_sleep(${fillMs / 1000})` as unknown as object);
        return query(statement, values);
      },
    });
  };
  await using scene = await setUpStamped(1000, 2_000_000, fillSlowly);
  const { keeper, logged, stamp } = scene;
  const filledMs = performance.now();
  while (keeper.status.isReady) await stamp();
  const restMs = fillMs * 19 - (performance.now() - filledMs);
  expect(keeper.status).toMatchObject({ isReady: false, products: 0, bytes: 0 });
  const [, seconds] = /is filled again in ([\d.]+) s/.exec(logged.join('\n')) ?? [];
  expect(Number(seconds)).toBeGreaterThanOrEqual(Math.max(500, restMs - 100) / 1000);
  await expect.poll(() => keeper.status.isReady, { timeout: 20_000, interval: 5 }).toBe(true);
});

test('an index of which most is of no product any more is filled again long before it is full', async () => {
  await using scene = await setUpStamped(1000, 1e9);
  const { keeper, filled, stamp } = scene;
  while (filled() < 2) {
    await stamp(100);
    await expect.poll(() => keeper.status.isReady, { timeout: 20_000, interval: 5 }).toBe(true);
  }
  expect(keeper.status.bytes).toBeLessThan(2_000_000);
});

test('a catalogue that has become too large is read once more, and then no more', async () => {
  await using database = await createTestDatabase();
  const categoryId = await insertCategory(database);
  const insert = (from: number, to: number) =>
    database.sql<{ id: number }>(
      `insert into product (category_id, name, slug, price) select $1, 'Product', 'product-' || n, 1 from generate_series($2::int, $3::int) n
       returning id`,
      [categoryId, from, to],
    );
  await insert(1, 1000);
  // It ends by itself.
  const { keeper, running, logged } = startKeeper(database, 2_000_000);
  await expect.poll(() => keeper.status.isReady, { interval: 5 }).toBe(true);
  keeper.changed(changeOf((await insert(1001, 10_000)).map(({ id }) => id)));
  await expect(running).rejects.toThrow('10000 products take more than 15/16 of the 2 MB of BROWSE_INDEX_MAX_MB');
  expect(logged.filter((message) => FILLED.test(message))).toHaveLength(1);
});
