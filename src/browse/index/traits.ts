import { withRoom } from './rows.ts';

/**
 * Of more codes than this it is quicker to mark each that a row has had than to keep a bit of each. For few it is not: a filter of options with all
 * facets took 1.37 of the time (2026-11-29).
 */
const MAX_BY_BITS = 128;

/** Adds to one of some counts. */
export const add = (counts: Int32Array, at: number, count: number): void => {
  counts[at] = (counts[at] as number) + count;
};

/** Whole numbers, in two bytes each while these are enough. */
class Numbers {
  values: Uint16Array | Uint32Array = new Uint16Array(0);

  set(at: number, value: number): void {
    if (value > 0xffff && this.values instanceof Uint16Array) this.values = Uint32Array.from(this.values);
    this.values = withRoom(this.values, at + 1);
    this.values[at] = value;
  }
}

/** The traits of each row, in no order. The first ones stand in columns, which are sooner counted than lists; all others in a list for each row. */
export class TraitsOfRows {
  /** 1 plus the trait of each row, 0 where it has none. */
  readonly #columns: Numbers[] = [];
  readonly #maxColumns: number;
  /** One list after another, and where the list of each row ends; both are empty where all lists are. */
  readonly #rest = new Numbers();
  #ends = new Uint32Array(0);
  #used = 0;

  constructor(maxColumns: number) {
    this.#maxColumns = maxColumns;
  }

  get bytes(): number {
    const columns = this.#columns.reduce((sum, { values }) => sum + values.byteLength, 0);
    return columns + this.#rest.values.byteLength + this.#ends.byteLength;
  }

  of(row: number): number[] {
    const traits: number[] = [];
    for (const { values } of this.#columns) if (values[row] !== 0) traits.push((values[row] as number) - 1);
    const end = this.#ends[row] ?? 0;
    for (let at = this.#ends[row - 1] ?? 0; at < end; at += 1) traits.push(this.#rest.values[at] as number);
    return traits;
  }

  /** The same by new rows. */
  renumbered(newRows: Int32Array): TraitsOfRows {
    const renumbered = new TraitsOfRows(this.#maxColumns);
    for (let row = 0; row < newRows.length; row += 1)
      if ((newRows[row] as number) >= 0) renumbered.append(newRows[row] as number, this.of(row));
    return renumbered;
  }

  /** Tells of a row whether it has one of some traits. @param traitCount of all traits */
  hasAny(traits: readonly number[], traitCount: number): (row: number) => boolean {
    const isWanted = new Uint8Array(traitCount + 1);
    for (const trait of traits) isWanted[trait + 1] = 1;
    const columns = this.#columns.map(({ values }) => values);
    const { values: rest } = this.#rest;
    const ends = this.#ends;
    return (row) => {
      for (const values of columns) if (isWanted[values[row] as number]) return true;
      const end = ends[row] ?? 0;
      for (let at = ends[row - 1] ?? 0; at < end; at += 1) if (isWanted[(rest[at] as number) + 1]) return true;
      return false;
    };
  }

  /** @param row the one after the last */
  append(row: number, traits: readonly number[]): void {
    const inColumns = Math.min(traits.length, this.#maxColumns);
    while (this.#columns.length < inColumns) this.#columns.push(new Numbers());
    for (let place = 0; place < this.#columns.length; place += 1)
      this.#columns[place]?.set(row, place < inColumns ? (traits[place] as number) + 1 : 0);
    for (let at = inColumns; at < traits.length; at += 1) this.#rest.set(this.#used++, traits[at] as number);
    if (this.#used === 0) return;
    this.#ends = withRoom(this.#ends, row + 1);
    this.#ends[row] = this.#used;
  }

  /** How many of some rows have each trait in columns. @param traitCount of all traits @param isWanted whether a column is counted */
  countColumns(traitCount: number, rows: Int32Array, isWanted: (place: number) => boolean): Int32Array {
    // By 1 plus the trait, as columns have it.
    const counts = new Int32Array(traitCount + 1);
    // In a loop over columns instead, V8 compiles the loop over rows so that it takes three times as long.
    this.#columns.forEach(({ values }, place) => {
      const length = isWanted(place) ? rows.length : 0;
      for (let each = 0; each < length; each += 1) add(counts, values[rows[each] as number] as number, 1);
    });
    return counts.subarray(1);
  }

  /** Counts for each code how many of some rows have a trait with it in their lists, however many of these have it. @param makeCodesOf by trait */
  countLists(makeCodesOf: () => readonly (readonly number[])[], rows: Int32Array, counts: Int32Array): void {
    if (this.#used === 0) return;
    const codesOf = makeCodesOf();
    const codes = [...new Set(codesOf.flat())];
    if (codes.length > MAX_BY_BITS) this.#countByMarks(codesOf, rows, counts);
    else
      for (let first = 0; first < codes.length; first += 32)
        this.#countByBits(codesOf, codes.slice(first, first + 32), rows, counts);
  }

  /** A row is counted under each byte of its bits, one for each code: a count bit by bit would be guessed wrong too often. @param codes 32 at most */
  #countByBits(
    codesOf: readonly (readonly number[])[],
    codes: readonly number[],
    rows: Int32Array,
    counts: Int32Array,
  ): void {
    const bitsOf = Int32Array.from(codesOf, (own) =>
      codes.reduce((bits, code, at) => (own.includes(code) ? bits | (1 << at) : bits), 0),
    );
    const { values: traits } = this.#rest;
    const ends = this.#ends;
    const ofBytes = new Int32Array(4 * 256);
    for (let each = 0; each < rows.length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      let bits = 0;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        bits |= bitsOf[traits[at] as number] as number;
      add(ofBytes, bits & 255, 1);
      add(ofBytes, 256 + ((bits >>> 8) & 255), 1);
      add(ofBytes, 512 + ((bits >>> 16) & 255), 1);
      add(ofBytes, 768 + (bits >>> 24), 1);
    }
    for (const [at, count] of ofBytes.entries())
      for (let bit = 0; count > 0 && bit < 8; bit += 1)
        if ((at >>> bit) & 1) add(counts, codes[(at >>> 8) * 8 + bit] as number, count);
  }

  #countByMarks(codesOf: readonly (readonly number[])[], rows: Int32Array, counts: Int32Array): void {
    const { values: traits } = this.#rest;
    const ends = this.#ends;
    const lastRows = new Int32Array(counts.length).fill(-1);
    for (let each = 0; each < rows.length; each += 1) {
      const row = rows[each] as number;
      const end = ends[row] as number;
      for (let at = row === 0 ? 0 : (ends[row - 1] as number); at < end; at += 1)
        for (const code of codesOf[traits[at] as number] as readonly number[]) {
          add(counts, code, Number(lastRows[code] !== row));
          lastRows[code] = row;
        }
    }
  }
}
