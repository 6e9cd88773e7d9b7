import { BAND_WIDTHS, MAX_BAND_WIDTHS, type PriceRange } from '../browse-engine.ts';
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

/** The prices of rows, which are given a chunk at a time; then their bands of round width. One at a time of an index. */
export class PriceCounter {
  readonly #values: Uint32Array | Float64Array;
  readonly #taken: Uint32Array | Float64Array;
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
    const from = this.#count;
    let min = this.#min;
    let max = this.#max;
    for (let at = 0; at < length; at += 1) {
      const price = values[rows[at] as number] as number;
      taken[from + at] = price;
      if (price < min) min = price;
      if (price > max) max = price;
    }
    this.#count = from + length;
    this.#min = min;
    this.#max = max;
  }

  finish(): PriceRange | null {
    if (this.#count === 0) return null;
    const { bands, first, width } = emptyBands(this.#min, this.#max);
    const taken = this.#taken;
    for (let at = 0; at < this.#count; at += 1) {
      const band = Math.floor((taken[at] as number) / width) - first;
      bands[band] = (bands[band] as number) + 1;
    }
    return toRange(this.#min, this.#max, { bands, first, width });
  }
}

/** Counts of prices by bands of one width. */
interface Bands {
  readonly bands: Int32Array;
  /** Where the first one begins, in widths. */
  readonly first: number;
  /** In cents. */
  readonly width: number;
}

/** For prices between two. */
export const emptyBands = (min: number, max: number): Bands => {
  const width = BAND_WIDTHS.find((each) => each * MAX_BAND_WIDTHS >= max - min) ?? max;
  const first = Math.floor(min / width);
  return { bands: new Int32Array(Math.floor(max / width) - first + 1), first, width };
};

export const toRange = (min: number, max: number, { bands, first, width }: Bands): PriceRange => ({
  min: decimalOf(min),
  max: decimalOf(max),
  bands: [...bands.entries()].flatMap(([band, count]) => {
    const low = (first + band) * width;
    return count > 0 ? [{ min: decimalOf(low), max: decimalOf(low + width - 1), count }] : [];
  }),
});

/** Cents as PostgreSQL writes `numeric(14,2)`. */
export const decimalOf = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
