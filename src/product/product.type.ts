import { Category } from '../category/category.type.ts';
import { builder } from '../graphql/builder.ts';
import { Money } from './money.type.ts';

export const Product = builder.prismaObject('Product', {
  description: 'Something the shop sells, as its customers see it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Stays the same for good.' }),
    name: t.exposeString('name', { description: 'What it is called in the shop.' }),
    slug: t.exposeString('slug', { description: 'Unique, for links that people read.' }),
    subtitle: t.exposeString('subtitle', { nullable: true, description: 'One line under the name.' }),
    description: t.exposeString('description', { description: 'The text of its page.' }),
    brand: t.exposeString('brand', { nullable: true, description: 'Who makes it.' }),
    tags: t.exposeStringList('tags', { description: 'Words to find or to group it by.' }),
    price: t.field({
      type: Money,
      description: 'What it costs now.',
      resolve: ({ price, currency }) => ({ amount: price, currencyCode: currency }),
    }),
    listPrice: t.field({
      type: Money,
      nullable: true,
      description: 'The price before a reduction.',
      resolve: ({ listPrice, currency }) => listPrice && { amount: listPrice, currencyCode: currency },
    }),
    stock: t.exposeInt('stock', { description: 'How many are left.' }),
    inStock: t.boolean({ description: 'Whether any are left.', resolve: ({ stock }) => stock > 0 }),
    sales: t.exposeInt('sales', { description: 'How many have been sold.' }),
    imageUrl: t.exposeString('imageUrl', { nullable: true, description: 'The picture for lists.' }),
    imageUrls: t.exposeStringList('imageUrls', { description: 'The pictures of its page.' }),
    category: t.field({
      type: Category,
      description: 'The one that it stands in.',
      resolve: ({ categoryId }, _, { loaders }) => loaders.category.byId(categoryId),
    }),
    publishedAt: t.expose('publishedAt', { type: 'DateTime', description: 'Since when customers see it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the back office entered it.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the back office last said it changed.' }),
  }),
});
