import { Category } from '../category/category.schema.ts';
import type { Prisma } from '../database/generated/client/client.ts';
import { atMost, LIST_SIZE, lookedUp, MAX_IDS, within } from '../graphql/arguments.ts';
import { builder, LIVE_FIELD } from '../graphql/builder.ts';
import { shownText, translationOf } from '../language/shown.ts';
import {
  LANGUAGE_OF_NAME,
  NAME_LABEL,
  SLUG_TRANSLATIONS,
  SlugTranslation,
  shownField,
  VALUE_LABELS,
} from '../translation/translation.schema.ts';
import { PRODUCT_ORDERS } from './product.order.ts';

const ProductOrderEnum = builder.enumType('ProductOrder', {
  description: 'How a list of products is sorted.',
  values: PRODUCT_ORDERS,
});

export const Product = builder.prismaObject('Product', {
  description: 'Something the shop sells, as its customers see it.',
  fields: (t) => ({
    id: t.exposeInt('id', { description: 'Stays the same for good.' }),
    name: t.string(shownField('name', 'What it is called in the shop.')),
    slug: t.string(shownField('slug', 'Unique in its language, for links that people read.')),
    language: t.string(LANGUAGE_OF_NAME),
    translations: t.field({ type: [SlugTranslation], ...SLUG_TRANSLATIONS }),
    subtitle: t.string({ nullable: true, ...shownField('subtitle', 'One line under the name.') }),
    description: t.string(
      shownField(
        'description',
        'The text of its page, as the back office stored it. Imports store plain text with line ends; with `--html keep`, the HTML of the file, which a page has to clean before it shows it.',
      ),
    ),
    brand: t.exposeString('brand', { nullable: true, description: 'Who makes it.' }),
    tags: t.exposeStringList('tags', { description: 'Words to find or to group it by: names for filters.' }),
    tagLabels: t.stringList({
      description: 'What `tags` are called, in their order.',
      resolve: ({ tags }, _, { loaders }) => loaders.termTranslation.labels(tags),
    }),
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
    images: t.field({
      type: [ProductImage],
      description: 'The pictures of its page, or else that for lists, with what they show.',
      extensions: { assumedSize: 5 },
      resolve: (product, _, { language: { fallBacks } }) => {
        const { imageUrl, imageUrls, imageAlts } = product;
        const urls = imageUrls.length === 0 && imageUrl !== null ? [imageUrl] : imageUrls;
        const translated = fallBacks?.map(
          (code) => translationOf(product, 'image_alts', [code]) as readonly string[] | undefined,
        );
        const alts = [...(translated ?? []), imageAlts];
        const name = shownText(product, 'name', fallBacks);
        return urls.map((url, place) => ({ url, alt: alts.find((list) => list?.[place])?.[place] ?? name }));
      },
    }),
    sku: t.exposeString('sku', { nullable: true, description: 'Its stock-keeping number, unique among all products.' }),
    attributes: t.field({
      type: [ProductAttribute],
      description: 'What else is known of it, sorted by name.',
      args: { names: t.arg.stringList(atMost(MAX_IDS, 'Those to show. Absent, null or empty: all.')) },
      extensions: { assumedSize: 10 },
      resolve: ({ attributes }, { names }) => {
        const values = attributes as Prisma.JsonObject;
        const shown = Object.keys(values).filter((name) => !names?.length || names.includes(name));
        return shown.toSorted().map((name) => ({ name, values: [values[name]].flat().map(String) }));
      },
    }),
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

// Apart from the rest because a type cannot be inferred from itself.
builder.prismaObjectFields(Product, (t) => ({
  related: t.field({
    type: [Product],
    description:
      'Others: those with most tags in common first, then those of the same category, then the best sellers.',
    args: { limit: t.arg.int(within({ ...LIST_SIZE, maximum: 20 }, 8, ', for each product')) },
    extensions: { extraCost: 10 },
    resolve: ({ id }, { limit }, { loaders }) => loaders.product.relatedTo(id, limit),
  }),
}));

builder.prismaObjectFields(Category, (t) => ({
  products: t.field({
    type: [Product],
    description: "The category's own visible products, not those of its children.",
    args: {
      orderBy: t.arg({ type: ProductOrderEnum, required: true, defaultValue: 'DEFAULT' }),
      limit: t.arg.int(within(LIST_SIZE, 20, ', for each category')),
    },
    resolve: ({ id }, { orderBy, limit }, { loaders }) => loaders.product.ofCategory(id, orderBy, limit),
  }),
  productCount: t.int({
    description: 'How many visible products it has.',
    args: {
      withDescendants: t.arg.boolean({
        required: true,
        defaultValue: true,
        description: 'Whether those of the categories below count too.',
      }),
    },
    extensions: { extraCost: 1 },
    resolve: ({ id }, { withDescendants }, { loaders }) => loaders.product.countOfCategory(id, withDescendants),
  }),
}));

export const Money = builder
  .objectRef<{ readonly amount: Prisma.Decimal; readonly currencyCode: string }>('Money')
  .implement({
    description: 'An amount in a currency.',
    fields: (t) => ({
      amount: t.expose('amount', { type: 'Decimal', description: 'With two digits after the point: `"24.90"`.' }),
      currencyCode: t.exposeString('currencyCode', { description: 'ISO 4217: three letters.' }),
    }),
  });

const ProductAttribute = builder
  .objectRef<{ readonly name: string; readonly values: string[] }>('ProductAttribute')
  .implement({
    description: 'Something that is known of a product: its material.',
    fields: (t) => ({
      name: t.exposeString('name', { description: '`Material`' }),
      values: t.exposeStringList('values', {
        description: 'One, or those of a list. A number as JSON writes it, a boolean as `true` or `false`.',
      }),
      label: t.string(NAME_LABEL),
      valueLabels: t.stringList(VALUE_LABELS),
    }),
  });

const ProductImage = builder.objectRef<{ readonly url: string; readonly alt: string }>('ProductImage').implement({
  description: 'A picture.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Where it is.' }),
    alt: t.exposeString('alt', {
      description: 'What it shows, for those who do not see it; else the name of the product.',
    }),
  }),
});

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
