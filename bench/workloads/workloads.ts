import type { Catalogue } from '../database/catalogue.ts';
import * as documents from './documents.ts';
import * as sql from './expected-sql.ts';
import type { Question, Workload } from './workload.ts';

/** How many different products are asked for, and how many of them a server with a cache is given time to learn. */
const PRODUCTS = 100_000;
const WARM_PRODUCTS = 20_000;
const WARM_CATEGORY_PAIRS = 500;

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

export const createWorkloads = ({ products, categories, noticesInEffect }: Catalogue): Workload[] => {
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
      expectedSql: `select json_build_object('hotProducts', ${sql.productList(sql.PRODUCT_CARD, 'true', sql.BEST_SELLING, '10')},
        'newProducts', ${sql.productList(sql.PRODUCT_CARD, 'true', sql.NEWEST, '10')},
        'noticePage', json_build_object('items', ${sql.noticeList(sql.NOTICE_CARD, '10')})) as answer`,
      questions: single(),
    },
    {
      code: 'W9',
      title: 'GraphQL nested, 20 x 10 x 1',
      query: documents.NESTED_DOCUMENT,
      expectedSql: `select json_build_object('categories', json_agg(json_build_object('id', root.id, 'name', root.name, 'products',
        ${sql.productList(sql.NESTED_PRODUCT, 'p.category_id = root.id', sql.BEST_SELLING, '10')}) order by root.position, root.id)) as answer
        from category root where root.parent_id is null`,
      questions: single(),
    },
  ];
};
