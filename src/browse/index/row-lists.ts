import { Column } from './columns.ts';

type Codes = Uint16Array | Uint32Array;

/** A list of numbers for each row, one list after another. */
export class RowLists {
  readonly #codes = new Column<Codes>(new Uint16Array(0), { past: 0xffff, to: (codes) => Uint32Array.from(codes) });
  /** Where the list of each row ends; undefined where each has one number. */
  readonly #ends: Column<Uint32Array> | undefined;

  constructor(hasOne = false) {
    this.#ends = hasOne ? undefined : new Column(new Uint32Array(0));
  }

  get bytes(): number {
    return this.#codes.bytes + (this.#ends?.bytes ?? 0);
  }

  get codes(): Codes {
    return this.#codes.values;
  }

  get ends(): Uint32Array | undefined {
    return this.#ends?.values;
  }

  beginOf(row: number): number {
    const ends = this.ends;
    return ends ? (ends[row - 1] ?? 0) : row;
  }

  of(row: number): Codes {
    return this.codes.subarray(this.beginOf(row), this.ends ? this.ends[row] : row + 1);
  }

  has(row: number, codes: readonly number[]): boolean {
    const known = this.of(row);
    return known.length === codes.length && codes.every((code, at) => known[at] === code);
  }

  /** Counts the numbers of some rows. */
  count(counts: Int32Array, rows: Int32Array, length: number): void {
    const { codes, ends } = this;
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends ? (ends[row] as number) : row + 1;
      for (let at = !ends ? row : row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1) {
        const code = codes[at] as number;
        counts[code] = (counts[code] as number) + 1;
      }
    }
  }

  /** Of the row after the last one; or, with as many numbers as it has, of a row that is there. */
  set(row: number, codes: readonly number[]): void {
    const begin = this.beginOf(row);
    for (let index = 0; index < codes.length; index += 1) this.#codes.set(begin + index, codes[index] as number);
    this.#ends?.set(row, begin + codes.length);
  }

  renumber(newRows: Int32Array): void {
    const { codes, ends } = this;
    if (!ends) {
      this.#codes.renumber(newRows);
      return;
    }
    let count = 0;
    let begin = 0;
    // What moves, moves towards the beginning, and so never over what is still to be read.
    for (let row = 0; row < newRows.length; row += 1) {
      const end = ends[row] as number;
      const newRow = newRows[row] as number;
      if (newRow >= 0) {
        codes.copyWithin(count, begin, end);
        count += end - begin;
        ends[newRow] = count;
      }
      begin = end;
    }
  }
}
