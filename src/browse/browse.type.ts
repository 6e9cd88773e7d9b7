import { Category } from '../category/category.type.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { atMost, LIST_SIZE, MAX_IDS, within } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { Product } from '../product/product.type.ts';
import { NAME_LABEL } from '../translation/translation.type.ts';
import type { PriceRange, Suggestion, ValueCount, ValueFacets } from './browse-engine.ts';
import { type Match, nameSegments, type TextSegment as Segment, snippetSegments } from './highlight.ts';
import { SEARCH_ORDERS } from './order.ts';
import { PRICE_BANDS } from './price-bands.ts';
import type { CategoryCount, ProductSearch, SearchEdge } from './product-search.ts';

export const ProductSearchOrderEnum = builder.enumType('ProductSearchOrder', {
  description: 'How the products of a search are sorted.',
  values: SEARCH_ORDERS,
});

/** How many attributes, and how many options, one list may be filtered by: each is a condition in the statement. */
export const MAX_FILTERS = 20;

const AttributeFilter = builder.inputType('AttributeFilter', {
  description:
    'What an attribute must be: one of the values, or a number within the bounds. With values and bounds either of the two is enough; without both, all products fit.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Of the attribute, as it is written.' }),
    values: t.stringList(atMost(MAX_IDS, 'Any of these values, as facets and products show them. Empty: any.')),
    min: t.field({ type: 'Decimal', description: 'A number that is not less.' }),
    max: t.field({ type: 'Decimal', description: 'A number that is not greater.' }),
  }),
});

const OptionFilter = builder.inputType('OptionFilter', {
  description: 'What a variant must be in one respect.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Of the option, as it is written.' }),
    values: t.stringList({ required: true, ...atMost(MAX_IDS, 'Any of these values. Empty: any.') }),
  }),
});

export const ProductFilter = builder.inputType('ProductFilter', {
  description: 'Every part that is given must hold.',
  fields: (t) => ({
    categoryIds: t.intList(atMost(MAX_IDS, 'In any of these categories. Empty: any.')),
    withDescendants: t.boolean({
      required: true,
      defaultValue: true,
      description: 'Whether the categories below count too: for `categoryIds`, and for the counts of categories.',
    }),
    brands: t.stringList(atMost(MAX_IDS, 'Of any of these brands. Empty: any.')),
    tags: t.stringList(atMost(MAX_IDS, 'With all of these tags. Empty: any.')),
    minPrice: t.field({ type: 'Decimal', description: 'Not cheaper.' }),
    maxPrice: t.field({ type: 'Decimal', description: 'Not dearer.' }),
    inStock: t.boolean({ description: 'Whether any are left.' }),
    onSale: t.boolean({ description: 'Whether the list price is above the price.' }),
    publishedAfter: t.field({ type: 'DateTime', description: 'Published in a later millisecond than this.' }),
    attributes: t.field({ type: [AttributeFilter], ...atMost(MAX_FILTERS, 'Each of them must hold.') }),
    options: t.field({
      type: [OptionFilter],
      ...atMost(MAX_FILTERS, 'One and the same variant has each of them, and is in stock where `inStock` is true.'),
    }),
  }),
});

const TextSegment = builder.objectRef<Segment>('TextSegment').implement({
  description: 'A part of a text: plain text, never HTML.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'As it stands in the text.' }),
    isMatch: t.exposeBoolean('isMatch', { description: 'Whether it was searched for.' }),
  }),
});

const ProductHighlight = builder.objectRef<Match>('ProductHighlight').implement({
  description: 'Where a product has the words of a search.',
  fields: (t) => ({
    name: t.field({
      type: [TextSegment],
      description: 'The whole name.',
      extensions: { assumedSize: 5 },
      resolve: nameSegments,
    }),
    snippet: t.field({
      type: [TextSegment],
      description: 'About 160 characters of the subtitle or the description, around the first word that was found.',
      extensions: { assumedSize: 8 },
      resolve: snippetSegments,
    }),
  }),
});

const ProductEdge = builder.objectRef<SearchEdge>('ProductEdge').implement({
  description: 'A product and its place in the list.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'For `after` and `before`.' }),
    node: t.field({ type: Product, description: 'The product.', resolve: ({ node }) => node() }),
    highlight: t.field({
      type: ProductHighlight,
      nullable: true,
      description: 'Null without a search.',
      resolve: ({ highlight }) => highlight(),
    }),
  }),
});

