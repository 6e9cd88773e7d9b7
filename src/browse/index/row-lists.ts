import { Column } from './columns.ts';
import type { Postings } from './postings.ts';

export type Codes = Uint16Array | Uint32Array;

/** Of more things than this it is quicker to mark each that a row has had. */
const MAX_BY_BITS = 128;

const NO_NUMBERS: readonly number[] = [];

const noCodes = (): Column<Codes> =>
  new Column<Codes>(new Uint16Array(0), { past: 0xffff, to: (codes) => Uint32Array.from(codes) });

/** Where so many of all rows have a number at a place, as some of them tell, it has a column. */
const MIN_COLUMN_SHARE = 1 / 4;
const MAX_SAMPLES = 5000;

/**
 * Numbers of each row, in no order. Where many rows have one at the same place, there is a column of that place, which is counted ten times as fast as a list; what
 * is left is in lists.
 */
export class RowNumbers {
  /** By place: 1 plus the number of each row, 0 where it has none. */
  readonly #columns = new Map<number, Column<Codes>>();
  readonly #rows: Postings;
  readonly #placeOf: (number: number, at: number) => number;
  /** Where some row has had several numbers. */
  readonly #crowded = new Set<number>();
  #rest = new RowLists();

  /** @param rows gets the rows of each number @param placeOf of a number and where it stands among those of its row */
  constructor(rows: Postings, placeOf: (number: number, at: number) => number) {
    this.#rows = rows;
    this.#placeOf = placeOf;
  }

  get bytes(): number {
    return this.#columns.values().reduce((sum, { bytes }) => sum + bytes, this.#rest.bytes);
  }

  of(row: number): number[] {
    const columns = this.#columns.values().map(({ values }) => (values[row] as number) - 1);
    return [...columns.filter((number) => number >= 0), ...this.#rest.of(row)];
  }

  has(row: number, numbers: readonly number[]): boolean {
    const known = this.of(row).sort();
    return known.length === numbers.length && numbers.toSorted().every((number, at) => known[at] === number);
  }

  /** Of the row after the last one. */
  append(row: number, numbers: readonly number[]): void {
    for (const column of this.#columns.values()) column.set(row, 0);
    if (this.#columns.size === 0) this.#rest.set(row, numbers);
    else this.#put(row, numbers, 0, numbers.length);
    for (const number of numbers) this.#rows.append(number, row);
  }

  #put(row: number, numbers: ArrayLike<number>, begin: number, end: number): void {
    let rest: number[] | undefined;
    for (let at = begin; at < end; at += 1) {
      const number = numbers[at] as number;
      const place = this.#placeOf(number, at - begin);
      const column = this.#columns.get(place);
      if (column?.values[row] === 0) column.set(row, number + 1);
      else {
        if (column) this.#crowded.add(place);
        rest ??= [];
        rest.push(number);
      }
    }
    this.#rest.set(row, rest ?? NO_NUMBERS);
  }

  /** By row, 1 plus the number that it has at a place, where it is all that the row has there. */
  columnAt(place: number): Codes | undefined {
    return this.#crowded.has(place) ? undefined : this.#columns.get(place)?.values;
  }

  /** Counts the numbers of some rows. @param isWanted whether those of a place are, which has a column */
  count(counts: Int32Array, rows: Int32Array, length: number, isWanted = (_place: number) => true): void {
    const after = new Int32Array(counts.length + 1);
    // In a loop over columns instead, V8 compiles the loop over rows so that it takes three times as long.
    this.#columns.forEach(({ values }, place) => {
      if (isWanted(place)) countAt(values, after, rows, length);
    });
    for (let number = 0; number < counts.length; number += 1)
      counts[number] = (counts[number] as number) + (after[number + 1] as number);
    this.#rest.count(counts, rows, length);
  }

