import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, JSON_HEADERS } from '../support/gateway.ts';
import { insertCategory, insertProduct, insertVariant } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const kitchen = await insertCategory(database, { name: 'Kitchen', translations: { de: { name: 'Küche' } } });
const cups = await insertCategory(database, {
  name: 'Cups',
  slug: 'cups',
  parent_id: kitchen,
  translations: { de: { name: 'Tassen', slug: 'tassen' } },
});
await insertProduct(database, {
  id: 1,
  category_id: cups,
  name: 'Mug',
  slug: 'mug',
  tags: ['new'],
  option_names: ['Colour'],
  attributes: { Material: 'clay' },
  translations: { de: { name: 'Becher', slug: 'becher' } },
});
for (const [id, value] of [
  [1, 'Red'],
  [2, 'Blue'],
])
  await insertVariant(database, { id, product_id: 1, price: '10.00', option_values: [value], stock: 1, position: id });
await database.sql(
  `insert into term_translation (language, term, text) values
     ('de', 'Colour', 'Farbe'), ('de', 'Red', 'Rot'), ('de', 'Blue', 'Blau'), ('de', 'new', 'neu'), ('de', 'Material', 'Stoff'), ('de', 'clay', 'Ton')`,
);
const gateway = await shared(createTestGateway(database, { UCP: 'on', LANGUAGES: 'en,de' }));

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asked for
type Answer = { status: number; json: any; headers: Readonly<Record<string, string>> };

const ask = async (operation: string, body: object, headers = {}): Promise<Answer> => {
  const all = { ...JSON_HEADERS, ...headers };
  return (await gateway.request('POST', `/ucp/catalog/${operation}`, all, JSON.stringify(body))) as Answer;
};

const GERMAN = { context: { language: 'de-AT' } };

test('texts, labels and paths are in the language of the context', async () => {
  const { json, headers } = await ask('search', { ...GERMAN, query: 'becher' }, { 'accept-language': 'en' });
  expect(headers['content-language']).toBe('de');
  expect(json.products).toMatchObject([
    {
      handle: 'becher',
      title: 'Becher',
      categories: [{ value: 'Küche > Tassen' }],
      options: [{ name: 'Farbe', values: [{ label: 'Rot' }, { label: 'Blau' }] }],
      variants: [{ title: 'Rot', options: [{ name: 'Farbe', label: 'Rot' }] }],
      tags: ['neu'],
      metadata: { attributes: { Stoff: ['Ton'] } },
    },
  ]);
});

test('without one they are in that of the header, else in the first', async () => {
  const titleOf = async (headers = {}) => {
    const { json, headers: answered } = await ask('lookup', { ids: ['product/1'] }, headers);
    expect(answered.vary).toContain('accept-language');
    return json.products[0].title;
  };
  expect(await titleOf({ 'accept-language': 'de' })).toBe('Becher');
  expect(await titleOf({ 'accept-language': 'fr' })).toBe('Mug');
  expect(await titleOf()).toBe('Mug');
});

test('what is no language is refused', async () => {
  const { status, json } = await ask('lookup', { ids: ['product/1'], context: { language: 'not a tag' } });
  expect([status, json.code]).toEqual([400, 'invalid_request']);
});

test('a filter takes categories as they are shown, and by their slugs and names in the first language', async () => {
  for (const name of ['Küche > Tassen', 'Tassen', 'tassen', 'Küche', 'Cups', 'cups']) {
    const filters = { categories: [name] };
    expect((await ask('search', { ...GERMAN, filters })).json.products, name).toHaveLength(1);
    expect((await ask('lookup', { ...GERMAN, filters, ids: ['becher'] })).json.products, name).toHaveLength(1);
  }
  expect((await ask('search', { ...GERMAN, filters: { categories: ['Tassen > Küche'] } })).json.products).toEqual([]);
});

test('handles of every language are looked up, and options are selected as they are shown', async () => {
  for (const id of ['becher', 'mug']) {
    expect((await ask('lookup', { ...GERMAN, ids: [id] })).json).toMatchObject({
      products: [{ variants: [{ inputs: [{ id, match: 'featured' }] }] }],
    });
  }
  const { json } = await ask('product', { ...GERMAN, id: 'mug', selected: [{ name: 'Farbe', label: 'Blau' }] });
  expect(json.product).toMatchObject({ variants: [{ id: 'variant/2' }], selected: [{ name: 'Farbe', label: 'Blau' }] });
});

test('a tool is in the language of its context, too', async () => {
  const params = { name: 'get_product', arguments: { catalog: { ...GERMAN, id: 'mug' } } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const { text, headers } = await gateway.request('POST', '/ucp/mcp', { ...JSON_HEADERS, accept: '*/*' }, body);
  expect(text).toContain('"title":"Becher"');
  expect(headers['content-language']).toBe('de');
});
