import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import demoCategories from '../../../prisma/demo/categories.json' with { type: 'json' };
import demoProducts from '../../../prisma/demo/kitchen-and-table.json' with { type: 'json' };
import demoNotices from '../../../prisma/demo/notices.json' with { type: 'json' };
import { type ResultField, sampleOf } from './schemas.ts';

type Sample = Readonly<Record<string, unknown>>;

/** A value that a field may have, with what is selected of it: the demo catalogue's own values, under any aliases. */
export const exampleOf = ({ field, objects }: ResultField, sample?: unknown): unknown => {
  const exampleOfType = (type: GraphQLOutputType, value: unknown): unknown => {
    const nullable = getNullableType(type);
    if (isListType(nullable)) {
      const items = Array.isArray(value) ? value : [value];
      return items.map((item) => exampleOfType(nullable.ofType, item));
    }
    // Of an interface or a union, an object of the first type that it may be.
    const [object] = objects;
    if (object) return value === null ? null : exampleOfObject(...object, value);
    // A field that the demo catalogue does not have.
    return value === undefined && isLeafType(nullable) ? sampleOf(nullable) : (value ?? null);
  };
  return exampleOfType(field.type, sample);
};

const exampleOfObject = (type: GraphQLObjectType, fields: readonly ResultField[], own: unknown): Sample => {
  const sample: Sample = { __typename: type.name, ...SAMPLES[type.name], ...(own as Sample | undefined) };
  return Object.fromEntries(
    fields.map((each) => {
      const { name } = each.field;
      // A column that the demo catalogue leaves out is null in it.
      const isLeftOut = type.name in SAMPLES && !isNonNullType(each.field.type) && !(name in sample);
      return [each.key, isLeftOut ? null : exampleOf(each, sample[name])];
    }),
  );
};

const [product] = demoProducts;
const shelfIndex = demoCategories.findIndex(({ slug }) => slug === product?.categorySlug);
const shelf = demoCategories[shelfIndex];
const parentIndex = demoCategories.findIndex(({ slug }) => slug === shelf?.parentSlug);
const notice = demoNotices[1];

const CREATED = '2026-11-14T06:01:19.856Z';

/** One row of each type in the demo catalogue. A new database numbers rows in the order of their files. */
const SAMPLES: Readonly<Record<string, Sample>> = {
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

/** Values of arguments by their schema coordinate: with them the demo catalogue has results. */
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
