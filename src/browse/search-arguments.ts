import type { InputShapeFromFields } from '@pothos/core';
import { isStorable } from '../database/sql.ts';
import { badArgument } from '../errors.ts';
import { atMost, DEFAULT_PAGE_SIZE, LIST_SIZE, MAX_IDS, PAGE_NUMBER, withinIfGiven } from '../graphql/arguments.ts';
import { builder } from '../graphql/builder.ts';
import type { ProductQuery } from './browse.loader.ts';
import type { AttributeFilter, FallBacks, SearchFilter, SearchPage } from './browse-engine.ts';
import { decodeCursor, SEARCH_ORDERS } from './order.ts';
import { foldCode, type PlacedTerm, termsOf } from './words.ts';

const ProductSearchOrderEnum = builder.enumType('ProductSearchOrder', {
  description: 'How the products of a search are sorted.',
  values: SEARCH_ORDERS,
});

/** How many attributes, and how many options, one list may be filtered by: each is a condition in the statement. */
const MAX_FILTERS = 20;

const AttributeFilterInput = builder.inputType('AttributeFilter', {
  description:
    'What an attribute must be: one of the values, or a number within the bounds. With values and bounds either of the two is enough; without both, all products fit.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Of the attribute, as it is written.' }),
    values: t.stringList(atMost(MAX_IDS, 'Any of these values, as facets and products show them. Empty: any.')),
    min: t.field({ type: 'Decimal', description: 'A number that is not less.' }),
    max: t.field({ type: 'Decimal', description: 'A number that is not greater.' }),
  }),
});

const OptionFilterInput = builder.inputType('OptionFilter', {
  description: 'What a variant must be in one respect.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'Of the option, as it is written.' }),
    values: t.stringList({ required: true, ...atMost(MAX_IDS, 'Any of these values. Empty: any.') }),
  }),
});

const ProductFilter = builder.inputType('ProductFilter', {
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
    attributes: t.field({ type: [AttributeFilterInput], ...atMost(MAX_FILTERS, 'Each of them must hold.') }),
    options: t.field({
      type: [OptionFilterInput],
      ...atMost(MAX_FILTERS, 'One and the same variant has each of them, and is in stock where `inStock` is true.'),
    }),
  }),
});

/** The last row that a page number leads to: the rows before a page have to be read. Cursors lead on. */
const LAST_NUMBERED_ROW = 10_000;

export const MAX_SEARCH_LENGTH = 200;
export const MAX_SEARCH_WORDS = 10;

export const SEARCH_ARGUMENTS = builder.args((t) => ({
  search: t.string({
    description: `Words that a product must have, the last one as a beginning, or a whole \`sku\` or \`barcode\`, whose product comes first; case and accents do not count. Blank: no search. At most ${MAX_SEARCH_LENGTH} characters and ${MAX_SEARCH_WORDS} words.`,
  }),
  filter: t.field({ type: ProductFilter, description: 'What products must be like.' }),
  orderBy: t.field({
    type: ProductSearchOrderEnum,
    description: 'Absent: RELEVANCE with a search, else BEST_SELLING.',
  }),
  first: t.int(
    withinIfGiven(LIST_SIZE, `, from the beginning or \`after\`. ${DEFAULT_PAGE_SIZE} where no size is given`),
  ),
  after: t.string({ description: 'The cursor that the page comes after, of the same search and order.' }),
  last: t.int(withinIfGiven(LIST_SIZE, ', from the end or `before`')),
  before: t.string({ description: 'The cursor that the page comes before, of the same search and order.' }),
  page: t.int(withinIfGiven(PAGE_NUMBER, `, as far as row ${LAST_NUMBERED_ROW}`)),
  pageSize: t.int(withinIfGiven(LIST_SIZE, `, with \`page\`. Absent: ${DEFAULT_PAGE_SIZE}`)),
}));

export type SearchArguments = InputShapeFromFields<typeof SEARCH_ARGUMENTS>;

