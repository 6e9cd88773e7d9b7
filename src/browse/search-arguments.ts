import { isStorable } from '../database/storable-text.ts';
import { AppError } from '../errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_IDS } from '../graphql/arguments.ts';
import type { ProductFilter } from './browse.type.ts';
import type { ProductSearchOrder, SearchFilter, SearchPage } from './browse-engine.ts';
import { decodeCursor } from './order.ts';
import { foldCode, type PlacedTerm, termsOf } from './words.ts';

/** The arguments of `productSearch`, within the bounds that the schema declares. */
export interface SearchArguments {
  readonly search?: string | null | undefined;
  readonly filter?: FilterInput | null | undefined;
  readonly orderBy?: ProductSearchOrder | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
  readonly page?: number | null | undefined;
  readonly pageSize?: number | null | undefined;
}

type FilterInput = typeof ProductFilter.$inferInput;

export interface ProductQuery {
  readonly search: string | undefined;
  readonly terms: readonly PlacedTerm[];
  /** The whole search, folded. */
  readonly code: string | undefined;
  /** The ids of categories as they were given. */
  readonly filter: SearchFilter;
  readonly withDescendants: boolean;
  readonly order: ProductSearchOrder;
  readonly page: SearchPage;
}

/** The last row that a page number leads to: the rows before a page have to be read. Cursors lead on. */
export const LAST_NUMBERED_ROW = 10_000;

export const MAX_SEARCH_LENGTH = 200;
export const MAX_SEARCH_WORDS = 10;

/** How many attributes, and how many options, one list may be filtered by: each is a condition in the statement. */
export const MAX_FILTERS = 20;

/** @throws AppError BAD_USER_INPUT */
export const readSearchArguments = (args: SearchArguments): ProductQuery => {
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
    page: readPage(args, (cursor, argument) => decodeCursor({ order, terms, code }, cursor, argument)),
  };
};

const badInput = (argument: string, problem: string): AppError =>
  new AppError('BAD_USER_INPUT', `Argument "${argument}" ${problem}.`, { argument, problem });

/** The words of a text that somebody typed. @throws AppError BAD_USER_INPUT for a text that is too long, or has too many words */
export const readSearch = (search: string, argument: string): PlacedTerm[] => {
  const length = search.length <= MAX_SEARCH_LENGTH ? search.length : [...search].length;
  if (length > MAX_SEARCH_LENGTH) {
    throw badInput(argument, `may have at most ${MAX_SEARCH_LENGTH} characters, but has ${length}`);
  }
  const terms = termsOf(search);
  if (terms.length > MAX_SEARCH_WORDS) {
    throw badInput(argument, `may have at most ${MAX_SEARCH_WORDS} words, but has ${terms.length}`);
  }
  return terms;
};

const readFilter = (input: FilterInput | null | undefined): SearchFilter => {
  const { minPrice, maxPrice, inStock, onSale, publishedAfter } = input ?? {};
  const bounded = <Item>(name: string, items: readonly Item[] | null | undefined, maxItems = MAX_IDS): Item[] => {
    const count = items?.length ?? 0;
    if (count > maxItems) throw badInput('filter', `may have at most ${maxItems} ${name}, but has ${count}`);
    return [...new Set(items)];
  };
  const list = <Name extends string, Item>(name: Name, items: readonly Item[]) =>
    items.length === 0 ? {} : ({ [name]: items } as { readonly [Each in Name]: readonly Item[] });
  const attributes = bounded('attributes', input?.attributes, MAX_FILTERS).map(({ name, values, min, max }) => ({
    name,
    ...list('values', bounded('values', values)),
    ...(min && { min: min.toFixed() }),
    ...(max && { max: max.toFixed() }),
  }));
  const options = bounded('options', input?.options, MAX_FILTERS).map(({ name, values }) => ({
    name,
    values: bounded('values', values),
  }));
  return {
    ...list('categoryIds', bounded('categoryIds', input?.categoryIds)),
    ...list('brands', bounded('brands', input?.brands)),
    ...list('tags', bounded('tags', input?.tags)),
    ...(minPrice && { minPrice: minPrice.toFixed() }),
    ...(maxPrice && { maxPrice: maxPrice.toFixed() }),
    ...(isGiven(inStock) && { inStock }),
    ...(isGiven(onSale) && { onSale }),
    // Later than a time of this API, which has milliseconds; the table has microseconds.
    ...(publishedAfter && { publishedFrom: new Date(publishedAfter.getTime() + 1) }),
    ...list(
      'attributes',
      attributes.filter((each) => Object.keys(each).length > 1),
    ),
    ...list(
      'options',
      options.filter(({ values }) => values.length > 0),
    ),
  };
};

const isGiven = <Value>(value: Value | null | undefined): value is Value => value !== null && value !== undefined;

const WAYS = [
  ['first', 'after'],
  ['last', 'before'],
  ['page', 'pageSize'],
] as const;

const readPage = (
  args: SearchArguments,
  toPosition: (cursor: string, argument: 'after' | 'before') => readonly string[],
): SearchPage => {
  const given = WAYS.map((names) => names.find((name) => isGiven(args[name]))).filter(isGiven);
  const [one, other] = given;
  if (one && other) throw badInput(other, `cannot be used together with "${one}"`);
  const { first, after, last, before, page, pageSize } = args;
  if (isGiven(last) || isGiven(before)) {
    const position = isGiven(before) ? { before: toPosition(before, 'before') } : {};
    return { from: 'end', size: last ?? DEFAULT_PAGE_SIZE, ...position };
  }
  if (isGiven(page) || isGiven(pageSize)) {
    const size = pageSize ?? DEFAULT_PAGE_SIZE;
    const offset = ((page ?? 1) - 1) * size;
    if (offset >= LAST_NUMBERED_ROW) {
      throw badInput('page', `leads past row ${LAST_NUMBERED_ROW}, where only cursors ("after") lead on`);
    }
    return { from: 'offset', size, offset };
  }
  const position = isGiven(after) ? { after: toPosition(after, 'after') } : {};
  return { from: 'start', size: first ?? DEFAULT_PAGE_SIZE, ...position };
};
