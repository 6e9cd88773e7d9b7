// @ts-nocheck Its types are made of models that the shop has not. A test checks them in a copy of the project that has.

import { builder } from '../../../src/graphql/builder.ts';

// As Pothos' documentation writes it: https://pothos-graphql.dev/docs/plugins/prisma

const Maker = builder.prismaObject('Maker', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    brands: t.relation('brands', { query: { orderBy: { id: 'asc' } }, extensions: { assumedSize: 10 } }),
    brandsConnection: t.relatedConnection('brands', { cursor: 'id', totalCount: true }),
    brandCount: t.relationCount('brands'),
  }),
});

builder.prismaObject('Brand', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    maker: t.relation('maker'),
    fairs: t.relation('fairs', { query: { orderBy: { id: 'asc' } }, extensions: { assumedSize: 10 } }),
    fairsConnection: t.relatedConnection('fairs', { cursor: 'id' }),
  }),
});

const Fair = builder.prismaObject('Fair', {
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    brands: t.relation('brands', { query: { orderBy: { id: 'asc' } }, extensions: { assumedSize: 10 } }),
    makers: t.stringList({
      select: { brands: { select: { maker: true }, orderBy: { id: 'asc' } } },
      resolve: ({ brands }) => brands.map(({ maker }) => maker.name),
    }),
  }),
});

const Label = builder.prismaInterface('Brand', {
  variant: 'Label',
  fields: (t) => ({
    name: t.exposeString('name'),
    maker: t.relation('maker'),
    brand: t.variant('Brand'),
  }),
  resolveType: (brand) => (brand.isLocal ? 'LocalLabel' : 'WorldLabel'),
});

builder.prismaObject('Brand', {
  variant: 'LocalLabel',
  interfaces: [Label],
  fields: (t) => ({
    fairs: t.relation('fairs', { query: { orderBy: { id: 'asc' } }, extensions: { assumedSize: 10 } }),
  }),
});

builder.prismaObject('Brand', {
  variant: 'WorldLabel',
  interfaces: [Label],
  fields: (t) => ({ fairsConnection: t.relatedConnection('fairs', { cursor: 'id' }) }),
});

const Named = builder.unionType('Named', { types: [Maker, Fair] });

builder.queryFields((t) => ({
  labels: t.prismaField({
    type: [Label],
    extensions: { assumedSize: 10 },
    resolve: (query, _root, _args, ctx) => ctx.prisma.brand.findMany({ ...query, orderBy: { id: 'asc' } }),
  }),
  named: t.field({
    type: [Named],
    extensions: { assumedSize: 20 },
    resolve: async (_root, _args, ctx) => {
      const makers = await ctx.prisma.maker.findMany({ orderBy: { id: 'asc' } });
      const fairs = await ctx.prisma.fair.findMany({ orderBy: { id: 'asc' } });
      return [...Maker.addBrand(makers), ...Fair.addBrand(fairs)];
    },
  }),
  brand: t.prismaField({
    type: 'Brand',
    nullable: true,
    args: { id: t.arg.int({ required: true }) },
    resolve: (query, _root, args, ctx) => ctx.prisma.brand.findUnique({ ...query, where: { id: args.id } }),
  }),
  makers: t.prismaField({
    type: ['Maker'],
    extensions: { assumedSize: 10 },
    resolve: (query, _root, _args, ctx) => ctx.prisma.maker.findMany({ ...query, orderBy: { id: 'asc' } }),
  }),
  fairs: t.prismaField({
    type: ['Fair'],
    extensions: { assumedSize: 10 },
    resolve: (query, _root, _args, ctx) => ctx.prisma.fair.findMany({ ...query, orderBy: { id: 'asc' } }),
  }),
  brandsOf: t.prismaField({
    type: ['Brand'],
    extensions: { assumedSize: 10 },
    args: { maker: t.arg.string({ required: true }) },
    resolve: (query, _root, args, ctx) =>
      ctx.prisma.brand.findMany({ ...query, where: { maker: { name: args.maker } }, orderBy: { id: 'asc' } }),
  }),
  brands: t.prismaConnection({
    type: 'Brand',
    cursor: 'id',
    totalCount: (_connection, _args, ctx) => ctx.prisma.brand.count(),
    resolve: (query, _root, _args, ctx) => ctx.prisma.brand.findMany({ ...query, orderBy: { id: 'asc' } }),
  }),
}));

builder.prismaObjectFields('Product', (t) => ({
  weightGrams: t.exposeInt('weightGrams', { nullable: true }),
}));
