import { type ProductColumns, SETTLED } from './columns.ts';
import { STATES, stateOf, statesWith } from './tallies.ts';

const CELLS = 2 ** 14;
/** Cells become so many times as wide where prices no longer fit. */
const WIDENING = 10;

/**
 * How many settled products have a price in each of some cells of equal width, by whether they are in stock and on sale. It is kept with every change, so
 * that the price bands of a list with no other filter are counted without a look at each product.
 */
export class PriceTallies {
  /** In cents, a power of ten: each price is below `CELLS` of it. */
  #width = 1;
  readonly #counts = new Int32Array(CELLS * STATES);

  get bytes(): number {
    return this.#counts.byteLength;
  }

  /** @param by 1 for a row that becomes settled, -1 before a settled one changes or goes */
  change({ price, state }: ProductColumns, row: number, by: 1 | -1): void {
    const cents = price.values[row] as number;
    while (cents >= this.#width * CELLS) this.#widen();
    const at = Math.floor(cents / this.#width) * STATES + stateOf(state[row] as number);
    this.#counts[at] = (this.#counts[at] as number) + by;
  }

  /**
   * Adds the products of wanted states to bands of equal width.
   * @param bands from `first` on, in widths of a band
   * @returns false where a cell may belong to two bands: nothing is added then
   */
  addTo(
    bands: Int32Array,
    { first, width: bandWidth }: { readonly first: number; readonly width: number },
    columns: ProductColumns,
    isWanted: (bits: number) => boolean,
  ): boolean {
    if (bandWidth % this.#width !== 0) this.#narrow(columns);
    if (bandWidth % this.#width !== 0) return false;
    const states = statesWith(isWanted);
    const cellsOfBand = bandWidth / this.#width;
    for (let band = 0; band < bands.length; band += 1) {
      const begin = (first + band) * cellsOfBand;
      const end = Math.min(begin + cellsOfBand, CELLS);
      for (let cell = begin; cell < end; cell += 1)
        for (const state of states)
          bands[band] = (bands[band] as number) + (this.#counts[cell * STATES + state] as number);
    }
    return true;
  }

  /** Makes each ten cells one. */
  #widen(): void {
    const counts = this.#counts;
    for (let cell = 0; cell < CELLS; cell += 1) {
      const into = Math.floor(cell / WIDENING);
      for (let state = 0; state < STATES; state += 1) {
        const count = counts[cell * STATES + state] as number;
        counts[cell * STATES + state] = 0;
        counts[into * STATES + state] = (counts[into * STATES + state] as number) + count;
      }
    }
    this.#width *= WIDENING;
  }

  /** Counts all rows again where narrower cells are enough, because the dearest products are gone. */
  #narrow(columns: ProductColumns): void {
    const highestCell = Math.floor(this.#counts.findLastIndex((count) => count > 0) / STATES);
    if (highestCell >= CELLS / WIDENING) return;
    this.#counts.fill(0);
    this.#width = 1;
    for (let row = 0; row < columns.count; row += 1)
      if (((columns.state[row] as number) & SETTLED) !== 0) this.change(columns, row, 1);
  }
}
