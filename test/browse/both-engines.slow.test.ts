import { expect, test } from 'vitest';
import type { BrowseEngine, SearchFilter } from '../../src/browse/browse-engine.ts';
import { compareCodePoints } from '../../src/browse/order.ts';
import { readSearchArguments, type SearchArguments } from '../../src/browse/search-arguments.ts';
import { parseTime } from '../../src/parse-time.ts';
import { type BrowseEngines, createBrowseEngines } from '../support/browse-engines.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const category_id = await insertCategory(database);
for (const values of [
  { brand: null, published_at: '0001-01-01T00:00:00Z' },
  { brand: 'Lumo', tags: '{red}', published_at: '1969-07-20T20:17:40.123456Z' },
  { brand: '\ufffd', tags: '{\ufffd}', published_at: '2020-01-02T03:04:05.678000Z' },
  { brand: null, published_at: '2020-01-02T03:04:05.678999Z' },
  { brand: '', published_at: '2020-01-02T03:04:05.679000Z' },
]) {
  await insertProduct(database, { category_id, ...values });
}

type Filter = Omit<NonNullable<SearchArguments['filter']>, 'withDescendants'>;

const bothFind = async ({ sql, index, now }: BrowseEngines, given: Filter, ids: readonly number[]): Promise<void> => {
  const { terms, order, page, filter } = readSearchArguments({ filter: { ...given, withDescendants: true } });
  const find = async (engine: BrowseEngine): Promise<readonly number[]> => {
    const { items } = await engine.search({
      ...{ terms, order, page, filter, isCounted: false, facets: new Set(), now: now() },
    });
    return items.map(({ id }) => id).sort((one, other) => one - other);
  };
  expect({ given, sql: await find(sql), index: await find(index) }).toEqual({ given, sql: ids, index: ids });
};

test('both engines find by a text that no table can hold no product, also none without a brand', async () => {
  await using engines = await createBrowseEngines(database);
  await bothFind(engines, { brands: ['\0'] }, []);
  await bothFind(engines, { brands: ['\0', 'Lumo'] }, [2]);
  await bothFind(engines, { brands: ['Lumo\0'] }, []);
  await bothFind(engines, { brands: ['\ud800'] }, []);
  await bothFind(engines, { brands: ['\ufffd'] }, [3]);
  await bothFind(engines, { brands: [''] }, [5]);
  await bothFind(engines, { tags: ['\0'] }, []);
  await bothFind(engines, { tags: ['red', '\0'] }, []);
  await bothFind(engines, { tags: ['\ud800'] }, []);
  await bothFind(engines, { tags: ['\ufffd'] }, [3]);
});

test('both engines compare times to the millisecond, as the API gives them', async () => {
  await using engines = await createBrowseEngines(database);
  const after = (time: string, ids: readonly number[]): Promise<void> =>
    bothFind(engines, { publishedAfter: parseTime(time) }, ids);
  await after('0000-01-01T00:00:00Z', [1, 2, 3, 4, 5]);
  await after('0001-01-01T00:00:00Z', [2, 3, 4, 5]);
  await after('1969-07-20T20:17:40.122Z', [2, 3, 4, 5]);
  await after('1969-07-20T20:17:40.123Z', [3, 4, 5]);
  await after('2020-01-02T03:04:05.677999Z', [3, 4, 5]);
  await after('2020-01-02T03:04:05.678Z', [5]);
  await after('2020-01-02T03:04:05.678500Z', [5]);
  await after('2020-01-02T03:04:05.679Z', []);
  await after('9999-12-31T23:59:59.999Z', []);
  await after('9999-12-31T23:59:59-12:00', []);
});

test('both engines find each number past those of JavaScript by what their facets show of it', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  for (const number of ['0', '1e400', '-1e400', '1e-400', '2.50e-310'])
    await insertProduct(own, { category_id: category, attributes: `{"Huge": ${number}}` });
  await using engines = await createBrowseEngines(own);
  const { terms, order, page } = readSearchArguments({});
  const ask = async (engine: BrowseEngine, filter: SearchFilter) => {
    const facets = new Set(['attributes'] as const);
    const { items, facets: counts } = await engine.search({
      ...{ terms, order, page, filter, isCounted: false, facets, now: engines.now() },
    });
    return { ids: items.map(({ id }) => id), facets: counts.attributes };
  };
  const shown = ['0', `1${'0'.repeat(400)}`, `-1${'0'.repeat(400)}`, `0.${'0'.repeat(399)}1`, `0.${'0'.repeat(309)}25`];
  for (const engine of [engines.sql, engines.index]) {
    const { facets } = await ask(engine, {});
    expect(facets?.[0]?.values).toEqual(shown.toSorted(compareCodePoints).map((value) => ({ value, count: 1 })));
    for (const [place, value] of shown.entries()) {
      const filter = { attributes: [{ name: 'Huge', values: [value] }] };
      expect((await ask(engine, filter)).ids).toEqual([place + 1]);
    }
  }
});
