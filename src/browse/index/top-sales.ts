import { type ProductColumns, SETTLED, withRoom } from './columns.ts';
import type { Postings } from './postings.ts';

/** Of each category, brand or tag, the sales of its best-selling settled product. */
export class TopSales {
  /** By code: no settled product of the code has sold more. */
  #most = new Int32Array(0);
  /** By code, 1 plus the row that has sold so much; 0 where it is to be looked for. */
  #rows = new Int32Array(0);

  get bytes(): number {
    return this.#most.byteLength + this.#rows.byteLength;
  }

  add(code: number, row: number, sales: number): void {
    if (code >= this.#most.length) {
      const known = this.#most.length;
      this.#most = withRoom(this.#most, code + 1).fill(-1, known);
      this.#rows = withRoom(this.#rows, code + 1);
    }
    if (sales < (this.#most[code] as number)) return;
    this.#most[code] = sales;
    this.#rows[code] = row + 1;
  }

  /** The row is about to change, or to go. */
  leave(code: number, row: number): void {
    if (this.#rows[code] === row + 1) this.#rows[code] = 0;
  }

  /** After rows have got other numbers. */
  forgetRows(): void {
    this.#rows.fill(0);
  }

  /** No settled product of the code has sold more. */
  atMost(code: number): number {
    return this.#most[code] ?? -1;
  }

  /** @param postings which rows have the code @returns -1 where there is none */
  of(code: number, postings: Postings, { state, sales }: ProductColumns): number {
    if ((this.#most[code] ?? -1) < 0 || this.#rows[code] !== 0) return this.atMost(code);
    this.#most[code] = -1;
    postings.forEach(code, (row) => {
      if (((state[row] as number) & SETTLED) !== 0) this.add(code, row, sales[row] as number);
    });
    return this.atMost(code);
  }
}
