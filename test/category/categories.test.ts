import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
// Ids, positions and the order of writing all disagree; positions repeat, are negative and are left at their default.
const home = await insertCategory(database, {
  name: 'Zuhause „Ω“ 🏠',
  slug: 'home',
  position: 5,
  image_url: '/home.svg',
});
await insertCategory(database, { name: 'Last', position: 2_147_483_647 });
const garden = await insertCategory(database, { id: 300, name: 'Garden', position: 1 });
await insertCategory(database, { name: 'Sale', position: -1 });
await insertCategory(database, { id: 200, name: 'Also one', position: 1 });
await insertCategory(database, { name: 'Default' });
const kitchen = await insertCategory(database, { id: 400, name: 'Kitchen', parent_id: home, position: 2 });
await insertCategory(database, { id: 100, name: 'Bath', parent_id: home, position: 2 });
await insertCategory(database, { name: 'Bedroom', parent_id: home, position: 1 });
const cups = await insertCategory(database, { name: 'Cups', parent_id: kitchen });
for (const [category_id, name] of [
  [home, 'Key'],
  [kitchen, 'Whisk'],
  [kitchen, 'Knife'],
  [cups, 'Mug'],
] as const) {
  await insertProduct(database, { category_id, name });
}
await insertProduct(database, { category_id: garden, name: 'Secret', status: 'DRAFT' });
const gateway = await shared(createTestGateway(database, PATIENT));

const namesOf = (rows: { name: string }[]): string[] => rows.map(({ name }) => name);

describe('the tree of categories', () => {
  test('has only roots at its top, by position and then by id', async () => {
    const { data } = await gateway.graphql('{ categories { name parent { id } } }');
    expect(namesOf(data.categories)).toEqual(['Sale', 'Default', 'Also one', 'Garden', 'Zuhause „Ω“ 🏠', 'Last']);
    for (const { parent } of data.categories) expect(parent).toBeNull();
  });

  test('has the children of each by position and then by id, down to those that have none', async () => {
    const { data } = await gateway.graphql(
      '{ categories { name children { name children { name children { name } } } } }',
    );
    const trees = Object.fromEntries(
      data.categories.map((root: { name: string; children: unknown }) => [root.name, root.children]),
    );
    expect(trees).toEqual({
      Sale: [],
      Default: [],
      Garden: [],
      'Also one': [],
      Last: [],
      'Zuhause „Ω“ 🏠': [
        { name: 'Bedroom', children: [] },
        { name: 'Bath', children: [] },
        { name: 'Kitchen', children: [{ name: 'Cups', children: [] }] },
      ],
    });
  });

  test('is walked upwards by parent', async () => {
    const { data } = await gateway.graphql(
      `{ category(id: ${cups}) { name parent { name parent { name parent { name } } } } }`,
    );
    expect(data.category).toEqual({
      name: 'Cups',
      parent: { name: 'Kitchen', parent: { name: 'Zuhause „Ω“ 🏠', parent: null } },
    });
  });

  test('takes a statement a level, and none for the parents of categories that were just read', async () => {
    await using uncached = await createTestGateway(database, { CACHE_MAX_MB: '0' });
    const tree = '{ categories { id children { id parent { name } children { id parent { parent { name } } } } } }';
    expect(await uncached.countStatements(() => uncached.graphql(tree))).toBe(3);
  });

  test('is an empty list where there are no categories', async () => {
    await using emptyDatabase = await createTestDatabase();
    await using empty = await createTestGateway(emptyDatabase);
    expect(await empty.graphql('{ categories { id } products { id } hotProducts { id } notices { id } }')).toEqual({
      data: { categories: [], products: [], hotProducts: [], notices: [] },
    });
  });
});

describe('a category', () => {
  test('has every field as the back office wrote it', async () => {
    const { data } = await gateway.graphql(
      'query ($ids: [Int!]) { products(categoryIds: $ids) { category { id name slug imageUrl parent { id } } } }',
      { ids: [home] },
    );
    const expected = { id: home, name: 'Zuhause „Ω“ 🏠', slug: 'home', imageUrl: '/home.svg', parent: null };
    expect(data.products).toEqual([{ category: expected }]);
    const detail = await gateway.graphql(`{ category(id: ${home}) { id name slug imageUrl parent { id } } }`);
    expect(detail.data.category).toEqual(expected);
  });

  test('without an image has none', async () => {
    const { data } = await gateway.graphql(`{ category(id: ${cups}) { imageUrl } }`);
    expect(data.category).toEqual({ imageUrl: null });
  });

  test('has its own products, not those of its children', async () => {
    const { data } = await gateway.graphql(
      `{ home: category(id: ${home}) { products { name } } kitchen: category(id: ${kitchen}) { products(orderBy: NAME_ASC) { name } } }`,
    );
    expect(data.home.products).toEqual([{ name: 'Key' }]);
    expect(data.kitchen.products).toEqual([{ name: 'Knife' }, { name: 'Whisk' }]);
  });

  test('whose products are all hidden has none', async () => {
    const { data } = await gateway.graphql(`{ category(id: ${garden}) { name products { id } children { id } } }`);
    expect(data.category).toEqual({ name: 'Garden', products: [], children: [] });
  });

  test.for([0, -1, 999_999, 2_147_483_647, -2_147_483_648])('%i that nobody knows is null', async (id) => {
    const { data, errors } = await gateway.graphql('query ($id: Int!) { category(id: $id) { id } }', { id });
    expect(errors).toBeUndefined();
    expect(data).toEqual({ category: null });
  });
});
