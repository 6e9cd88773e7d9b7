import type { PriceRange } from './browse-engine.ts';

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

/** Products whose prices are in one cell. */
export interface PricedCell {
  /** The lowest price of the cell, in cents. */
  readonly first: number;
  readonly count: number;
}

/** Bands with about as many products each, of cells that have products, the cheapest first. In cents. */
export const priceRangeOf = (min: number, max: number, cells: readonly PricedCell[]): PriceRange => {
  const edges = edgesOf(cells);
  const begins = [roundedDown(min), ...edges];
  const ends = [...edges, roundedDown(max) + step(max)];
  const counts = begins.map(() => 0);
  let band = 0;
  for (const { first, count } of cells) {
    while (band < edges.length && first >= (edges[band] as number)) band += 1;
    counts[band] = (counts[band] as number) + count;
  }
  return {
    min: decimalOf(min),
    max: decimalOf(max),
    bands: begins.map((begin, index) => ({
      min: decimalOf(begin),
      max: decimalOf((ends[index] as number) - 1),
      count: counts[index] as number,
    })),
  };
};

/** The prices at which bands begin, but for the first one. Between two of them are products. */
const edgesOf = (cells: readonly PricedCell[]): number[] => {
  const below: number[] = [];
  let total = 0;
  for (const { count } of cells) {
    below.push(total);
    total += count;
  }
  const edges = new Set<number>();
  for (let band = 1; band < PRICE_BANDS; band += 1) {
    const wanted = (total * band) / PRICE_BANDS;
    const distance = (cell: number): number => Math.abs((below[cell] as number) - wanted);
    // The cells before which an edge may be; where one cell is too common, the nearest.
    let [from, to] = [0, 0];
    for (let cell = 1; cell < cells.length; cell += 1) {
      if (from === 0 || (distance(from) > total * TOLERANCE && distance(cell) < distance(from))) from = to = cell;
      else if (distance(cell) <= total * TOLERANCE) to = cell;
    }
    if (from === 0) continue;
    const endBefore = firstOfPriceCell(priceCellOf((cells[from - 1] as PricedCell).first) + 1);
    edges.add(roundest(endBefore, (cells[to] as PricedCell).first));
  }
  return [...edges];
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
