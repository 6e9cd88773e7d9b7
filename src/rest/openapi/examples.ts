import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import demoCategories from '../../../prisma/demo/categories.json' with { type: 'json' };
import demoProducts from '../../../prisma/demo/kitchen-and-table.json' with { type: 'json' };
import demoNotices from '../../../prisma/demo/notices.json' with { type: 'json' };
import { type SelectedField, selectedFields } from './schemas.ts';

type Sample = Readonly<Record<string, unknown>>;

/** Where the demo catalogue knows nothing of a field. */
const VALUES: Readonly<Record<string, unknown>> = {
  Int: 1,
  Float: 1.5,
  String: 'text',
  ID: '1',
  Boolean: true,
  DateTime: '2026-11-20T08:30:00.000Z',
  Decimal: '24.90',
  SafeInt: 1,
};

/** What a field may answer with what is selected of it: the demo catalogue's own values, whatever they are called. */
export const exampleOf = (schema: GraphQLSchema, { field, selections }: SelectedField): unknown => {
  const sampleOf = (type: GraphQLOutputType, below: readonly SelectionSetNode[], sample: unknown): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      const items = Array.isArray(sample) ? sample : [sample];
      return items.map((item) => sampleOf(nullable.ofType, below, item));
    }
    if (isObjectType(nullable)) return sample === null ? null : objectOf(nullable, below, sample);
    if (sample !== undefined || !isLeafType(nullable)) return sample ?? null;
    return isEnumType(nullable) ? nullable.getValues()[0]?.name : VALUES[nullable.name];
  };

  const objectOf = (type: GraphQLObjectType, below: readonly SelectionSetNode[], own: unknown): Sample => {
    const sample: Sample = { __typename: type.name, ...SAMPLES[type.name], ...(own as Sample | undefined) };
    return Object.fromEntries(
      selectedFields(schema, type, below).map(([key, { field: each, selections: inner }]) => {
        // A column that the demo catalogue leaves out is null in it.
        const isLeftOut = type.name in SAMPLES && !isNonNullType(each.type) && !(each.name in sample);
        return [key, isLeftOut ? null : sampleOf(each.type, inner, sample[each.name])];
      }),
    );
  };

  return sampleOf(field.type, selections, undefined);
};

/** Field values by the name of a GraphQL type, as an answer has them: one thing of each kind in the demo catalogue. */
export type Samples = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const [product] = demoProducts;
const shelfIndex = demoCategories.findIndex(({ slug }) => slug === product?.categorySlug);
const shelf = demoCategories[shelfIndex];
const parentIndex = demoCategories.findIndex(({ slug }) => slug === shelf?.parentSlug);
const notice = demoNotices[1];

const CREATED = '2026-11-14T06:01:19.856Z';

/** Ids are those that a new database gives: rows are numbered in the order of their files. */
const SAMPLES: Samples = {
  Category: {
    id: shelfIndex + 1,
    ...shelf,
    parent: { id: parentIndex + 1, ...demoCategories[parentIndex], parent: null },
    children: [],
  },
  Money: { amount: product?.price, currencyCode: 'USD' },
  Product: {
    id: 1,
    ...product,
    price: { amount: product?.price },
    listPrice: null,
    inStock: true,
    publishedAt: CREATED,
    createdAt: CREATED,
    updatedAt: CREATED,
  },
  Notice: {
    id: 2,
    ...notice,
    startsAt: CREATED,
    endsAt: '2026-11-29T06:01:19.856Z',
    inEffect: true,
    createdAt: CREATED,
    updatedAt: CREATED,
  },
  NoticePage: { total: 1, page: 1, pageSize: 10, pageCount: 1 },
};

/** Values of arguments by their schema coordinate: with them the demo catalogue has an answer. */
export const SAMPLE_ARGUMENTS: Readonly<Record<string, unknown>> = {
  'Query.product(id:)': 1,
  'Query.productBySlug(slug:)': product?.slug,
  'Query.products(categoryIds:)': [shelfIndex + 1, shelfIndex + 2],
  'Query.products(orderBy:)': 'PRICE_ASC',
  'Query.category(id:)': shelfIndex + 1,
  'Query.noticePage(keyword:)': 'linen',
  'Query.noticePage(type:)': notice?.type,
  'Query.notice(id:)': 2,
};
