import type { FacetCounts, PriceRange, ValueCount } from '../browse-engine.ts';
import {
  firstOfPriceCell,
  PRICE_CELLS,
  type PricedCell,
  priceCellOf,
  pricedCell,
  priceRangeOf,
  TOLERANCE,
} from '../price-bands.ts';
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
  readonly #prices: PriceCounter | undefined;

  /** @param parts of attributes and options one name each, or without one all those that are not in the filter */
  constructor(index: ProductIndex, filter: RowFilter, parts: Iterable<FacetPart>) {
    this.#index = index;
    this.#filter = filter;
    for (const { facet, name } of parts) {
      if (facet === 'price') this.#prices = new PriceCounter(index);
      else if (facet === 'inStock' || facet === 'onSale') this.#byState.push({ facet, count: 0 });
      else if (facet === 'attributes' || facet === 'options')
        this.#byName.push({ facet, name, counts: index[facet].noCounts() });
      else this.#byCode.push({ facet, counts: new Int32Array(index[facet].values.length) });
    }
  }

  count(rows: Int32Array, length: number): void {
    for (const { facet, counts } of this.#byCode) this.#index[facet].count(counts, rows, length);
    for (const { facet, name, counts } of this.#byName)
      this.#index[facet].addRows(counts, this.#filter.groupTest(facet, name), rows, length, name);
    this.#prices?.add(rows, length);
    const { values: state } = this.#index.columns.state;
    for (const each of this.#byState) {
      if (each.facet === 'inStock' && this.#filter.hasOptions) {
        each.count += this.#filter.countInStock(rows, length);
        continue;
      }
      const bit = STATE_BITS[each.facet];
      let count = 0;
      for (let at = 0; at < length; at += 1) count += -((state[rows[at] as number] as number) & bit) >>> 31;
      each.count += count;
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
    for (const { facet, name, counts } of this.#byName) {
      const isWanted = (each: string): boolean =>
        name === undefined ? !this.#filter.hasName(facet, each) : each === name;
      named[facet].push(...this.#index[facet].facetsOf(counts, isWanted));
    }
    return {
      ...Object.fromEntries(this.#byState.map(({ facet, count }) => [facet, count])),
      ...Object.fromEntries(this.#byCode.map(({ facet, counts }) => [facet, this.#valuesOf(facet, counts)])),
      ...(this.#prices && { price: this.#prices.finish() }),
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

/** The prices of rows, which are given a chunk at a time; then their bands. One at a time of an index. */
class PriceCounter {
  readonly #values: Uint32Array | Float64Array;
  readonly #taken: Uint32Array | Float64Array;
  readonly #counts = new Int32Array(PRICE_CELLS);
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor({ columns, scratch }: ProductIndex) {
    this.#values = columns.price.values;
    this.#taken = scratch.like('prices', this.#values, columns.count);
  }

  add(rows: Int32Array, length: number): void {
    const values = this.#values;
    const taken = this.#taken;
    const counts = this.#counts;
    const from = this.#count;
    let min = this.#min;
    let max = this.#max;
    for (let at = 0; at < length; at += 1) {
      const price = values[rows[at] as number] as number;
      const cell = priceCellOf(price);
      taken[from + at] = price;
      counts[cell] = (counts[cell] as number) + 1;
      if (price < min) min = price;
      if (price > max) max = price;
    }
    this.#count = from + length;
    this.#min = min;
    this.#max = max;
  }

  finish(): PriceRange | null {
    if (this.#count === 0) return null;
    const coarse = cellsOf(this.#counts, this.#min, this.#max);
    const large = new Set(coarse.filter((cell) => isLarge(cell, this.#count)).map(({ first }) => priceCellOf(first)));
    if (large.size === 0) return priceRangeOf(this.#min, this.#max, coarse);
    const prices = new Map<number, number>();
    for (const price of this.#taken.subarray(0, this.#count))
      if (large.has(priceCellOf(price))) prices.set(price, (prices.get(price) ?? 0) + 1);
    const cells = [
      ...coarse.filter((cell) => !isLarge(cell, this.#count)),
      ...prices.entries().map(([price, count]) => pricedCell(price, count, true)),
    ];
    return priceRangeOf(
      this.#min,
      this.#max,
      cells.sort((a, b) => a.first - b.first),
    );
  }
}

/** @returns undefined where each price of a cell has to be counted by itself */
export const rangeOfCells = (counts: Int32Array, min: number, max: number): PriceRange | undefined => {
  const cells = cellsOf(counts, min, max);
  const total = cells.reduce((sum, { count }) => sum + count, 0);
  return cells.some((cell) => isLarge(cell, total)) ? undefined : priceRangeOf(min, max, cells);
};

const cellsOf = (counts: Int32Array, min: number, max: number): PricedCell[] => {
  const cells: PricedCell[] = [];
  const last = priceCellOf(max);
  for (let cell = priceCellOf(min); cell <= last; cell += 1) {
    const count = counts[cell] as number;
    if (count > 0) cells.push(pricedCell(firstOfPriceCell(cell), count));
  }
  return cells;
};

const isLarge = ({ first, end, count }: PricedCell, total: number): boolean =>
  end - first > 1 && count > total * TOLERANCE;
