import type { ProductRow } from './product-index.ts';

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

/** Makes a wider array, for numbers past the greatest one that fits. */
interface Widening<Values> {
  readonly past: number;
  readonly to: (values: ArrayLike<number>) => Values;
}

export class Column<Values extends Numbers> {
  values: Values;
  #widen: Widening<Values> | undefined;

  constructor(values: Values, widen?: Widening<Values>) {
    this.values = values;
    this.#widen = widen;
  }

  get bytes(): number {
    return this.values.byteLength;
  }

  set(row: number, value: number): void {
    if (this.#widen && value > this.#widen.past) {
      this.values = this.#widen.to(this.values);
      this.#widen = undefined;
    }
    if (row >= this.values.length) this.reserve(row + 1);
    this.values[row] = value;
  }

  reserve(rows: number): void {
    this.values = withRoom(this.values, rows);
  }

  /** @param newRows by the old number; ascending, and -1 for rows that are gone */
  renumber(newRows: Int32Array): void {
    const { values } = this;
    for (let row = 0; row < newRows.length; row += 1) {
      const newRow = newRows[row] as number;
      if (newRow >= 0) values[newRow] = values[row] as number;
    }
  }
}

const BLOCK_BITS = 10;
export const BLOCK_ROWS = 2 ** BLOCK_BITS;

/** It knows the extremes of each block, dead rows among them, so that blocks with nothing for a page are left out. */
export class OrderColumn<Values extends Numbers = Numbers> extends Column<Values> {
  least = new Float64Array(0);
  greatest = new Float64Array(0);
  /** 1 for blocks in which a value has been set since they were looked through. */
  #isStale = new Uint8Array(0);

  override get bytes(): number {
    return super.bytes + this.least.byteLength + this.greatest.byteLength + this.#isStale.byteLength;
  }

  override set(row: number, value: number): void {
    super.set(row, value);
    this.touch(row);
  }

  touch(row: number): void {
    this.#isStale[row >>> BLOCK_BITS] = 1;
  }

  override reserve(rows: number): void {
    super.reserve(rows);
    const known = this.#isStale.length;
    const blocks = Math.ceil(rows / BLOCK_ROWS);
    if (blocks <= known) return;
    this.#isStale = withRoom(this.#isStale, blocks).fill(1, known);
    this.least = withRoom(this.least, blocks);
    this.greatest = withRoom(this.greatest, blocks);
  }

  fill(value: number): void {
    this.values.fill(value);
    this.#isStale.fill(1);
  }

  override renumber(newRows: Int32Array): void {
    super.renumber(newRows);
    this.#isStale.fill(1);
  }

