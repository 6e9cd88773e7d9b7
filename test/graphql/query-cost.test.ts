import { extendSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import * as workloads from '../../bench/workloads/documents.ts';
import { readConfig } from '../../src/config/config.ts';
import { readExamples } from '../../src/pages/graphiql.ts';
import { costOf } from '../support/cost.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { schema } from '../support/schema.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());

describe('the cost of an operation is', () => {
  test.for<[why: string, text: string, cost: number, variables?: Record<string, unknown>]>([
    ['1 for a lookup, and a tenth for each value of it', '{ product(id: 1) { id name } }', 1.2],
    ['a tenth for an object that belongs to its row', '{ product(id: 1) { price { amount } category { id } } }', 1.4],
    ['that of each item for each that the argument asks for', '{ hotProducts(limit: 7) { id } }', 7.7],
    ['that of the default of the argument', '{ hotProducts { id } products { id } }', 11 + 22],
    ['that of the value of a variable', 'query ($n: Int!) { hotProducts(limit: $n) { id } }', 3.3, { n: 3 }],
    ['that of the default of a variable', 'query ($n: Int! = 4) { hotProducts(limit: $n) { id } }', 4.4],
    ['that of the argument, for a variable left out', 'query ($n: Int) { hotProducts(limit: $n) { id } }', 11],
    [
      'no more than any may, for an argument that is refused',
      'query ($n: Int!) { hotProducts(limit: $n) { id } }',
      110,
      { n: 101 },
    ],
    [
      'multiplied for lists in lists',
      '{ hotProducts(limit: 9) { category { products(limit: 5) { id } } } }',
      9.9 + 49.5,
    ],
    ['that of the list in a page', '{ noticePage(pageSize: 30) { total list: items { id } } }', 1.1 + 33],
    [
      'assumed where nothing says how long a list is',
      '{ categories { id children { id } } notices { id } }',
      22 + 176 + 220,
    ],
    ['20 more for a search', '{ productSearch(first: 5) { nodes { id } } }', 21 + 5.5],
    ['that of the size a search has by default', '{ productSearch { nodes { id } edges { cursor } } }', 21 + 22 + 22],
    ['that of whichever size is given', '{ productSearch(pageSize: 50) { nodes { id } } }', 21 + 55],
    [
      'that of the size by default, for sizes that are null',
      'query ($first: Int, $last: Int) { productSearch(first: $first, last: $last) { nodes { id } } }',
      21 + 22,
      { first: null },
    ],
    ['20 more for facets', '{ productSearch { facets { inStock brands(limit: 3) { value } } } }', 21 + 20.2 + 3.3],
    [
      '20 more for suggestions, of the length that is asked for',
      '{ searchSuggestions(prefix: "a", limit: 5) { text } }',
      20 + 5.5,
    ],
    ['a tenth for a list of scalars', '{ product(id: 1) { tags imageUrls } }', 1.2],
    ['a tenth for each id to filter by', '{ products(categoryIds: [1, 2, 3], limit: 1) { id } }', 1.4],
    [
      'a tenth for each id in a variable',
      'query ($ids: [Int!]) { products(categoryIds: $ids, limit: 1) { id } }',
      2.1,
      { ids: Array.from({ length: 10 }, (_, id) => id) },
    ],
    [
      'a tenth for each item of each list inside a filter',
      '{ productSearch(filter: { brands: ["A", "B"], tags: "T", attributes: [{ name: "Size", values: ["1", "2"] }] }) { totalCount } }',
      21 + 0.1 + 0.6,
    ],
    [
      'a tenth for each item inside a filter that is a variable',
      'query ($filter: ProductFilter) { productSearch(filter: $filter) { totalCount } }',
      21 + 0.1 + 50 + 2 + 40,
      {
        filter: {
          brands: Array.from({ length: 500 }, (_, place) => `B${place}`),
          options: Array.from({ length: 20 }, () => ({ name: 'Size', values: Array.from({ length: 20 }, String) })),
        },
      },
    ],
    [
      'a tenth for each item of a variable inside a filter',
      'query ($brands: [String!], $absent: [String!]) { productSearch(filter: { brands: $brands, tags: $absent }) { totalCount } }',
      21 + 0.1 + 0.3,
      { brands: ['A', 'B', 'C'] },
    ],
    [
      'that of every alias',
      '{ a: hotProducts(limit: 2) { id } b: hotProducts(limit: 2) { id more: id } }',
      2.2 + 2.2 + 2,
    ],
    [
      'that of one field for selections that merge',
      '{ hotProducts(limit: 2) { id } hotProducts(limit: 2) { id name } }',
      2.4,
    ],
    [
      'that of fragments where they are spread',
      '{ a: hotProducts(limit: 2) { ...F } ... { b: hotProducts(limit: 3) { ...F id } } } fragment F on Product { id name }',
      2.4 + 3.6,
    ],
    [
      'that of a fragment that is spread again without the condition',
      '{ hotProducts { ...F @skip(if: true) ...F } } fragment F on Product { id }',
      11,
    ],
    ['nothing for what is left out', '{ hotProducts { id @skip(if: true) ... @include(if: false) { name } } }', 10],
    [
      'nothing for what a variable leaves out',
      'query ($full: Boolean!) { hotProducts { id ...F @include(if: $full) } } fragment F on Product { category { products { id } } }',
      11,
      { full: false },
    ],
    [
      'all of what a variable takes in',
      'query ($full: Boolean!) { hotProducts { id ...F @include(if: $full) } } fragment F on Product { category { products { id } } }',
      11 + 1 + 220,
      { full: true },
    ],
    ['1 for a value under a second name', '{ product(id: 1) { description a: description } }', 1 + 0.1 + 1],
    [
      'no more for a value in several objects',
      '{ product(id: 1) { price { amount } listPrice { amount } category { name parent { name } } } }',
      1 + 0.2 + 0.2 + 0.2 + 0.2,
    ],
    ['a tenth for the name of a type', '{ __typename }', 0.1],
    ['nothing for introspection, which is bounded apart', '{ __schema { types { name } } }', 0],
  ])('%s', ([, text, cost, variables = {}]) => {
    expect(costOf(text, variables).total).toBeCloseTo(cost, 6);
  });

  test('that of the worst parameters where they are not known', () => {
    const text =
      'query ($n: Int! = 1, $ids: [Int!], $full: Boolean!) { products(limit: $n, categoryIds: $ids) { id @include(if: $full) } }';
    expect(costOf(text).total).toBeCloseTo(110 + 100, 6);
    expect(costOf(text, { full: false }).total).toBeCloseTo(1, 6);
  });

  test('told with the field that costs most', () => {
    const text = `{
      hotProducts(limit: 50) { id }
      shelves: categories { id items: products(limit: 3) { id name price { amount } } }
    }`;
    expect(costOf(text, {}).field).toBe('shelves.items');
    expect(costOf('{ __typename }', {}).field).toBeUndefined();
  });
});

