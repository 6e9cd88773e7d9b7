import type { FacetCounts, PriceRange, ValueCount } from '../browse-engine.ts';
import { firstOfPriceCell, PRICE_CELLS, type PricedCell, priceCellOf, priceRangeOf } from '../price-bands.ts';
import { IN_STOCK, ON_SALE } from './columns.ts';
import { mostFrequent } from './facet-values.ts';
import type { CountedName, NamedCounts } from './named-values.ts';
import { NO_BRAND, type ProductIndex } from './product-index.ts';
import type { FacetPart, RowFilter } from './row-filter.ts';

const STATE_BITS = { inStock: IN_STOCK, onSale: ON_SALE } as const;

export class FacetCounters {
  readonly #index: ProductIndex;
  readonly #filter: RowFilter;
  readonly #byCode: { readonly facet: 'categories' | 'brands' | 'tags'; readonly counts: Int32Array }[] = [];
  readonly #byName: (FacetPart & { readonly facet: 'attributes' | 'options'; readonly counts: NamedCounts })[] = [];
  readonly #byState: { readonly facet: 'inStock' | 'onSale'; count: number }[] = [];
  readonly #isPriceAsked: boolean;
  #price: PriceRange | null = null;

  /** @param parts of attributes and options one name each, or without one all those that are not in the filter */
  constructor(index: ProductIndex, filter: RowFilter, parts: readonly FacetPart[]) {
    this.#index = index;
    this.#filter = filter;
    this.#isPriceAsked = parts.some(({ facet }) => facet === 'price');
    for (const { facet, name } of parts) {
      if (facet === 'price') continue;
      if (facet === 'inStock' || facet === 'onSale') this.#byState.push({ facet, count: 0 });
      else if (facet === 'attributes' || facet === 'options')
        this.#byName.push({ facet, name, counts: index[facet].noCounts() });
      else this.#byCode.push({ facet, counts: new Int32Array(index[facet].values.length) });
    }
  }

  count(rows: Int32Array): void {
    const { length } = rows;
    for (const { facet, counts } of this.#byCode) this.#index[facet].count(counts, rows, length);
    for (const part of this.#byName) {
      const isWanted = this.#filter.hasName(part);
      if (part.facet === 'attributes') this.#index.attributes.addRows(part.counts, rows, isWanted);
      else this.#index.options.addRows(part.counts, this.#filter.fittingVariants(part.name), rows, isWanted);
    }
    const { price, state } = this.#index.columns;
    if (this.#isPriceAsked) this.#price = priceRangeOfRows(price.values, rows, length);
    for (const each of this.#byState) {
      const inStock = each.facet === 'inStock' ? this.#filter.countWithVariantInStock(rows, length) : undefined;
      each.count += inStock ?? countBits(state.values, STATE_BITS[each.facet], rows, length);
    }
  }

  /** Counts all settled products of some states; of prices there are only cells. */
  addTallies(states: readonly number[]): void {
    for (const { facet, counts } of this.#byCode) this.#index[facet].tally.addTo(counts, states);
    for (const { facet, counts } of this.#byName) this.#index[facet].addTallies(counts, states);
    for (const each of this.#byState)
      each.count += this.#index.total.of(
        0,
        states.filter((bits) => (bits & STATE_BITS[each.facet]) !== 0),
      );
  }

  /** @param named gets the names of attributes and options that were counted */
  finish(named: Record<'attributes' | 'options', CountedName[]>): FacetCounts {
    for (const part of this.#byName)
      named[part.facet].push(...this.#index[part.facet].facetsOf(part.counts, this.#filter.hasName(part)));
    return {
      ...Object.fromEntries(this.#byState.map(({ facet, count }) => [facet, count])),
      ...Object.fromEntries(this.#byCode.map(({ facet, counts }) => [facet, this.#valuesOf(facet, counts)])),
      ...(this.#isPriceAsked && { price: this.#price }),
    };
  }

  /** Categories are given all, in any order. */
  #valuesOf(facet: 'categories' | 'brands' | 'tags', counts: Int32Array): ValueCount<string | number>[] {
    const { values } = this.#index[facet];
    const codes = [...values.keys()].filter((code) => (counts[code] as number) > 0 && values[code] !== NO_BRAND);
    return facet === 'categories'
      ? codes.map((code) => ({ value: values[code] as number, count: counts[code] as number }))
      : mostFrequent(codes, counts, (code) => values[code] as string).map(({ value, count }) => ({ value, count }));
  }
}

const countBits = (values: Uint8Array, bit: number, rows: Int32Array, length: number): number => {
  let count = 0;
  for (let at = 0; at < length; at += 1) count += -((values[rows[at] as number] as number) & bit) >>> 31;
  return count;
};

const priceRangeOfRows = (values: Uint32Array | Float64Array, rows: Int32Array, length: number): PriceRange | null => {
  if (length === 0) return null;
  const counts = new Int32Array(PRICE_CELLS);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < length; at += 1) {
    const price = values[rows[at] as number] as number;
    const cell = priceCellOf(price);
    counts[cell] = (counts[cell] as number) + 1;
    if (price < min) min = price;
    if (price > max) max = price;
  }
  return rangeOfCells(counts, min, max);
};

export const rangeOfCells = (counts: Int32Array, min: number, max: number): PriceRange => {
  const cells: PricedCell[] = [];
  const last = priceCellOf(max);
  for (let cell = priceCellOf(min); cell <= last; cell += 1) {
    const count = counts[cell] as number;
    if (count > 0) cells.push({ first: firstOfPriceCell(cell), count });
  }
  return priceRangeOf(min, max, cells);
};