  renumber(newRows: Int32Array): void {
    for (const column of this.#columns.values()) column.renumber(newRows);
    this.#rest.renumber(newRows);
  }

  /** Makes columns of the places where many of so many rows have a number, which some rows tell. */
  arrange(count: number): void {
    const lists = this.#rest;
    const step = 1 + Math.floor(count / MAX_SAMPLES);
    const rowsAt = new Map<number, number>();
    for (let row = 0; row < count; row += step)
      for (const place of new Set(Array.from(lists.of(row), this.#placeOf)))
        rowsAt.set(place, (rowsAt.get(place) ?? 0) + step);
    for (const [place, rows] of rowsAt) {
      if (rows < count * MIN_COLUMN_SHARE || this.#columns.has(place)) continue;
      const column = noCodes();
      column.reserve(count);
      this.#columns.set(place, column);
    }
    this.#rest = new RowLists();
    for (let row = 0; row < count; row += 1) this.#put(row, lists.codes, lists.beginOf(row), lists.beginOf(row + 1));
  }
}

/** @param counts by 1 plus the number @param values as a column has them */
const countAt = (values: Codes, counts: Int32Array, rows: Int32Array, length: number): void => {
  for (let each = 0; each < length; each += 1) {
    const value = values[rows[each] as number] as number;
    counts[value] = (counts[value] as number) + 1;
  }
};

/** A list of numbers for each row, one list after another. */
export class RowLists {
  readonly #codes = noCodes();
  /** Where the list of each row ends. */
  readonly #ends = new Column(new Uint32Array(0));

  get bytes(): number {
    return this.#codes.bytes + this.#ends.bytes;
  }

  get codes(): Codes {
    return this.#codes.values;
  }

  get ends(): Uint32Array {
    return this.#ends.values;
  }

  beginOf(row: number): number {
    return this.ends[row - 1] ?? 0;
  }

  of(row: number): Codes {
    return this.codes.subarray(this.beginOf(row), this.beginOf(row + 1));
  }

  /** Counts the numbers of some rows. */
  count(counts: Int32Array, rows: Int32Array, length: number): void {
    const { codes, ends } = this;
    if (codes.length === 0) return;
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1) {
        const code = codes[at] as number;
        counts[code] = (counts[code] as number) + 1;
      }
    }
  }

  /**
   * Counts how many of some rows have each of some things, in whatever number.
   * @param thingsOf by number the things that it has, from 0 to `count`
   */
  countOnce(thingsOf: readonly (readonly number[])[], count: number, rows: Int32Array): Int32Array {
    const counts = new Int32Array(count);
    if (count > MAX_BY_BITS) this.#countByMarks(counts, thingsOf, rows);
    else
      for (let first = 0; first < count; first += 32) {
        const bitsOf = Int32Array.from(thingsOf, (things) =>
          things.reduce((bits, thing) => (thing >= first && thing < first + 32 ? bits | (1 << thing) : bits), 0),
        );
        this.#countBits(counts.subarray(first, first + 32), bitsOf, rows);
      }
    return counts;
  }

  #countByMarks(counts: Int32Array, thingsOf: readonly (readonly number[])[], rows: Int32Array): void {
    const { codes, ends } = this;
    const { length } = rows;
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
  #countBits(counts: Int32Array, bitsOf: Int32Array, rows: Int32Array): void {
    const { codes, ends } = this;
    const { length } = rows;
    const bytes = new Int32Array(Math.ceil(counts.length / 8) * 256);
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      let bits = 0;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        bits |= bitsOf[codes[at] as number] as number;
      for (let byte = 0; byte < bytes.length; byte += 256) {
        const at = byte + (bits & 255);
        bytes[at] = (bytes[at] as number) + 1;
        bits >>>= 8;
      }
    }
    for (const [at, count] of bytes.entries())
      for (let bit = 0; bit < 8; bit += 1)
        if ((at >>> bit) & 1) counts[(at >>> 8) * 8 + bit] = (counts[(at >>> 8) * 8 + bit] as number) + count;
  }

  /** Of the row after the last one; or, with as many numbers as it has, of a row that is there. */
  set(row: number, codes: readonly number[]): void {
    // Where all are empty, not even their ends are kept.
    if (this.codes.length + codes.length === 0) return;
    const begin = this.beginOf(row);
    for (let index = 0; index < codes.length; index += 1) this.#codes.set(begin + index, codes[index] as number);
    this.#ends.set(row, begin + codes.length);
  }

  renumber(newRows: Int32Array): void {
    const { codes, ends } = this;
    if (codes.length === 0) return;
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
