import {
  type BrowseRequest,
  type BrowseResult,
  type FacetCounts,
  MAX_FACET_VALUES,
  type PriceRange,
} from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { PRICE_CELLS, priceCellOf } from '../price-bands.ts';
import { FacetCounters, rangeOfCells } from './facet-counters.ts';
import type { CountedName } from './named-values.ts';
import { PageSelection, positionOfRow } from './page-selection.ts';
import type { ProductIndex } from './product-index.ts';
import { type FacetPart, RowFilter } from './row-filter.ts';
import { matchesOf } from './term-matches.ts';

/** Where fewer of all products are wanted, it is quicker to look at all of them than to look for the first ones. */
const MIN_TALLIED_SHARE = 1 / 16;

/** What is read of the database for a question that the index cannot know by itself. */
interface Known {
  /** Of the name that the page continues from, in NAME_ASC. */
  readonly boundaryRank?: number | undefined;
  /** The products of the code that is searched for. */
  readonly codeIds?: readonly number[] | undefined;
}

/** In NAME_ASC positions have no name. */
export const search = (index: ProductIndex, request: BrowseRequest, known: Known = {}): BrowseResult => {
  const { columns, total } = index;
  const { order, isCounted, facets, terms, code, now } = request;
  const isSearch = terms.length > 0 || code !== undefined;
  const matches = isSearch ? matchesOf(index, terms, 'all', known.codeIds) : undefined;
  const filter = new RowFilter(index, request.filter, matches, now);
  const selection = new PageSelection(columns, request, matches?.scores, known.boundaryRank);
  /** Facets by the part of the filter that they leave out: most leave out none, and are counted together with the page. */
  const facetsBy = Map.groupBy(
    facets.values().flatMap((facet) => filter.partsOf(facet)),
    (part) => filter.leftOutBy(part),
  );
  const named: Record<'attributes' | 'options', CountedName[]> = { attributes: [], options: [] };
  let facetCounts: FacetCounts = {};
  let totalCount = 0;
  let isPageTaken = false;
  /** Counts by a look at each row, by what is left out. */
  const lookedAt = new Map<FacetPart | undefined, FacetCounters>();

  for (const without of new Set([undefined, ...facetsBy.keys()])) {
    const isOfPage = without === undefined;
    const isTallied = filter.isTallied(without);
    const tallied = isTallied ? total.of(0, filter.statesOf(without)) : 0;
    // Where many products are of the states that are wanted, the first ones in an order are soon found.
    const areMany = isTallied && tallied >= columns.count * MIN_TALLIED_SHARE;
    const asked = facetsBy.get(without) ?? [];
    const isPriceAsked = asked.some(({ facet }) => facet === 'price');
    const price = areMany && isPriceAsked ? talliedPrices(index, filter, without) : undefined;
    const isKept = ({ facet }: FacetPart): boolean => isTallied && filter.areKept(facet);
    const others = asked.filter((part) => !isKept(part) && (part.facet !== 'price' || price === undefined));
    if ((isOfPage && !areMany) || others.length > 0) lookedAt.set(without, new FacetCounters(index, filter, others));
    if (isOfPage && areMany) {
      selection.offerAll(filter.hasState());
      isPageTaken = true;
    }
    if (price !== undefined) facetCounts = { ...facetCounts, price };
    if (!isTallied) continue;
    const kept = new FacetCounters(index, filter, asked.filter(isKept));
    kept.addTallies(filter.statesOf(without));
    const unsettled = filter.rowsOf(without, index.unsettled);
    kept.count(unsettled);
    if (isOfPage) totalCount = tallied + unsettled.length;
    facetCounts = { ...facetCounts, ...kept.finish(named) };
  }
  for (const [without, counters] of lookedAt) {
    const rows = filter.rowsOf(without);
    counters.count(rows);
    facetCounts = { ...facetCounts, ...counters.finish(named) };
    if (without !== undefined) continue;
    totalCount = rows.length;
    if (!isPageTaken) selection.offer(rows);
  }
  for (const facet of ['attributes', 'options'] as const) {
    if (!facets.has(facet)) continue;
    const found = named[facet].sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value));
    facetCounts = { ...facetCounts, [facet]: found.slice(0, MAX_FACET_VALUES).map((each) => each.facet) };
  }

  const { rows, hasNextPage, hasPreviousPage } = selection.finish();
  const items = rows.map((row) => ({
    id: columns.id.values[row] as number,
    position: positionOfRow(columns, order, row, matches?.scores[row] ?? 0),
  }));
  return { items, hasNextPage, hasPreviousPage, ...(isCounted && { totalCount }), facets: facetCounts };
};

/** Of visible products of some states. */
const talliedPrices = (index: ProductIndex, filter: RowFilter, without: FacetPart | undefined): PriceRange | null => {
  const { columns, priceCells } = index;
  const firstOf = (order: 'PRICE_ASC' | 'PRICE_DESC'): number | undefined => {
    const selection = new PageSelection(columns, { order, page: { from: 'start', size: 1 } }, undefined);
    selection.offerAll(filter.hasState(without));
    const [row] = selection.finish().rows;
    return row === undefined ? undefined : columns.price.values[row];
  };
  const min = firstOf('PRICE_ASC');
  const max = firstOf('PRICE_DESC');
  if (min === undefined || max === undefined) return null;
  const counts = new Int32Array(PRICE_CELLS);
  priceCells.addTo(counts, filter.statesOf(without));
  for (const row of filter.rowsOf(without, index.unsettled)) {
    const cell = priceCellOf(columns.price.values[row] as number);
    counts[cell] = (counts[cell] as number) + 1;
  }
  return rangeOfCells(counts, min, max);
};
