import type { Catalogue } from '../database/catalogue.ts';
import * as documents from './documents.ts';
import * as sql from './expected-sql.ts';
import { firstAsked } from './first-asked.ts';
import type { Question, Workload } from './workload.ts';

/** How many different products are asked for, and how many of them a server with a cache is given time to learn. */
const PRODUCTS = 100_000;
const WARM_PRODUCTS = 20_000;
const WARM_CATEGORY_PAIRS = 500;
/** As many rows as the gateway's memory has room for by default. */
const KNOWN_PRODUCTS = 5_000;
/** The products that change while the mixed workload is asked. */
export const CHANGING_PRODUCTS = 10_000;

const NESTED_ORDERS = { BEST_SELLING: sql.BEST_SELLING, NEWEST: sql.NEWEST, PRICE_ASC: sql.CHEAPEST };

const single = (target?: string): Question[] => [{ values: [], ...(target === undefined ? {} : { target }) }];

const byId = (path: string, count: number, step = 1): Question[] =>
  Array.from({ length: count }, (_, index) => 1 + Math.floor(index * step)).map((id) => ({
    target: `${path}/${id}`,
    variables: { id },
    values: [id],
  }));

/** Every two different categories. */
const categoryPairs = (count: number): Question[] => {
  const pairs: Question[] = [];
  for (let index = 0; index < (count * (count - 1)) / 2; index += 1) pairs.push(pairQuestion(pairAt(index, count)));
  return pairs;
};

/** The pairs (a, b) with 1 <= a < b <= count are walked diagonal by diagonal: each run of `count` names every category twice. */
const pairAt = (index: number, count: number): [number, number] => {
  const distance = 1 + Math.floor(index / count);
  const first = index % count;
  const second = (first + distance) % count;
  return first < second ? [first + 1, second + 1] : [second + 1, first + 1];
};

const pairQuestion = (categoryIds: [number, number]): Question => ({
  target: `/api/product/list?categoryIds=${categoryIds}&orderBy=PRICE_ASC&limit=20`,
  variables: { categoryIds },
  values: [categoryIds],
});

export const createWorkloads = (catalogue: Catalogue): Workload[] => {
  const workloads = singleWorkloads(catalogue);
  const count = Math.min(catalogue.products, CHANGING_PRODUCTS);
  const asked = (code: string, times: number): Question[] => {
    const { query = '', expectedSql = '', questions = [] } = workloads.find((each) => each.code === code) ?? {};
    const some = questions.slice(0, code === 'W4' ? WARM_CATEGORY_PAIRS : count);
    return Array.from({ length: times }, (_, index) => ({
      ...(some[index % some.length] as Question),
      query,
      expectedSql,
    }));
  };
  const seventh = count / 7;
  const mixed: Workload = {
    code: 'W10',
    title: 'mixed: 7 products, 2 pairs of categories, hot or new',
    query: documents.PRODUCT_DOCUMENT,
    expectedSql: '',
    questions: [
      ...asked('W1', count),
      ...asked('W4', seventh * 2),
      ...asked('W2', seventh / 2),
      ...asked('W3', seventh / 2),
    ],
    isMixed: true,
  };
  return [...workloads, mixed];
};

