import type { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BrowseEngine, BrowseRequest, SearchFilter } from '../../src/browse/browse-engine.ts';
import { IndexThread } from '../../src/browse/index/thread.ts';
import { type BrowseEngines, createBrowseEngines } from '../support/browse-engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT, type TestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';

const NOT_READY = { isReady: false, products: 0, filledShare: 0, bytes: 0 };

const shop = async (products = 100): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  await insertCategory(database, { name: 'Lamps' });
  await database.sql(
    `insert into product (id, category_id, name, slug, price, sales, published_at)
     select n, 1, 'Lamp ' || n, 'p' || n, n, 10000 - n, '2020-01-01Z' from generate_series(1, ${products}) n`,
  );
  await database.sql(`select setval(pg_get_serial_sequence('product', 'id'), ${products})`);
  return database;
};

const ask = async (engine: BrowseEngine, now: Date, request: Partial<BrowseRequest> = {}) => {
  const { items, totalCount } = await engine.search({
    terms: [],
    filter: {},
    order: 'PRICE_ASC',
    page: { from: 'start', size: 3 },
    isCounted: true,
    facets: new Set(),
    now,
    ...request,
  });
  return { ids: items.map(({ id }) => id), totalCount };
};

/** Waits until the index answers, and gives its answer. */
const answerOfIndex = ({ index, now }: BrowseEngines, request?: Partial<BrowseRequest>) =>
  expect.poll(() => ask(index, now(), request).catch(() => undefined));

test('the index shows what was committed before the question', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  const { index, now } = engines;
  expect(await ask(index, now())).toEqual({ ids: [1, 2, 3], totalCount: 100 });
  await database.sql('update product set price = 0.5 where id = 70');
  expect(await ask(index, now())).toEqual({ ids: [70, 1, 2], totalCount: 100 });
  await insertProduct(database, { category_id: 1, name: 'Cheap lantern', price: 0.25 });
  expect(await ask(index, now())).toEqual({ ids: [101, 70, 1], totalCount: 101 });
  const terms = [{ text: 'lant', isPrefix: true }];
  expect(await ask(index, now(), { terms })).toEqual({ ids: [101], totalCount: 1 });
  await database.sql(`update product set name = 'Cheap candle' where id = 101`);
  expect(await ask(index, now(), { terms })).toEqual({ ids: [], totalCount: 0 });
  await database.sql(`update product set status = 'OFF_SALE' where id = 70`);
  await database.sql('delete from product where id = 101');
  expect(await ask(index, now())).toEqual({ ids: [1, 2, 3], totalCount: 99 });
});

test('a product whose variant alone changes is read again with its variants, and with its attributes', async () => {
  await using database = await shop();
  await database.sql(`update product set option_names = '{Size}' where id = 70`);
  await database.sql(
    `insert into product_variant (product_id, option_values, price, stock) values (70, '{M}', 70, 5), (70, '{L}', 80, 0)`,
  );
  await using engines = await createBrowseEngines(database);
  const { index, now } = engines;
  const ids = async (filter: SearchFilter) => (await ask(index, now(), { filter })).ids;
  const inStock = (size: string) => ids({ options: [{ name: 'Size', values: [size] }], inStock: true });
  expect([await inStock('M'), await inStock('L')]).toEqual([[70], []]);
  await database.sql(`update product_variant set stock = 5 - stock`);
  expect([await inStock('M'), await inStock('L')]).toEqual([[], [70]]);
  await database.sql(`update product_variant set price = 0.5 where option_values = '{M}'`);
  expect(await ids({})).toEqual([70, 1, 2]);
  await database.sql(`update product_variant set option_values = '{XL}' where option_values = '{L}'`);
  expect([await inStock('L'), await inStock('XL')]).toEqual([[], [70]]);
  await database.sql(`update product_variant set barcode = 'Ean 1' where option_values = '{XL}'`);
  expect(await ask(index, now(), { code: 'ean 1' })).toEqual({ ids: [70], totalCount: 1 });
  await database.sql('truncate product_variant');
  await answerOfIndex(engines, { filter: { options: [{ name: 'Size', values: ['M', 'XL'] }] } }).toEqual({
    ids: [],
    totalCount: 0,
  });
  await database.sql(`update product set attributes = '{"Power": 5.50}' where id = 71`);
  expect(await ids({ attributes: [{ name: 'Power', min: '5.5', max: '5.5' }] })).toEqual([71]);
  expect(engines.logged.filter(({ msg }) => /^the index has /.test(`${msg}`))).toHaveLength(2);
});

