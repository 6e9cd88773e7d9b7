import { Category } from '../category/category.schema.ts';
import { Prisma } from '../database/generated/client/client.ts';
import { LIST_SIZE, within } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import { Product } from '../product/product.schema.ts';
import { NAME_LABEL } from '../translation/translation.schema.ts';
import type { CategoryCount, ProductSearch, SearchEdge } from './browse.loader.ts';
import type { PriceRange, Suggestion, ValueCount, ValueFacets } from './browse-engine.ts';
import { type Match, nameSegments, type TextSegment as Segment, snippetSegments } from './highlight.ts';
import { PRICE_BANDS } from './price-bands.ts';
import {
  MAX_SEARCH_LENGTH,
  MAX_SEARCH_WORDS,
  readSearch,
  readSearchArguments,
  SEARCH_ARGUMENTS,
} from './search-arguments.ts';

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

const ProductConnection = builder.objectRef<ProductSearch>('ProductConnection').implement({
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

const SearchSuggestion = builder.objectRef<Suggestion>('SearchSuggestion').implement({
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

// In rows: a search may touch many more products than it returns.
const SEARCH_COST = 20;

const MAX_SUGGESTIONS = 20;

builder.queryFields((t) => ({
  productSearch: t.field({
    type: ProductConnection,
    description:
      'Visible products, searched, filtered and sorted, with counts for further filters. Page through them by first and after, by last and before, or by page and pageSize.',
    args: SEARCH_ARGUMENTS,
    extensions: { extraCost: SEARCH_COST },
    resolve: (_, args, { loaders, language }) => loaders.browse.search(readSearchArguments(args, language.fallBacks)),
  }),

  searchSuggestions: t.field({
    type: [SearchSuggestion],
    description:
      'Names, categories, brands and tags that begin so in any of their words: the best-selling first, each text once.',
    args: {
      prefix: t.arg.string({
        required: true,
        description: `What somebody has typed so far. Blank: no suggestions. At most ${MAX_SEARCH_LENGTH} characters and ${MAX_SEARCH_WORDS} words.`,
      }),
      limit: t.arg.int(within({ ...LIST_SIZE, maximum: MAX_SUGGESTIONS }, 8)),
    },
    extensions: { extraCost: SEARCH_COST },
    resolve: async (_, { prefix, limit }, { loaders }) => [
      ...(await loaders.browse.suggest({ terms: readSearch(prefix, 'prefix'), limit })),
    ],
  }),
}));
