import { atMost, LIST_SIZE, lookedUp, MAX_IDS, within } from '../graphql/arguments.ts';
import { builder, LIVE_FIELD } from '../graphql/builder.ts';
import { Product, ProductOrderEnum } from './product.type.ts';

builder.queryFields((t) => ({
  product: t.field({
    type: Product,
    nullable: true,
    description: 'The visible product with this id.',
    args: { id: t.arg.int({ required: true }) },
    resolve: (_, { id }, { loaders }) => loaders.product.byId(id),
  }),

  productBySlug: t.field({
    type: Product,
    nullable: true,
    description: 'The visible product with this slug.',
    args: { slug: t.arg.string({ required: true }) },
    resolve: (_, { slug }, { loaders }) => loaders.product.bySlug(slug),
  }),

  productsByIds: t.field({
    type: [Product],
    nullable: { list: false, items: true },
    description: 'Visible products, in the order asked for: a wish list. Null for an id that none has.',
    args: { ids: t.arg.intList(lookedUp) },
    resolve: (_, { ids }, { loaders }) => Promise.all(ids.map((id) => loaders.product.byId(id))),
  }),

  productsBySlugs: t.field({
    type: [Product],
    nullable: { list: false, items: true },
    description: 'Visible products, in the order asked for. Null for a slug that none has.',
    args: { slugs: t.arg.stringList(lookedUp) },
    resolve: (_, { slugs }, { loaders }) => Promise.all(slugs.map((slug) => loaders.product.bySlug(slug))),
  }),

  currency: t.string({
    nullable: true,
    description: 'The currency of most visible products; null where there are none.',
    resolve: (_, __, { loaders }) => loaders.product.currency(),
  }),

  hotProducts: t.field({
    type: [Product],
    description: 'Most sold first, then newest.',
    args: { limit: t.arg.int(within(LIST_SIZE, 10)) },
    resolve: (_, { limit }, { loaders }) => loaders.product.list({ categoryIds: [], orderBy: 'BEST_SELLING', limit }),
  }),

  newProducts: t.field({
    type: [Product],
    description: 'Latest published first.',
    args: { limit: t.arg.int(within(LIST_SIZE, 10)) },
    resolve: (_, { limit }, { loaders }) => loaders.product.list({ categoryIds: [], orderBy: 'NEWEST', limit }),
  }),

  products: t.field({
    type: [Product],
    description: 'The visible products of some categories (their own, not those of their children), or of all.',
    args: {
      categoryIds: t.arg.intList(atMost(MAX_IDS, 'Absent, null or empty: every category.')),
      orderBy: t.arg({ type: ProductOrderEnum, required: true, defaultValue: 'DEFAULT' }),
      limit: t.arg.int(within(LIST_SIZE, 20)),
    },
    resolve: (_, { categoryIds, orderBy, limit }, { loaders }) =>
      loaders.product.list({ categoryIds: categoryIds ?? [], orderBy, limit }),
  }),
}));

builder.subscriptionField('product', (t) =>
  t.field({
    ...LIVE_FIELD,
    type: Product,
    nullable: true,
    description: 'The product with this id: at once, and again whenever it changes. Null while it is not visible.',
    args: { id: t.arg.int({ required: true }) },
    resolve: (_, { id }, { loaders }) => loaders.product.byId(id),
  }),
);