test('in a language that it has the index finds, sorts and suggests by texts as they are shown; in others PostgreSQL does', async () => {
  await using database = await shop();
  await database.sql(`update product set tags = '{new}' where id = 5`);
  await database.sql(
    `update product set translations = jsonb_build_object('de', jsonb_build_object('name', 'Leuchte ' || 200 - id)) where id > 1`,
  );
  await using engines = await createBrowseEngines(database, { languages: [['de']] });
  const { index, now } = engines;
  const languages = ['de'];
  const idsOf = async (text: string) => (await ask(index, now(), { terms: [{ text, isPrefix: true }], languages })).ids;
  const byName = { order: 'NAME_ASC', languages } as const;
  const page = { from: 'start', size: 3, position: ['Leuchte 100', '100'] } as const;
  expect([await idsOf('195'), await idsOf('lamp')]).toEqual([[5], [1]]);
  await answerOfIndex(engines, byName).toEqual({ ids: [1, 100, 99], totalCount: 100 });
  expect((await ask(index, now(), { ...byName, page })).ids).toEqual([99, 98, 97]);

  await database.sql(`update product set translations = '{"de": {"name": "Ampel"}}' where id = 50`);
  expect(await idsOf('ampel')).toEqual([50]);
  expect((await ask(engines.either(), now(), byName)).ids).toEqual([50, 1, 100]);
  await answerOfIndex(engines, byName).toEqual({ ids: [50, 1, 100], totalCount: 100 });

  await database.sql(`insert into term_translation values ('de', 'new', 'Neuheit')`);
  expect(await idsOf('neuheit')).toEqual([5]);
  const suggestion = { terms: [{ text: 'neu', isPrefix: true }], limit: 1, now: now(), languages };
  expect(await index.suggest(suggestion)).toMatchObject([{ kind: 'TAG', text: 'Neuheit' }]);
  await database.sql(`update category set translations = '{"de": {"name": "Neues"}}'`);
  expect(await index.suggest({ ...suggestion, limit: 2 })).toMatchObject([{ text: 'Neues' }, { text: 'Neuheit' }]);

  const inFrench = { languages: ['fr'] };
  await expect(ask(index, now(), inFrench)).rejects.toThrow('the index did not answer');
  expect((await ask(engines.either(), now(), inFrench)).ids).toEqual([1, 2, 3]);
});

test('a product is found from the moment of its publication on', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  const { index, now } = engines;
  const moment = new Date(now().getTime() + 1500);
  const id = await insertProduct(database, { category_id: 1, price: 0.25, published_at: moment });
  const seen = new Set<boolean>();
  for (let at = now(); at.getTime() < moment.getTime() + 50; at = now()) {
    const isPublished = at >= moment;
    expect((await ask(index, at)).ids.includes(id)).toBe(isPublished);
    seen.add(isPublished);
  }
  expect(seen).toContain(false);
  expect((await ask(index, now())).ids).toContain(id);
});

