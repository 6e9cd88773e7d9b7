import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, insertVariant } from '../support/rows.ts';

/** Each shows something that a statement of the back office changes. */
const CHANGES: readonly (readonly [what: string, query: string, change: string, before: unknown, after: unknown])[] = [
  [
    'a text of a product',
    '{ product(id: 1) { name } }',
    `update product set translations = '{"de": {"name": "Leinenhemd"}}' where id = 1`,
    { product: { name: 'Hemd' } },
    { product: { name: 'Leinenhemd' } },
  ],
  [
    'a text of a category that products show',
    '{ products { category { name } } }',
    `update category set translations = '{"de": {"name": "Hemden", "slug": "hemden"}}'`,
    { products: [{ category: { name: 'Shirts' } }] },
    { products: [{ category: { name: 'Hemden' } }] },
  ],
  [
    'a text of a notice',
    '{ notices { title } }',
    `update notice set translations = '{"de": {"title": "Geöffnet"}}'`,
    { notices: [{ title: 'Open' }] },
    { notices: [{ title: 'Geöffnet' }] },
  ],
  [
    'a label that there was not',
    '{ product(id: 1) { tagLabels } }',
    `insert into term_translation (language, term, text) values ('de', 'sale', 'Ausverkauf')`,
    { product: { tagLabels: ['sale'] } },
    { product: { tagLabels: ['Ausverkauf'] } },
  ],
  [
    'a label of an option, of which no product is notified',
    '{ product(id: 1) { variants { title } } }',
    `update term_translation set text = 'Hellblau' where term = 'Blue'`,
    { product: { variants: [{ title: 'Blau' }] } },
    { product: { variants: [{ title: 'Hellblau' }] } },
  ],
  [
    'a label in a facet',
    '{ productSearch { facets { options { values { label } } } } }',
    `delete from term_translation where term = 'Blue'`,
    { productSearch: { facets: { options: [{ values: [{ label: 'Hellblau' }] }] } } },
    { productSearch: { facets: { options: [{ values: [{ label: 'Blue' }] }] } } },
  ],
  [
    'the order of a facet, which is that of labels nobody asked for',
    '{ productSearch { facets { attributes { name } } } }',
    `insert into term_translation (language, term, text) values ('de', 'Width', 'Aa')`,
    { productSearch: { facets: { attributes: [{ name: 'Material' }, { name: 'Width' }] } } },
    { productSearch: { facets: { attributes: [{ name: 'Width' }, { name: 'Material' }] } } },
  ],
  [
    'an alias that there was not',
    '{ productBySlug(slug: "leinen") { id } }',
    `update product set translations = '{"de": {"slug": "leinen"}}' where id = 1`,
    { productBySlug: null },
    { productBySlug: { id: 1 } },
  ],
  [
    'an alias that another product takes for its own slug',
    '{ productBySlug(slug: "leinen") { id } }',
    `insert into product (id, category_id, name, slug, price, published_at) select 2, category_id, 'Other', 'leinen', 1, published_at from product where id = 1`,
    { productBySlug: { id: 1 } },
    { productBySlug: { id: 2 } },
  ],
  [
    'an alias of a category',
    '{ categoryBySlug(slug: "shirts") { name } }',
    `update category set slug = 'all-shirts'`,
    { categoryBySlug: { name: 'Hemden' } },
    { categoryBySlug: { name: 'Hemden' } },
  ],
];

describe('with FRESHNESS_MS=0', () => {
  let database: TestDatabase;
  let gateway: TestGateway;

  beforeAll(async () => {
    database = await createTestDatabase();
    const category = await insertCategory(database, { name: 'Shirts', slug: 'shirts' });
    await insertProduct(database, {
      id: 1,
      category_id: category,
      name: 'Shirt',
      tags: ['sale'],
      option_names: ['Colour'],
      attributes: { Material: 'linen', Width: 'wide' },
      translations: { de: { name: 'Hemd' } },
    });
    await insertVariant(database, { product_id: 1, price: '1.00', option_values: ['Blue'] });
    await insertNotice(database, { title: 'Open' });
    await database.sql(`insert into term_translation values ('de', 'Blue', 'Blau')`);
    gateway = await createTestGateway(database, {
      LANGUAGES: 'en,de',
      FRESHNESS_MS: '0',
    });
    return async () => {
      await gateway[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    };
  });

  // In this order: each begins where the last one has ended.
  test.for(CHANGES)('%s is shown at once', async ([, query, change, before, after]) => {
    const ask = async () => (await gateway.graphql(query, {}, { 'accept-language': 'de' })).data;
    expect(await ask()).toEqual(before);
    expect(await ask()).toEqual(before);
    await database.sql(change);
    expect(await ask()).toEqual(after);
  });
});
