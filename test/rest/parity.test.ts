import { print } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { loadRestOperations, type RestOperation } from '../../src/rest/documents.ts';
import { ROUTES } from '../../src/rest/routes.ts';
import {
  CATEGORY_IDS,
  createRestShop,
  ENDED_ID,
  HIDDEN_NOTICE_IDS,
  HIDDEN_PRODUCT_IDS,
  NOTICE_IDS,
  PRODUCT_IDS,
} from '../support/rest-shop.ts';
import { schema } from '../support/schema.ts';
import { shared } from '../support/shared.ts';

type Variables = Readonly<Record<string, unknown>>;

const shop = await shared(createRestShop());
let operations: readonly RestOperation[];
beforeAll(async () => {
  operations = await loadRestOperations(schema, readConfig({}).queryMaxCost);
});

/** Every combination of one value for each name; undefined leaves the name out. */
const combinations = (values: Readonly<Record<string, readonly unknown[]>>): Variables[] =>
  Object.entries(values).reduce<Variables[]>(
    (all, [name, options]) => all.flatMap((some) => options.map((value) => ({ ...some, [name]: value }))),
    [{}],
  );

const operationAt = (path: string): RestOperation => {
  const operation = operations.find(({ route }) => route.path === path);
  if (!operation) throw new Error(`no document for ${path}`);
  return operation;
};

/** The request that the variables make of a path. */
const targetOf = (path: string, variables: Variables): string => {
  const query = Object.entries(variables).filter(([name, value]) => value !== undefined && !path.includes(`{${name}}`));
  const fields = query.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return [path.replace('{id}', String(variables.id)), fields.join('&')].filter(Boolean).join('?');
};

/** Both APIs' answers to one document: that of REST, and the GraphQL data under its root field. */
const askBoth = async (path: string, variables: Variables) => {
  const { document, rootKey } = operationAt(path);
  const rest = await shop.gateway.get(targetOf(path, variables));
  const { data, errors } = await shop.gateway.graphql(print(document), variables);
  return { rest, value: data?.[rootKey], errors };
};

const LIMITS = [undefined, 1, 7, 29, 30, 31, 100];
type Case = readonly [path: string, values: Readonly<Record<string, readonly unknown[]>>];

/** It counts views, which the last test compares. */
const COUNTED_PATH = '/api/notice/{id}';

const LISTED_CASES: readonly Case[] = [
  ['/api/product/{id}', { id: [...PRODUCT_IDS, ...HIDDEN_PRODUCT_IDS, 0, 999, 2_147_483_647] }],
  ['/api/product/hot', { limit: LIMITS }],
  ['/api/product/new', { limit: LIMITS }],
  [
    '/api/product/list',
    {
      categoryIds: [undefined, ...CATEGORY_IDS.map((id) => [id]), [1, 2], [2, 1, 1, 3], [-1, 999, 2_147_483_647]],
      orderBy: [undefined, 'DEFAULT', 'NEWEST', 'BEST_SELLING', 'PRICE_ASC', 'PRICE_DESC', 'NAME_ASC'],
      limit: [undefined, 1, 7, 100],
    },
  ],
  ['/api/notice/list', {}],
  [
    '/api/notice/page',
    {
      pageNum: [undefined, 2, 3, 2_147_483_647],
      pageSize: [undefined, 1, 7, 100],
      keyword: [undefined, 'notice 1', 'äÖü', '%', '_ ', ' ', 'nowhere', '促销 🎉&a=b#+', '\0'],
      type: [undefined, 'ANNOUNCEMENT', 'PROMOTION'],
    },
  ],
];

/** Every path, one that is not listed above with few parameters. */
const CASES: readonly Case[] = ROUTES.map(({ path }) => path)
  .filter((path) => path !== COUNTED_PATH)
  .map(
    (path) =>
      LISTED_CASES.find(([listed]) => listed === path) ?? [path, path.includes('{id}') ? { id: [1, 2, 0, 999] } : {}],
  );

test.for(CASES)('%s answers the data of its document, whatever the parameters', async ([path, values]) => {
  for (const variables of combinations(values)) {
    const { rest, value, errors } = await askBoth(path, variables);
    expect(errors).toBeUndefined();
    expect(rest.status, targetOf(path, variables)).toBe(value === null ? 404 : 200);
    if (value === null) continue;
    // As texts, so that the order of the keys counts too.
    expect(rest.text, targetOf(path, variables)).toBe(JSON.stringify(value));
  }
});

test('/api/notice/{id} answers the data of its document, each API counting a view', async () => {
  for (const id of [...NOTICE_IDS, ENDED_ID, ...HIDDEN_NOTICE_IDS, 0, 999]) {
    const { rest, value, errors } = await askBoth('/api/notice/{id}', { id });
    expect(errors).toBeUndefined();
    expect(rest.status).toBe(value === null ? 404 : 200);
    if (value === null) continue;
    const seenByRest = rest.json as { viewCount: number };
    expect(value).toStrictEqual({ ...seenByRest, viewCount: seenByRest.viewCount + 1 });
    expect(Object.keys(value)).toEqual(Object.keys(seenByRest));
  }
});

test('every path is compared', () => {
  const compared = new Set([...CASES.map(([path]) => path), COUNTED_PATH]);
  expect(operations.map(({ route }) => route.path).toSorted()).toEqual([...compared].toSorted());
});