/** @param args within the bounds that the schema declares @throws AppError BAD_USER_INPUT */
export const readSearchArguments = (args: SearchArguments, languages?: FallBacks): ProductQuery => {
  const search = args.search?.trim() ? args.search : undefined;
  const terms = search === undefined ? [] : readSearch(search, 'search');
  const folded = isStorable(search ?? '') ? foldCode((search ?? '').trim()) : '';
  const code = folded === '' ? undefined : folded;
  const wanted = args.orderBy ?? 'RELEVANCE';
  const order = wanted === 'RELEVANCE' && terms.length === 0 ? 'BEST_SELLING' : wanted;
  return {
    search,
    terms,
    code,
    filter: readFilter(args.filter),
    withDescendants: args.filter?.withDescendants ?? true,
    order,
    page: readPage(args, (cursor, argument) => decodeCursor({ order, terms, code, languages }, cursor, argument)),
    languages,
  };
};

/** The words of a text that somebody typed. @throws AppError BAD_USER_INPUT for a text that is too long, or has too many words */
export const readSearch = (search: string, argument: string): PlacedTerm[] => {
  const length = search.length <= MAX_SEARCH_LENGTH ? search.length : [...search].length;
  if (length > MAX_SEARCH_LENGTH) {
    throw badArgument(argument, `may have at most ${MAX_SEARCH_LENGTH} characters, but has ${length}`);
  }
  const terms = termsOf(search);
  if (terms.length > MAX_SEARCH_WORDS) {
    throw badArgument(argument, `may have at most ${MAX_SEARCH_WORDS} words, but has ${terms.length}`);
  }
  return terms;
};

const readFilter = (input: SearchArguments['filter']): SearchFilter => {
  const list = <Item>(name: string, items?: readonly Item[] | null, maxItems = MAX_IDS): Item[] => {
    const count = items?.length ?? 0;
    if (count > maxItems) throw badArgument('filter', `may have at most ${maxItems} ${name}, but has ${count}`);
    return [...new Set(items)];
  };
  const attributes = list('attributes', input?.attributes, MAX_FILTERS)
    .map(({ name, values, min, max }) =>
      given<AttributeFilter>({ name, values: list('values', values), min: min?.toFixed(), max: max?.toFixed() }),
    )
    .filter((each) => Object.keys(each).length > 1);
  const options = list('options', input?.options, MAX_FILTERS)
    .map(({ name, values }) => ({ name, values: list('values', values) }))
    .filter(({ values }) => values.length > 0);
  return given<SearchFilter>({
    categoryIds: list('categoryIds', input?.categoryIds),
    brands: list('brands', input?.brands),
    tags: list('tags', input?.tags),
    minPrice: input?.minPrice?.toFixed(),
    maxPrice: input?.maxPrice?.toFixed(),
    inStock: input?.inStock,
    onSale: input?.onSale,
    // Later than a time of this API, which has milliseconds; the table has microseconds.
    publishedFrom: input?.publishedAfter && new Date(input.publishedAfter.getTime() + 1),
    attributes,
    options,
  });
};

const isGiven = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined;

/** Without the parts that are absent, or empty lists. */
const given = <Parts>(parts: { readonly [Name in keyof Parts]-?: Parts[Name] | null | undefined }): Parts =>
  Object.fromEntries(
    Object.entries(parts).filter(([, part]) => isGiven(part) && !(Array.isArray(part) && part.length === 0)),
  ) as Parts;

const WAYS = [
  ['first', 'after'],
  ['last', 'before'],
  ['page', 'pageSize'],
] as const;

const readPage = (
  args: SearchArguments,
  positionOf: (cursor: string, argument: 'after' | 'before') => readonly string[],
): SearchPage => {
  const [one, other] = WAYS.flatMap((names) => names.find((name) => isGiven(args[name])) ?? []);
  if (one && other) throw badArgument(other, `cannot be used together with "${one}"`);
  const { first, after, last, before, page, pageSize } = args;
  const size = first ?? last ?? pageSize ?? DEFAULT_PAGE_SIZE;
  if (one === 'last' || one === 'before') {
    return { from: 'end', size, ...(isGiven(before) && { position: positionOf(before, 'before') }) };
  }
  if (one === 'page' || one === 'pageSize') {
    const offset = ((page ?? 1) - 1) * size;
    if (offset < LAST_NUMBERED_ROW) return { from: 'start', size, offset };
    throw badArgument('page', `leads past row ${LAST_NUMBERED_ROW}, where only cursors ("after") lead on`);
  }
  return { from: 'start', size, ...(isGiven(after) && { position: positionOf(after, 'after') }) };
};
