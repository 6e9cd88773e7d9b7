import { expect, test } from 'vitest';
import { CacheHints } from '../../src/cache/hints.ts';
import {
  createKnownFields,
  type FieldsOfOperation,
  type KnownField,
  type WrittenField,
} from '../../src/cache/known-fields.ts';
import { createTagVersions } from '../../src/cache/tags.ts';
import { FEATURES } from '../../src/features.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct, momentFromNow } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const FIELD: KnownField = { text: '"list":[1,2]', rows: 2 };
const WRITTEN: WrittenField = { ...FIELD, chars: FIELD.text.length, text: () => FIELD.text };
const NEVER = Number.POSITIVE_INFINITY;

const tagVersions = createTagVersions(FEATURES);

interface Monitor {
  readonly mayUse?: boolean;
  readonly isLost?: boolean;
  readonly nextChangeMs?: number | undefined;
}

const fieldsOf = (monitor: Monitor = {}) => {
  const { mayUse, isLost, nextChangeMs } = { mayUse: true, isLost: false, nextChangeMs: NEVER, ...monitor };
  const known = createKnownFields({
    knownRows: { mayUse: () => mayUse },
    tagVersions,
    freshnessMonitor: { isLost: () => isLost, nextChangeMs: () => nextChangeMs },
    maxBytes: 100_000,
  });
  const begin = (atMs: number, hints = new CacheHints(tagVersions.tags)) => ({
    hints,
    fields: known.begin(hints, new Date(atMs)),
  });
  /** Two operations write the field, as one that shows row 7 does. */
  const keep = (describe: (hints: CacheHints) => void = () => {}): void => {
    for (const atMs of [1000, 1000]) {
      const { hints, fields } = begin(atMs);
      hints.dependsOnRow('product', 7);
      hints.dependsOn('category');
      describe(hints);
      fields?.keep('key', WRITTEN);
    }
  };
  const find = (atMs = 1000): KnownField | undefined => begin(atMs).fields?.find('key');
  return { begin, keep, find };
};

const change = (id: number): void =>
  tagVersions.changed({ table: 'product', rows: { ids: [id], groupIds: [], nextChangeMs: NEVER } });

test('a field is known once two operations have written it, until a row of it changes', () => {
  const { begin, keep, find } = fieldsOf();
  begin(1000).fields?.keep('key', WRITTEN);
  expect(find()).toBeUndefined();
  keep();
  expect(find()).toMatchObject(FIELD);
  change(8);
  expect(find()).toMatchObject(FIELD);
  change(7);
  expect(find()).toBeUndefined();
});

test('who is given a known field depends on all that it shows', () => {
  const { begin, keep } = fieldsOf({ nextChangeMs: 9000 });
  keep((hints) => {
    hints.holdsUntil(5000);
    hints.showsUntil(6000);
  });
  const { hints, fields } = begin(1000);
  fields?.find('key');
  const { row, whole } = tagVersions.tags.of('product');
  expect([...hints.tags]).toEqual(expect.arrayContaining([whole, row(7), tagVersions.tags.of('category').anyRow]));
  expect([...hints.tables]).toEqual(['category']);
  expect([hints.changesMs, hints.endsMs]).toEqual([5000, 6000]);
});

test('a field is not known before the time of the operation that wrote it, nor once rows begin or end to show', () => {
  const { keep, find } = fieldsOf({ nextChangeMs: 2000 });
  keep();
  expect([999, 1000, 1999, 2000].map((atMs) => find(atMs) !== undefined)).toEqual([false, true, true, false]);
});

test.for<[string, () => ReturnType<typeof fieldsOf>, ((hints: CacheHints) => void)?]>([
  ['it shows a view count, which is soon too old', () => fieldsOf(), (hints) => hints.holdsFor(3000)],
  ['its row has changed since the operation began', () => fieldsOf(), () => change(7)],
  ['it is not known when rows next begin or end to show', () => fieldsOf({ nextChangeMs: undefined })],
  ['the connection for changes is lost', () => fieldsOf({ isLost: true })],
])('a field is not kept where %s', ([, create, describe]) => {
  const { keep, find } = create();
  keep(describe);
  expect(find()).toBeUndefined();
});