const singleWorkloads = ({ products, categories, noticesInEffect }: Catalogue): Workload[] => {
  const details = byId('/api/product', Math.min(products, PRODUCTS), Math.max(1, products / PRODUCTS));
  const pairs = categoryPairs(categories);
  const notices = byId('/api/notice', noticesInEffect);
  const noticeSql = `select ${sql.NOTICE} as answer from notice n where n.id = $1`;
  return [
    {
      code: 'W1',
      title: 'product by random id',
      query: documents.PRODUCT_DOCUMENT,
      expectedSql: `select ${sql.PRODUCT} as answer from product p where ${sql.VISIBLE} and p.id = $1`,
      questions: details,
      warmQuestions: details.slice(0, WARM_PRODUCTS),
      first: firstAsked(byId('/api/product', KNOWN_PRODUCTS), [
        { query: documents.PRODUCT_DOCUMENT, variables: { id: [1, KNOWN_PRODUCTS] }, valuesOf: ({ id }) => [id] },
      ]),
    },
    {
      code: 'W2',
      title: 'hot 10',
      query: documents.HOT_DOCUMENT,
      expectedSql: `select ${sql.productList(sql.PRODUCT, 'true', sql.BEST_SELLING, '10')} as answer`,
      questions: single('/api/product/hot'),
    },
    {
      code: 'W3',
      title: 'new 10',
      query: documents.NEW_DOCUMENT,
      expectedSql: `select ${sql.productList(sql.PRODUCT, 'true', sql.NEWEST, '10')} as answer`,
      questions: single('/api/product/new'),
    },
    {
      code: 'W4',
      title: 'two random categories by price, 20',
      query: documents.BY_CATEGORY_DOCUMENT,
      expectedSql: `select ${sql.productList(sql.PRODUCT, 'p.category_id = any($1::int[])', sql.CHEAPEST, '20')} as answer`,
      questions: pairs,
      warmQuestions: pairs.slice(0, WARM_CATEGORY_PAIRS),
      first: firstAsked(pairs.slice(0, categories), [
        {
          query: documents.BY_CATEGORY_DOCUMENT,
          variables: {
            categoryIds: [
              [1, categories],
              [1, categories],
            ],
          },
          valuesOf: ({ categoryIds }) => [categoryIds],
        },
      ]),
    },
    {
      code: 'W5',
      title: `all ${noticesInEffect} notices in effect`,
      query: documents.NOTICES_DOCUMENT,
      expectedSql: `select ${sql.noticeList(sql.NOTICE, 'all')} as answer`,
      questions: single('/api/notice/list'),
    },
    {
      code: 'W6',
      title: 'notice page of 10, with the total',
      query: documents.NOTICE_PAGE_DOCUMENT,
      expectedSql: `select json_build_object('list', ${sql.noticeList(sql.NOTICE, '10')}, 'total', count(*), 'pageNum', 1, 'pageSize', 10,
        'pages', ceil(count(*) / 10.0)::int) as answer from notice n where ${sql.IN_EFFECT}`,
      questions: single('/api/notice/page?pageNum=1&pageSize=10'),
    },
    {
      code: 'W7a',
      title: 'notice detail, one id, counted',
      query: documents.NOTICE_DOCUMENT,
      expectedSql: noticeSql,
      questions: notices.slice(0, 1),
      countsViews: true,
    },
    {
      code: 'W7b',
      title: `notice detail, ${noticesInEffect} ids, counted`,
      query: documents.NOTICE_DOCUMENT,
      expectedSql: noticeSql,
      questions: notices,
      countsViews: true,
    },
    {
      code: 'W8',
      title: 'GraphQL home page',
      query: documents.HOME_DOCUMENT,
      expectedSql: sql.home('10', '10', '0'),
      questions: single(),
      first: firstAsked(single(), [
        {
          query: documents.ANY_HOME_DOCUMENT,
          variables: { hot: [5, 15], latest: [5, 15], page: [1, noticesInEffect / 10] },
          expectedSql: sql.home('$1', '$2', '$3'),
          valuesOf: ({ hot, latest, page }) => [hot, latest, (Number(page) - 1) * 10],
        },
      ]),
    },
    {
      code: 'W9',
      title: 'GraphQL nested, 20 x 10 x 1',
      query: documents.NESTED_DOCUMENT,
      expectedSql: sql.nested(sql.BEST_SELLING, '10'),
      questions: single(),
      first: firstAsked(
        single(),
        Object.entries(NESTED_ORDERS).map(([orderBy, by]) => ({
          query: documents.ANY_NESTED_DOCUMENT,
          variables: { orderBy, limit: [1, 19] },
          expectedSql: sql.nested(by, '$1'),
          valuesOf: ({ limit }) => [limit],
        })),
        480,
      ),
    },
  ];
};
