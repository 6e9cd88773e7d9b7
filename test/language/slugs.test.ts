import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { LANGUAGES: 'en,de,pt-BR' }));

const shirts = await insertCategory(database, {
  id: 1,
  name: 'Shirts',
  slug: 'shirts',
  translations: { de: { slug: 'hemden' } },
});
await insertCategory(database, { id: 2, name: 'Hem', slug: 'hems', translations: { pt: { slug: 'hemden' } } });
await insertProduct(database, { id: 1, category_id: shirts, slug: 'gift', translations: { de: { slug: 'mitgift' } } });
await insertProduct(database, {
  id: 2,
  category_id: shirts,
  slug: 'poison',
  translations: { de: { slug: 'gift' }, pt: { slug: 'rata' } },
});
await insertProduct(database, { id: 3, category_id: shirts, slug: 'rat', translations: { de: { slug: 'rata' } } });
await insertProduct(database, {
  id: 4,
  category_id: shirts,
  slug: 'draft',
  status: 'DRAFT',
  translations: { de: { slug: 'entwurf' } },
});
await insertProduct(database, {
  id: 5,
  category_id: shirts,
  slug: 'sketch',
  translations: { de: { slug: 'draft' }, pt: { slug: 'entwurf' } },
});
await insertProduct(database, { id: 6, category_id: shirts, slug: 'former' });
await database.sql(`update product set slug = 'present' where id = 6`);

test.for([
  ['en', 'gift', 1],
  // Its own column first, whatever it means in the language.
  ['de', 'gift', 1],
  ['de', 'mitgift', 1],
  ['en', 'mitgift', 1],
  ['de', 'rata', 3],
  ['pt-BR', 'rata', 2],
  ['de', 'draft', 5],
  ['de', 'entwurf', 5],
  ['en', 'former', 6],
  ['de', 'former', 6],
  ['de', 'nothing', null],
  ['de', 'nul\0', null],
] as const)('in %s the slug %j leads to product %s', async ([language, slug, id]) => {
  const { data } = await gateway.graphql(
    'query ($slug: String!, $language: String) @inContext(language: $language) { productBySlug(slug: $slug) { id } productsBySlugs(slugs: [$slug]) { id } }',
    { slug, language },
  );
  const found = id === null ? null : { id };
  expect(data).toEqual({ productBySlug: found, productsBySlugs: [found] });
});

test.for([
  ['de', 'hemden', 1],
  ['pt-BR', 'hemden', 2],
  ['en', 'hems', 2],
  ['de', 'nothing', null],
] as const)('in %s the slug %j leads to category %s', async ([language, slug, id]) => {
  const { data } = await gateway.graphql(
    'query ($slug: String!, $language: String) @inContext(language: $language) { categoryBySlug(slug: $slug) { id } }',
    { slug, language },
  );
  expect(data.categoryBySlug).toEqual(id === null ? null : { id });
});

test('slugs of many products take one statement, and those that are no own slugs one or two more', async () => {
  const count = (slugs: readonly string[]) =>
    gateway.countStatements(() =>
      gateway.graphql('query ($slugs: [String!]!) { productsBySlugs(slugs: $slugs) { name } }', { slugs }),
    );
  expect(await count(['gift', 'poison', 'rat'])).toBe(1);
  expect(await count(['gift', 'nothing', 'nowhere'])).toBe(2);
});

test('who was led by an alias is told the slug to redirect to', async () => {
  const { data } = await gateway.graphql('query @inContext(language: "de") { productBySlug(slug: "poison") { slug } }');
  expect(data.productBySlug.slug).toBe('gift');
});
