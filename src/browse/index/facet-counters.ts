import { type Facet, type FacetCounts, MAX_FACET_VALUES, type PriceRange, type ValueCount } from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
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
import { NO_BRAND, type ProductIndex } from './product-index.ts';

const STATE_BITS = { inStock: IN_STOCK, onSale: ON_SALE } as const;

export class FacetCounters {
  readonly #index: ProductIndex;
  readonly #byCode: { readonly facet: 'categories' | 'brands' | 'tags'; readonly counts: Int32Array }[] = [];
  readonly #byState: { readonly facet: 'inStock' | 'onSale'; count: number }[] = [];
  readonly #prices: PriceCounter | undefined;

  constructor(index: ProductIndex, facets: Iterable<Facet>) {
    this.#index = index;
    for (const facet of facets) {
      if (facet === 'price') this.#prices = new PriceCounter(index);
      else if (facet === 'attributes' || facet === 'options') throw new TypeError(`the index has no ${facet}`);
      else if (facet === 'inStock' || facet === 'onSale') this.#byState.push({ facet, count: 0 });
      else this.#byCode.push({ facet, counts: new Int32Array(index[facet].values.length) });
    }
  }

  count(rows: Int32Array, length: number): void {
    for (const { facet, counts } of this.#byCode) this.#index[facet].count(counts, rows, length);
    this.#prices?.add(rows, length);
    const { values: state } = this.#index.columns.state;
    for (const each of this.#byState) {
      const bit = STATE_BITS[each.facet];
      let count = 0;
      for (let at = 0; at < length; at += 1) count += -((state[rows[at] as number] as number) & bit) >>> 31;
      each.count += count;
    }
  }

  /** Counts all settled products of some states; of prices there are only cells. */
  addTallies(states: readonly number[]): void {
    for (const { facet, counts } of this.#byCode) this.#index[facet].tally.addTo(counts, states);
    for (const each of this.#byState)
      each.count += this.#index.total.of(
        0,
        states.filter((bits) => (bits & STATE_BITS[each.facet]) !== 0),
      );
  }

  finish(): FacetCounts {
    return {
      ...Object.fromEntries(this.#byState.map(({ facet, count }) => [facet, count])),
      ...Object.fromEntries(this.#byCode.map(({ facet, counts }) => [facet, this.#mostFrequent(facet, counts)])),
      ...(this.#prices && { price: this.#prices.finish() }),
    };
  }

  /** Only what may be among the first is sorted by its text; categories are given all, in any order. */
  #mostFrequent(facet: 'categories' | 'brands' | 'tags', counts: Int32Array): ValueCount<string | number>[] {
    const { values } = this.#index[facet];
    const isWhole = facet === 'categories' || counts.length <= MAX_FACET_VALUES;
    const least = Math.max(1, isWhole ? 1 : (counts.toSorted().at(-MAX_FACET_VALUES - 1) ?? 0));
    const found: ValueCount<string | number>[] = [];
    for (let code = 0; code < counts.length; code += 1) {
      const count = counts[code] as number;
      const value = values[code] as string | number;
      if (count >= least && value !== NO_BRAND) found.push({ value, count });
    }
    if (facet === 'categories') return found;
    return found
      .sort((a, b) => b.count - a.count || compareCodePoints(String(a.value), String(b.value)))
      .slice(0, MAX_FACET_VALUES);
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
