import { BLOCK_ROWS, hasBit, noBits, withRoom } from './rows.ts';

/** Rows that a question is about, as bits of all rows, as an ascending array, or both. It never changes. */
export class RowSet {
  readonly size: number;
  #rows: Int32Array | undefined;
  #bits: Uint32Array | undefined;
  #others: RowSet | undefined;
  readonly #count: number;

  private constructor(size: number, rows: Int32Array | undefined, bits: Uint32Array | undefined, count: number) {
    this.size = size;
    this.#rows = rows;
    this.#bits = bits;
    this.#count = count;
  }

  /** @param rows ascending, each once @param count of all rows */
  static ofRows(rows: Int32Array, count: number): RowSet {
    return new RowSet(rows.length, rows, undefined, count);
  }

  /** @param bits the bits of all rows */
  static ofBits(bits: Uint32Array, size = countBits(bits)): RowSet {
    return new RowSet(size, undefined, bits, bits.length * 32);
  }

  /** Whether the rows are at hand as an array that is shorter than the bits. */
  get areFew(): boolean {
    return this.#rows !== undefined && this.size < this.#count >>> 5;
  }

  rows(): Int32Array {
    if (this.#rows) return this.#rows;
    const rows = new Int32Array(this.size);
    const bits = this.#bits as Uint32Array;
    readBits(bits, 0, bits.length, rows);
    this.#rows = rows;
    return rows;
  }

  bits(): Uint32Array {
    if (this.#bits) return this.#bits;
    this.#bits = noBits(this.#count);
    setBits(this.#bits, this.rows());
    return this.#bits;
  }

  /**
   * Gives the rows, as the first ones of an array. Many come block by block.
   * @param mayBeOfUse asked of each block, as its rows would be next
   */
  visit(mayBeOfUse: (block: number) => boolean, onRows: (rows: Int32Array, count: number) => void): void {
    if (this.areFew) {
      onRows(this.rows(), this.size);
      return;
    }
    const bits = this.bits();
    const rows = new Int32Array(BLOCK_ROWS);
    for (let block = 0, word = 0; word < bits.length; block += 1, word += BLOCK_ROWS / 32)
      if (mayBeOfUse(block)) onRows(rows, readBits(bits, word, Math.min(word + BLOCK_ROWS / 32, bits.length), rows));
  }

  and(other: RowSet): RowSet {
    const [few, many] = this.size <= other.size ? [this, other] : [other, this];
    const bits = many.bits();
    if (few.areFew) return few.filter((row) => hasBit(bits, row));
    const own = few.bits();
    const both = new Uint32Array(bits.length);
    for (let at = 0; at < both.length; at += 1) both[at] = (own[at] as number) & (bits[at] as number);
    return RowSet.ofBits(both);
  }

  /** The rows of this set that the other one does not have. */
  without(other: RowSet): RowSet {
    const own = this.bits();
    const others = other.bits();
    const rest = new Uint32Array(own.length);
    for (let at = 0; at < rest.length; at += 1) rest[at] = (own[at] as number) & ~(others[at] as number);
    return RowSet.ofBits(rest);
  }

  /** The rows of a larger set that this one does not have. @param all always the same one */
  othersOf(all: RowSet): RowSet {
    this.#others ??= all.without(this);
    return this.#others;
  }

  filter(isWanted: (row: number) => boolean): RowSet {
    const rows = this.rows();
    const kept = new Int32Array(rows.length);
    let length = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] as number;
      // The row is written, and then counted or not: the processor would often guess a branch wrong.
      kept[length] = row;
      length += Number(isWanted(row));
    }
    return RowSet.ofRows(kept.subarray(0, length), this.#count);
  }
}

const bitsIn = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};

const countBits = (bits: Uint32Array): number => {
  let count = 0;
  for (let at = 0; at < bits.length; at += 1) count += bitsIn(bits[at] as number);
  return count;
};

// V8 goes through a typed array three times as fast by its places as by `for … of`.
const setBits = (bits: Uint32Array, rows: Int32Array): void => {
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    bits[row >>> 5] = (bits[row >>> 5] as number) | (1 << (row & 31));
  }
};

const readBits = (bits: Uint32Array, firstWord: number, endWord: number, into: Int32Array): number => {
  let length = 0;
  for (let at = firstWord; at < endWord; at += 1)
    for (let word = bits[at] as number; word !== 0; word &= word - 1)
      into[length++] = (at << 5) | (31 - Math.clz32(word & -word));
  return length;
};

/** The state of a list: where its bytes begin, how many there may be, and how many there are; the row after the last one; the number of rows. */
const [BEGIN, SIZE, USED, NEXT_ROW, COUNT, STATE_SIZE] = [0, 1, 2, 3, 4, 5] as const;

/** So few are sooner copied one by one: most lists are short. */
const FEW_BYTES = 64;

/** The room of a list that is arranged: a sixteenth is left for the next rows. */
const roomFor = (bytes: number): number => (bytes === 0 ? 0 : bytes + (bytes >>> 4) + 4);

/**
 * So many rows are collected, and then written list by list: what is known of a list is then read once for many of them, and the index is filled in
 * two thirds of the time.
 */
const MAX_COLLECTED = 2 ** 14;
const MAX_ROWS = 2 ** 31;

/**
 * Where sets of rows are kept: for each word and each trait a list of its rows, ascending, dead ones among them. A row is written as the distance to
 * the row before, in as many bytes as it needs.
 */
