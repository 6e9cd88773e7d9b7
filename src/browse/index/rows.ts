/** A piece of memory that may change after the call: mostly a text in UTF-8. */
export class Slice {
  readonly memory: Uint8Array;
  readonly begin: number;
  readonly end: number;

  constructor(memory: Uint8Array, begin = 0, end = memory.length) {
    this.memory = memory;
    this.begin = begin;
    this.end = end;
  }

  static of(text: string): Slice {
    return new Slice(Buffer.from(text));
  }

  toString(): string {
    const { buffer, byteOffset } = this.memory;
    return Buffer.from(buffer, byteOffset + this.begin, this.end - this.begin).toString();
  }
}

/** What a product says in a language. */
interface ProductTexts {
  readonly name: Slice;
  /** As `vitrine_search` makes them, in the binary format of a `tsvector`. Null where there are none. */
  readonly words: Slice | null;
}

/** A product on sale, published or not, as the index reads it, in memory that may change after the call. */
export interface ProductRow extends ProductTexts {
  readonly id: number;
  /** By the place of the language; null where it says what it says in that of the tables' columns. */
  readonly translated?: readonly (ProductTexts | null)[];
  readonly brand: Slice | null;
  readonly tags: readonly Slice[];
  /** The id of the category, in digits. */
  readonly category: Slice;
  readonly cents: number;
  readonly isInStock: boolean;
  readonly isReduced: boolean;
  /** Members of an object of JSON. */
  readonly attributes: readonly Slice[];
  /** Of each variant two lists of JSON, the names of options and its values, with `+` behind it where it is in stock, otherwise `-`. */
  readonly variants: readonly Slice[];
  readonly sales: number;
  /** In microseconds since 1970. Infinity stands for any time from the year 2255 on: PostgreSQL answers a question about such a time. */
  readonly publishedAt: number;
}

export interface CategoryRow {
  readonly id: number;
  readonly parentId: number | null;
  readonly name: string;
}

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The array itself, or a copy that is an eighth longer than must be, so that appending rarely copies. */
export const withRoom = <Values extends Numbers>(values: Values, length: number): Values => {
  if (length <= values.length) return values;
  const Constructor = values.constructor as new (length: number) => Values;
  const grown = new Constructor(length + (length >>> 3) + 16);
  grown.set(values);
  return grown;
};

/** How many of so many sorted things come first, for which this is true. */
export const countBefore = (length: number, isBefore: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The nth of some whole numbers, the greatest first; 0 where there are not so many above 0. */
export const nthGreatest = (numbers: readonly number[], nth: number): number => {
  const greatest = numbers.reduce((one, other) => Math.max(one, other), 0);
  return countBefore(greatest, (least) => {
    let above = 0;
    for (let at = 0; at < numbers.length; at += 1) above += Number((numbers[at] as number) > least);
    return above >= nth;
  });
};

const BLOCK_BITS = 10;
export const BLOCK_ROWS = 2 ** BLOCK_BITS;
const ALL_BITS = 0xffff_ffff;

/**
 * A number for each row. Of each block of rows a column has bounds, between which all its numbers are, those of dead rows among them, so that a page
 * leaves out blocks that have nothing for it. A number that goes leaves the bounds as they are until rows are numbered again.
 */
export class Column {
  values = new Float64Array(0);
  least = new Float64Array(0);
  greatest = new Float64Array(0);

  get bytes(): number {
    return this.values.byteLength + this.least.byteLength + this.greatest.byteLength;
  }

  set(row: number, value: number): void {
    if (row >= this.values.length) this.#grow(row + 1);
    this.values[row] = value;
    const block = row >>> BLOCK_BITS;
    // Neither is true of NaN, which is no key.
    if (value < (this.least[block] as number)) this.least[block] = value;
    if (value > (this.greatest[block] as number)) this.greatest[block] = value;
  }

  #grow(rows: number): void {
    this.values = withRoom(this.values, rows);
    const known = this.least.length;
    const blocks = Math.ceil(this.values.length / BLOCK_ROWS);
    this.least = withRoom(this.least, blocks).fill(Number.POSITIVE_INFINITY, known);
    this.greatest = withRoom(this.greatest, blocks).fill(Number.NEGATIVE_INFINITY, known);
  }

  /** Whether the numbers of all rows are so. */
  areAtMost(max: number): boolean {
    return this.greatest.every((greatest) => greatest <= max);
  }

  /** Of the rows whose numbers are between two, where all have one. @param count of all rows */
  bitsBetween(min: number, max: number, count: number): Uint32Array {
    const bits = noBits(count);
    const { values, least, greatest } = this;
    for (let row = 0; row < count; row += 32) {
      const low = least[row >>> BLOCK_BITS] as number;
      const high = greatest[row >>> BLOCK_BITS] as number;
      const end = Math.min(32, count - row);
      let word = 0;
      if (low >= min && high <= max && end === 32) word = ALL_BITS;
      else if (high >= min && low <= max)
        for (let bit = 0; bit < end; bit += 1) {
          const value = values[row + bit] as number;
          word |= (Number(value >= min) & Number(value <= max)) << bit;
        }
      bits[row >>> 5] = word;
    }
    return bits;
  }

  /** No row has a number. */
  clear(): void {
    this.values.fill(Number.NaN);
    this.least.fill(Number.POSITIVE_INFINITY);
    this.greatest.fill(Number.NEGATIVE_INFINITY);
  }

  /** @param newRows by the old number; ascending, and -1 for rows that are gone */
  renumber(newRows: Int32Array): void {
    const old = this.values.slice();
    this.clear();
    for (let row = 0; row < newRows.length; row += 1)
      if ((newRows[row] as number) >= 0) this.set(newRows[row] as number, old[row] as number);
  }
}

