// The REST paths by hand: fastify with schemas, `pg` with prepared statements, one statement a request.

import Fastify from 'fastify';
import { type NoticeRow, noticeList, noticePage, noticeView } from '../sql/notice.sql.ts';
import { createPool } from '../sql/pool.ts';
import { ORDERS, type ProductWithCategoryRow, productWithCategoryStatements } from '../sql/product.sql.ts';
import { ID, LIMIT_QUERY, LIST_QUERY, NOTICE, NOTICE_PAGE, NOTICES, PAGE_QUERY, PRODUCT, PRODUCTS } from './schemas.ts';

const pool = createPool();
const app = Fastify();

const products = async (statement: { name: string; text: string }, values: unknown[]) => {
  const { rows } = await pool.query<ProductWithCategoryRow>({ ...statement, values });
  return rows.map(toProduct);
};

const toProduct = ({
  currency,
  categoryId,
  categoryName,
  categorySlug,
  price,
  listPrice,
  ...row
}: ProductWithCategoryRow) => ({
  ...row,
  price: { amount: price, currencyCode: currency },
  listPrice: listPrice === null ? null : { amount: listPrice, currencyCode: currency },
  inStock: row.stock > 0,
  category: { id: categoryId, name: categoryName, slug: categorySlug },
});

const toNotice = (row: NoticeRow) => ({ ...row, viewCount: Number(row.viewCount) });

app.get<{ Params: { id: number } }>(
  '/api/product/:id',
  { schema: { params: ID, response: { 200: PRODUCT } } },
  async ({ params }, reply) => {
    const [product] = await products(productWithCategoryStatements.detail, [params.id]);
    return product ?? reply.code(404).send();
  },
);

for (const [path, order] of [
  ['/api/product/hot', 'BEST_SELLING'],
  ['/api/product/new', 'NEWEST'],
] as const) {
  const statement = productWithCategoryStatements.list(order);
  const schema = { querystring: LIMIT_QUERY, response: { 200: PRODUCTS } };
  app.get<{ Querystring: { limit: number } }>(path, { schema }, ({ query }) => products(statement, [query.limit]));
}

app.get<{ Querystring: { categoryIds?: string; orderBy: string; limit: number } }>(
  '/api/product/list',
  { schema: { querystring: LIST_QUERY, response: { 200: PRODUCTS } } },
  async ({ query: { categoryIds, orderBy, limit } }, reply) => {
    const order = orderBy.toUpperCase();
    if (!(order in ORDERS)) return reply.code(400).send();
    if (!categoryIds) return products(productWithCategoryStatements.list(order), [limit]);
    const ids = [...new Set(categoryIds.split(',').map(Number))];
    return products(productWithCategoryStatements.listOfCategories(order), [ids, limit]);
  },
);

app.get('/api/notice/list', { schema: { response: { 200: NOTICES } } }, async () => {
  const { rows } = await pool.query<NoticeRow>(noticeList);
  return rows.map(toNotice);
});

app.get<{ Querystring: { pageNum: number; pageSize: number } }>(
  '/api/notice/page',
  { schema: { querystring: PAGE_QUERY, response: { 200: NOTICE_PAGE } } },
  async ({ query: { pageNum, pageSize } }) => {
    const values = [pageSize, (pageNum - 1) * pageSize];
    const { rows } = await pool.query<NoticeRow & { total: number }>({ ...noticePage, values });
    const total = rows[0]?.total ?? 0;
    const list = rows.filter(({ id }) => id !== null).map(toNotice);
    return { list, total, pageNum, pageSize, pages: Math.ceil(total / pageSize) };
  },
);

app.get<{ Params: { id: number } }>(
  '/api/notice/:id',
  { schema: { params: ID, response: { 200: NOTICE } } },
  async ({ params }, reply) => {
    const { rows } = await pool.query<NoticeRow>({ ...noticeView, values: [params.id] });
    return rows[0] ? toNotice(rows[0]) : reply.code(404).send();
  },
);

await app.listen({ port: Number(process.env.PORT), host: process.env.HOST ?? 'localhost' });
console.log(`listening on ${app.listeningOrigin}`);
