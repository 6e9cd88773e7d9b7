// @ts-nocheck Its types are made of models that the shop has not. A test checks them in a copy of the project that has.

import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '../../../src/graphql/builder.ts';
import { Notice } from '../../../src/notice/notice.schema.ts';
import { Product } from '../../../src/product/product.schema.ts';

// Models that lead to products and notices, of which some are hidden. No line here says so.

const LISTED = { extensions: { assumedSize: 10 } };
const BY_ID = { orderBy: { id: 'asc' } } as const;

const Seller = builder.prismaObject('Seller', {
  fields: (t) => ({
    name: t.exposeString('name'),
    products: t.relation('products', {
      ...LISTED,
      args: { name: t.arg.string() },
      query: ({ name }) => ({ ...BY_ID, ...(name && { where: { name } }) }),
    }),
    productsConnection: t.relatedConnection('products', { cursor: 'id', totalCount: true }),
    productCount: t.relationCount('products'),
    notices: t.relation('notices', { ...LISTED, query: BY_ID }),
    productNames: t.stringList({
      select: { products: { select: { name: true } } },
      resolve: ({ products }) => products.map(({ name }) => name),
    }),
  }),
});

const Review = builder.prismaObject('Review', {
  fields: (t) => ({
    text: t.exposeString('text'),
    product: t.relation('product', { nullable: true }),
    reviewed: t.relation('product'),
  }),
});

builder.prismaObject('Award', {
  fields: (t) => ({
    name: t.exposeString('name'),
    product: t.relation('product', { nullable: true }),
    notice: t.relation('notice', { nullable: true }),
  }),
});

const Store = builder.prismaInterface('Seller', {
  variant: 'Store',
  fields: (t) => ({ products: t.relation('products', { ...LISTED, query: BY_ID }) }),
  resolveType: () => 'CornerStore',
});

builder.prismaObject('Seller', { variant: 'CornerStore', interfaces: [Store] });

const SellerPage = builder
  .objectRef<{ items: (typeof Seller.$inferType)[] }>('SellerPage')
  .implement({ fields: (t) => ({ items: t.expose('items', { type: [Seller], ...LISTED }) }) });

const Named = builder.unionType('SellerOrReview', { types: [Seller, Review] });

builder.prismaObjectFields(Product, (t) => ({
  seller: t.relation('seller', { nullable: true }),
  reviews: t.relation('reviews', { ...LISTED, query: BY_ID }),
}));

builder.queryFields((t) => ({
  sellers: t.prismaField({
    ...LISTED,
    type: [Seller],
    resolve: (query, _root, _args, { prisma }) => prisma.seller.findMany({ ...query, ...BY_ID }),
  }),
  seller: t.prismaField({
    type: Seller,
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: (query, _root, { id }, { prisma }) => prisma.seller.findUnique({ ...query, where: { id } }),
  }),
  sellerThatIs: t.prismaField({
    type: Seller,
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: (query, _root, { id }, { prisma }) => prisma.seller.findUniqueOrThrow({ ...query, where: { id } }),
  }),
  sellersOf: t.prismaField({
    ...LISTED,
    type: [Seller],
    args: { product: t.arg.string({ required: true }) },
    resolve: (query, _root, { product }, { prisma }) =>
      prisma.seller.findMany({ ...query, where: { products: { some: { name: product } } } }),
  }),
  reviews: t.prismaField({
    ...LISTED,
    type: [Review],
    resolve: (query, _root, _args, { prisma }) => prisma.review.findMany({ ...query, ...BY_ID }),
  }),
  reviewsOf: t.prismaField({
    ...LISTED,
    type: [Review],
    args: { product: t.arg.string({ required: true }) },
    resolve: (query, _root, { product }, { prisma }) =>
      prisma.review.findMany({ ...query, where: { product: { name: product } } }),
  }),
  awards: t.prismaField({
    ...LISTED,
    type: ['Award'],
    resolve: (query, _root, _args, { prisma }) => prisma.award.findMany({ ...query, ...BY_ID }),
  }),
  awardsWithout: t.stringList({
    ...LISTED,
    resolve: async (_root, _args, { prisma }) =>
      (await prisma.award.findMany({ where: { product: null }, ...BY_ID })).map(({ name }) => name),
  }),
  awardsWith: t.stringList({
    ...LISTED,
    resolve: async (_root, _args, { prisma }) =>
      (await prisma.award.findMany({ where: { product: { isNot: null } }, ...BY_ID })).map(({ name }) => name),
  }),
  stores: t.prismaField({
    ...LISTED,
    type: [Store],
    resolve: (query, _root, _args, { prisma }) => prisma.seller.findMany({ ...query, ...BY_ID }),
  }),
  sellersAndReviews: t.field({
    ...LISTED,
    type: [Named],
    resolve: async (_root, _args, { prisma }) => [
      ...Seller.addBrand(await prisma.seller.findMany(BY_ID)),
      ...Review.addBrand(await prisma.review.findMany(BY_ID)),
    ],
  }),
  goods: t.prismaConnection({
    type: Product,
    cursor: 'id',
    totalCount: (_connection, _args, { prisma }) => prisma.product.count(),
    resolve: (query, _root, _args, { prisma }) => prisma.product.findMany({ ...query, ...BY_ID }),
  }),
  good: t.prismaField({
    type: Product,
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: (query, _root, { id }, { prisma }) => prisma.product.findUnique({ ...query, where: { id } }),
  }),
  news: t.prismaField({
    ...LISTED,
    type: [Notice],
    resolve: (query, _root, _args, { prisma }) => prisma.notice.findMany({ ...query, ...BY_ID }),
  }),
  sellersOfPage: t.field({
    type: SellerPage,
    resolve: async (_root, _args, context, info) => ({
      items: await context.prisma.seller.findMany({
        ...queryFromInfo({ context, info, path: ['items'], include: {} }),
        ...BY_ID,
      }),
    }),
  }),
  // Whoever wants hidden rows asks for them by name.
  stock: t.prismaField({
    ...LISTED,
    type: [Product],
    resolve: (query, _root, _args, { prismaWithHidden }) => prismaWithHidden.product.findMany({ ...query, ...BY_ID }),
  }),
  plainStock: t.field({
    ...LISTED,
    type: [Product],
    resolve: (_root, _args, { prismaWithHidden }) => prismaWithHidden.product.findMany(BY_ID),
  }),
}));