const CategoryFacet = builder.objectRef<CategoryCount>('CategoryFacet').implement({
  description: 'How many products a category has.',
  fields: (t) => ({
    category: t.field({ type: Category, description: 'The category.', resolve: ({ category }) => category }),
    count: t.exposeInt('count', {
      description: 'How many products it has, with those of the categories below where `withDescendants`.',
    }),
  }),
});

/** Brands are called the same in every language. */
type ShownValue = ValueCount<string> & { readonly isBrand?: boolean };

const ValueFacet = builder.objectRef<ShownValue>('ValueFacet').implement({
  description: 'How many products have a value.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'For the filter.' }),
    label: t.string({
      description: 'What the value is called, for people.',
      resolve: ({ value, isBrand }, _, { loaders }) => (isBrand ? value : loaders.termTranslation.label(value)),
    }),
    count: t.exposeInt('count', { description: 'How many products have it.' }),
  }),
});

const AttributeFacet = builder.objectRef<ValueFacets>('AttributeFacet').implement({
  description:
    'How many products have which values of an attribute or an option, under all filters but those of the same name.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'For the filter.' }),
    label: t.string(NAME_LABEL),
    values: t.field({
      type: [ValueFacet],
      description: 'The values, those of most products first.',
      args: { limit: t.arg.int(within(LIST_SIZE, 20)) },
      resolve: ({ values }, { limit }) => values.slice(0, limit),
    }),
    min: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'The least value, rounded down; null where a value is no number, and for options.',
      resolve: ({ min }) => toBound(min, 'ROUND_FLOOR'),
    }),
    max: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'The greatest value, rounded up; null where a value is no number, and for options.',
      resolve: ({ max }) => toBound(max, 'ROUND_CEIL'),
    }),
  }),
});

/** Answers have two digits after the point: rounded so that the filter with these bounds leaves no product out. */
const toBound = (value: string | undefined, rounding: 'ROUND_FLOOR' | 'ROUND_CEIL'): Prisma.Decimal | null =>
  value === undefined ? null : new Prisma.Decimal(value).toDecimalPlaces(2, Prisma.Decimal[rounding]);

const PriceBand = builder.objectRef<PriceRange['bands'][number]>('PriceBand').implement({
  description: 'How many products have a price between two others.',
  fields: (t) => ({
    min: t.field({ type: 'Decimal', description: 'The lowest price in it, for `minPrice`.', resolve: lowest }),
    max: t.field({ type: 'Decimal', description: 'The highest price in it, for `maxPrice`.', resolve: highest }),
    count: t.exposeInt('count', { description: 'How many products are in it.' }),
  }),
});

const PriceFacet = builder.objectRef<PriceRange>('PriceFacet').implement({
  description: 'The prices of the products.',
  fields: (t) => ({
    min: t.field({ type: 'Decimal', description: 'The lowest.', resolve: lowest }),
    max: t.field({ type: 'Decimal', description: 'The highest.', resolve: highest }),
    bands: t.field({
      type: [PriceBand],
      description: 'Cheapest first, with about as many products each: no more than five, between round prices.',
      extensions: { assumedSize: PRICE_BANDS },
      resolve: ({ bands }) => [...bands],
    }),
  }),
});

const lowest = ({ min }: { readonly min: string }): Prisma.Decimal => new Prisma.Decimal(min);
const highest = ({ max }: { readonly max: string }): Prisma.Decimal => new Prisma.Decimal(max);

