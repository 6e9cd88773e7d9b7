import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { fillShelves, isBelow, PARENTS, readShelves } from '../support/shelves.ts';

const database = await shared(createTestDatabase());
await fillShelves(database, 120);
const visible = (await readShelves(database)).filter(({ isVisible }) => isVisible);
const gateway = await shared(createTestGateway(database, { ...PATIENT, CACHE_MAX_MB: '0' }));

const IDS = Object.keys(PARENTS).map(Number);

test('a category is found by its slug', async () => {
  const bySlug = async (slug: string) =>
    (await gateway.graphql('query ($slug: String!) { categoryBySlug(slug: $slug) { id } }', { slug })).data
      .categoryBySlug;
  expect(await bySlug('shelf-3')).toEqual({ id: 3 });
  expect(await bySlug('Shelf-3')).toBeNull();
  expect(await bySlug('')).toBeNull();
  expect(await bySlug('shelf-3\0')).toBeNull();
});

test('ancestors are those above, root first, without the category itself', async () => {
  for (const id of IDS) {
    const { data } = await gateway.graphql(`{ category(id: ${id}) { ancestors { id } } }`);
    const expected: number[] = [];
    for (let at = PARENTS[id] ?? null; at !== null; at = PARENTS[at] ?? null) expected.unshift(at);
    expect(data.category.ancestors.map((each: { id: number }) => each.id)).toEqual(expected);
  }
});

test('product counts are of visible products, with those of the categories below or without', async () => {
  for (const id of IDS) {
    const { data } = await gateway.graphql(
      `{ category(id: ${id}) { all: productCount own: productCount(withDescendants: false) } }`,
    );
    expect(data.category).toEqual({
      all: visible.filter(({ category_id }) => isBelow(category_id, id)).length,
      own: visible.filter(({ category_id }) => category_id === id).length,
    });
  }
});

test('counts and ancestors of all categories take a statement each', async () => {
  const query = '{ products(limit: 50) { category { productCount ancestors { name } } } }';
  expect(await gateway.countStatements(() => gateway.graphql(query))).toBe(4);
  const counts = '{ categories { productCount children { productCount own: productCount(withDescendants: false) } } }';
  expect(await gateway.countStatements(() => gateway.graphql(counts))).toBe(5);
});

test('a count changes with the products, and with the tree', async () => {
  await using own = await createTestDatabase();
  const root = await insertCategory(own);
  const child = await insertCategory(own, { parent_id: root });
  await using there = await createTestGateway(own, PATIENT);
  const counts = async () =>
    (await there.graphql(`{ category(id: ${root}) { productCount own: productCount(withDescendants: false) } }`)).data
      .category;
  expect(await counts()).toEqual({ productCount: 0, own: 0 });
  await insertProduct(own, { category_id: child });
  await insertProduct(own, { category_id: root });
  await expect.poll(counts).toEqual({ productCount: 2, own: 1 });
  await own.sql('update category set parent_id = null');
  await expect.poll(counts).toEqual({ productCount: 1, own: 1 });
});

test('a tree that leads round in a circle is no endless loop', async () => {
  await using own = await createTestDatabase();
  const first = await insertCategory(own, { name: 'First' });
  const second = await insertCategory(own, { name: 'Second', parent_id: first });
  const third = await insertCategory(own, { name: 'Third', parent_id: second });
  await own.sql('update category set parent_id = $1 where id = $2', [third, first]);
  const alone = await insertCategory(own, { name: 'Alone' });
  await own.sql('update category set parent_id = id where id = $1', [alone]);
  for (const category_id of [first, second, third, alone]) await insertProduct(own, { category_id });
  await using there = await createTestGateway(own, PATIENT);
  const { data, errors } = await there.graphql(`{
    category(id: ${first}) { ancestors { name } productCount }
    alone: category(id: ${alone}) { ancestors { name } productCount }
    productSearch(filter: { categoryIds: [${second}] }) {
      totalCount facets { categories { category { name } count } }
    }
    searchSuggestions(prefix: "th") { text }
  }`);
  expect(errors).toBeUndefined();
  expect(data.category).toEqual({ ancestors: [{ name: 'Second' }, { name: 'Third' }], productCount: 3 });
  expect(data.alone).toEqual({ ancestors: [], productCount: 1 });
  expect(data.productSearch.totalCount).toBe(3);
  expect(data.productSearch.facets.categories).toEqual([
    { category: { name: 'First' }, count: 3 },
    { category: { name: 'Second' }, count: 3 },
    { category: { name: 'Third' }, count: 3 },
    { category: { name: 'Alone' }, count: 1 },
  ]);
  expect(data.searchSuggestions).toEqual([{ text: 'Third' }]);
});
