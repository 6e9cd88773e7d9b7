import { describe, expect, test } from 'vitest';
import { expectNotFound } from '../support/rest-problem.ts';
import {
  categoryOf,
  createRestShop,
  ENDED_ID,
  HIDDEN_NOTICE_IDS,
  HIDDEN_PRODUCT_IDS,
  NOTICE_IDS,
  nameOf,
  PINNED_IDS,
  PRODUCT_IDS,
  priceOf,
  salesOf,
} from '../support/rest-shop.ts';
import { insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { stored } from '../support/views.ts';

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

  test('answers what is optional where the product has it', async () => {
    const optional = { subtitle: 'Of stoneware', description: 'Glazed.', brand: 'Kiln', tags: ['blue', 'new, 2'] };
    const id = await insertProduct(shop.database, {
      ...optional,
      id: 200,
      category_id: 3,
      price: '19.9',
      list_price: '24.95',
      currency: 'EUR',
      stock: 7,
      image_url: '/a.svg',
      image_urls: ['/a.svg', '/b.svg'],
    });
    expect((await shop.gateway.get(`/api/product/${id}`)).json).toMatchObject({
      ...optional,
      price: { amount: '19.90', currencyCode: 'EUR' },
      listPrice: { amount: '24.95', currencyCode: 'EUR' },
      stock: 7,
      inStock: true,
      imageUrl: '/a.svg',
      imageUrls: ['/a.svg', '/b.svg'],
      category: { id: 3, name: 'Empty', slug: 'empty' },
    });
    await shop.database.sql('delete from product where id = $1', [id]);
  });

  test.for([...HIDDEN_PRODUCT_IDS, 0, 999])('answers 404 for %i, which no client can see', async (id) => {
    expectNotFound(await shop.gateway.get(`/api/product/${id}`));
  });
});

describe.for([
  ['hot', 10, BEST_SELLING],
  ['new', 10, NEWEST],
  ['list', 20, BEST_SELLING],
] as const)('GET /api/product/%s', ([name, byDefault, expected]) => {
  test(`answers the first ${byDefault}, in their order, each as its detail does`, async () => {
    const rows = await getRows(`/api/product/${name}`);
    expect(idsOf(rows)).toEqual(expected.slice(0, byDefault));
    for (const row of rows) expect(row).toStrictEqual((await shop.gateway.get(`/api/product/${row.id}`)).json);
  });

  test.for([1, 3, 30, 100])('answers %i at most where limit says so', async (limit) => {
    expect(idsOf(await getRows(`/api/product/${name}?limit=${limit}`))).toEqual(expected.slice(0, limit));
  });
});

describe('GET /api/product/list', () => {
  test.for([
    ['1', BEST_SELLING.filter((id) => categoryOf(id) === 1)],
    ['2', BEST_SELLING.filter((id) => categoryOf(id) === 2)],
    ['1,2', BEST_SELLING],
    ['2,1,2,1', BEST_SELLING],
    ['1,3,999', BEST_SELLING.filter((id) => categoryOf(id) === 1)],
    ['3', []],
    ['999', []],
  ] as const)('answers the products of the categories %s together, none twice', async ([categoryIds, expected]) => {
    expect(idsOf(await getRows(`/api/product/list?limit=100&categoryIds=${categoryIds}`))).toEqual(expected);
  });

  test.for([
    ['DEFAULT', BEST_SELLING],
    ['BEST_SELLING', BEST_SELLING],
    ['NEWEST', NEWEST],
    ['PRICE_ASC', sorted(PRODUCT_IDS, priceOf)],
    ['PRICE_DESC', sorted(PRODUCT_IDS, (id) => -priceOf(id))],
    ['NAME_ASC', sorted(PRODUCT_IDS, (id) => Number(nameOf(id).slice(-2)))],
  ] as const)('answers in the order %s', async ([orderBy, expected]) => {
    expect(idsOf(await getRows(`/api/product/list?limit=100&orderBy=${orderBy}`))).toEqual(expected);
    const ofOne = expected.filter((id) => categoryOf(id) === 2).slice(0, 7);
    expect(idsOf(await getRows(`/api/product/list?limit=7&categoryIds=2&orderBy=${orderBy}`))).toEqual(ofOne);
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
    ['?pageNum=3', IN_EFFECT.slice(20), { total: 25, pageNum: 3, pageSize: 10, pages: 3 }],
    ['?pageNum=2&pageSize=7', IN_EFFECT.slice(7, 14), { total: 25, pageNum: 2, pageSize: 7, pages: 4 }],
    ['?pageNum=4', [], { total: 25, pageNum: 4, pageSize: 10, pages: 3 }],
    ['?pageSize=100', IN_EFFECT, { total: 25, pageNum: 1, pageSize: 100, pages: 1 }],
    ['?keyword=äÖü%2024', [24], { total: 1, pageNum: 1, pageSize: 10, pages: 1 }],
    ['?keyword=%25_', IN_EFFECT.filter((id) => id % 2 === 0).slice(0, 10), { total: 12, pages: 2 }],
    ['?keyword=nowhere', [], { total: 0, pageNum: 1, pageSize: 10, pages: 0 }],
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

  test('counts past the largest 32-bit number', async () => {
    const id = await insertNotice(shop.database, { id: 500, view_count: 2_147_483_647, ends_at: '2020-02-01Z' });
    expect((await shop.gateway.get(`/api/notice/${id}`)).json).toMatchObject({ id, viewCount: 2_147_483_648 });
  });

  test('answers one that has ended, saying so', async () => {
    expect((await shop.gateway.get(`/api/notice/${ENDED_ID}`)).json).toMatchObject({
      id: ENDED_ID,
      endsAt: moment('02-01T00'),
      inEffect: false,
    });
  });

  test.for([...HIDDEN_NOTICE_IDS, 0, 999])('answers 404 for %i, counting nothing', async (id) => {
    expectNotFound(await shop.gateway.get(`/api/notice/${id}`));
    expect((await stored(shop.database, id)) || 0).toBe(0);
  });
});