const ProductFacets = builder.objectRef<ProductSearch>('ProductFacets').implement({
  description:
    'How many products there would be with another filter. Each facet counts the products under the search and all other parts of the filter, and tags under the tags that are picked, too; most first. Attributes and options leave out the filters of the same name only.',
  fields: (t) => ({
    categories: t.field({
      type: [CategoryFacet],
      description: 'By category.',
      args: { limit: t.arg.int(within(LIST_SIZE, 20)) },
      resolve: (search, { limit }) => search.categories(limit),
    }),
    brands: t.field({
      type: [ValueFacet],
      description: 'By brand.',
      args: { limit: t.arg.int(within(LIST_SIZE, 20)) },
      resolve: async (search, { limit }) => {
        const brands = (await search.facet('brands')) ?? [];
        return brands.slice(0, limit).map((brand) => ({ ...brand, isBrand: true }));
      },
    }),
    tags: t.field({
      type: [ValueFacet],
      description: 'By tag.',
      args: { limit: t.arg.int(within(LIST_SIZE, 20)) },
      resolve: async (search, { limit }) => (await search.facet('tags'))?.slice(0, limit) ?? [],
    }),
    price: t.field({
      type: PriceFacet,
      nullable: true,
      description: 'By price; null where there are no products.',
      resolve: async (search) => (await search.facet('price')) ?? null,
    }),
    attributes: t.field({
      type: [AttributeFacet],
      description: 'By attribute: those that most products have first, then by name.',
      args: { limit: t.arg.int(within(LIST_SIZE, 10)) },
      resolve: async (search, { limit }) => (await search.facet('attributes'))?.slice(0, limit) ?? [],
    }),
    options: t.field({
      type: [AttributeFacet],
      description: 'By option of variants: of those that fit all filters of other options.',
      args: { limit: t.arg.int(within(LIST_SIZE, 10)) },
      resolve: async (search, { limit }) => (await search.facet('options'))?.slice(0, limit) ?? [],
    }),
    inStock: t.int({
      description: 'How many are in stock.',
      resolve: async (search) => (await search.facet('inStock')) ?? 0,
    }),
    onSale: t.int({
      description: 'How many have a list price above the price.',
      resolve: async (search) => (await search.facet('onSale')) ?? 0,
    }),
  }),
});

// In rows.
const FACETS_COST = 20;

export const ProductConnection = builder.objectRef<ProductSearch>('ProductConnection').implement({
  description: 'A page of products, and what is known of the whole list. What is not selected is not read.',
  fields: (t) => ({
    edges: t.field({
      type: [ProductEdge],
      description: 'The products of the page with their cursors.',
      resolve: (search) => search.edges(),
    }),
    nodes: t.field({
      type: [Product],
      description: 'The products of the page.',
      resolve: (search) => search.nodes(),
    }),
    pageInfo: t.field({
      type: builder.pageInfoRef(),
      description: 'Whether there is more, and from where.',
      resolve: (search) => search.pageInfo(),
    }),
    totalCount: t.int({
      description: 'How many products all pages have, exactly.',
      resolve: (search) => search.totalCount(),
    }),
    pageCount: t.int({
      description: 'How many pages of this size there are.',
      resolve: (search) => search.pageCount(),
    }),
    correctedSearch: t.string({
      nullable: true,
      description: 'What was searched for instead, where nothing was found and a word seems to be mistyped; else null.',
      resolve: (search) => search.correctedSearch(),
    }),
    facets: t.field({
      type: ProductFacets,
      description: 'Counts for further filters.',
      extensions: { extraCost: FACETS_COST },
      resolve: (search) => search,
    }),
  }),
});

const SuggestionKindEnum = builder.enumType('SuggestionKind', {
  description: 'What a suggestion is.',
  values: {
    PRODUCT: { description: 'The name of a product.' },
    CATEGORY: { description: 'The name of a category.' },
    BRAND: { description: 'A brand.' },
    TAG: { description: 'A tag.' },
  },
});

export const SearchSuggestion = builder.objectRef<Suggestion>('SearchSuggestion').implement({
  description: 'What somebody may be about to type.',
  fields: (t) => ({
    text: t.exposeString('text', { description: 'The whole text.' }),
    kind: t.expose('kind', { type: SuggestionKindEnum, description: 'What it is.' }),
    product: t.field({
      type: Product,
      nullable: true,
      description: 'The product of that name; null for another kind.',
      resolve: ({ kind, id }, _, { loaders }) => (kind === 'PRODUCT' ? loaders.product.byId(id) : null),
    }),
    category: t.field({
      type: Category,
      nullable: true,
      description: 'The category of that name; null for another kind.',
      resolve: ({ kind, id }, _, { loaders }) => (kind === 'CATEGORY' ? loaders.category.byIdOrNull(id) : null),
    }),
  }),
});
