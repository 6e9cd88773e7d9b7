import { withRoom } from './columns.ts';

/** How many rows are a block. */
const BLOCK_BITS = 10;
export const BLOCK_ROWS = 2 ** BLOCK_BITS;

/**
 * The least and the greatest value of a column in each block of rows, so that blocks are left out that have nothing for a page. Values of dead rows count,
 * too: a block is then looked at in vain.
 */
export class BlockExtremes {
  least = new Float64Array(0);
  greatest = new Float64Array(0);
  /** 1 for blocks in which a value has been set since they were looked through. */
  #isStale = new Uint8Array(0);

  get bytes(): number {
    return this.least.byteLength + this.greatest.byteLength + this.#isStale.byteLength;
  }

  /** A value of the row has been set. */
  touch(row: number): void {
    this.#isStale[row >>> BLOCK_BITS] = 1;
  }

  touchAll(): void {
    this.#isStale.fill(1);
  }

  /** Room for so many rows. */
  reserve(rows: number): void {
    const known = this.#isStale.length;
    const blocks = Math.ceil(rows / BLOCK_ROWS);
    if (blocks <= known) return;
    this.#isStale = withRoom(this.#isStale, blocks).fill(1, known);
    this.least = withRoom(this.least, blocks);
    this.greatest = withRoom(this.greatest, blocks);
  }

  /** Looks through the blocks that need it. @param count of the rows @returns how many blocks there are */
  refresh(values: Int32Array | Uint32Array | Float64Array, count: number): number {
    const blocks = Math.ceil(count / BLOCK_ROWS);
    for (let block = 0; block < blocks; block += 1) {
      if (this.#isStale[block] === 0) continue;
      this.#isStale[block] = 0;
      this.#refreshBlock(block, values, count);
    }
    return blocks;
  }

  #refreshBlock(block: number, values: Int32Array | Uint32Array | Float64Array, count: number): void {
    const end = Math.min((block + 1) * BLOCK_ROWS, count);
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (let row = block * BLOCK_ROWS; row < end; row += 1) {
      const value = values[row] as number;
      // Neither is true of NaN, which is no key.
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    this.least[block] = least;
    this.greatest[block] = greatest;
  }
}
