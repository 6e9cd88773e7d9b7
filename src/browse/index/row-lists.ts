import { Column } from './columns.ts';

type Codes = Uint16Array | Uint32Array;

/** Of more things than this it is quicker to mark each that a row has had. */
const MAX_BY_BITS = 128;

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

  /**
   * Counts how many of some rows have each of some things, in whatever number.
   * @param thingsOf by number the things that it has, from 0 to `count`
   */
  countOnce(thingsOf: readonly (readonly number[])[], count: number, rows: Int32Array, length: number): Int32Array {
    const counts = new Int32Array(count);
    if (count > MAX_BY_BITS) this.#countByMarks(counts, thingsOf, rows, length);
    else
      for (let first = 0; first < count; first += 32) {
        const bitsOf = Int32Array.from(thingsOf, (things) =>
          things.reduce((bits, thing) => (thing >= first && thing < first + 32 ? bits | (1 << thing) : bits), 0),
        );
        this.#countBits(counts.subarray(first, first + 32), bitsOf, rows, length);
      }
    return counts;
  }

  #countByMarks(counts: Int32Array, thingsOf: readonly (readonly number[])[], rows: Int32Array, length: number): void {
    const { codes } = this;
    const ends = this.ends as Uint32Array;
    const lastRows = new Int32Array(counts.length).fill(-1);
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1) {
        const things = thingsOf[codes[at] as number] as readonly number[];
        for (let index = 0; index < things.length; index += 1) {
          const thing = things[index] as number;
          counts[thing] = (counts[thing] as number) + Number(lastRows[thing] !== row);
          lastRows[thing] = row;
        }
      }
    }
  }

  /** Counts up to 32 bits. A row is counted under each byte of its bits: to count bit by bit would be guessed wrong too often. */
  #countBits(counts: Int32Array, bitsOf: Int32Array, rows: Int32Array, length: number): void {
    const { codes } = this;
    const ends = this.ends as Uint32Array;
    const bytes = new Int32Array(4 * 256);
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      let bits = 0;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        bits |= bitsOf[codes[at] as number] as number;
      const [first, second, third, fourth] = [
        bits & 255,
        256 + ((bits >>> 8) & 255),
        512 + ((bits >>> 16) & 255),
        768 + (bits >>> 24),
      ];
      bytes[first] = (bytes[first] as number) + 1;
      bytes[second] = (bytes[second] as number) + 1;
      bytes[third] = (bytes[third] as number) + 1;
      bytes[fourth] = (bytes[fourth] as number) + 1;
    }
    for (const [at, count] of bytes.entries())
      for (let bit = 0; bit < 8; bit += 1)
        if ((at >>> bit) & 1) counts[(at >>> 8) * 8 + bit] = (counts[(at >>> 8) * 8 + bit] as number) + count;
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
