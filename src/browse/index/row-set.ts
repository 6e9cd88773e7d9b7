import { withRoom } from './rows.ts';

/** A set of fewer of all rows is kept as an array: it takes less memory than bits. */
const MAX_ARRAY_SHARE = 1 / 32;

/**
 * Memory that one question after another uses, for everything that a question makes: fresh arrays of megabytes would be garbage of each question (up
 * to 15 % of its time). All of it is free again where the next question begins.
 */
export class Scratch {
  #memory = new ArrayBuffer(0);
  #used = 0;

  get bytes(): number {
    return this.#memory.byteLength;
  }

  /** @param bytes of which more is not kept */
  begin(bytes: number): void {
    if (bytes > this.#memory.byteLength) this.#memory = new ArrayBuffer(bytes + (bytes >>> 3));
    this.#used = 0;
  }

  /** The array has what the last question left in it. */
  rows(length: number): Int32Array {
    const begin = this.#used;
    if (begin + length * 4 > this.#memory.byteLength) return new Int32Array(length);
    this.#used = begin + length * 4;
    return new Int32Array(this.#memory, begin, length);
  }

  /** The bits are 0. @param count of rows */
  bits(count: number): Uint32Array {
    const { buffer, byteOffset, length } = this.rows((count + 31) >>> 5);
    return new Uint32Array(buffer, byteOffset, length).fill(0);
  }

  /** The bytes are 0. Four of them can be read at once. */
  bytesOf(count: number): Uint8Array {
    const { buffer, byteOffset } = this.bits(count * 8);
    return new Uint8Array(buffer, byteOffset, count);
  }

  /** The beginning of an array; what is behind it is free again, where nothing has been made since. */
  shorten(rows: Int32Array, length: number): Int32Array {
    if (rows.buffer === this.#memory && rows.byteOffset + rows.byteLength === this.#used)
      this.#used = rows.byteOffset + length * 4;
    return rows.subarray(0, length);
  }
}

/** Rows that a question is about: an ascending array where they are few, bits where they are many. Neither changes. */
export class RowSet {
  readonly size: number;
  readonly #scratch: Scratch;
  #rows: Int32Array | undefined;
  #bits: Uint32Array | undefined;

  private constructor(scratch: Scratch, size: number, rows: Int32Array | undefined, bits: Uint32Array | undefined) {
    this.#scratch = scratch;
    this.size = size;
    this.#rows = rows;
    this.#bits = bits;
  }

  /** @param rows ascending, each once */
  static ofRows(scratch: Scratch, rows: Int32Array): RowSet {
    return new RowSet(scratch, rows.length, rows, undefined);
  }

  /** @param bits the bits of all rows */
  static ofBits(scratch: Scratch, bits: Uint32Array, size = countBits(bits)): RowSet {
    return new RowSet(scratch, size, undefined, bits);
  }

  /** The rows of any of some lists. @param count of all rows */
  static ofLists(scratch: Scratch, postings: Postings, lists: readonly number[], count: number): RowSet {
    const size = lists.reduce((sum, list) => sum + postings.countOf(list), 0);
    const [list] = lists;
    if (list !== undefined && lists.length === 1 && size < count * MAX_ARRAY_SHARE) {
      const rows = scratch.rows(size);
      postings.read(list, rows);
      return RowSet.ofRows(scratch, rows);
    }
    const bits = scratch.bits(count);
    for (const each of lists) postings.addTo(each, bits);
    return RowSet.ofBits(scratch, bits);
  }

  /** Whether the rows are at hand as an array that is shorter than the bits. */
  get areFew(): boolean {
    return this.#rows !== undefined && (this.#bits === undefined || this.size < this.#bits.length);
  }

  rows(): Int32Array {
    if (this.#rows) return this.#rows;
    this.#rows = this.#scratch.rows(this.size);
    readBits(this.#bits as Uint32Array, this.#rows);
    return this.#rows;
  }

  /** The bits of all rows. @param count of all rows */
  bits(count: number): Uint32Array {
    if (this.#bits) return this.#bits;
    const bits = this.#scratch.bits(count);
    for (const row of this.rows()) bits[row >>> 5] = (bits[row >>> 5] as number) | (1 << (row & 31));
    this.#bits = bits;
    return bits;
  }

  and(other: RowSet, count: number): RowSet {
    const [few, many] = this.size <= other.size ? [this, other] : [other, this];
    const bits = many.bits(count);
    if (few.areFew) return few.#withBits(bits);
    const own = few.bits(count);
    const both = this.#scratch.bits(count);
    for (let at = 0; at < both.length; at += 1) both[at] = (own[at] as number) & (bits[at] as number);
    return RowSet.ofBits(this.#scratch, both);
  }

  /** The rows of this set that the other one does not have. */
  without(other: RowSet, count: number): RowSet {
    const own = this.bits(count);
    const others = other.bits(count);
    const rest = this.#scratch.bits(count);
    for (let at = 0; at < rest.length; at += 1) rest[at] = (own[at] as number) & ~(others[at] as number);
    return RowSet.ofBits(this.#scratch, rest);
  }

  /** How many rows have a flag. @param flags by row */
  countOf(flags: Uint32Array): number {
    if (!this.areFew) return countCommonBits(this.#bits as Uint32Array, flags);
    let count = 0;
    for (const row of this.rows()) count += ((flags[row >>> 5] as number) >>> (row & 31)) & 1;
    return count;
  }

  filter(isWanted: (row: number) => boolean): RowSet {
    const rows = this.rows();
    const kept = this.#scratch.rows(rows.length);
    let length = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] as number;
      // The row is written, and then counted or not: the processor would often guess a branch wrong.
      kept[length] = row;
      length += Number(isWanted(row));
    }
    return RowSet.ofRows(this.#scratch, this.#scratch.shorten(kept, length));
  }

  #withBits(bits: Uint32Array): RowSet {
    const rows = this.rows();
    const kept = this.#scratch.rows(rows.length);
    let length = 0;
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] as number;
      kept[length] = row;
      length += ((bits[row >>> 5] as number) >>> (row & 31)) & 1;
    }
    return RowSet.ofRows(this.#scratch, this.#scratch.shorten(kept, length));
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

const countCommonBits = (bits: Uint32Array, others: Uint32Array): number => {
  let count = 0;
  for (let at = 0; at < bits.length; at += 1) count += bitsIn((bits[at] as number) & (others[at] as number));
  return count;
};

const readBits = (bits: Uint32Array, into: Int32Array): void => {
  let length = 0;
  for (let at = 0; at < bits.length; at += 1)
    for (let word = bits[at] as number; word !== 0; word &= word - 1)
      into[length++] = (at << 5) | (31 - Math.clz32(word & -word));
};

/** A list's bytes are in slices, each a quarter larger than the one before: little is reserved that is never used. */
const MAX_SLICE_BYTES = 2048;
const SLICE_BYTES = sliceSizes();
/** The end of a slice says where the next one is. */
const LINK_BYTES = 4;

const BLOCK_BITS = 16;
const BLOCK_BYTES = 2 ** BLOCK_BITS;

/**
 * The state of a list: its first slice; the slice that is being written, its number in the list, and how much of it is used; the last row; the number
 * of rows.
 */
const [FIRST, SLICE, SLICE_NUMBER, USED, LAST_ROW, COUNT, STATE_SIZE] = [0, 1, 2, 3, 4, 5, 6] as const;

const NO_ROWS = new Int32Array(0);

/** No number is written with it as its first byte: the rest of the slice is empty. */
const END_OF_SLICE = 0x80;

function sliceSizes(): readonly number[] {
  const sizes: number[] = [];
  for (let size = 12; size < MAX_SLICE_BYTES; size = Math.ceil(size * 1.25)) sizes.push(size);
  return [...sizes, MAX_SLICE_BYTES];
}

/**
 * So many postings are collected, and then written list by list: what is known of a list is then read once for many of them. Of eight times as many a
 * process with 100,000 products keeps 8 to 10 MB for good, as holes in its memory.
 */
const MAX_COLLECTED = 2 ** 14;
const MIN_SORTED = 100;
/** Memory for so many is kept for changes. */
const MAX_KEPT = 4096;
const RADIX_BITS = 11;
const RADIX = 2 ** RADIX_BITS;

/**
 * Where sets of rows are kept: for each word and each trait a list of its rows, ascending, dead ones among them. A row is written as the distance to
 * the row before, in as many bytes as it needs.
 */
export class Postings {
  #blocks: Uint8Array[] = [];
  #freeAddress = 0;

  /** What is known of each list, side by side, as the processor reads it: {@link FIRST} to {@link COUNT}. */
  #states = new Int32Array(0);
  #lists = 0;
  #collectedLists = NO_ROWS;
  #collectedRows = NO_ROWS;
  #collected = 0;
  /** What was read last. */
  readonly #rows = new Int32Array(MAX_SLICE_BYTES);
  /** What is still to be read of the list that is being read. */
  #remaining = 0;
  #nextSlice = 0;
  #nextNumber = 0;
  #row = -1;

  get bytes(): number {
    return this.#blocks.length * BLOCK_BYTES + this.#states.byteLength;
  }

  /** The rows that were appended, including those that are gone since. */
  countOf(list: number): number {
    this.flush();
    return this.#states[list * STATE_SIZE + COUNT] ?? 0;
  }

  append(list: number, row: number): void {
    if (list >= this.#lists) this.#makeRoomForList(list);
    const at = this.#collected;
    if (at === this.#collectedLists.length) {
      this.#collectedLists = withRoom(this.#collectedLists, at + 1);
      this.#collectedRows = withRoom(this.#collectedRows, at + 1);
    }
    this.#collectedLists[at] = list;
    this.#collectedRows[at] = row;
    this.#collected = at + 1;
    if (this.#collected === MAX_COLLECTED) this.flush();
  }

  /** Writes what was collected. */
  flush(): void {
    const count = this.#collected;
    if (count === 0) return;
    let [lists, rows] = [this.#collectedLists, this.#collectedRows];
    if (count > MIN_SORTED) {
      let [otherLists, otherRows] = [new Int32Array(count), new Int32Array(count)];
      for (let shift = 0; this.#lists >>> shift > 0; shift += RADIX_BITS) {
        const places = new Int32Array(RADIX + 1);
        for (let at = 0; at < count; at += 1) {
          const digit = ((lists[at] as number) >>> shift) & (RADIX - 1);
          places[digit + 1] = (places[digit + 1] as number) + 1;
        }
        for (let digit = 1; digit < RADIX; digit += 1)
          places[digit] = (places[digit] as number) + (places[digit - 1] as number);
        for (let at = 0; at < count; at += 1) {
          const list = lists[at] as number;
          const digit = (list >>> shift) & (RADIX - 1);
          const place = places[digit] as number;
          places[digit] = place + 1;
          otherLists[place] = list;
          otherRows[place] = rows[at] as number;
        }
        [lists, rows, otherLists, otherRows] = [otherLists, otherRows, lists, rows];
      }
    }
    for (let at = 0; at < count; at += 1) {
      const list = lists[at] as number;
      const known = this.#states[list * STATE_SIZE + COUNT] as number;
      if (known === 0) {
        this.#states[list * STATE_SIZE + FIRST] = this.#allocate(0);
        this.#rewind(list);
      }
      this.#write(list, rows[at] as number);
      this.#states[list * STATE_SIZE + COUNT] = known + 1;
    }
    this.#collected = 0;
    // The index is filled.
    if (count < MAX_COLLECTED && this.#collectedRows.length > MAX_KEPT)
      this.#collectedLists = this.#collectedRows = NO_ROWS;
  }

  /** For each row of the list, raises `best` to a value, where that is greater. */
  raise(list: number, value: number, best: Uint8Array): void {
    const rows = this.#rows;
    this.#open(list);
    for (let read = this.#readSlice(); read > 0; read = this.#readSlice())
      for (let at = 0; at < read; at += 1) {
        const row = rows[at] as number;
        if ((best[row] as number) < value) best[row] = value;
      }
  }

  /** Adds the rows of the list to bits. */
  addTo(list: number, bits: Uint32Array): void {
    const rows = this.#rows;
    this.#open(list);
    for (let read = this.#readSlice(); read > 0; read = this.#readSlice())
      for (let at = 0; at < read; at += 1) {
        const row = rows[at] as number;
        bits[row >>> 5] = (bits[row >>> 5] as number) | (1 << (row & 31));
      }
  }

  /** Writes the rows of the list into an array, which is long enough. */
  read(list: number, into: Int32Array): void {
    let written = 0;
    this.#open(list);
    for (let read = this.#readSlice(); read > 0; read = this.#readSlice()) {
      into.set(read === this.#rows.length ? this.#rows : this.#rows.subarray(0, read), written);
      written += read;
    }
  }

  /**
   * Gives each row another number, in place.
   * @param newRows by the old number; ascending, and -1 for rows that are gone
   */
  renumber(newRows: Int32Array): void {
    this.flush();
    for (let list = 0; list < this.#lists; list += 1) {
      if (this.#states[list * STATE_SIZE + COUNT] === 0) continue;
      // What is written is never longer than what was read before it, so that no posting is written over before it is read.
      let count = 0;
      let isRewound = false;
      this.#open(list);
      for (let length = this.#readSlice(); length > 0; length = this.#readSlice()) {
        if (!isRewound) this.#rewind(list);
        isRewound = true;
        for (let at = 0; at < length; at += 1) {
          const row = newRows[this.#rows[at] as number] as number;
          if (row < 0) continue;
          this.#write(list, row);
          count += 1;
        }
      }
      this.#states[list * STATE_SIZE + COUNT] = count;
    }
  }

  /** Begins to read a list: one at a time is read. */
  #open(list: number): void {
    this.#remaining = this.countOf(list);
    this.#nextSlice = this.#states[list * STATE_SIZE + FIRST] as number;
    this.#nextNumber = 0;
    this.#row = -1;
  }

  /** Reads the next slice of the list into `#rows`. @returns how many postings it has; 0 at the end */
  #readSlice(): number {
    const remaining = this.#remaining;
    if (remaining === 0) return 0;
    const rows = this.#rows;
    const block = this.#blocks[this.#nextSlice >>> BLOCK_BITS] as Uint8Array;
    let at = this.#nextSlice & (BLOCK_BYTES - 1);
    const end = at + sliceBytes(this.#nextNumber);
    this.#nextSlice = readLink(block, end);
    this.#nextNumber += 1;
    let row = this.#row;
    let length = 0;
    while (length < remaining && at < end) {
      let byte = block[at] as number;
      if (byte === END_OF_SLICE) break;
      at += 1;
      let value = byte & 0x7f;
      while (byte >= 0x80) {
        byte = block[at] as number;
        at += 1;
        value = (value << 7) | (byte & 0x7f);
      }
      row += value;
      rows[length] = row;
      length += 1;
    }
    this.#row = row;
    this.#remaining = remaining - length;
    return length;
  }

  #write(list: number, row: number): void {
    const states = this.#states;
    const state = list * STATE_SIZE;
    const value = row - (states[state + LAST_ROW] as number);
    const size = value < 2 ** 7 ? 1 : value < 2 ** 14 ? 2 : value < 2 ** 21 ? 3 : value < 2 ** 28 ? 4 : 5;
    let used = states[state + USED] as number;
    const capacity = sliceBytes(states[state + SLICE_NUMBER] as number);
    if (used + size > capacity) {
      this.#openNextSlice(list, used, capacity);
      used = 0;
    }
    const address = (states[state + SLICE] as number) + used;
    const block = this.#blocks[address >>> BLOCK_BITS] as Uint8Array;
    let at = address & (BLOCK_BYTES - 1);
    for (let shift = (size - 1) * 7; shift > 0; shift -= 7) block[at++] = (value >>> shift) | 0x80;
    block[at] = value & 0x7f;
    states[state + USED] = used + size;
    states[state + LAST_ROW] = row;
  }

  #openNextSlice(list: number, used: number, capacity: number): void {
    const slice = this.#states[list * STATE_SIZE + SLICE] as number;
    const block = this.#blocks[slice >>> BLOCK_BITS] as Uint8Array;
    const at = slice & (BLOCK_BYTES - 1);
    if (used < capacity) block[at + used] = END_OF_SLICE;
    // After rows were renumbered there is one already.
    const next =
      readLink(block, at + capacity) || this.#allocate((this.#states[list * STATE_SIZE + SLICE_NUMBER] as number) + 1);
    writeLink(block, at + capacity, next);
    this.#states[list * STATE_SIZE + SLICE] = next;
    // The number only matters up to the largest size.
    this.#states[list * STATE_SIZE + SLICE_NUMBER] = Math.min(
      (this.#states[list * STATE_SIZE + SLICE_NUMBER] as number) + 1,
      SLICE_BYTES.length,
    );
  }

  #rewind(list: number): void {
    this.#states[list * STATE_SIZE + SLICE] = this.#states[list * STATE_SIZE + FIRST] as number;
    this.#states[list * STATE_SIZE + SLICE_NUMBER] = 0;
    this.#states[list * STATE_SIZE + USED] = 0;
    this.#states[list * STATE_SIZE + LAST_ROW] = -1;
  }

  /** @returns the address of a slice, never 0 */
  #allocate(number: number): number {
    const size = sliceBytes(number) + LINK_BYTES;
    if (this.#freeAddress + size > this.#blocks.length * BLOCK_BYTES) {
      this.#freeAddress = this.#blocks.length * BLOCK_BYTES;
      this.#blocks.push(new Uint8Array(BLOCK_BYTES));
      if (this.#freeAddress === 0) this.#freeAddress = LINK_BYTES;
    }
    const address = this.#freeAddress;
    this.#freeAddress += size;
    return address;
  }

  #makeRoomForList(list: number): void {
    this.#lists = list + 1;
    this.#states = withRoom(this.#states, this.#lists * STATE_SIZE);
  }
}

/** How many bytes of postings the slice of this number holds. */
const sliceBytes = (number: number): number => SLICE_BYTES[Math.min(number, SLICE_BYTES.length - 1)] as number;

const readLink = (block: Uint8Array, at: number): number =>
  (((block[at] as number) << 24) |
    ((block[at + 1] as number) << 16) |
    ((block[at + 2] as number) << 8) |
    (block[at + 3] as number)) >>>
  0;

const writeLink = (block: Uint8Array, at: number, address: number): void => {
  block[at] = address >>> 24;
  block[at + 1] = address >>> 16;
  block[at + 2] = address >>> 8;
  block[at + 3] = address;
};
