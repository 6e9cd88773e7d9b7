import { BAND_WIDTHS, MAX_BAND_WIDTHS, type PriceRange } from '../browse-engine.ts';

const DECIMAL = /^(-?)0*(\d*)(?:\.(\d*))?$/;

/** A decimal in cents; one between two cents becomes the next one in the direction that keeps the comparison the same. */
export const centsOf = (decimal: string, direction: 'up' | 'down'): number => {
  const [, sign = '', whole = '', fraction = ''] = DECIMAL.exec(decimal) ?? [];
  const cents = Number(`${whole}${fraction.slice(0, 2).padEnd(2, '0')}`);
  const hasRest = /[1-9]/.test(fraction.slice(2));
  if (sign === '-') return -(hasRest && direction === 'down' ? cents + 1 : cents);
  return hasRest && direction === 'up' ? cents + 1 : cents;
};

/** The prices of some rows, in bands of round width. */
export const priceRangeOf = (rows: Int32Array, prices: Float64Array): PriceRange | null => {
  if (rows.length === 0) return null;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < rows.length; at += 1) {
    const price = prices[rows[at] as number] as number;
    if (price < min) min = price;
    if (price > max) max = price;
  }
  const width = BAND_WIDTHS.find((each) => each * MAX_BAND_WIDTHS >= max - min) ?? max;
  const first = Math.floor(min / width);
  const counts = new Int32Array(Math.floor(max / width) - first + 1);
  for (let at = 0; at < rows.length; at += 1) {
    const band = Math.floor((prices[rows[at] as number] as number) / width) - first;
    counts[band] = (counts[band] as number) + 1;
  }
  const bands: { min: string; max: string; count: number }[] = [];
  for (const [band, count] of counts.entries()) {
    const low = (first + band) * width;
    if (count > 0) bands.push({ min: decimalOf(low), max: decimalOf(low + width - 1), count });
  }
  return { min: decimalOf(min), max: decimalOf(max), bands };
};

/** Cents as PostgreSQL writes `numeric(14,2)`. */
export const decimalOf = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