/** The bits of so many rows. */
export const noBits = (count: number): Uint32Array => new Uint32Array((count + 31) >>> 5);

export const hasBit = (bits: Uint32Array, row: number): boolean => (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;

/** A bit for each row, which changes with the product. */
export class Flags {
  bits = new Uint32Array(0);

  get bytes(): number {
    return this.bits.byteLength;
  }

  has(row: number): boolean {
    return hasBit(this.bits, row);
  }

  set(row: number, isSet: boolean): void {
    this.bits = withRoom(this.bits, (row + 32) >>> 5);
    const word = this.bits[row >>> 5] as number;
    const bit = 1 << (row & 31);
    this.bits[row >>> 5] = isSet ? word | bit : word & ~bit;
  }

  renumber(newRows: Int32Array): void {
    const old = this.bits;
    this.bits = new Uint32Array(old.length);
    for (let row = 0; row < newRows.length; row += 1) {
      const newRow = newRows[row] as number;
      if (newRow >= 0 && hasBit(old, row)) this.set(newRow, true);
    }
  }
}

/**
 * A product is a row number, and what it is sorted and compared by stands in columns. A product whose words or values change gets a new row at the
 * end; its old one is dead until the next renumbering.
 */
export class ProductColumns {
  /** How many rows there are, and how many of them are live. */
  count = 0;
  live = 0;
  readonly id = new Column();
  /** In cents, which have at most 14 digits. */
  readonly price = new Column();
  readonly sales = new Column();
  /** In microseconds since 1970. */
  readonly publishedAt = new Column();
  /** A hash of all words and traits: where it is the same, the row stays. */
  readonly hash = new Column();
  readonly isLive = new Flags();
  readonly isInStock = new Flags();
  /** Whether the price is below the list price. */
  readonly isReduced = new Flags();
  readonly #all = [
    this.id,
    this.price,
    this.sales,
    this.publishedAt,
    this.hash,
    this.isLive,
    this.isInStock,
    this.isReduced,
  ];
  /** Rows plus one by a hash of the id; 0 is empty. A product that is gone keeps its place. */
  #slots = new Int32Array(0);

  get bytes(): number {
    return this.#all.reduce((sum, { bytes }) => sum + bytes, this.#slots.byteLength);
  }

  rowOf(id: number): number {
    const row = (this.#slots[this.#slotOf(id)] ?? 0) - 1;
    return this.isLive.has(row) ? row : -1;
  }

  append(id: number): number {
    const row = this.count;
    this.count = row + 1;
    this.live += 1;
    this.id.set(row, id);
    this.isLive.set(row, true);
    // No more slots are used than there are rows.
    if (this.count * 3 > this.#slots.length * 2) this.#rehash();
    this.#slots[this.#slotOf(id)] = row + 1;
    return row;
  }

  /** What may change of a product that has a row. */
  write(row: number, product: ProductRow): void {
    this.price.set(row, product.cents);
    this.sales.set(row, product.sales);
    this.publishedAt.set(row, product.publishedAt);
    this.isInStock.set(row, product.isInStock);
    this.isReduced.set(row, product.isReduced);
  }

  kill(row: number): void {
    this.isLive.set(row, false);
    this.live -= 1;
  }

  visibleAt(now: Date): (row: number) => boolean {
    const { values: publishedAt } = this.publishedAt;
    const nowUs = now.getTime() * 1000;
    return (row) => this.isLive.has(row) && (publishedAt[row] as number) <= nowUs;
  }

  /** Closes the gaps of dead rows. @returns the new rows by the old ones, -1 for dead ones */
  renumber(): Int32Array {
    const newRows = new Int32Array(this.count).fill(-1);
    let live = 0;
    for (let row = 0; row < this.count; row += 1) if (this.isLive.has(row)) newRows[row] = live++;
    for (const column of this.#all) column.renumber(newRows);
    this.count = live;
    this.#rehash();
    return newRows;
  }

  #slotOf(id: number): number {
    const mask = this.#slots.length - 1;
    // Knuth's multiplier spreads neighbouring ids.
    let slot = (Math.imul(id, 0x9e3779b1) >>> 7) & mask;
    for (;;) {
      const row = (this.#slots[slot] ?? 0) - 1;
      if (row < 0 || this.id.values[row] === id) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #rehash(): void {
    let size = 1024;
    while (size < this.count * 2) size *= 2;
    this.#slots = new Int32Array(size);
    for (let row = 0; row < this.count; row += 1)
      if (this.isLive.has(row)) this.#slots[this.#slotOf(this.id.values[row] as number)] = row + 1;
  }
}
