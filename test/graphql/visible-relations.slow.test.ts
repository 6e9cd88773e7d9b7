import { describe, expect, test } from 'vitest';
import { copyWithAddedModels, createAddedTables } from '../support/added-models.ts';
import { PATIENT } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, insertVariant, momentFromNow } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const shop = await copyWithAddedModels();
const WATCHED = ['seller', 'review', 'award'];
const TOKEN = 'a-token-that-is-long-enough-to-be-one';

const database = await shared(createAddedTables(WATCHED));
const { sql } = database;
await sql(`insert into seller values (1, 'Corner')`);
const categoryId = await insertCategory(database);
const FUTURE = '2100-01-01T00:00:00Z';
for (const [name, values] of Object.entries({
  shown: {},
  draft: { status: 'DRAFT' },
  gone: { status: 'OFF_SALE' },
  future: { published_at: FUTURE },
  other: {},
})) {
  const id = await insertProduct(database, { category_id: categoryId, name, seller_id: 1, ...values });
  await insertVariant(database, { product_id: id, price: '1.00', sku: `${name}-1` });
  await sql('insert into review values ($1, $2, $1)', [id, `of ${name}`]);
  await sql('insert into award values ($1, $2, $1)', [id, `for ${name}`]);
}
await sql(`insert into award values (10, 'for nobody')`);
for (const [title, values] of Object.entries({
  current: {},
  ended: { ends_at: '2026-01-01T00:00:00Z' },
  coming: { starts_at: FUTURE },
  withdrawn: { status: 'WITHDRAWN' },
})) {
  const id = await insertNotice(database, { title, seller_id: 1, ...values });
  await sql('insert into award values ($1, $2, null, $3)', [20 + id, `by ${title}`, id]);
}
const gateway = await shared(shop.open(database.url, { ...PATIENT, PREVIEW_TOKENS: TOKEN }));

const ask = async (selection: string, headers?: Record<string, string>) => {
  const { data, errors } = JSON.parse((await gateway.ask(selection, headers)).text);
  return { data, errors };
};

const CASES: Record<string, [selection: string, data: unknown]> = {
  'a relation of many': [
    'sellers { products { name } }',
    { sellers: [{ products: [{ name: 'shown' }, { name: 'other' }] }] },
  ],
  'a relation in a relation': [
    'sellers { products(name: "shown") { variants { sku } reviews { product { seller { products { name } } } } } }',
    {
      sellers: [
        {
          products: [
            {
              variants: [{ sku: 'shown-1' }],
              reviews: [{ product: { seller: { products: [{ name: 'shown' }, { name: 'other' }] } } }],
            },
          ],
        },
      ],
    },
  ],
  'two aliases of a relation': [
    'sellers { one: products(name: "shown") { name } none: products(name: "draft") { name } all: products { name } }',
    { sellers: [{ one: [{ name: 'shown' }], none: [], all: [{ name: 'shown' }, { name: 'other' }] }] },
  ],
  'a connection of a relation': [
    'sellers { productsConnection(first: 1) { totalCount edges { node { name } } pageInfo { hasNextPage } } }',
    {
      sellers: [
        {
          productsConnection: { totalCount: 2, edges: [{ node: { name: 'shown' } }], pageInfo: { hasNextPage: true } },
        },
      ],
    },
  ],
  'the end of a connection of a relation': [
    'sellers { productsConnection(last: 1) { edges { node { name } } pageInfo { hasNextPage } } }',
    { sellers: [{ productsConnection: { edges: [{ node: { name: 'other' } }], pageInfo: { hasNextPage: false } } }] },
  ],
  'the total of a connection alone': [
    'sellers { productsConnection { totalCount } }',
    { sellers: [{ productsConnection: { totalCount: 2 } }] },
  ],
  'a count of a relation': ['sellers { productCount }', { sellers: [{ productCount: 2 }] }],
  'what a field selects': ['sellers { productNames }', { sellers: [{ productNames: ['shown', 'other'] }] }],
  'one by its key': [
    'seller(id: 1) { products { name } }',
    { seller: { products: [{ name: 'shown' }, { name: 'other' }] } },
  ],
  'a connection of products': [
    'goods { totalCount edges { node { name } } }',
    { goods: { totalCount: 2, edges: [{ node: { name: 'shown' } }, { node: { name: 'other' } }] } },
  ],
  'a hidden product by its key': ['good(id: 2) { name }', { good: null }],
  'a product by its key': [
    'good(id: 1) { name seller { name } }',
    { good: { name: 'shown', seller: { name: 'Corner' } } },
  ],
  'an interface': ['stores { products { name } }', { stores: [{ products: [{ name: 'shown' }, { name: 'other' }] }] }],
  'a union': [
    'sellersAndReviews { ... on Seller { products { name } } ... on Review { product { name } } }',
    {
      sellersAndReviews: [
        { products: [{ name: 'shown' }, { name: 'other' }] },
        { product: { name: 'shown' } },
        ...Array(3).fill({ product: null }),
        { product: { name: 'other' } },
      ],
    },
  ],
  'a query of a field below': [
    'sellersOfPage { items { products { name } } }',
    { sellersOfPage: { items: [{ products: [{ name: 'shown' }, { name: 'other' }] }] } },
  ],
  'a filter by a relation of many': ['sellersOf(product: "draft") { name }', { sellersOf: [] }],
  'a filter that holds': ['sellersOf(product: "other") { name }', { sellersOf: [{ name: 'Corner' }] }],
  'a filter by a relation of one': ['reviewsOf(product: "future") { text }', { reviewsOf: [] }],
  'a relation of one that may be null': [
    'awards { name product { name } }',
    {
      awards: [
        { name: 'for shown', product: { name: 'shown' } },
        { name: 'for draft', product: null },
        { name: 'for gone', product: null },
        { name: 'for future', product: null },
        { name: 'for other', product: { name: 'other' } },
        ...['for nobody', 'by current', 'by ended', 'by coming', 'by withdrawn'].map((name) => ({
          name,
          product: null,
        })),
      ],
    },
  ],
  'who has none that is visible': [
    'awardsWithout awardsWith',
    {
      awardsWithout: [
        'for draft',
        'for gone',
        'for future',
        'for nobody',
        'by current',
        'by ended',
        'by coming',
        'by withdrawn',
      ],
      awardsWith: ['for shown', 'for other'],
    },
  ],
  'notices of a relation: those in effect': [
    'sellers { notices { title } }',
    { sellers: [{ notices: [{ title: 'current' }] }] },
  ],
  'notices of a list: those in effect': ['news { title }', { news: [{ title: 'current' }] }],
  'a relation of products that a loader has read': [
    'hotProducts { name seller { name products { name } } }',
    {
      hotProducts: ['other', 'shown'].map((name) => ({
        name,
        seller: { name: 'Corner', products: [{ name: 'shown' }, { name: 'other' }] },
      })),
    },
  ],
};

