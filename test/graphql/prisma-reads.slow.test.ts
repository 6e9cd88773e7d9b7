import { describe, expect, test } from 'vitest';
import { Category } from '../../src/category/category.schema.ts';
import { tablesOf } from '../../src/database/prisma.ts';
import { builder } from '../../src/graphql/builder.ts';
import { Product } from '../../src/product/product.schema.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

// Fields as Pothos' documentation writes them: https://pothos-graphql.dev/docs/plugins/prisma. The schema's builder belongs to the process, and keeps them.

const LISTED = { extensions: { assumedSize: 10 } };

builder.prismaObjectFields(Product, (t) => ({ shelf: t.relation('category') }));
builder.prismaObjectFields(Category, (t) => ({
  goods: t.relation('products', { ...LISTED, query: { orderBy: { id: 'asc' } } }),
}));
builder.queryFields((t) => ({
  oneProduct: t.prismaField({
    type: Product,
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: (query, _, { id }, { prisma }) => prisma.product.findUnique({ ...query, where: { id } }),
  }),
  allCategories: t.prismaField({
    ...LISTED,
    type: [Category],
    resolve: (query, _, __, { prisma }) => prisma.category.findMany({ ...query, orderBy: { id: 'asc' } }),
  }),
  // A promise of Prisma's own.
  plainCategories: t.field({ ...LISTED, type: [Category], resolve: (_, __, { prisma }) => prisma.category.findMany() }),
  cupboards: t.int({
    resolve: (_, __, { prisma }) => prisma.product.count({ where: { category: { name: 'Cupboard' } } }),
  }),
  raw: t.field({
    type: 'String',
    resolve: async (_, __, { prisma }) => {
      const [row] = await prisma.$queryRaw<{ name: string }[]>`select name from category order by id limit 1`;
      return row?.name ?? '';
    },
  }),
  ownCount: t.int({ resolve: () => (count += 1) }),
}));

let count = 0;

const database = await shared(createTestDatabase());
const categoryId = await insertCategory(database, { name: 'Cupboard' });
const id = await insertProduct(database, { category_id: categoryId, name: 'Jug' });
const gateway = await shared(createTestGateway(database));

const ask = async (selection: string) => {
  const { headers, json } = await gateway.post({ query: `{ ${selection} }` });
  const { data, errors } = json as { data: unknown; errors?: unknown };
  expect(errors).toBeUndefined();
  return { data, isHit: headers['cache-status'] === 'vitrine; hit', cacheControl: headers['cache-control'] };
};

describe('what Prisma reads is kept, and is fresh:', () => {
  test.for<[string, string, string, string]>([
    ['one row', `oneProduct(id: ${id}) { name }`, `update product set name = 'Can' where id = ${id}`, 'Can'],
    [
      'none',
      'oneProduct(id: 9999) { name }',
      `insert into product (id, category_id, name, slug, price) values (9999, ${categoryId}, 'Late', 'late', 1)`,
      'Late',
    ],
    ['a list', 'allCategories { name }', `update category set name = 'Shelf'`, 'Shelf'],
    ['a list by a promise of Prisma', 'plainCategories { name }', `update category set name = 'Rack'`, 'Rack'],
    ['a relation of one', `oneProduct(id: ${id}) { shelf { name } }`, `update category set name = 'Board'`, 'Board'],
    [
      'a relation of a row that a loader read',
      `product(id: ${id}) { shelf { name } }`,
      `update category set name = 'Stand'`,
      'Stand',
    ],
    [
      'a relation of many',
      'allCategories { goods { name } }',
      `update product set name = 'Pot' where id = ${id}`,
      'Pot',
    ],
    [
      'a relation of many of a row that a loader read',
      `category(id: ${categoryId}) { goods { name } }`,
      `update product set name = 'Pan' where id = ${id}`,
      'Pan',
    ],
    ['a relation that only filters', 'cupboards', `update category set name = 'Cupboard'`, '2'],
  ])('%s', async ([, selection, statement, expected]) => {
    await expect.poll(async () => (await ask(selection)).isHit, { interval: 5 }).toBe(true);
    await database.sql(statement);
    await expect.poll(async () => JSON.stringify((await ask(selection)).data), { interval: 5 }).toContain(expected);
    await expect.poll(async () => (await ask(selection)).isHit, { interval: 5 }).toBe(true);
  });
});

test.for(['ownCount', 'raw', `product(id: ${id}) { slug } raw`])(
  'what may change unnoticed is never kept, by nobody: %s',
  async (selection) => {
    for (let time = 0; time < 3; time += 1)
      expect(await ask(selection)).toMatchObject({
        isHit: false,
        cacheControl: 'public, max-age=0, must-revalidate, stale-while-revalidate=0',
      });
  },
);

test.for<[string, Parameters<typeof tablesOf>, string[]]>([
  ['of the model', ['Notice', { where: { id: 1 } }], ['notice']],
  ['without arguments', ['Category', undefined], ['category']],
  [
    'of what is included',
    ['Category', { include: { products: { include: { category: true } } } }],
    ['category', 'product'],
  ],
  ['of what is selected', ['Product', { select: { category: { select: { name: true } } } }], ['product', 'category']],
  ['not of what is not', ['Product', { include: { category: false } }], ['product']],
  [
    'of filters',
    ['Category', { where: { OR: [{ NOT: { products: { some: { stock: 1 } } } }] } }],
    ['category', 'product'],
  ],
  ['of orders', ['Product', { orderBy: [{ category: { name: 'asc' } }] }], ['product', 'category']],
  ['of counts', ['Category', { include: { _count: true } }], ['category', 'product']],
  ['of some counts', ['Category', { select: { _count: { select: { products: true } } } }], ['category', 'product']],
])('the tables of a read are those %s', ([, read, tables]) => {
  expect([...tablesOf(...read)]).toEqual(tables);
});