export class Postings {
  /** List after list, with what lists have left that have moved to a larger place behind all others. */
  #bytes = new Uint8Array(0);
  #bytesUsed = 0;
  /** What is known of each list, side by side, as the processor reads it: {@link BEGIN} to {@link COUNT}. */
  #states = new Int32Array(0);
  /** Lists and rows in one number each. */
  readonly #collected = new Float64Array(MAX_COLLECTED);
  #collectedCount = 0;
  /** What was read last. */
  #rows = new Int32Array(0);

  /** Without what is free behind the last list: the system gives memory once it is written to. */
  get bytes(): number {
    return this.#bytesUsed + this.#states.byteLength;
  }

  /** The rows that were appended, including those that are gone since. */
  countOf(list: number): number {
    this.#flush();
    return this.#states[list * STATE_SIZE + COUNT] ?? 0;
  }

  /** @param row after all others of the list */
  append(list: number, row: number): void {
    this.#collected[this.#collectedCount] = list * MAX_ROWS + row;
    this.#collectedCount += 1;
    if (this.#collectedCount === MAX_COLLECTED) this.#flush();
  }

  /** Writes what was collected. */
  #flush(): void {
    if (this.#collectedCount === 0) return;
    const collected = this.#collected.subarray(0, this.#collectedCount).sort();
    this.#collectedCount = 0;
    for (let at = 0; at < collected.length; at += 1) {
      const each = collected[at] as number;
      const list = Math.floor(each / MAX_ROWS);
      this.#write(list, each - list * MAX_ROWS);
    }
  }

  #write(list: number, row: number): void {
    const state = list * STATE_SIZE;
    if (state + STATE_SIZE > this.#states.length) this.#states = withRoom(this.#states, state + STATE_SIZE);
    const states = this.#states;
    const used = states[state + USED] as number;
    const value = row + 1 - (states[state + NEXT_ROW] as number);
    const size = value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : 5;
    if (used + size > (states[state + SIZE] as number)) this.#move(state);
    const bytes = this.#bytes;
    let at = (states[state + BEGIN] as number) + used;
    for (let shift = (size - 1) * 7; shift > 0; shift -= 7) bytes[at++] = (value >>> shift) | 0x80;
    bytes[at] = value & 0x7f;
    states[state + USED] = used + size;
    states[state + NEXT_ROW] = row + 1;
    states[state + COUNT] = (states[state + COUNT] as number) + 1;
  }

  /** To a place that is half as large again. */
  #move(state: number): void {
    const states = this.#states;
    const used = states[state + USED] as number;
    const size = used + (used >>> 1) + 8;
    if (this.#bytesUsed + size > this.#bytes.length) this.arrange(size + (this.#bytesUsed >>> 3));
    const begin = states[state + BEGIN] as number;
    this.#bytes.copyWithin(this.#bytesUsed, begin, begin + used);
    states[state + BEGIN] = this.#bytesUsed;
    states[state + SIZE] = size;
    this.#bytesUsed += size;
  }

  /** The rows of a list, those that are gone among them, until the next list is read. */
  read(list: number): Int32Array {
    this.#flush();
    const state = list * STATE_SIZE;
    const count = this.#states[state + COUNT] ?? 0;
    this.#rows = withRoom(this.#rows, count);
    const rows = this.#rows;
    const bytes = this.#bytes;
    let row = -1;
    for (let each = 0, at = this.#states[state + BEGIN] ?? 0; each < count; each += 1) {
      let byte = bytes[at++] as number;
      let value = byte & 0x7f;
      while (byte >= 0x80) {
        byte = bytes[at++] as number;
        value = (value << 7) | (byte & 0x7f);
      }
      row += value;
      rows[each] = row;
    }
    return rows.subarray(0, count);
  }

  /** The rows of any of some lists. @param count of all rows */
  rowsOf(lists: readonly number[], count: number): RowSet {
    const bits = noBits(count);
    for (const list of lists) setBits(bits, this.read(list));
    return RowSet.ofBits(bits);
  }

  /**
   * Gives each row another number, in place: hardly any list becomes longer.
   * @param newRows by the old number; ascending, and -1 for rows that are gone
   */
  renumber(newRows: Int32Array): void {
    this.#flush();
    for (let list = 0, state = 0; state + STATE_SIZE <= this.#states.length; list += 1, state += STATE_SIZE) {
      const rows = this.read(list);
      this.#states.fill(0, state + USED, state + STATE_SIZE);
      for (let at = 0; at < rows.length; at += 1) {
        const newRow = newRows[rows[at] as number] as number;
        if (newRow >= 0) this.#write(list, newRow);
      }
    }
  }

  /** Gives back what lists have left. @param free so many bytes stay behind the last list */
  arrange(free = 0): void {
    const states = this.#states;
    const old = this.#bytes;
    let size = 0;
    for (let state = 0; state + STATE_SIZE <= states.length; state += STATE_SIZE)
      size += roomFor(states[state + USED] as number);
    const bytes = new Uint8Array(size + free);
    this.#bytesUsed = 0;
    for (let state = 0; state + STATE_SIZE <= states.length; state += STATE_SIZE) {
      const begin = states[state + BEGIN] as number;
      const used = states[state + USED] as number;
      if (used > FEW_BYTES) bytes.set(old.subarray(begin, begin + used), this.#bytesUsed);
      else for (let at = 0; at < used; at += 1) bytes[this.#bytesUsed + at] = old[begin + at] as number;
      states[state + BEGIN] = this.#bytesUsed;
      states[state + SIZE] = roomFor(used);
      this.#bytesUsed += roomFor(used);
    }
    this.#bytes = bytes;
  }
}
