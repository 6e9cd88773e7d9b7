import type { BrowseRequest, BrowseResult, Facet, FacetCounts, PriceRange } from '../browse-engine.ts';
import { PRICE_CELLS, priceCellOf } from '../price-bands.ts';
import { FacetCounters, rangeOfCells } from './facet-counters.ts';
import { PageSelection, positionOfRow } from './page-selection.ts';
import type { ProductIndex } from './product-index.ts';
import { BRAND, CATEGORY, PRICE, RowFilter, SALE, STOCK } from './row-filter.ts';
import { matchesOf } from './term-matches.ts';

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
  attributes: 0,
  options: 0,
};

/** In NAME_ASC positions have no name. @param boundaryRank of the name that the page continues from there */
export const search = (index: ProductIndex, request: BrowseRequest, boundaryRank?: number): BrowseResult => {
  const { columns, total } = index;
  const { order, isCounted, facets, terms, now } = request;
  const matches = terms.length > 0 ? matchesOf(index, terms, 'all') : undefined;
  const filter = new RowFilter(index, request.filter, matches, now);
  const selection = new PageSelection(columns, request, matches?.scores, boundaryRank);
  /** Facets by the parts of the filter that hold for what they count: most by all parts, together with the page. */
  const facetsBy = Map.groupBy(facets, (facet) => {
    // Of products in stock there are as many without the part that wants these as with it.
    const isOwn = (facet === 'inStock' && request.filter.inStock) || (facet === 'onSale' && request.filter.onSale);
    return isOwn ? filter.parts : filter.parts & ~OWN_PARTS[facet];
  });
  let facetCounts: FacetCounts = {};
  let totalCount = 0;

  for (const parts of new Set([filter.parts, ...facetsBy.keys()])) {
    const isOfPage = parts === filter.parts;
    const isTallied = filter.isTallied(parts);
    const tallied = isTallied ? total.of(0, filter.statesOf(parts)) : 0;
    // Where many products are of the states that are wanted, the first ones in an order are soon found.
    const areMany = isTallied && tallied >= columns.count * MIN_TALLIED_SHARE;
    const asked = facetsBy.get(parts) ?? [];
    const price = areMany && asked.includes('price') ? talliedPrices(index, filter, parts) : undefined;
    const isKept = (facet: Facet): boolean => isTallied && facet !== 'price';
    const kept = new FacetCounters(index, asked.filter(isKept));
    const others = asked.filter((facet) => !isKept(facet) && (facet !== 'price' || price === undefined));
    const counted = new FacetCounters(index, others);
    let count = tallied;
    if (isTallied) {
      kept.addTallies(filter.statesOf(parts));
      filter.forEachUnsettled(parts, (rows, length) => {
        kept.count(rows, length);
        count += length;
      });
    }
    if (isOfPage && areMany) selection.offerAll(filter.holds(parts));
    if ((isOfPage && !areMany) || others.length > 0) {
      count = 0;
      filter.forEachChunk(parts, (rows, length) => {
        counted.count(rows, length);
        count += length;
        if (isOfPage && !areMany) selection.offer(rows, length);
      });
    }
    if (isOfPage) totalCount = count;
    facetCounts = { ...facetCounts, ...(price !== undefined && { price }), ...kept.finish(), ...counted.finish() };
  }

  const { rows, hasNextPage, hasPreviousPage } = selection.finish();
  const items = rows.map((row) => ({
    id: columns.id.values[row] as number,
    position: positionOfRow(columns, order, row, matches?.scores[row] ?? 0),
  }));
  return { items, hasNextPage, hasPreviousPage, ...(isCounted && { totalCount }), facets: facetCounts };
};

/** Of visible products of some states. @returns undefined where each product must be looked at */
const talliedPrices = (index: ProductIndex, filter: RowFilter, parts: number): PriceRange | null | undefined => {
  const { columns, priceCells } = index;
  const firstOf = (order: 'PRICE_ASC' | 'PRICE_DESC'): number | undefined => {
    const selection = new PageSelection(columns, { order, page: { from: 'start', size: 1 } }, undefined);
    selection.offerAll(filter.holds(parts));
    const [row] = selection.finish().rows;
    return row === undefined ? undefined : columns.price.values[row];
  };
  const min = firstOf('PRICE_ASC');
  const max = firstOf('PRICE_DESC');
  if (min === undefined || max === undefined) return null;
  const counts = new Int32Array(PRICE_CELLS);
  priceCells.addTo(counts, filter.statesOf(parts));
  filter.forEachUnsettled(parts, (rows, length) => {
    for (const row of rows.subarray(0, length)) {
      const cell = priceCellOf(columns.price.values[row] as number);
      counts[cell] = (counts[cell] as number) + 1;
    }
  });
  return rangeOfCells(counts, min, max);
};
