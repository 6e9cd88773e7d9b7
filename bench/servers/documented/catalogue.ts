// Products and categories as https://pothos-graphql.dev/docs/plugins/prisma shows: prismaObject, t.relation, t.prismaField.

import type { Prisma } from '../../../src/database/generated/client/client.ts';
import { builder, prisma } from './builder.ts';

const visible = () => ({ status: 'ON_SALE', publishedAt: { lte: new Date() } }) satisfies Prisma.ProductWhereInput;

const ORDERS = {
  DEFAULT: [{ sales: 'desc' }, { publishedAt: 'desc' }, { id: 'desc' }],
  BEST_SELLING: [{ sales: 'desc' }, { publishedAt: 'desc' }, { id: 'desc' }],
  NEWEST: [{ publishedAt: 'desc' }, { id: 'desc' }],
  PRICE_ASC: [{ price: 'asc' }, { id: 'asc' }],
  PRICE_DESC: [{ price: 'desc' }, { id: 'desc' }],
  NAME_ASC: [{ name: 'asc' }, { id: 'asc' }],
} satisfies Record<string, Prisma.ProductOrderByWithRelationInput[]>;

const ProductOrder = builder.enumType('ProductOrder', { values: Object.keys(ORDERS) as (keyof typeof ORDERS)[] });

const Money = builder.objectRef<{ amount: Prisma.Decimal; currencyCode: string }>('Money').implement({
  fields: (t) => ({ amount: t.expose('amount', { type: 'Decimal' }), currencyCode: t.exposeString('currencyCode') }),
});

builder.prismaObject('Product', {
  fields: (t) => ({
    id: t.exposeInt('id'),
    name: t.exposeString('name'),
    slug: t.exposeString('slug'),
    subtitle: t.exposeString('subtitle', { nullable: true }),
    description: t.exposeString('description'),
    brand: t.exposeString('brand', { nullable: true }),
    tags: t.exposeStringList('tags'),
    price: t.field({ type: Money, resolve: ({ price, currency }) => ({ amount: price, currencyCode: currency }) }),
    listPrice: t.field({
      type: Money,
      nullable: true,
      resolve: ({ listPrice, currency }) => listPrice && { amount: listPrice, currencyCode: currency },
    }),
    stock: t.exposeInt('stock'),
    inStock: t.boolean({ resolve: ({ stock }) => stock > 0 }),
    sales: t.exposeInt('sales'),
    imageUrl: t.exposeString('imageUrl', { nullable: true }),
    imageUrls: t.exposeStringList('imageUrls'),
    category: t.relation('category'),
    publishedAt: t.expose('publishedAt', { type: 'DateTime' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

builder.prismaObject('Category', {
  fields: (t) => ({
    id: t.exposeInt('id'),
    name: t.exposeString('name'),
    slug: t.exposeString('slug'),
    products: t.relation('products', {
      args: {
        orderBy: t.arg({ type: ProductOrder, required: true, defaultValue: 'DEFAULT' }),
        limit: t.arg.int({ required: true, defaultValue: 20 }),
      },
      query: ({ orderBy, limit }) => ({ where: visible(), orderBy: ORDERS[orderBy], take: limit }),
    }),
  }),
});

builder.queryFields((t) => ({
  product: t.prismaField({
    type: 'Product',
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: (query, _, { id }) => prisma.product.findUnique({ ...query, where: { ...visible(), id } }),
  }),
  hotProducts: t.prismaField({
    type: ['Product'],
    args: { limit: t.arg.int({ required: true, defaultValue: 10 }) },
    resolve: (query, _, { limit }) =>
      prisma.product.findMany({ ...query, where: visible(), orderBy: ORDERS.BEST_SELLING, take: limit }),
  }),
  newProducts: t.prismaField({
    type: ['Product'],
    args: { limit: t.arg.int({ required: true, defaultValue: 10 }) },
    resolve: (query, _, { limit }) =>
      prisma.product.findMany({ ...query, where: visible(), orderBy: ORDERS.NEWEST, take: limit }),
  }),
  products: t.prismaField({
    type: ['Product'],
    args: {
      categoryIds: t.arg.intList(),
      orderBy: t.arg({ type: ProductOrder, required: true, defaultValue: 'DEFAULT' }),
      limit: t.arg.int({ required: true, defaultValue: 20 }),
    },
    resolve: (query, _, { categoryIds, orderBy, limit }) => {
      const ofCategories = categoryIds?.length ? { categoryId: { in: categoryIds } } : {};
      const where = { ...visible(), ...ofCategories };
      return prisma.product.findMany({ ...query, where, orderBy: ORDERS[orderBy], take: limit });
    },
  }),
  categories: t.prismaField({
    type: ['Category'],
    resolve: (query) =>
      prisma.category.findMany({ ...query, where: { parentId: null }, orderBy: [{ position: 'asc' }, { id: 'asc' }] }),
  }),
}));