test('products of every second that a table can hold are in the index, in their order', async () => {
  await using database = await shop();
  await database.sql(`update product set published_at = case id
    when 5 then '9999-12-31 23:59:59.999999+00' when 70 then '0001-01-01 00:00:03+00'
    when 71 then '0001-01-01 00:00:02+00' when 72 then '0001-01-01 00:00:01+00' end::timestamptz where id in (5, 70, 71, 72)`);
  await using engines = await createBrowseEngines(database);
  const { sql, index, now } = engines;
  for (const engine of [sql, index])
    expect(await ask(engine, now(), { order: 'NEWEST', page: { from: 'end', size: 3 } })).toEqual({
      ids: [70, 71, 72],
      totalCount: 99,
    });
  const request = { terms: [], filter: {}, order: 'NEWEST', isCounted: false, facets: new Set<never>() } as const;
  for (const [one, other] of [
    [sql, index],
    [index, sql],
  ] as const) {
    const { items } = await one.search({ ...request, page: { from: 'end', size: 2 }, now: now() });
    const position = items[0]?.position ?? [];
    expect(await ask(other, now(), { order: 'NEWEST', page: { from: 'end', size: 1, position } })).toMatchObject({
      ids: [70],
    });
  }
  expect(engines.browseIndex.status()).toMatchObject({ isReady: true, products: 100 });
});

test('while a product was published at a microsecond before 1684 PostgreSQL answers', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  const { now } = engines;
  await answerOfIndex(engines).toEqual({ ids: [1, 2, 3], totalCount: 100 });
  await database.sql(`update product set published_at = '1683-12-31 23:59:59.999999+00' where id = 70`);
  expect((await ask(engines.either(), now(), { order: 'NEWEST', page: { from: 'end', size: 1 } })).ids).toEqual([70]);
  await expect(ask(engines.index, now())).rejects.toThrow('the index did not answer');
  expect(engines.logged.map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/^the index of products could not read: product 70 cannot be in it: it was published at/),
  );
  await database.sql(`update product set published_at = '1684-12-31 23:59:59.999999+00' where id = 70`);
  await answerOfIndex(engines).toEqual({ ids: [1, 2, 3], totalCount: 100 });
});

test('while a product cannot be in the index PostgreSQL answers, and the log says so', async () => {
  await using database = await shop();
  await database.sql('alter table product alter price type numeric(20, 4)');
  await using engines = await createBrowseEngines(database);
  const { now } = engines;
  await answerOfIndex(engines).toEqual({ ids: [1, 2, 3], totalCount: 100 });
  await database.sql('update product set price = 0.005, sales = 3 where id = 70');
  expect(await ask(engines.either(), now())).toEqual({ ids: [70, 1, 2], totalCount: 100 });
  await expect(ask(engines.index, now())).rejects.toThrow('the index did not answer');
  expect(engines.logged.map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/^the index of products could not read: product 70 cannot be in it: its price/),
  );
  await database.sql('update product set price = 0.5, sales = 4 where id = 70');
  await answerOfIndex(engines).toEqual({ ids: [70, 1, 2], totalCount: 100 });
});

test('a catalogue with a product that cannot be in the index is ready without one, and the log names the product', async () => {
  await using database = await shop(6000);
  await database.sql('alter table product alter price type numeric(20, 4)');
  await database.sql('update product set price = 0.005 where id = 70');
  await using gateway = await createTestGateway(database, { ...PATIENT, READY_WHEN_INDEXED: 'true' });
  await expect.poll(async () => (await gateway.get('/readyz')).status).toBe(200);
  expect(gateway.logged.filter(({ level }) => Number(level) >= 40).map(({ msg }) => msg)).toEqual([
    expect.stringMatching(
      /^there is no index of products: product 70 cannot be in it: its price .* PostgreSQL answers/,
    ),
  ]);
  const { data } = await gateway.graphql('{ productSearch(first: 1, orderBy: PRICE_ASC) { nodes { id } } }');
  expect(data).toEqual({ productSearch: { nodes: [{ id: 70 }] } });
});

