import { describe, expect, test } from 'vitest';
import { costOf } from '../support/cost.ts';
import { createTestDatabase } from '../support/database.ts';
import { openStream, untilShown } from '../support/events.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { stored } from '../support/views.ts';

const database = await shared(createTestDatabase());
const category_id = await insertCategory(database);
await insertProduct(database, { category_id, sales: 1 });
await insertProduct(database, { category_id });
const noticeId = await insertNotice(database);
const gateway = await shared(createTestGateway(database));

const QUERIES: [query: string, data: unknown][] = [
  ['{ }', {}],
  ['query Named { ... { } ... on Query { } }', {}],
  ['{ product(id: 1) { } }', { product: {} }],
  ['{ product(id: 99) { } }', { product: null }],
  ['{ a: product(id: 1) { } hotProducts { } }', { a: {}, hotProducts: [{}, {}] }],
  ['{ hotProducts(limit: 1) { category { } id } }', { hotProducts: [{ category: {}, id: 1 }] }],
  ['{ hotProducts(limit: 1) { id category { } price { } } }', { hotProducts: [{ id: 1, category: {}, price: {} }] }],
  ['{ product(id: 1) { } product(id: 1) { id } }', { product: { id: 1 } }],
  ['{ product(id: 1) { ...None } } fragment None on Product { ... { } }', { product: {} }],
  ['{ product(id: 1) { category @include(if: true) { } } }', { product: { category: {} } }],
  ['{ noticePage { items { } } notices { } }', { noticePage: { items: [{}] }, notices: [{}] }],
  [
    '{ productSearch { edges { } pageInfo { } facets { } } }',
    { productSearch: { edges: [{}, {}], pageInfo: {}, facets: {} } },
  ],
  ['{ categories { children { } } }', { categories: [{ children: [] }] }],
  ['{ __schema { } __type(name: "Product") { } }', { __schema: {}, __type: {} }],
];

describe('an empty selection set', () => {
  test.for(QUERIES)('is an empty object in every form of answer: %s', async ([query, data]) => {
    // What is answered first is computed, then remembered.
    for (let times = 0; times < 3; times += 1) {
      for (const accept of ['application/json', 'application/graphql-response+json']) {
        const target = `/graphql?${new URLSearchParams({ query })}`;
        for (const answer of [await gateway.post({ query }, { accept }), await gateway.get(target, { accept })]) {
          expect([answer.status, answer.json]).toEqual([200, { data }]);
        }
      }
      const events = await openStream(gateway, query);
      expect([events.results, events.isComplete()]).toEqual([[{ data }], true]);
    }
  });

  test('is an empty object in the events of a subscription, which come where the length of the list changes', async () => {
    const lists = await openStream(gateway, 'subscription { notices { } }');
    await untilShown(lists, { notices: [{}] });
    const other = await insertNotice(database);
    await untilShown(lists, { notices: [{}, {}] });
    await database.sql('delete from notice where id = $1', [other]);
    await untilShown(lists, { notices: [{}] });
    lists.leave();
    const product = await openStream(gateway, 'subscription { product(id: 1) { category { } } }');
    await untilShown(product, { product: { category: {} } });
    product.leave();
  });

  test.for([
    ['{ product(id: 1) { id { } } }', 'Field "id" must not have a selection since type "Int!" has no subfields.'],
    ['{ product(id: 1) }', expect.stringContaining('must have a selection of subfields')],
    ['subscription { }', 'Anonymous Subscription must select one top level field.'],
    ['subscription { ... { } }', 'Anonymous Subscription must select one top level field.'],
  ] as [string, string][])('is refused where graphql-js refuses it: %s', async ([query, message]) => {
    const { results } = await openStream(gateway, query);
    expect(results).toMatchObject([{ errors: [{ message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] }]);
  });

  test('of a notice counts its view, and of a missing one none', async () => {
    const before = await stored(database, noticeId);
    const query = `{ notice(id: ${noticeId}) { } missing: notice(id: 99) { } }`;
    expect(await gateway.graphql(query)).toEqual({ data: { notice: {}, missing: null } });
    expect(await stored(database, noticeId)).toBe(before + 1);
  });

  test('costs as much as the rows that it counts', () => {
    expect(costOf('{ __typename }', {})).toMatchObject({ total: 0.1, field: undefined });
    expect(costOf('{ product(id: 1) { } }', {})).toMatchObject({ total: 1, field: 'product' });
    expect(costOf('{ hotProducts(limit: 30) { } }', {})).toMatchObject({ total: 30, field: 'hotProducts' });
  });

  test('asks for a token wherever a field above it does', async () => {
    const token = 'a-token-0123456789';
    await using closed = await createTestGateway(database, { ACCESS_TOKENS: token });
    for (const query of ['{ }', `{ notice(id: ${noticeId}) { } }`]) {
      expect((await closed.post({ query })).status, query).toBe(200);
    }
    for (const query of [
      '{ product(id: 1) { } }',
      '{ ...F } fragment F on Query { hotProducts { } }',
      '{ __schema { } }',
    ]) {
      expect((await closed.post({ query })).status, query).toBe(401);
      expect((await closed.post({ query }, { authorization: `Bearer ${token}` })).status, query).toBe(200);
    }
  });
});
