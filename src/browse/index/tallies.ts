import { IN_STOCK, ON_SALE, type ProductColumns, withRoom } from './columns.ts';

/** In stock or not, on sale or not. */
export const STATES = 4;
const STATE_SHIFT = Math.log2(IN_STOCK);

/** A number below {@link STATES}. @param bits of a row's state */
export const stateOf = (bits: number): number => (bits & (IN_STOCK | ON_SALE)) >>> STATE_SHIFT;

/**
 * How many settled products each category, brand and tag has, by whether they are in stock and on sale. It is kept with every change, so that a list
 * with no other filter has its total and these facets without a look at each product.
 */
export class Tallies {
  readonly #totals = new Int32Array(STATES);
  #categories = new Int32Array(0);
  #brands = new Int32Array(0);
  #tags = new Int32Array(0);

  get bytes(): number {
    return this.#categories.byteLength + this.#brands.byteLength + this.#tags.byteLength;
  }

  /** @param by 1 for a row that becomes settled, -1 before a settled one changes or goes */
  change(columns: ProductColumns, row: number, by: 1 | -1): void {
    const state = stateOf(columns.state[row] as number);
    this.#totals[state] = (this.#totals[state] as number) + by;
    this.#categories = changed(this.#categories, columns.category.codes[row] as number, state, by);
    this.#brands = changed(this.#brands, columns.brand.codes[row] as number, state, by);
    for (const tag of columns.tagsOf(row)) this.#tags = changed(this.#tags, tag, state, by);
  }

  /** @param isWanted by the bits of stock and sale of a product's state */
  total(isWanted: (bits: number) => boolean): number {
    return statesWith(isWanted).reduce((sum, state) => sum + (this.#totals[state] as number), 0);
  }

  /** Adds what is wanted of each code. */
  addTo(counts: Int32Array, of: 'categories' | 'brands' | 'tags', isWanted: (bits: number) => boolean): void {
    const tallies = of === 'categories' ? this.#categories : of === 'brands' ? this.#brands : this.#tags;
    for (const state of statesWith(isWanted))
      for (let code = 0; code < counts.length; code += 1)
        counts[code] = (counts[code] as number) + (tallies[code * STATES + state] ?? 0);
  }
}

/** @param isWanted by the bits of stock and sale */
export const statesWith = (isWanted: (bits: number) => boolean): number[] =>
  [0, 1, 2, 3].filter((state) => isWanted(state << STATE_SHIFT));

const changed = (
  tallies: Int32Array<ArrayBuffer>,
  code: number,
  state: number,
  by: number,
): Int32Array<ArrayBuffer> => {
  const at = code * STATES + state;
  const roomy = withRoom(tallies, at + 1);
  roomy[at] = (roomy[at] as number) + by;
  return roomy;
};