  /** Looks through the blocks that need it. @param count of the rows @returns how many blocks there are */
  refresh(count: number): number {
    const { values } = this;
    const blocks = Math.ceil(count / BLOCK_ROWS);
    for (let block = 0; block < blocks; block += 1) {
      if (this.#isStale[block] === 0) continue;
      this.#isStale[block] = 0;
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
    return blocks;
  }
}

export const LIVE = 1;
/** Published so long ago that every question finds it visible. */
export const SETTLED = 2;
export const IN_STOCK = 4;
/** The list price is above the price. */
export const ON_SALE = 8;

/** The rows of products by column. A row whose words change gets a new place at the end; its old one is dead until the next renumbering. */
export class ProductColumns {
  count = 0;
  live = 0;
  readonly id = new OrderColumn(new Int32Array(0));
  readonly state = new Column(new Uint8Array(0));
  /** In cents, which have at most 14 digits. */
  readonly price = new OrderColumn<Uint32Array | Float64Array>(new Uint32Array(0), {
    past: 0xffffffff,
    to: (values) => Float64Array.from(values),
  });
  readonly sales = new OrderColumn(new Int32Array(0));
  /** As `momentOf` makes it of the microseconds since 1970. */
  readonly publishedAt = new OrderColumn(new Float64Array(0));
  /** Where the name stands in the database's collation; NaN while that is not known. */
  readonly nameRank = new OrderColumn(new Float64Array(0));
  readonly nameHash = new Column(new Int32Array(0));
  /** Of everything that is searched: where it is the same, the postings are. */
  readonly wordsHash = new Column(new Float64Array(0));
  readonly #orders = [this.id, this.price, this.sales, this.publishedAt, this.nameRank];
  readonly #all = [...this.#orders, this.state, this.nameHash, this.wordsHash];
  /** Rows plus one by a hash of the id; 0 is empty. A product that is gone keeps its place. */
  #slots = new Int32Array(0);
  #usedSlots = 0;

  get bytes(): number {
    return this.#all.reduce((sum, { bytes }) => sum + bytes, this.#slots.byteLength);
  }

  rowOf(id: number): number {
    const row = (this.#slots[this.#slotOf(id)] ?? 0) - 1;
    return this.#isLive(row) ? row : -1;
  }

  append(id: number): number {
    const row = this.count;
    this.reserve(row + 1);
    this.count = row + 1;
    this.live += 1;
    this.id.values[row] = id;
    if ((this.#usedSlots + 1) * 3 > this.#slots.length * 2) this.#rehash();
    const slot = this.#slotOf(id);
    if (this.#slots[slot] === 0) this.#usedSlots += 1;
    this.#slots[slot] = row + 1;
    return row;
  }

  /** What may change of a product that has a row. One array is written at a time by name: a function that writes into arrays of all kinds is slow. */
  write(row: number, product: ProductRow, rank: number): void {
    this.price.set(row, product.cents);
    this.sales.values[row] = product.sales;
    this.publishedAt.values[row] = product.publishedAt;
    this.nameHash.values[row] = product.nameHash;
    this.nameRank.values[row] = rank;
    this.state.values[row] = LIVE | (product.isInStock ? IN_STOCK : 0) | (product.isOnSale ? ON_SALE : 0);
    for (const column of this.#orders) column.touch(row);
  }

  kill(row: number): void {
    this.state.values[row] = 0;
    this.live -= 1;
  }

  /** Room for so many rows, at once where it is known how many there will be. */
  reserve(count: number): void {
    if (count > this.id.values.length) for (const column of this.#all) column.reserve(count);
  }

  visibleAt(now: Date): (row: number) => boolean {
    const { values: state } = this.state;
    const { values: publishedAt } = this.publishedAt;
    const nowUs = now.getTime() * 1000;
    return (row) => ((state[row] as number) & LIVE) !== 0 && (publishedAt[row] as number) <= nowUs;
  }

  /** Closes the gaps of dead rows. @returns the new rows by the old ones, -1 for dead ones */
  renumber(): Int32Array {
    const newRows = new Int32Array(this.count).fill(-1);
    let live = 0;
    for (let row = 0; row < this.count; row += 1) if (this.#isLive(row)) newRows[row] = live++;
    for (const column of this.#all) column.renumber(newRows);
    this.count = live;
    this.#rehash();
    return newRows;
  }

  #isLive(row: number): boolean {
    return row >= 0 && ((this.state.values[row] as number) & LIVE) !== 0;
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
    this.#usedSlots = 0;
    for (let row = 0; row < this.count; row += 1) {
      if (!this.#isLive(row)) continue;
      this.#slots[this.#slotOf(this.id.values[row] as number)] = row + 1;
      this.#usedSlots += 1;
    }
  }
}

/** Memory that one question after another uses: fresh arrays of a byte for each product would be megabytes of garbage for each question. */
export class Scratch {
  readonly #arrays = new Map<string, Numbers>();

  get bytes(): number {
    return this.#arrays.values().reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** An array of the kind of another, at least so long, for the caller until the next call with the same name. */
  like<Values extends Numbers>(name: string, values: Values, length: number): Values {
    const kept = this.#arrays.get(name);
    if (kept && kept.constructor === values.constructor && kept.length >= length) return kept as Values;
    const made = withRoom(values.subarray(0, 0) as Values, length);
    this.#arrays.set(name, made);
    return made;
  }

  /** As many bytes as are asked for, and up to three more. */
  zeros(name: string, length: number): Uint8Array {
    const bytes = Math.ceil(length / 4) * 4;
    return this.like(name, NO_BYTES, bytes).fill(0, 0, bytes);
  }
}

const NO_BYTES = new Uint8Array(0);

/** Writes the numbers of the bytes that are not 0, in their order. @param bytes as {@link Scratch.zeros} gives them @returns how many there are */
export const collect = (bytes: Uint8Array, count: number, into: Int32Array): number => {
  const words = new Uint32Array(bytes.buffer, 0, Math.ceil(count / 4));
  let length = 0;
  for (let word = 0; word < words.length; word += 1) {
    if (words[word] === 0) continue;
    for (let at = word * 4; at < word * 4 + 4; at += 1) {
      into[length] = at;
      length += Number(bytes[at] !== 0);
    }
  }
  return length;
};
