import { Category } from '../category/category.type.ts';
import { builder } from '../graphql/builder.ts';
import { Money } from './money.type.ts';

export const Product = builder.prismaObject('Product', {
  description: 'Something the shop sells, as its customers see it.',
  fields: (t) => ({
    id: t.exposeInt('id'),
    name: t.exposeString('name'),
    slug: t.exposeString('slug', { description: 'Unique, for links that people read.' }),
    subtitle: t.exposeString('subtitle', { nullable: true }),
    description: t.exposeString('description'),
    brand: t.exposeString('brand', { nullable: true }),
    tags: t.exposeStringList('tags'),
    price: t.field({
      type: Money,
      resolve: ({ price, currency }) => ({ amount: price, currencyCode: currency }),
    }),
    listPrice: t.field({
      type: Money,
      nullable: true,
      description: 'The price before a reduction.',
      resolve: ({ listPrice, currency }) => listPrice && { amount: listPrice, currencyCode: currency },
    }),
    stock: t.exposeInt('stock'),
    inStock: t.boolean({ resolve: ({ stock }) => stock > 0 }),
    sales: t.exposeInt('sales', { description: 'How many have been sold.' }),
    imageUrl: t.exposeString('imageUrl', { nullable: true }),
    imageUrls: t.exposeStringList('imageUrls'),
    category: t.field({
      type: Category,
      resolve: ({ categoryId }, _, { loaders }) => loaders.category.byId(categoryId),
    }),
    publishedAt: t.expose('publishedAt', { type: 'DateTime' }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});
