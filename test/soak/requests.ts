import type { Reading } from '../support/commit-record.ts';
import { JSON_HEADERS } from '../support/gateway.ts';
import type { Request } from '../support/known-answers.ts';

/** A request whose answer shows all products, all notices, or both. */
export interface ListRequest {
  /** @param unique makes it a request that nobody has made before; undefined: one that many make */
  readonly make: (unique?: number) => Request;
  readonly lists: Reading['lists'];
}

const post = (query: string, variables?: Record<string, unknown>): Request => [
  'POST',
  '/graphql',
  JSON_HEADERS,
  JSON.stringify({ query, variables }),
];

const get = (target: string, headers: Record<string, string> = {}): Request => ['GET', target, headers];

const alias = (unique?: number): string => (unique === undefined ? '' : `a${unique}: `);

export const PRODUCT_COUNT = 20;
const all = `limit: ${PRODUCT_COUNT}`;

export const LISTS: readonly ListRequest[] = [
  {
    lists: ['products'],
    make: (unique) => get(`/api/product/list?categoryIds=1,2${unique === undefined ? '' : `,${unique + 9}`}`),
  },
  {
    lists: ['products'],
    make: (unique = 0) => get(`/api/product/list?orderBy=price_asc&limit=${PRODUCT_COUNT + (unique % 80)}`),
  },
  { lists: ['products'], make: (unique = 0) => get(`/api/product/hot?limit=${PRODUCT_COUNT + (unique % 80)}`) },
  { lists: ['products'], make: (unique = 0) => get(`/api/product/new?limit=${PRODUCT_COUNT + (unique % 80)}`) },
  { lists: ['notices'], make: () => get('/api/notice/list') },
  { lists: ['notices'], make: () => get('/api/notice/page?pageSize=100') },
  {
    lists: ['products'],
    make: (unique) =>
      get(`/graphql?query={${alias(unique)}newProducts(limit:${PRODUCT_COUNT}){id,price{amount}}}`.replaceAll(' ', '')),
  },
  { lists: ['notices'], make: (unique) => post(`{ ${alias(unique)}notices { title } }`) },
  {
    lists: ['products', 'notices'],
    make: (unique) =>
      post(
        `query ($l: Int!) { categories { products(limit: $l) { id price { amount } } } ${alias(unique)}notices { title } }`,
        { l: PRODUCT_COUNT },
      ),
  },
  {
    lists: ['products'],
    make: (unique) =>
      post(`{ ${alias(unique)}products(${all}, orderBy: NAME_ASC) { id price { amount } category { name } } }`),
  },
];

/** The notice of which nothing but HEAD is ever asked: nothing counts a view of it. */
export const HEAD_ONLY_ID = 6;

/** Any other request, and the status that it has while the database is there. */
export const OTHERS: readonly (readonly [status: number, request: Request])[] = [
  [200, get('/api/product/1')],
  [200, ['HEAD', '/api/product/hot']],
  [200, ['HEAD', `/api/notice/${HEAD_ONLY_ID}`]],
  [200, get('/api/notice/page?keyword=%25&pageNum=2&type=promotion')],
  [200, get('/livez')],
  [200, get('/openapi.json')],
  [200, get('/graphql', { accept: 'text/html' })],
  [204, ['OPTIONS', '/api/notice/list']],
  [404, get('/api/product/999999')],
  [404, get('/api/notice/99999999999999999999')],
  [404, get('/api/product/x')],
  [404, get('/nothing')],
  [400, get('/api/product/list?limit=1e3')],
  [400, get('/api/product/list?limit=101&orderBy=cheap')],
  [400, get('/api/notice/page?pageNum=0')],
  [400, get('/api/notice/page?keyword=%ff')],
  [405, ['DELETE', '/api/product/1']],
  [405, ['PUT', '/graphql']],
  [414, get(`/api/product/list?x=${'x'.repeat(9000)}`)],
  [431, get('/api/notice/list', { 'x-long': 'x'.repeat(40_000) })],
  [415, ['POST', '/graphql', { 'content-type': 'text/plain' }, '{ __typename }']],
  [400, ['POST', '/graphql', JSON_HEADERS, '{"query":']],
  [400, ['POST', '/graphql', JSON_HEADERS, '[{"query":"{ __typename }"}]']],
  [413, ['POST', '/graphql', JSON_HEADERS, `"${'x'.repeat(1_100_000)}"`]],
  ...['{', '{ nothing }', '{ hotProducts(limit: "x") { id } }', 'query A { __typename } query B { __typename }'].map(
    (query) =>
      [
        400,
        [
          'POST',
          '/graphql',
          { ...JSON_HEADERS, accept: 'application/graphql-response+json' },
          JSON.stringify({ query }),
        ],
      ] as const,
  ),
];