describe('a storefront has room:', () => {
  const { queryMaxCost: maxCost } = readConfig({});
  const TREE = `{ categories { id name slug imageUrl children { id name slug
    products(limit: 20) { id name slug price { amount currencyCode } imageUrl category { id name slug } } } } }`;

  test.for<[string, string, Record<string, unknown>?]>([
    ...Object.entries(workloads).map(([name, text]): [string, string] => [`bench ${name}`, text]),
    ...readExamples().map(({ query, variables }): [string, string, Record<string, unknown>] => [
      `GraphiQL: ${query.split('\n')[0]}`,
      query,
      JSON.parse(variables || '{}'),
    ]),
    ['categories with children with products with categories', TREE],
    ['a menu three levels deep', '{ categories { id name slug children { id name slug children { id name slug } } } }'],
  ])('%s costs less than half of what it may', ([, text, variables]) => {
    expect(costOf(text, variables).total).toBeLessThan(maxCost / 2);
  });
});

describe('a list whose length nobody has declared', () => {
  const larger = extendSchema(
    schema,
    parse(`
      type Sundial { name: String shops: [Sundial!] }
      type SundialConnection { edges: [SundialEdge] nodes: [Sundial] }
      type SundialEdge { node: Sundial cursor: String }
      extend type Query { sundials: [Sundial!] names: [String!] sundialPages(first: Int, last: Int): SundialConnection }
    `),
  );

  test.for<[why: string, text: string, cost: number, variables?: Record<string, unknown>]>([
    ['counts as 20', '{ sundials { name } }', 22],
    ['also within another', '{ sundials { shops { name } } }', 20 + 20 * 22],
    ['is none of scalars', '{ names }', 0.1],
    ['counts as 20 in a connection, as Pothos makes it', '{ sundialPages { edges { node { name } } } }', 1 + 20 * 1.2],
    [
      'counts as what is asked of a connection',
      '{ sundialPages(first: 5) { nodes { name } edges { cursor } } }',
      1 + 5.5 * 2,
    ],
    ['counts as no more than its page may have', '{ sundialPages(last: 1000) { nodes { name } } }', 1 + 110],
    [
      'counts as the variable says',
      'query ($n: Int) { sundialPages(first: $n) { nodes { name } } }',
      1 + 3.3,
      { n: 3 },
    ],
    [
      'counts as the longest page where that is not known',
      'query ($n: Int) { sundialPages(first: $n) { nodes { name } } }',
      111,
    ],
  ])('%s', ([, text, cost, variables]) => {
    expect(costOf(text, variables, larger).total).toBeCloseTo(cost, 6);
  });
});

test('an operation that costs too much is refused, and told what it costs', async () => {
  const query =
    '{ products(limit: 100) { category { products(limit: 100) { category { products(limit: 100) { id } } } } } }';
  const { status, json } = await shop.gateway.post({ query });
  expect(status).toBe(400);
  expect(json).toEqual({
    errors: [
      {
        message:
          'Too many units of cost: 1,111,110, and there may be 20,000 (QUERY_MAX_COST). Look at "products.category.products.category.products".',
        extensions: {
          code: 'QUERY_TOO_COMPLEX',
          limit: 'QUERY_MAX_COST',
          maximum: 20_000,
          actual: 1_111_110,
          field: 'products.category.products.category.products',
        },
      },
    ],
  });
});