describe('what does not exist for a client does not exist by Pothos either:', () => {
  test.for(Object.entries(CASES))('%s', async ([, [selection, data]]) => {
    expect(await ask(selection)).toEqual({ data, errors: undefined });
  });

  test('a notice by a relation of one can be read once it has begun, also when it has ended', async () => {
    const { data } = await ask('awards { notice { title } }');
    const titles = data.awards.map(({ notice }: { notice: { title: string } | null }) => notice?.title);
    expect(titles.filter(Boolean)).toEqual(['current', 'ended']);
  });

  test('a relation that has to be there is null where the field may be, and an error where it may not', async () => {
    const { data } = await ask('reviews { text product { name } }');
    expect(data.reviews).toHaveLength(5);
    expect(data.reviews[1]).toEqual({ text: 'of draft', product: null });
    const strict = await ask('reviews { reviewed { name } }');
    expect(strict).toMatchObject({ data: null, errors: [{ extensions: { code: 'INTERNAL_SERVER_ERROR' } }] });
    expect(JSON.stringify(strict)).not.toContain('draft');
  });

  test('a hidden product is there for who asks for it by name, with its relations', async () => {
    const names = ['shown', 'draft', 'gone', 'future', 'other'];
    const { data, errors } = await ask(
      'stock { name seller { name } } plainStock { name one: seller { name } two: seller { name } }',
    );
    expect(errors).toBeUndefined();
    expect(data.stock).toEqual(names.map((name) => ({ name, seller: { name: 'Corner' } })));
    expect(data.plainStock.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  test('relations of products that a loader has read take no more statements than there are relations', async () => {
    await ask('hotProducts { id } warm: hotProducts { seller { id: name } }');
    const before = gateway.statementCount();
    await ask('hotProducts { slug seller { name } }');
    // The list, and the products again with their sellers.
    expect(gateway.statementCount() - before).toBe(2);
  });
});

test('a row that is not there is looked for once', async () => {
  await ask('sellerThatIs(id: 1) { name }');
  const before = gateway.statementCount();
  expect(await ask('sellerThatIs(id: 99) { name }')).toMatchObject({ data: { sellerThatIs: null }, errors: [{}] });
  expect(gateway.statementCount() - before).toBe(1);
});

test('a preview shows what will be visible', async () => {
  const headers = { authorization: `Bearer ${TOKEN}`, 'x-preview-at': '2100-06-01T00:00:00Z' };
  const { data } = await ask(
    'sellers { productCount products { name } notices { title } } good(id: 4) { name }',
    headers,
  );
  expect(data).toEqual({
    sellers: [
      {
        productCount: 3,
        products: ['shown', 'future', 'other'].map((name) => ({ name })),
        notices: [{ title: 'current' }, { title: 'coming' }],
      },
    ],
    good: { name: 'future' },
  });
});

test.for(['sellers { products { name } }', 'sellers { productCount }', 'reviews { product { name } }'])(
  'an answer that is kept ends when a product is published by time alone: %s',
  async (selection) => {
    await using other = await createAddedTables(WATCHED);
    await using gateway = await shop.open(other.url, PATIENT);
    await other.sql(`insert into seller values (1, 'Corner')`);
    const published_at = await momentFromNow(other, 1500);
    const product = { category_id: await insertCategory(other), seller_id: 1, name: 'soon', published_at };
    await other.sql(`insert into review values (1, '…', $1)`, [await insertProduct(other, product)]);
    const before = await gateway.ask(selection);
    await expect.poll(async () => (await gateway.ask(selection)).cacheStatus).toBe('vitrine; hit');
    expect(before.text).not.toContain('soon');
    await expect.poll(async () => (await gateway.ask(selection)).text, { timeout: 5000 }).not.toBe(before.text);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(published_at) - 50);
  },
);
