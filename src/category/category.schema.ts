import { atMost, LIST_SIZE } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { LANGUAGE_OF_NAME, SLUG_TRANSLATIONS, SlugTranslation, shownField } from '../translation/translation.schema.ts';

export const Category = builder.prismaObject('Category', {
  description: 'A shelf of the shop. Categories form a tree.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Stays the same for good.' }),
    name: t.string(shownField('name', 'What it is called in the shop.')),
    slug: t.string(shownField('slug', 'Unique in its language, for links that people read.')),
    language: t.string(LANGUAGE_OF_NAME),
    translations: t.field({ type: [SlugTranslation], ...SLUG_TRANSLATIONS }),
    imageUrl: t.exposeString('imageUrl', { nullable: true, description: 'Its picture.' }),
  }),
});

// Apart from the rest because a type cannot be inferred from itself.
builder.prismaObjectFields(Category, (t) => ({
  parent: t.field({
    type: Category,
    nullable: true,
    description: 'The one that it is part of; null for a root.',
    resolve: ({ parentId }, _, { loaders }) => (parentId === null ? null : loaders.category.byId(parentId)),
  }),
  children: t.field({
    type: [Category],
    description: 'By position, then id.',
    extensions: { assumedSize: 8 },
    resolve: ({ id }, _, { loaders }) => loaders.category.childrenOf(id),
  }),
  path: t.string({
    description: 'The names of its ancestors and its own: `Home > Kitchen`.',
    resolve: (category, _, { loaders }) => loaders.category.pathOf(category),
  }),
  ancestors: t.field({
    type: [Category],
    description: 'Those that it is part of, root first, without itself: the breadcrumbs of its page.',
    extensions: { assumedSize: 4 },
    resolve: (category, _, { loaders }) => loaders.category.ancestorsOf(category),
  }),
}));

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