test('an operation that counts views, or may not be answered of what is known, has no known fields', () => {
  const hints = new CacheHints(tagVersions.tags);
  hints.countsViews = true;
  const none: (FieldsOfOperation | undefined)[] = [
    fieldsOf().begin(1000, hints).fields,
    fieldsOf({ mayUse: false }).begin(1000).fields,
  ];
  expect(none).toEqual([undefined, undefined]);
});

// Each operation has a name of its own, so that no response is cached, and heartbeats come seldom, so that what is known is so for as long as a test takes.
const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { FRESHNESS_MS: '1000' }));

let asked = 0;

const ask = async (selection: string): Promise<Record<string, unknown>> => {
  asked += 1;
  const { data, errors } = await gateway.graphql(`query Q${asked} { ${selection} }`);
  expect(errors).toBeUndefined();
  return data as Record<string, unknown>;
};

/** Also as a known field. */
const askOften = async (selection: string): Promise<Record<string, unknown>> => {
  for (let times = 0; times < 5; times += 1) await ask(selection);
  return ask(selection);
};

test('fields that show the same list change with its rows, each by itself', async () => {
  const categoryId = await insertCategory(database, { name: 'Cups' });
  const id = await insertProduct(database, { category_id: categoryId, name: 'Cup', price: 5 });
  const list = `products(categoryIds: [${categoryId}], orderBy: PRICE_ASC, limit: 5)`;
  const second = `second: ${list} { id name category { name } }`;
  await expect.poll(() => askOften(`first: ${list} { id } ${second}`)).toMatchObject({ second: [{ name: 'Cup' }] });
  expect(await askOften(second)).toEqual({ second: [{ id, name: 'Cup', category: { name: 'Cups' } }] });
  await database.sql(`update product set name = 'Mug' where id = $1`, [id]);
  await expect.poll(() => ask(second)).toMatchObject({ second: [{ name: 'Mug' }] });
  await askOften(second);
  await database.sql(`update category set name = 'Mugs' where id = $1`, [categoryId]);
  await expect.poll(() => ask(second)).toMatchObject({ second: [{ category: { name: 'Mugs' } }] });
  await askOften(second);
  await insertProduct(database, { category_id: categoryId, name: 'Bowl', price: 1 });
  await expect.poll(() => ask(second)).toMatchObject({ second: [{ name: 'Bowl' }, { name: 'Mug' }] });
});

test('a known field shows a product that is published from then on', async () => {
  const categoryId = await insertCategory(database, { name: 'Plates' });
  await insertProduct(database, { category_id: categoryId, name: 'Plate' });
  const publishedAt = await momentFromNow(database, 1500);
  await insertProduct(database, { category_id: categoryId, name: 'Later', published_at: publishedAt });
  const list = `categories { id products(limit: 7) { name publishedAt } }`;
  const names = async (): Promise<string> => JSON.stringify(await ask(list));
  await askOften(list);
  await expect.poll(names, { timeout: 10_000 }).toContain('Later');
});

test('arguments, aliases and what is selected tell fields apart; where a field stands does not', async () => {
  const categoryId = await insertCategory(database, { name: 'Pots' });
  for (const price of [1, 2, 3])
    await insertProduct(database, { category_id: categoryId, name: `Pot ${price}`, price });
  const list = (limit: string, fields: string): string =>
    `products(categoryIds: [${categoryId}], orderBy: PRICE_DESC, limit: ${limit}) { ${fields} }`;
  const [one, two] = [[{ name: 'Pot 3' }], [{ name: 'Pot 3' }, { name: 'Pot 2' }]];
  expect(await askOften(`a: ${list('1', 'name')} b: ${list('2', 'name')}`)).toEqual({ a: one, b: two });
  expect(await askOften(`b: ${list('2', 'name')} a: ${list('1', 'name')}`)).toEqual({ b: two, a: one });
  expect(await askOften(`a: ${list('1', 'called: name')}`)).toEqual({ a: [{ called: 'Pot 3' }] });
  expect(await askOften(`a: ${list('2', 'name')}`)).toEqual({ a: two });
  for (const limit of [1, 2, 1, 2, 1, 2]) {
    asked += 1;
    const query = `query Q${asked}($limit: Int) { ${list('$limit', 'name')} }`;
    const { data } = await gateway.graphql(query, { limit });
    expect(data).toEqual({ products: limit === 1 ? one : two });
  }
});
