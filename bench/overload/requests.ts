import type { Catalogue } from '../database/catalogue.ts';

export const HOT_TARGET = '/api/product/hot?limit=10';

const random = (below: number): number => 1 + Math.floor(Math.random() * below);

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`;

const post = (query: string, variables: unknown): string => {
  const body = JSON.stringify({ query, variables });
  return `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
};

const PAGE = `query Page($ids: [Int!]!, $limit: Int!) { products(categoryIds: $ids, orderBy: PRICE_ASC, limit: $limit) {
  id name price { amount currencyCode } category { name parent { name } } } }`.replaceAll(/\s+/g, ' ');

const categoriesOf = (catalogue: Catalogue): number[] => [1, 2, 3].map(() => random(catalogue.categories));

type NextRequest = (catalogue: Catalogue) => string;

/** Hardly ever the same twice, so that none is in memory. */
export const WORKLOADS = {
  product: ({ products }) => get(`/api/product/${random(products)}?`),
  list: (catalogue) => get(`/api/product/list?limit=10&categoryIds=${categoriesOf(catalogue)}`),
  page: (catalogue) => post(PAGE, { ids: categoriesOf(catalogue), limit: 50 }),
} as const satisfies Record<string, NextRequest>;

export type Workload = keyof typeof WORKLOADS;

export const TITLES: Readonly<Record<Workload, string>> = {
  product: 'one product, REST',
  list: 'a list of 10, REST',
  page: 'a page of 50, GraphQL',
};

export const isWorkload = (name: string): name is Workload => name in WORKLOADS;

/** What is always in memory, and health. */
export const nextKnown = (): string => get(Math.random() < 0.8 ? HOT_TARGET : '/livez');
