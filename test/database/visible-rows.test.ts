import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { createPrisma } from '../../src/database/pool.ts';
import { OperationPrisma, visibleRules } from '../../src/database/prisma.ts';
import { FEATURES } from '../../src/features.ts';
import type { OperationContext } from '../../src/graphql/context.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertCategory, insertNotice, insertProduct, insertVariant } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

type Prisma = OperationContext['prisma'];

const NOW = new Date('2026-06-01T00:00:00Z');
const FUTURE = '2026-07-01T00:00:00Z';

const database = await shared(createTestDatabase());
const pool = new pg.Pool({ connectionString: database.url });
pool.on('error', () => {}); // Dropping the database ends its connections.
afterAll(() => pool.end());

const shelf = await insertCategory(database, { name: 'Shelf' });
const empty = await insertCategory(database, { name: 'Empty', parent_id: shelf });
const ids: Record<string, number> = {};
for (const [name, values] of Object.entries({
  shown: {},
  draft: { status: 'DRAFT' },
  gone: { status: 'OFF_SALE' },
  future: { published_at: FUTURE },
  hidden: { status: 'DRAFT', category_id: empty },
})) {
  ids[name] = await insertProduct(database, { category_id: shelf, name, ...values });
  ids[`${name} variant`] = await insertVariant(database, { product_id: ids[name] ?? 0, price: '2.00', sku: name });
}
for (const [name, values] of Object.entries({
  current: {},
  ended: { ends_at: '2026-01-01T00:00:00Z' },
  coming: { starts_at: FUTURE },
  withdrawn: { status: 'WITHDRAWN' },
}))
  ids[name] = await insertNotice(database, { title: name, ...values });

const prisma = await createPrisma(pool);
const operations = new OperationPrisma(prisma, visibleRules(FEATURES), () => NOW.getTime());
const { clients } = operations;
const idOf = (name: string): number => ids[name] ?? 0;

