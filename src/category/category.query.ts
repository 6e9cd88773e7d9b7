import { atMost, LIST_SIZE } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { Category } from './category.type.ts';

builder.queryFields((t) => ({
  category: t.field({
    type: Category,
    nullable: true,
    description: 'The category with this id.',
    args: { id: t.arg.int({ required: true }) },
    resolve: (_, { id }, { loaders }) => loaders.category.byIdOrNull(id),
  }),

  categoryBySlug: t.field({
    type: Category,
    nullable: true,
    description: 'The category with this slug.',
    args: { slug: t.arg.string({ required: true }) },
    resolve: (_, { slug }, { loaders }) => loaders.category.bySlug(slug),
  }),

  categoriesByNames: t.field({
    type: [Category],
    description: 'Categories by their slug, their name, or their path from the root (`Home > Kitchen`).',
    args: {
      names: t.arg.stringList({ required: true, ...atMost(LIST_SIZE.maximum ?? 0, 'Unknown ones are left out.') }),
    },
    resolve: (_, { names }, { loaders }) => loaders.category.byNames(names),
  }),

  categories: t.field({
    type: [Category],
    description: 'The roots of the tree, by position, then id.',
    extensions: { assumedSize: 20 },
    resolve: (_, __, { loaders }) => loaders.category.roots(),
  }),
}));
