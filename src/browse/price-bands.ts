import type { PriceRange } from './browse-engine.ts';
import { countBefore } from './index/rows.ts';

export const PRICE_BANDS = 5;

/** How far the share of products below an edge may be from equal bands, for a rounder edge: a quarter of a band. */
const TOLERANCE = 1 / (4 * PRICE_BANDS);

/*
 * Prices are counted in cells: all prices that begin with the same four digits. So the counts of any number of products are a short list, and an edge
 * of up to four digits divides no cell. In SQL: facets.sql.ts.
 */

/** The digits that the prices of a cell begin with. */
export const PRICE_CELL_DIGITS = 4;
const BELOW_DIGITS = 10 ** PRICE_CELL_DIGITS;
const CELLS_OF_POWER = BELOW_DIGITS - BELOW_DIGITS / 10;

/** For cents up to 16 digits: more are not exact in JavaScript. */
export const PRICE_CELLS = BELOW_DIGITS + (16 - PRICE_CELL_DIGITS) * CELLS_OF_POWER;

export const priceCellOf = (cents: number): number => {
  let digits = cents;
  let powers = 0;
  while (digits >= BELOW_DIGITS) {
    digits = Math.floor(digits / 10);
    powers += CELLS_OF_POWER;
  }
  return powers + digits;
};

/** The lowest price of a cell, in cents. */
export const firstOfPriceCell = (cell: number): number => {
  if (cell < BELOW_DIGITS) return cell;
  const power = Math.floor((cell - BELOW_DIGITS / 10) / CELLS_OF_POWER);
  return (cell - power * CELLS_OF_POWER) * 10 ** power;
};

/**
 * Bands with about as many products each, the cheapest first.
 * @param min the least price, in cents
 * @param max the greatest
 * @param counts how many products there are of each cell
 */
export const priceRangeOf = (min: number, max: number, counts: Int32Array): PriceRange => {
  const below = belowCells(counts, priceCellOf(min), priceCellOf(max));
  const edges = [...edgesOf(below)];
  const begins = [roundedDown(min), ...edges];
  const ends = [...edges, roundedDown(max) + step(max)];
  const cheaper = [0, ...edges.map((edge) => below[priceCellOf(edge)] as number), below.at(-1) as number];
  return {
    min: decimalOf(min),
    max: decimalOf(max),
    bands: begins.map((begin, band) => ({
      min: decimalOf(begin),
      max: decimalOf((ends[band] as number) - 1),
      count: (cheaper[band + 1] as number) - (cheaper[band] as number),
    })),
  };
};

/** How many products are cheaper than each cell, with the number of all behind the last. @param first the first cell that has products */
const belowCells = (counts: Int32Array, first: number, last: number): Int32Array => {
  const below = new Int32Array(last + 2);
  let total = 0;
  for (let cell = first; cell <= last; cell += 1) {
    below[cell] = total;
    total += counts[cell] as number;
  }
  below[last + 1] = total;
  return below;
};

/** The prices at which bands begin, but for the first one. Between two of them are products. @param below by cell, with the total behind the last */
const edgesOf = (below: Int32Array): Set<number> => {
  const total = below.at(-1) as number;
  const last = below.length - 2;
  const cellsWith = (isFew: (count: number) => boolean): number =>
    countBefore(below.length, (cell) => isFew(below[cell] as number));
  const edges = new Set<number>();
  for (let band = 1; band < PRICE_BANDS; band += 1) {
    const wanted = (total * band) / PRICE_BANDS;
    // The cells before which an edge may be, with a product on each side; where one cell is too common, the nearest.
    let from = cellsWith((count) => count < Math.max(1, wanted - total * TOLERANCE));
    let most = wanted + total * TOLERANCE;
    const after = from <= last ? (below[from] as number) : Number.POSITIVE_INFINITY;
    if (after > most) {
      const before = below[from - 1] as number;
      most = before > 0 && wanted - before <= after - wanted ? before : after;
      from = cellsWith((count) => count < most);
    }
    const to = Math.min(last, cellsWith((count) => count <= most) - 1);
    if (from <= to) edges.add(roundest(firstOfPriceCell(from), firstOfPriceCell(to)));
  }
  return edges;
};

/** The price from `low` to `high` that is a multiple of the largest 1, 2 or 5 times a power of ten; of two, the lower. */
const roundest = (low: number, high: number): number => {
  let found = low;
  for (let power = 1; power <= high; power *= 10) {
    for (const factor of [1, 2, 5]) {
      const multiple = Math.ceil(low / (power * factor)) * power * factor;
      if (multiple <= high) found = multiple;
    }
  }
  return found;
};

/** One in the second digit of a price. */
const step = (cents: number): number => (cents < 10 ? 1 : 10 ** (String(cents).length - 2));

const roundedDown = (cents: number): number => cents - (cents % step(cents));

/** Cents as PostgreSQL writes `numeric(14,2)`. */
export const decimalOf = (cents: number): string =>
  `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
