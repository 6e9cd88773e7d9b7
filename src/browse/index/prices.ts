import type { PriceRange } from '../browse-engine.ts';
import {
  firstOfPriceCell,
  MAX_CELL_SHARE,
  PRICE_CELLS,
  type PricedCell,
  priceCellOf,
  pricedAt,
  pricedCell,
  priceRangeOf,
} from '../price-bands.ts';
import type { ProductIndex } from './product-index.ts';

const DECIMAL = /^(-?)0*(\d*)(?:\.(\d*))?$/;

/** A decimal in cents; one between two cents becomes the next one in the direction that keeps the comparison the same. */
export const centsOf = (decimal: string, direction: 'up' | 'down'): number => {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(decimal) ?? [];
  const cents = Number(`${whole}${fraction.slice(0, 2).padEnd(2, '0')}`);
  const hasRest = /[1-9]/.test(fraction.slice(2));
  if (sign === '-') return -(hasRest && direction === 'down' ? cents + 1 : cents);
  return hasRest && direction === 'up' ? cents + 1 : cents;
};

/** The prices of rows, which are given a chunk at a time; then their bands. One at a time of an index. */
export class PriceCounter {
  readonly #values: Uint32Array | Float64Array;
  readonly #taken: Uint32Array | Float64Array;
  readonly #counts = new Int32Array(PRICE_CELLS);
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  constructor({ columns, scratch }: ProductIndex) {
    this.#values = columns.price.values;
    this.#taken = scratch.like(this.#values, columns.count);
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
      ...prices.entries().map(([price, count]) => pricedAt(price, count)),
    ];
    cells.sort((a, b) => a.first - b.first);
    return priceRangeOf(this.#min, this.#max, cells);
  }
}

/**
 * The bands of prices that are counted by cells.
 * @returns undefined where each price of a cell has to be counted by itself
 */
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
  end - first > 1 && count > total * MAX_CELL_SHARE;
