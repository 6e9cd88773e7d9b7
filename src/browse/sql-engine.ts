import type { QueryResultRow } from 'pg';
import type { Sql } from '../database/sql.ts';
import { Overloaded } from '../errors.ts';
import { createSemaphore } from '../overload/load-guard.ts';
import type { BrowseEngine, BrowseRequest, BrowseResult, PriceRange, SearchTerm, Suggestion } from './browse-engine.ts';
import { changesAllowed, correctionsOf } from './correction.ts';
import { PRICE_CELLS, priceCellOf, priceRangeOf } from './price-bands.ts';
import { type SearchRow, searchQuery } from './search.sql.ts';
import { foundQuery, nearWordsQuery, type Query, suggestionQuery } from './text.sql.ts';

/** Statements that may read a large part of the catalogue keep a core of the database busy: no more of them run at once. */
const MAX_BROAD = 2;

/** Those that have waited for longer are refused: their clients would not wait. Of a small catalogue, one operation may well ask for dozens. */
const MAX_WAIT_MS = 2000;

/** A word of one or two letters begins very many others. */
const BROAD_LENGTH = 2;

/** The engine that is always there: each answer is one statement, and so one snapshot. */
export const createSqlEngine = (sql: Pick<Sql, 'rows'>): BrowseEngine => {
  const broad = createSemaphore(MAX_BROAD);

  const read = async <Row extends QueryResultRow>({ text, values }: Query, isBroad = false): Promise<Row[]> => {
    if (!isBroad) return sql.rows<Row>({ text }, values);
    const sinceMs = performance.now();
    return broad.during(() => {
      if (performance.now() - sinceMs > MAX_WAIT_MS) throw new Overloaded();
      return sql.rows<Row>({ text }, values);
    });
  };

  const foundOf = async (query: Query, isBroad = false): Promise<readonly number[]> =>
    (await read<{ found: number[] }>(query, isBroad))[0]?.found ?? [];

  return {
    search: async (request) => {
      const [row] = await read<SearchRow>(searchQuery(request), isBroad(request));
      if (!row) throw new Error('a search has no row');
      return toResult(request, row);
    },

    suggest: (request) => read<Suggestion>(suggestionQuery(request), areShort(request.terms)),

    correct: async ({ terms, now, languages }) => {
      const found = await foundOf(foundQuery([...terms.map((term) => [term]), terms], now, languages));
      if (found.includes(terms.length)) return undefined;
      const doubtful = terms.filter(({ text }) => changesAllowed(text) > 0);
      if (doubtful.length === 0) return undefined;
      const words = await read<{ text: string; count: number }>(nearWordsQuery(doubtful, now, languages), true);
      const counts = new Map(words.map(({ text, count }) => [text, count]));
      const isFound = (term: SearchTerm): boolean => found.includes(terms.indexOf(term));
      const vocabulary = { words: [...counts.keys()], countOf: (word: string): number => counts.get(word) ?? 0 };
      const corrections = correctionsOf(terms, isFound, vocabulary);
      if (corrections.length === 0) return undefined;
      const [first = -1] = await foundOf(foundQuery(corrections, now, languages), true);
      return corrections[first];
    },
  };
};

const areShort = (terms: readonly SearchTerm[]): boolean => terms.every(({ text }) => text.length <= BROAD_LENGTH);

const isBroad = ({ terms, code, filter, facets, order, languages }: BrowseRequest): boolean => {
  if (terms.length > 0) return areShort(terms);
  if (code !== undefined || filter.categoryIds) return false;
  // No index has the names of another language in their order.
  if (order === 'NAME_ASC' && languages) return true;
  // Attributes and variants take ten times as long to look at as what a product has in columns.
  if (filter.attributes || filter.options || facets.has('attributes') || facets.has('options')) return true;
  return facets.size > 0 && Object.keys(filter).length === 0;
};

const toResult = ({ page, isCounted }: BrowseRequest, row: SearchRow): BrowseResult => {
  const { items, total, hasOther, price, ...facets } = row;
  const isReversed = page.from === 'end';
  const hasMore = items.length > page.size;
  const shown = items.slice(0, page.size);
  if (isReversed) shown.reverse();
  return {
    items: shown.map((position) => ({ id: Number(position.at(-1)), position })),
    hasNextPage: isReversed ? hasOther : hasMore,
    hasPreviousPage: isReversed ? hasMore : hasOther,
    ...(isCounted && { totalCount: total ?? 0 }),
    facets: {
      ...facets,
      ...(price !== undefined && { price: price && toPriceRange(price) }),
    },
  };
};

const toPriceRange = ({ min, max, cells }: NonNullable<SearchRow['price']>): PriceRange => {
  const counts = new Int32Array(PRICE_CELLS);
  for (const { first, count } of cells) counts[priceCellOf(first)] = count;
  return priceRangeOf(min, max, counts);
};
