import type { Sql } from '../database/sql.ts';
import type { BrowseEngine, BrowseRequest, BrowseResult, Suggestion, ValueCount } from './browse-engine.ts';
import { missingTermsQuery, nearWordsQuery } from './correct.sql.ts';
import { nearestWord } from './correction.ts';
import { type SearchRow, searchQuery } from './search.sql.ts';
import { type SuggestionRow, suggestionQuery } from './suggest.sql.ts';

/** The engine that is always there: each answer is one statement, and so one snapshot. */
export const createSqlEngine = (sql: Sql): BrowseEngine => ({
  search: async (request) => {
    const { statement, values } = searchQuery(request);
    const [row] = await sql.rows<SearchRow>(statement, values);
    if (!row) throw new Error('a search has no row');
    return toResult(request, row);
  },

  suggest: async (request) => {
    const { statement, values } = suggestionQuery(request);
    return (await sql.rows<SuggestionRow>(statement, values)).map(toSuggestion);
  },

  correct: async (terms, now) => {
    const missing = missingTermsQuery(terms, now);
    const [found] = await sql.rows<{ missing: number[] }>(missing.statement, missing.values);
    if (!found || found.missing.length === 0) return undefined;
    const corrected = [...terms];
    for (const index of found.missing) {
      const term = corrected[index];
      if (!term) continue;
      const near = nearWordsQuery(term, now);
      const word = nearestWord(term.text, await sql.rows<{ text: string; count: number }>(near.statement, near.values));
      if (word === undefined) return undefined;
      corrected[index] = { ...term, text: word };
    }
    return corrected;
  },
});

const toResult = ({ page, isCounted }: BrowseRequest, row: SearchRow): BrowseResult => {
  const { items, total, hasOther, categories, brands, tags, price, inStock, onSale } = row;
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
      ...(categories !== undefined && { categories: toCounts(categories) }),
      ...(brands !== undefined && { brands: toCounts(brands) }),
      ...(tags !== undefined && { tags: toCounts(tags) }),
      ...(price !== undefined && { price }),
      ...(inStock !== undefined && { inStock }),
      ...(onSale !== undefined && { onSale }),
    },
  };
};

const toCounts = <Value>(counts: readonly (readonly [Value, number])[] | null): ValueCount<Value>[] =>
  (counts ?? []).map(([value, count]) => ({ value, count }));

const toSuggestion = ({ kind, text, sales, id }: SuggestionRow): Suggestion => {
  if (kind === 'PRODUCT') return { kind, text, sales, productId: id };
  if (kind === 'CATEGORY') return { kind, text, sales, categoryId: id };
  return { kind, text, sales };
};
