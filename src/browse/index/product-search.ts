import type { BrowseRequest, Facet, FacetCounts } from '../browse-engine.ts';
import { FacetCounters } from './facet-counters.ts';
import { PageSelection, positionOfRow } from './page-selection.ts';
import type { ProductIndex } from './product-index.ts';
import { BRAND, CATEGORY, PRICE, RowFilter, SALE, STOCK, TAGS } from './row-filter.ts';
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

/** The part of the filter that a facet leaves out. */
const OWN_PARTS: Readonly<Record<Facet, number>> = {
  categories: CATEGORY,
  brands: BRAND,
  tags: TAGS,
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

  const isTallied = filter.isTallied(filter.parts);
  if (isTallied) {
    selection.offerAll(filter.holds());
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
    const tallied = filter.isTallied(parts)
      ? new Set([...asked].filter((facet) => facet !== 'price'))
      : new Set<Facet>();
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
