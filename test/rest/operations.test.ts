import { describe, expect, test } from 'vitest';
import {
  categoryOf,
  createRestShop,
  NOTICE_IDS,
  nameOf,
  PINNED_IDS,
  PRODUCT_IDS,
  priceOf,
  salesOf,
} from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';

type Row = Readonly<Record<string, unknown>>;

const shop = await shared(createRestShop({ FRESHNESS_MS: '0' }));

const getRows = async (target: string): Promise<Row[]> => {
  const { status, json, text } = await shop.gateway.get(target);
  expect(status, text).toBe(200);
  expect(json).toBeInstanceOf(Array);
  return json as Row[];
};
const idsOf = (rows: readonly Row[]): unknown[] => rows.map(({ id }) => id);
const sorted = (ids: readonly number[], rank: (id: number) => number): number[] =>
  ids.toSorted((a, b) => rank(a) - rank(b));

const moment = (hour: string): string => `2020-${hour}:00:00.000Z`;
const stamp = expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const BEST_SELLING = sorted(PRODUCT_IDS, (id) => -salesOf(id));
const NEWEST = PRODUCT_IDS.toReversed();
const IN_EFFECT = [...PINNED_IDS.toReversed(), ...NOTICE_IDS.toReversed().filter((id) => !PINNED_IDS.includes(id))];

/** What product 4 is, in the order of the answer. */
const PRODUCT_4 = {
  id: 4,
  name: nameOf(4),
  slug: 'p4',
  subtitle: null,
  description: '',
  brand: null,
  tags: [],
  price: { amount: `${priceOf(4)}.00`, currencyCode: 'USD' },
  listPrice: null,
  stock: 0,
  inStock: false,
  sales: salesOf(4),
  imageUrl: null,
  imageUrls: [],
  category: { id: 1, name: 'Cups', slug: 'cups' },
  publishedAt: moment('01-05T00'),
  createdAt: stamp,
  updatedAt: stamp,
};

/** What notice 4 is in a list, in the order of the answer. */
const NOTICE_4 = {
  id: 4,
  type: 'PROMOTION',
  level: 'IMPORTANT',
  title: 'Notice 4',
  summary: 'About 100%_of ÄÖÜ 4',
  content: 'Content 4',
  pinned: false,
  startsAt: moment('01-01T04'),
  endsAt: null,
  inEffect: true,
  viewCount: 0,
  createdAt: stamp,
  updatedAt: stamp,
};

describe('GET /api/product/{id}', () => {
  test('answers the product, key for key and in order', async () => {
    const { status, json } = await shop.gateway.get('/api/product/4');
    expect(status).toBe(200);
    expect(json).toStrictEqual(PRODUCT_4);
    expect(Object.keys(json as Row)).toEqual(Object.keys(PRODUCT_4));
  });
});

describe.for([
  ['hot', 10, BEST_SELLING],
  ['new', 10, NEWEST],
  ['list', 20, BEST_SELLING],
] as const)('GET /api/product/%s', ([name, byDefault, expected]) => {
  test(`answers the first ${byDefault} or as many as limit says, in their order, each as its detail does`, async () => {
    const rows = await getRows(`/api/product/${name}`);
    expect(idsOf(rows)).toEqual(expected.slice(0, byDefault));
    expect(idsOf(await getRows(`/api/product/${name}?limit=23`))).toEqual(expected.slice(0, 23));
    for (const row of rows) expect(row).toStrictEqual((await shop.gateway.get(`/api/product/${row.id}`)).json);
  });
});

describe('GET /api/product/list', () => {
  test('answers the products of categories together, none twice, in an order', async () => {
    const ofOne = sorted(PRODUCT_IDS, priceOf).filter((id) => categoryOf(id) === 1);
    const target = '/api/product/list?categoryIds=1,3,999,1&orderBy=PRICE_ASC&limit=';
    expect(idsOf(await getRows(`${target}100`))).toEqual(ofOne);
    expect(idsOf(await getRows(`${target}7`))).toEqual(ofOne.slice(0, 7));
  });
});

describe('GET /api/notice/list', () => {
  test('answers every notice in effect: pinned first, then latest start', async () => {
    const rows = await getRows('/api/notice/list');
    expect(idsOf(rows)).toEqual(IN_EFFECT);
    const notice = rows.find(({ id }) => id === 4);
    expect(notice).toStrictEqual(NOTICE_4);
    expect(Object.keys(notice ?? {})).toEqual(Object.keys(NOTICE_4));
  });
});

describe('GET /api/notice/page', () => {
  const getPage = async (query: string): Promise<Row> =>
    (await shop.gateway.get(`/api/notice/page${query}`)).json as Row;

  test('answers the first 10 in a PageResult, key for key and in order', async () => {
    const page = await getPage('');
    expect(page).toStrictEqual({ list: expect.any(Array), total: 25, pageNum: 1, pageSize: 10, pages: 3 });
    expect(Object.keys(page)).toEqual(['list', 'total', 'pageNum', 'pageSize', 'pages']);
    expect(page.list).toStrictEqual((await getRows('/api/notice/list')).slice(0, 10));
  });

  test.for([
    ['?pageNum=2&pageSize=7', IN_EFFECT.slice(7, 14), { total: 25, pageNum: 2, pageSize: 7, pages: 4 }],
    ['?pageNum=4', [], { total: 25, pageNum: 4, pageSize: 10, pages: 3 }],
    ['?keyword=äÖü%2024', [24], { total: 1, pageNum: 1, pageSize: 10, pages: 1 }],
    ['?type=PROMOTION&pageSize=3', IN_EFFECT.filter((id) => id % 3 === 1).slice(0, 3), { total: 9, pages: 3 }],
  ] as const)('answers %s', async ([query, ids, rest]) => {
    const { list, ...others } = await getPage(query);
    expect(idsOf(list as Row[])).toEqual(ids);
    expect(others).toMatchObject(rest);
  });
});

describe('GET /api/notice/{id}', () => {
  test('answers the notice with this view in its count, and may be kept nowhere', async () => {
    for (const viewCount of [1, 2, 3]) {
      const { status, headers, json } = await shop.gateway.get('/api/notice/4');
      expect(status).toBe(200);
      expect(headers['cache-control']).toBe('no-store');
      expect(json).toStrictEqual({ ...NOTICE_4, viewCount });
      expect(Object.keys(json as Row)).toEqual(Object.keys(NOTICE_4));
    }
  });
});