test('what changes while the index is filled is not missed', async () => {
  await using database = await shop(6000);
  const filling = createBrowseEngines(database);
  let isFilled = false;
  void filling.finally(() => {
    isFilled = true;
  });
  // Those of the first ids come after these were read.
  let changed = 0;
  while (!isFilled && changed < 6000) {
    changed += 1;
    await database.sql('update product set price = price + 10000 where id = $1', [changed]);
  }
  await using engines = await filling;
  const { totalCount } = await ask(engines.index, engines.now(), { filter: { minPrice: '10000' } });
  expect(totalCount).toBe(changed);
});

test('after a change of any number of rows PostgreSQL answers until the index is filled again', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  await database.sql('truncate product cascade');
  expect(await ask(engines.either(), engines.now())).toEqual({ ids: [], totalCount: 0 });
  await answerOfIndex(engines).toEqual({ ids: [], totalCount: 0 });
  await database.sql(`insert into product (id, category_id, name, slug, price, published_at)
    select n, 1, 'Lamp', 'p' || n, n, '2020-01-01Z' from generate_series(1, 1000) n`);
  expect(await ask(engines.either(), engines.now())).toEqual({ ids: [1, 2, 3], totalCount: 1000 });
  await answerOfIndex(engines).toEqual({ ids: [1, 2, 3], totalCount: 1000 });
});

test('after a statement that changes thousands of products the index reads these, and is not filled again', async () => {
  await using database = await shop(10_000);
  await using engines = await createBrowseEngines(database);
  await database.sql('update product set price = price + 20000 where id > 1');
  const changed = { filter: { minPrice: '20000' } };
  await answerOfIndex(engines, changed).toEqual({ ids: [2, 3, 4], totalCount: 9999 });
  expect(engines.logged.filter(({ msg }) => /^the index has /.test(`${msg}`))).toHaveLength(1);
});

test('the status of an index says how many products there are after changes, too', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  await database.sql('delete from product where id > 60');
  await answerOfIndex(engines).toEqual({ ids: [1, 2, 3], totalCount: 60 });
  await expect.poll(() => engines.browseIndex.status()).toMatchObject({ isReady: true, products: 60 });
});

