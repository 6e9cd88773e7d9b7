import { PRICE_CELLS, priceCellOf } from '../price-bands.ts';
import type { ProductColumns } from './columns.ts';
import { STATES, stateOf, statesWith } from './tallies.ts';

/**
 * How many settled products have a price in each cell (price-bands.ts), by whether they are in stock and on sale. It is kept with every change, so that the
 * price bands of a list with no other filter are counted without a look at each product.
 */
export class PriceTallies {
  readonly #counts = new Int32Array(PRICE_CELLS * STATES);

  get bytes(): number {
    return this.#counts.byteLength;
  }

  /** @param by 1 for a row that becomes settled, -1 before a settled one changes or goes */
  change({ price, state }: ProductColumns, row: number, by: 1 | -1): void {
    const at = priceCellOf(price.values[row] as number) * STATES + stateOf(state[row] as number);
    this.#counts[at] = (this.#counts[at] as number) + by;
  }

  /** How many products of wanted states each cell has. */
  counts(isWanted: (bits: number) => boolean): Int32Array {
    const counts = new Int32Array(PRICE_CELLS);
    for (const state of statesWith(isWanted))
      for (let cell = 0; cell < PRICE_CELLS; cell += 1)
        counts[cell] = (counts[cell] as number) + (this.#counts[cell * STATES + state] as number);
    return counts;
  }
}
