import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const kitchen = await insertCategory(database, { name: 'Tea & kitchen' });
const pots = await insertCategory(database, { name: 'Teapots', parent_id: kitchen });
await insertCategory(database, { name: 'Tea gifts' });
for (const product of [
  { name: 'Green tea', brand: 'Teatime', tags: ['tea', 'green'], sales: 10 },
  { name: 'Cast iron teapot', brand: 'Lumo', tags: ['iron', 'old tea'], sales: 90 },
  { name: 'GREEN TEA', brand: 'lumo', tags: [], sales: 5 },
  { name: 'Mug', brand: 'Lumo', tags: ['TEA'], sales: 1 },
  { name: 'Théière', brand: null, tags: [], sales: 2, description: 'A teapot.' },
  { name: 'Hidden tea', brand: 'Teabrand', tags: ['teatag'], sales: 1000, status: 'DRAFT' },
  { name: 'Future tea', sales: 1000, published_at: '2100-01-01Z' },
  { name: '铁茶壶', brand: '宜兴', tags: ['茶'], sales: 7 },
]) {
  await insertProduct(database, { category_id: pots, ...product });
}
const gateway = await shared(createTestGateway(database, PATIENT));

const suggest = async (prefix: string, limit?: number): Promise<string[]> => {
  const { data, errors } = await gateway.graphql(
    `query ($prefix: String!, $limit: Int! = 8) {
       searchSuggestions(prefix: $prefix, limit: $limit) { text kind product { name } category { name } } }`,
    { prefix, limit },
  );
  expect(errors).toBeUndefined();
  for (const { text, kind, product, category } of data.searchSuggestions) {
    expect({ product, category }).toEqual({
      product: kind === 'PRODUCT' ? { name: text } : null,
      category: kind === 'CATEGORY' ? { name: text } : null,
    });
  }
  return data.searchSuggestions.map(({ kind, text }: { kind: string; text: string }) => `${kind} ${text}`);
};

test('suggestions are names, categories, brands and tags with a word that begins so: best sellers first, each text once', async () => {
  expect(await suggest('tea')).toEqual([
    'CATEGORY Tea & kitchen',
    'CATEGORY Teapots',
    'TAG old tea',
    'PRODUCT Cast iron teapot',
    'BRAND Teatime',
    'TAG tea',
    'PRODUCT Green tea',
  ]);
});

test.each([
  ['TÉA', 3, ['CATEGORY Tea & kitchen', 'CATEGORY Teapots', 'TAG old tea']],
  ['lum', 8, ['BRAND Lumo']],
  ['green t', 8, ['PRODUCT Green tea']],
  ['tea gr', 8, ['PRODUCT Green tea']],
  ['the', 8, ['PRODUCT Théière']],
  ['茶', 8, ['TAG 茶', 'PRODUCT 铁茶壶']],
  ['茶壶', 8, ['PRODUCT 铁茶壶']],
  ['hidd', 8, []],
  ['teab', 8, []],
  ['teat', 8, ['BRAND Teatime']],
  ['tea gi', 8, []],
  ['ea', 8, []],
  ['', 8, []],
  ['  ', 8, []],
  ['%', 8, []],
  ['\0', 8, []],
])('%j, at most %i: %j', async (prefix, limit, expected) => {
  expect(await suggest(prefix, limit)).toEqual(expected);
});

test('a prefix or a limit out of bounds is refused', async () => {
  const refusal = async (variables: Record<string, unknown>) => {
    const query =
      'query ($prefix: String!, $limit: Int! = 8) { searchSuggestions(prefix: $prefix, limit: $limit) { text } }';
    const { errors } = await gateway.graphql(query, variables);
    return errors?.map(({ extensions: { code, argument } }) => `${code} ${argument}`);
  };
  expect(await refusal({ prefix: 'a', limit: 0 })).toEqual(['BAD_USER_INPUT limit']);
  expect(await refusal({ prefix: 'a', limit: 21 })).toEqual(['BAD_USER_INPUT limit']);
  expect(await refusal({ prefix: 'a', limit: 20 })).toBeUndefined();
  expect(await refusal({ prefix: 'x'.repeat(201) })).toEqual(['BAD_USER_INPUT prefix']);
  expect(await refusal({ prefix: 'a b c d e f g h i j k' })).toEqual(['BAD_USER_INPUT prefix']);
});

test('suggestions without their rows take one statement, and change with the catalogue', async () => {
  const query = '{ searchSuggestions(prefix: "mu") { text } }';
  const ask = async () => (await gateway.graphql(query)).data.searchSuggestions;
  expect(await gateway.countStatements(ask)).toBe(1);
  expect(await ask()).toEqual([{ text: 'Mug' }]);
  await database.sql(`update product set name = 'Mug, blue' where name = 'Mug'`);
  await expect.poll(ask).toEqual([{ text: 'Mug, blue' }]);
});