test('an index whose connection is lost reads on by another one', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  const killed = await database.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'vitrine index'`,
  );
  expect(killed).toHaveLength(1);
  await database.sql('update product set price = 0.5 where id = 70');
  expect(await ask(engines.either(), engines.now())).toEqual({ ids: [70, 1, 2], totalCount: 100 });
  await answerOfIndex(engines).toEqual({ ids: [70, 1, 2], totalCount: 100 });
});

test('a change whose reading fails is read again', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  await database.sql('alter table product rename column brand to maker');
  await database.sql('update product set price = 0.5 where id = 70');
  await expect
    .poll(() => engines.logged.map(({ msg }) => msg))
    .toContainEqual(expect.stringMatching(/^the index of products could not read: .*brand/));
  await database.sql('alter table product rename column maker to brand');
  await answerOfIndex(engines).toEqual({ ids: [70, 1, 2], totalCount: 100 });
});

test('categories whose reading fails are read again', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  const { index, now } = engines;
  await database.sql('alter table category rename column name to title');
  await database.sql(`update category set title = 'Lanterns'`);
  await expect
    .poll(() => engines.logged.map(({ msg }) => msg))
    .toContainEqual(expect.stringMatching(/^the index of products could not read: .*name/));
  await database.sql('alter table category rename column title to name');
  const terms = [{ text: 'lant', isPrefix: true }];
  await expect
    .poll(() => index.suggest({ terms, limit: 1, now: now() }).catch(() => undefined))
    .toMatchObject([{ text: 'Lanterns' }]);
});

test('a thread that dies is started again, and PostgreSQL answers meanwhile', async () => {
  await using database = await shop();
  const threads: Worker[] = [];
  const onWorker = (worker: Worker): void => void threads.push(worker);
  process.on('worker', onWorker);
  try {
    await using engines = await createBrowseEngines(database);
    await threads[0]?.terminate();
    expect(engines.browseIndex.status()).toEqual(NOT_READY);
    await database.sql('update product set price = 0.5 where id = 70');
    expect(await ask(engines.either(), engines.now())).toEqual({ ids: [70, 1, 2], totalCount: 100 });
    await answerOfIndex(engines).toEqual({ ids: [70, 1, 2], totalCount: 100 });
    expect(threads).toHaveLength(2);
  } finally {
    process.off('worker', onWorker);
  }
});

test('a catalogue that does not fit into the memory has no index, and the log says so', async () => {
  await using database = await shop(2000);
  await using engines = await createBrowseEngines(database, { maxMb: 0.25, waitsForIndex: false });
  await expect
    .poll(() => engines.logged.map(({ msg }) => msg))
    .toContainEqual(
      expect.stringMatching(/^there is no index of products: \d+ products take more than .* BROWSE_INDEX_MAX_MB/),
    );
  await expect.poll(() => engines.browseIndex.status()).toEqual(NOT_READY);
  expect(await ask(engines.either(), engines.now())).toEqual({ ids: [1, 2, 3], totalCount: 2000 });
});

test('an index that values of no product have filled is filled again, answers without a restart, and the log says so', async () => {
  await using database = await shop(1000);
  await using engines = await createBrowseEngines(database, { maxMb: 3 });
  const { browseIndex, logged } = engines;
  const wasFull = (): boolean => logged.some(({ msg }) => /^the index of products has grown to \d+ MB/.test(`${msg}`));
  for (let round = 0; round < 50 && !wasFull(); round += 1) {
    await database.sql(`update product set attributes = jsonb_build_object('Synchronised', id || ' ' || $1::int)`, [
      round,
    ]);
    expect(await ask(engines.either(), engines.now())).toEqual({ ids: [1, 2, 3], totalCount: 1000 });
  }
  expect(wasFull()).toBe(true);
  await answerOfIndex(engines).toEqual({ ids: [1, 2, 3], totalCount: 1000 });
  await expect.poll(() => browseIndex.status()).toMatchObject({ isReady: true, products: 1000, filledShare: 1 });
  expect(browseIndex.status().bytes).toBeLessThan(3 * 1_048_576);
});

test('where there is no index, for a catalogue that does not fit, changes are not collected for it', async () => {
  await using database = await shop(2000);
  const options = { databaseUrl: database.url, maxBytes: 1, languages: [] };
  const onDecided = vi.fn();
  const thread = new IndexThread(options, pino({ level: 'silent' }), onDecided, () => {});
  await expect.poll(() => onDecided.mock.calls.length).toBe(1);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  thread.changed({ table: 'product' });
  expect(timers).not.toHaveBeenCalled();
});

test('dead rows are closed up, and nothing is lost', async () => {
  await using database = await shop();
  await using engines = await createBrowseEngines(database);
  for (let round = 0; round < 30; round += 1)
    await database.sql(`update product set name = 'Lantern ' || id || ' of ' || $1::int`, [round]);
  const terms = [
    { text: 'lantern', isPrefix: false },
    { text: '29', isPrefix: true },
  ];
  await answerOfIndex(engines, { terms }).toEqual({ ids: [1, 2, 3], totalCount: 100 });
});

test('a gateway answers from the index where the catalogue is large, and its metrics say so', async () => {
  await using database = await shop(6000);
  await using gateway = await createTestGateway(database, { ...PATIENT, CACHE_MAX_MB: '0' });
  const first = async () =>
    (await gateway.graphql('{ productSearch(first: 1, search: "lamp 17") { totalCount nodes { name } } }')).data;
  const expected = { productSearch: { totalCount: 111, nodes: [{ name: 'Lamp 17' }] } };
  expect(await first()).toEqual(expected);
  await expect
    .poll(async () => {
      expect(await first()).toEqual(expected);
      return (await gateway.metrics.page()).body;
    })
    .toMatch(/vitrine_browse_answers_total\{engine="index"\} [1-9]/);
  expect((await gateway.metrics.page()).body).toContain('vitrine_browse_index_products 6000');
});

test('a gateway asks its index in each of its languages', async () => {
  await using database = await shop(6000);
  await database.sql(`update product set translations = '{"de": {"name": "Leuchte"}}' where id = 17`);
  const environment = { ...PATIENT, CACHE_MAX_MB: '0', LANGUAGES: 'en,de', READY_WHEN_INDEXED: 'true' };
  await using gateway = await createTestGateway(database, environment);
  await expect.poll(async () => (await gateway.get('/readyz')).status, { timeout: 30_000 }).toBe(200);
  const query = 'query @inContext(language: "de") { productSearch(search: "leucht") { nodes { name } } }';
  expect((await gateway.graphql(query)).data).toEqual({ productSearch: { nodes: [{ name: 'Leuchte' }] } });
  const { body } = await gateway.metrics.page();
  for (const line of ['engine="index"} 1', 'engine="sql"} 0']) expect(body).toContain(`browse_answers_total{${line}`);
});

test('with READY_WHEN_INDEXED a gateway is ready once its index is filled, or where it needs none', async () => {
  const reasonOf = async (gateway: TestGateway) => (await gateway.get('/readyz')).json;
  await using database = await shop(6000);
  await using gateway = await createTestGateway(database, { ...PATIENT, READY_WHEN_INDEXED: 'true' });
  expect(await reasonOf(gateway)).toEqual({ status: 'unavailable', reason: 'the index of products is being filled' });
  await expect.poll(() => reasonOf(gateway), { timeout: 30_000 }).toEqual({ status: 'ok' });
  const { body } = await gateway.metrics.page();
  for (const line of ['ready 1', 'filled_ratio 1', 'products 6000'])
    expect(body).toContain(`vitrine_browse_index_${line}`);
  await database.sql('delete from product where id > 100');
  await using small = await createTestGateway(database, { READY_WHEN_INDEXED: 'true' });
  await expect.poll(() => reasonOf(small)).toEqual({ status: 'ok' });
});

test('a gateway has no index where it is switched off', async () => {
  await using database = await shop(6000);
  await using gateway = await createTestGateway(database, { BROWSE_INDEX_MAX_MB: '0' });
  expect((await gateway.graphql('{ productSearch { totalCount } }')).data).toEqual({
    productSearch: { totalCount: 6000 },
  });
  await expect(
    database.sql(
      `select from pg_stat_activity where datname = current_database() and application_name = 'vitrine index'`,
    ),
  ).resolves.toEqual([]);
});

test('questions and changes are read one after another, so that the driver warns of nothing', async () => {
  await using database = await shop(5000);
  await database.sql(`update product set sku = 'SKU-' || id`);
  const environment = { DATABASE_URL: database.url, READY_WHEN_INDEXED: 'true', ...PATIENT };
  await using gateway = await startGatewayProcess(environment, [], ['--trace-deprecation']);
  const get = async (target: string) => (await fetch(new URL(target, gateway.url))).text();
  await expect.poll(() => get('/readyz'), { timeout: 30_000 }).toContain('ok');
  const search = async (code: number): Promise<void> => {
    const query = `{ productSearch(search: "sku-${code}", orderBy: NAME_ASC) { nodes { id } } }`;
    expect(JSON.parse(await get(`/graphql?query=${encodeURIComponent(query)}`))).toEqual({
      data: { productSearch: { nodes: [{ id: code }] } },
    });
  };
  for (let round = 0; round < 10; round += 1) {
    await database.sql(`update product set price = price + 1 where id % 10 = ${round}`);
    await Promise.all(Array.from({ length: 40 }, (_, index) => search(1 + round * 40 + index)));
  }
  expect((await get('/metrics')).match(/vitrine_browse_answers_total\{engine="index"\} (\d+)/)?.[1]).not.toBe('0');
  expect(/DeprecationWarning.*/.exec(gateway.command.output())?.[0]).toBeUndefined();
});
