import type { BrowseRequest, Facet, FacetCounts, PriceRange } from '../browse-engine.ts';
import { priceCellOf } from '../price-bands.ts';
import { FacetCounters } from './facet-counters.ts';
import { PageSelection, positionOfRow } from './page-selection.ts';
import { rangeOfCells } from './prices.ts';
import type { ProductIndex } from './product-index.ts';
import { BRAND, CATEGORY, PRICE, RowFilter, SALE, STOCK } from './row-filter.ts';
import { matchesOf } from './term-matches.ts';

/** What the index answers. In NAME_ASC positions have no name, as the index has none. */
export interface SearchReply {
  readonly items: readonly { readonly id: number; readonly position: readonly string[] }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** Undefined where it was not asked for. */
  readonly totalCount: number | undefined;
  readonly facets: FacetCounts;
}

/** Where fewer of all products are wanted, it is quicker to look at all of them than to look for the first ones. */
const MIN_TALLIED_SHARE = 1 / 16;

/** The part of the filter that a facet leaves out: none for tags, all of which a product must have. */
const OWN_PARTS: Readonly<Record<Facet, number>> = {
  categories: CATEGORY,
  brands: BRAND,
  tags: 0,
  price: PRICE,
  inStock: STOCK,
  onSale: SALE,
};

/** @param boundaryRank where the name stands that the page continues from, in NAME_ASC */
export const search = (index: ProductIndex, request: BrowseRequest, boundaryRank?: number): SearchReply => {
  const { columns, tallies } = index;
  const { order, isCounted, facets } = request;
  const matches = request.terms.length > 0 ? matchesOf(index, request.terms, 'all') : undefined;
  const filter = new RowFilter(index, request.filter, matches, request.now);
  const selection = new PageSelection(columns, request, matches?.scores, boundaryRank);
  /** Facets by the parts of the filter that hold for what they count: most by all parts, together with the page. */
  const facetsBy = Map.groupBy(facets, (facet) => {
    // Of products in stock there are as many without the part that wants these as with it.
    const isOwn = (facet === 'inStock' && request.filter.inStock) || (facet === 'onSale' && request.filter.onSale);
    return isOwn ? filter.parts : filter.parts & ~OWN_PARTS[facet];
  });
  let facetCounts: FacetCounts = {};
  let totalCount: number | undefined;

  /** Whether so many products are of the states that are wanted that the first ones in an order are soon found. */
  const areMany = (parts: number): boolean =>
    filter.isTallied(parts) && tallies.total(filter.isState(parts)) >= columns.count * MIN_TALLIED_SHARE;

  const isTallied = areMany(filter.parts);
  if (isTallied) {
    selection.offerAll(filter.holds(filter.parts));
    if (isCounted) {
      totalCount = tallies.total(filter.isState(filter.parts));
      filter.forEachUnsettled(filter.parts, (_, length) => {
        totalCount = (totalCount ?? 0) + length;
      });
    }
  }
  for (const parts of new Set([...(isTallied ? [] : [filter.parts]), ...facetsBy.keys()])) {
    const isOfPage = parts === filter.parts && !isTallied;
    const asked = new Set(facetsBy.get(parts));
    const tallied = filter.isTallied(parts) ? new Set(asked) : new Set<Facet>();
    if (tallied.delete('price') && areMany(parts)) {
      const price = talliedPrices(index, filter, parts);
      if (price !== undefined) {
        facetCounts = { ...facetCounts, price };
        asked.delete('price');
      }
    }
    if (tallied.size > 0) {
      const counters = new FacetCounters(index, tallied);
      counters.addTallies(tallies, filter.isState(parts));
      filter.forEachUnsettled(parts, (rows, length) => counters.count(rows, length));
      facetCounts = { ...facetCounts, ...counters.finish() };
    }
    const counted = asked.difference(tallied);
    if (counted.size === 0 && !isOfPage) continue;
    const counters = new FacetCounters(index, counted);
    let count = 0;
    filter.forEachChunk(parts, (rows, length) => {
      counters.count(rows, length);
      count += length;
      if (isOfPage) selection.offer(rows, length);
    });
    facetCounts = { ...facetCounts, ...counters.finish() };
    if (isOfPage && isCounted) totalCount = count;
  }

  const { rows, hasNextPage, hasPreviousPage } = selection.finish();
  const items = rows.map((row) => ({
    id: columns.id[row] as number,
    position: positionOfRow(columns, order, row, matches?.scores[row] ?? 0),
  }));
  return { items, hasNextPage, hasPreviousPage, totalCount, facets: facetCounts };
};

/**
 * The prices of all visible products of wanted states, where {@link ProductIndex.priceTallies} can tell.
 * @param parts of the filter: nothing but stock and sale decides
 * @returns undefined where each product must be looked at
 */
const talliedPrices = (index: ProductIndex, filter: RowFilter, parts: number): PriceRange | null | undefined => {
  const { columns, priceTallies } = index;
  const firstOf = (order: 'PRICE_ASC' | 'PRICE_DESC'): number | undefined => {
    const selection = new PageSelection(columns, { order, page: { from: 'start', size: 1 } }, undefined);
    selection.offerAll(filter.holds(parts));
    const [row] = selection.finish().rows;
    return row === undefined ? undefined : columns.price.values[row];
  };
  const min = firstOf('PRICE_ASC');
  const max = firstOf('PRICE_DESC');
  if (min === undefined || max === undefined) return null;
  const counts = priceTallies.counts(filter.isState(parts));
  filter.forEachUnsettled(parts, (rows, length) => {
    for (const row of rows.subarray(0, length)) {
      const cell = priceCellOf(columns.price.values[row] as number);
      counts[cell] = (counts[cell] as number) + 1;
    }
  });
  return rangeOfCells(counts, min, max);
};