const EACH: Record<string, [(prisma: Prisma) => Promise<unknown>, unknown]> = {
  'a list': [(prisma) => prisma.product.findMany({ select: { name: true } }), [{ name: 'shown' }]],
  'a list with a filter': [
    (prisma) =>
      prisma.product.findMany({ where: { OR: [{ name: 'draft' }, { name: 'shown' }] }, select: { name: true } }),
    [{ name: 'shown' }],
  ],
  'the first': [(prisma) => prisma.product.findFirst({ where: { name: 'draft' } }), null],
  'one by its key': [(prisma) => prisma.product.findUnique({ where: { id: idOf('future') } }), null],
  'one by its key, of some columns': [
    (prisma) => prisma.product.findUnique({ where: { id: idOf('draft') }, select: { name: true } }),
    null,
  ],
  'one that is visible, as it was asked for': [
    (prisma) =>
      prisma.product.findUnique({
        where: { id: idOf('shown') },
        select: { name: true, category: { select: { name: true } } },
      }),
    { name: 'shown', category: { name: 'Shelf' } },
  ],
  'one without a column that decides': [
    async (prisma) =>
      Object.keys(
        (await prisma.product.findUnique({ where: { id: idOf('shown') }, omit: { status: true } })) ?? {},
      ).filter((key) => key === 'status' || key === 'publishedAt'),
    ['publishedAt'],
  ],
  'a number': [(prisma) => prisma.product.count(), 1],
  'a number of columns': [
    (prisma) => prisma.product.count({ select: { _all: true, subtitle: true } }),
    { _all: 1, subtitle: 0 },
  ],
  'a sum': [
    (prisma) => prisma.product.aggregate({ _count: true, _max: { name: true } }),
    { _count: 1, _max: { name: 'shown' } },
  ],
  groups: [
    (prisma) => prisma.product.groupBy({ by: ['status'], _count: { _all: true }, orderBy: { _count: { id: 'desc' } } }),
    [{ status: 'ON_SALE', _count: { _all: 1 } }],
  ],
  'variants of visible products': [
    (prisma) => prisma.productVariant.findMany({ select: { sku: true } }),
    [{ sku: 'shown' }],
  ],
  'a variant by its key': [(prisma) => prisma.productVariant.findUnique({ where: { sku: 'draft' } }), null],
  'a variant by its key, as it was asked for': [
    (prisma) => prisma.productVariant.findUnique({ where: { sku: 'shown' }, select: { sku: true } }),
    { sku: 'shown' },
  ],
  'a variant with its product, as it was asked for': [
    (prisma) =>
      prisma.productVariant.findUnique({
        where: { sku: 'shown' },
        select: { sku: true, product: { select: { name: true } } },
      }),
    { sku: 'shown', product: { name: 'shown' } },
  ],
  'a variant with its product, of all columns': [
    async (prisma) => {
      const variant = await prisma.productVariant.findUnique({ where: { sku: 'shown' }, include: { product: true } });
      return [variant?.sku, variant?.product.name, variant?.product.status];
    },
    ['shown', 'shown', 'ON_SALE'],
  ],
  'a variant without its product': [
    async (prisma) =>
      Object.keys((await prisma.productVariant.findUnique({ where: { sku: 'shown' } })) ?? {}).includes('product'),
    false,
  ],
  'notices in effect': [(prisma) => prisma.notice.findMany({ select: { title: true } }), [{ title: 'current' }]],
  'a notice that has ended, by its key': [
    (prisma) => prisma.notice.findUnique({ where: { id: idOf('ended') }, select: { title: true } }),
    { title: 'ended' },
  ],
  'no notice that is to come, by its key': [
    (prisma) => prisma.notice.findUnique({ where: { id: idOf('coming') } }),
    null,
  ],
  'what is included': [
    async (prisma) => {
      const [category] = await prisma.category.findMany({ where: { id: shelf }, include: { products: true } });
      return category?.products.map(({ name }) => name);
    },
    ['shown'],
  ],
  'what is selected, at any depth': [
    (prisma) =>
      prisma.category.findMany({
        where: { parentId: null },
        select: {
          children: { select: { products: { select: { name: true } } } },
          products: { select: { name: true, variants: { select: { sku: true } } }, where: { name: { not: 'none' } } },
        },
      }),
    [{ children: [{ products: [] }], products: [{ name: 'shown', variants: [{ sku: 'shown' }] }] }],
  ],
  'what is joined': [
    async (prisma) => {
      const categories = await prisma.category.findMany({ include: { products: true }, relationLoadStrategy: 'join' });
      return categories.map(({ products }) => products.map(({ name }) => name));
    },
    [['shown'], []],
  ],
  'numbers of related rows': [
    (prisma) =>
      prisma.category.findMany({ select: { _count: { select: { products: true } } }, orderBy: { id: 'asc' } }),
    [{ _count: { products: 1 } }, { _count: { products: 0 } }],
  ],
  'numbers of all related rows': [
    (prisma) => prisma.category.findMany({ select: { _count: true }, orderBy: { id: 'asc' } }),
    [{ _count: { children: 1, products: 1 } }, { _count: { children: 0, products: 0 } }],
  ],
  'numbers of those that meet a condition': [
    (prisma) =>
      prisma.category.findUnique({
        where: { id: shelf },
        select: { _count: { select: { products: { where: { name: 'draft' } }, children: true } } },
      }),
    { _count: { products: 0, children: 1 } },
  ],
  'who has some': [
    (prisma) => prisma.category.findMany({ where: { products: { some: {} } }, select: { name: true } }),
    [{ name: 'Shelf' }],
  ],
  'who has some of a name': [
    (prisma) => prisma.category.count({ where: { products: { some: { name: 'draft' } } } }),
    0,
  ],
  'who has none': [
    (prisma) => prisma.category.findMany({ where: { products: { none: {} } }, select: { name: true } }),
    [{ name: 'Empty' }],
  ],
  'who has nothing else': [(prisma) => prisma.category.count({ where: { products: { every: { name: 'shown' } } } }), 2],
  'who has not': [
    (prisma) =>
      prisma.category.findMany({
        where: { NOT: [{ products: { some: { variants: { some: {} } } } }] },
        select: { name: true },
      }),
    [{ name: 'Empty' }],
  ],
  'who has one that has': [
    (prisma) =>
      prisma.category.count({
        where: { AND: { products: { some: { variants: { some: { sku: { in: ['draft', 'future'] } } } } } } },
      }),
    0,
  ],
  'a relation by a chain of calls': [
    (prisma) => prisma.category.findUnique({ where: { id: shelf } }).products({ select: { name: true } }),
    [{ name: 'shown' }],
  ],
};

