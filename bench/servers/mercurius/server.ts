// A GraphQL server by hand: mercurius with its JIT, its loaders against one query for each product, `pg` with prepared statements.

import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { mercurius } from 'mercurius';
import type pg from 'pg';
import { type CategoryRow, categoriesById, categoryRoots } from '../sql/category.sql.ts';
import { type NoticeRow, noticeList, noticePage, noticeView } from '../sql/notice.sql.ts';
import { createPool } from '../sql/pool.ts';
import { type ProductRow, productStatements, topOfEachCategory } from '../sql/product.sql.ts';
import { scalars } from './scalars.ts';

const pool = createPool();

const query = async <Row extends pg.QueryResultRow>(
  statement: { name: string; text: string },
  values: unknown[] = [],
): Promise<Row[]> => (await pool.query<Row>({ ...statement, values })).rows;

interface ListArguments {
  readonly categoryIds?: number[] | null;
  readonly orderBy: string;
  readonly limit: number;
}

const resolvers = {
  ...scalars,
  Query: {
    product: async (_: unknown, { id }: { id: number }) => (await query<ProductRow>(productStatements.detail, [id]))[0],
    hotProducts: (_: unknown, { limit }: ListArguments) => query(productStatements.list('BEST_SELLING'), [limit]),
    newProducts: (_: unknown, { limit }: ListArguments) => query(productStatements.list('NEWEST'), [limit]),
    products: (_: unknown, { categoryIds, orderBy, limit }: ListArguments) =>
      categoryIds?.length
        ? query(productStatements.listOfCategories(orderBy), [[...new Set(categoryIds)], limit])
        : query(productStatements.list(orderBy), [limit]),
    categories: () => query(categoryRoots),
    notices: () => query(noticeList),
    noticePage: async (_: unknown, { page, pageSize }: { page: number; pageSize: number }) => {
      const rows = await query<NoticeRow & { total: number }>(noticePage, [pageSize, (page - 1) * pageSize]);
      const total = rows[0]?.total ?? 0;
      const items = rows.filter(({ id }) => id !== null);
      return { items, total, page, pageSize, pageCount: Math.ceil(total / pageSize) };
    },
    notice: async (_: unknown, { id }: { id: number }) => (await query<NoticeRow>(noticeView, [id]))[0],
  },
  Product: {
    price: ({ price, currency }: ProductRow) => ({ amount: price, currencyCode: currency }),
    listPrice: ({ listPrice, currency }: ProductRow) => listPrice && { amount: listPrice, currencyCode: currency },
    inStock: ({ stock }: ProductRow) => stock > 0,
  },
};

const loaders = {
  Product: {
    category: async (queries: { obj: ProductRow }[]) => {
      const ids = [...new Set(queries.map(({ obj }) => obj.categoryId))];
      const byId = new Map((await query<CategoryRow>(categoriesById, [ids])).map((row) => [row.id, row]));
      return queries.map(({ obj }) => byId.get(obj.categoryId));
    },
  },
  Category: {
    products: async (queries: { obj: CategoryRow; params: ListArguments }[]) => {
      const byCategory = new Map<string, ProductRow[]>();
      // One statement for all categories that are asked in the same way: all of them, unless aliases differ.
      const forms = Map.groupBy(queries, ({ params }) => `${params.orderBy} ${params.limit}`);
      for (const [form, [first, ...others]] of forms) {
        if (!first) continue;
        const ids = [first, ...others].map(({ obj }) => obj.id);
        const rows = await query<ProductRow>(topOfEachCategory(first.params.orderBy), [ids, first.params.limit]);
        const groups = Map.groupBy(rows, ({ categoryId }) => `${form} ${categoryId}`);
        for (const [key, group] of groups) byCategory.set(key, group);
      }
      return queries.map(({ obj, params }) => byCategory.get(`${params.orderBy} ${params.limit} ${obj.id}`) ?? []);
    },
  },
};

const app = Fastify();
const schema = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');
await app.register(mercurius, { schema, resolvers, loaders, jit: 1 });
await app.listen({ port: Number(process.env.PORT), host: process.env.HOST ?? 'localhost' });
console.log(`listening on ${app.listeningOrigin}`);