describe('Prisma shows visible rows alone:', () => {
  test.for(Object.entries(EACH))('%s', async ([, [read, expected]]) => {
    expect(await read(clients.prisma)).toEqual(expected);
    expect(await read(clients.prismaForRelations)).toEqual(expected);
  });

  test('none by its key is an error where there has to be one', async () => {
    const read = { where: { id: idOf('draft') }, select: { name: true } };
    await expect(clients.prisma.product.findUniqueOrThrow(read)).rejects.toMatchObject({ code: 'P2025' });
    await expect(clients.prisma.product.findFirstOrThrow(read)).rejects.toMatchObject({ code: 'P2025' });
    await expect(clients.prismaForRelations.product.findUniqueOrThrow(read)).rejects.toMatchObject({
      name: 'ReadAgain',
    });
    expect(await clients.prisma.product.findUniqueOrThrow({ ...read, where: { id: idOf('shown') } })).toEqual({
      name: 'shown',
    });
  });

  test('by the time of the operation', async () => {
    const dependencies = { add: () => {}, addUnknown: () => {}, showsUntilNextChange: () => {} };
    const names = (now: string) =>
      operations.during({ now: new Date(now), dependencies }, async () =>
        (await clients.prisma.product.findMany({ orderBy: { id: 'asc' } })).map(({ name }) => name),
      );
    expect(await names('2026-06-30T23:59:59.999Z')).toEqual(['shown']);
    expect(await names(FUTURE)).toEqual(['shown', 'future']);
  });

  test('several by their keys take one statement, as ever', async () => {
    let statements = 0;
    const counted = await createPrisma(
      Object.assign(Object.create(pool), {
        query: (...args: Parameters<typeof pool.query>) => {
          statements += 1;
          return pool.query(...args);
        },
      }),
    );
    const { prisma } = new OperationPrisma(counted, visibleRules(FEATURES), () => NOW.getTime()).clients;
    await prisma.product.count();
    statements = 0;
    const names = ['shown', 'draft', 'shown', 'future'];
    const found = names.map((name) => prisma.product.findUnique({ where: { id: idOf(name) }, select: { name: true } }));
    expect(await Promise.all(found)).toEqual([{ name: 'shown' }, null, { name: 'shown' }, null]);
    expect(statements).toBe(1);
  });

  test('not where Prisma cannot leave hidden ones out', async () => {
    const { category, product } = clients.prisma;
    await expect(category.findMany({ orderBy: { products: { _count: 'desc' } } })).rejects.toThrow(/prismaWithHidden/);
    await expect(product.findMany({ orderBy: [{ category: { products: { _count: 'desc' } } }] })).rejects.toThrow(
      /prismaWithHidden/,
    );
    await expect(product.findUnique({ where: { id: idOf('shown') } }).category()).rejects.toThrow(/chain of calls/);
  });
});

test('who asks for hidden rows by name sees them', async () => {
  const { prismaWithHidden } = clients;
  expect(await prismaWithHidden.product.count()).toBe(5);
  expect(await prismaWithHidden.productVariant.findUnique({ where: { sku: 'draft' }, select: { sku: true } })).toEqual({
    sku: 'draft',
  });
  expect(await prismaWithHidden.category.count({ where: { products: { some: { name: 'draft' } } } })).toBe(1);
});
