import { countBefore } from './binary-search.ts';
import { BlockExtremes } from './block-extremes.ts';

type TypedArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The array itself, or a copy that is an eighth longer than must be, so that appending rarely copies. */
export const withRoom = <Column extends TypedArray>(column: Column, length: number): Column => {
  if (length <= column.length) return column;
  const Constructor = column.constructor as new (length: number) => Column;
  const grown = new Constructor(length + (length >>> 3) + 16);
  grown.set(column);
  return grown;
};

/** A column of codes, in two bytes each as long as these are enough. */
export class CodeColumn {
  codes: Uint16Array | Uint32Array = new Uint16Array(0);

  set(index: number, code: number): void {
    if (code > 0xffff && this.codes instanceof Uint16Array) this.codes = Uint32Array.from(this.codes);
    this.codes = withRoom(this.codes, index + 1);
    this.codes[index] = code;
  }
}

/** A column of numbers from 0, whole and exact, in four bytes each as long as these are enough. */
class NumberColumn {
  values: Uint32Array | Float64Array = new Uint32Array(0);
  /** No value has ever been greater. */
  greatest = 0;

  set(index: number, value: number): void {
    if (value > this.greatest) this.greatest = value;
    if (value > 0xffffffff && this.values instanceof Uint32Array) this.values = Float64Array.from(this.values);
    this.values[index] = value;
  }

  reserve(length: number): void {
    this.values = withRoom(this.values, length);
  }
}

/** From here on, as microseconds the year 2255 and before 1684, not every whole number is one in JavaScript. */
const FIRST_INEXACT = 2 ** 53;

/** For what is later, the year 128,000, there are not enough numbers. */
const LAST_MOMENT = 4e18;

/** The bits of {@link FIRST_INEXACT}: those of the numbers above count on by one. */
const FIRST_INEXACT_BITS = new BigInt64Array(Float64Array.of(FIRST_INEXACT).buffer)[0] as bigint;

/**
 * A number of its own for each microsecond that a table can hold, in their order: the microseconds themselves where JavaScript has them all, and beyond
 * these as many numbers further away from zero.
 * @param microseconds since 1970
 */
export const momentOf = (microseconds: string): number => {
  const number = Number(microseconds);
  if (Math.abs(number) < FIRST_INEXACT || Number.isNaN(number)) return number;
  if (Math.abs(number) > LAST_MOMENT) return number < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const exact = BigInt(microseconds);
  const beyond = (exact < 0n ? -exact : exact) - BigInt(FIRST_INEXACT);
  const [size] = new Float64Array(BigInt64Array.of(FIRST_INEXACT_BITS + beyond).buffer);
  return Math.sign(number) * (size as number);
};

/** The microseconds that {@link momentOf} has made a number of. */
export const microsecondsOf = (moment: number): string => {
  const size = Math.abs(moment);
  if (size < FIRST_INEXACT || !Number.isFinite(size)) return String(moment);
  const [bits] = new BigInt64Array(Float64Array.of(size).buffer);
  return `${moment < 0 ? '-' : ''}${(bits as bigint) - FIRST_INEXACT_BITS + BigInt(FIRST_INEXACT)}`;
};

/** What a row is, as bits. */
export const LIVE = 1;
/** Published so long ago that every question finds it visible. */
export const SETTLED = 2;
export const IN_STOCK = 4;
/** The list price is above the price. */
export const ON_SALE = 8;

const EMPTY_SLOT = 0;

/** The rows of products by column. A row whose words change gets a new place at the end; its old one is dead until the next renumbering. */
export class ProductColumns {
  /** Rows so far, with dead ones. */
  count = 0;
  live = 0;
  id = new Int32Array(0);
  state = new Uint8Array(0);
  /** In cents: prices have at most 14 digits. */
  readonly price = new NumberColumn();
  sales = new Int32Array(0);
  /** As {@link momentOf} makes it of the microseconds since 1970. */
  publishedAt = new Float64Array(0);
  /** Where the name stands in the database's collation; NaN while that is not known. */
  nameRank = new Float64Array(0);
  nameHash = new Int32Array(0);
  /** Of everything that is searched: where it is the same, the postings are. */
  wordsHash = new Float64Array(0);
  /** Of the columns that orders go by. */
  readonly extremes = {
    id: new BlockExtremes(),
    price: new BlockExtremes(),
    sales: new BlockExtremes(),
    publishedAt: new BlockExtremes(),
    nameRank: new BlockExtremes(),
  };
  readonly category = new CodeColumn();
  readonly brand = new CodeColumn();
  /** Where the tags of the row end in {@link tags}; they begin where those of the row before end. */
  tagsEnd = new Uint32Array(0);
  readonly tags = new CodeColumn();
  /** The first rows, as many as were read in the order of their ids, are found by halving; 8 bytes a product would be needed for their slots. */
  #sortedCount = 0;
  /** For all others, rows plus one by a hash of the id; 0 is empty. A product that is gone keeps its place. */
  #slots = new Int32Array(0);
  #usedSlots = 0;

  get bytes(): number {
    const { id, state, price, sales, publishedAt, nameRank, nameHash, wordsHash, category, brand, tagsEnd, tags } =
      this;
    const columns = [id, state, price.values, sales, publishedAt, nameRank, nameHash, wordsHash, tagsEnd, this.#slots];
    const extremes = Object.values(this.extremes).reduce((sum, { bytes }) => sum + bytes, 0);
    return [...columns, category.codes, brand.codes, tags.codes].reduce(
      (sum, { byteLength }) => sum + byteLength,
      extremes,
    );
  }

  /** The row of a product, or -1. */
  rowOf(id: number): number {
    const row = (this.#slots[this.#slotOf(id)] ?? EMPTY_SLOT) - 1;
    if (this.#isLive(row)) return row;
    const sortedRow = this.#sortedRowOf(id);
    return this.id[sortedRow] === id && this.#isLive(sortedRow) ? sortedRow : -1;
  }

  /** A new row at the end, which is the product's from now on. */
  append(id: number): number {
    const row = this.count;
    this.reserve(row + 1);
    this.count = row + 1;
    this.live += 1;
    this.id[row] = id;
    this.extremes.id.touch(row);
    if (row === this.#sortedCount && (row === 0 || id > (this.id[row - 1] as number))) this.#sortedCount += 1;
    else this.#point(id, row);
    return row;
  }

  /** Sets what may change while the row stays in its place. */
  setValues(
    row: number,
    values: { readonly cents: number; readonly sales: number; readonly publishedAt: number; readonly nameHash: number },
  ): void {
    const { sales, publishedAt } = this.extremes;
    this.setPrice(row, values.cents);
    this.sales[row] = values.sales;
    sales.touch(row);
    this.publishedAt[row] = values.publishedAt;
    publishedAt.touch(row);
    this.nameHash[row] = values.nameHash;
  }

  setPrice(row: number, cents: number): void {
    this.price.set(row, cents);
    this.extremes.price.touch(row);
  }

  setNameRank(row: number, rank: number): void {
    this.nameRank[row] = rank;
    this.extremes.nameRank.touch(row);
  }

  forgetNameRanks(): void {
    this.nameRank.fill(Number.NaN);
    this.extremes.nameRank.touchAll();
  }

  kill(row: number): void {
    this.state[row] = 0;
    this.live -= 1;
  }

  /** Room for so many rows, at once where it is known how many there will be. */
  reserve(count: number): void {
    if (count <= this.id.length) return;
    this.id = withRoom(this.id, count);
    this.state = withRoom(this.state, count);
    this.price.reserve(count);
    this.sales = withRoom(this.sales, count);
    this.publishedAt = withRoom(this.publishedAt, count);
    this.nameRank = withRoom(this.nameRank, count);
    this.nameHash = withRoom(this.nameHash, count);
    this.wordsHash = withRoom(this.wordsHash, count);
    this.tagsEnd = withRoom(this.tagsEnd, count);
    for (const extremes of Object.values(this.extremes)) extremes.reserve(count);
  }

  /** Whether a row is visible at a time. */
  visibleAt(now: Date): (row: number) => boolean {
    const { state, publishedAt } = this;
    const nowUs = now.getTime() * 1000;
    return (row) => {
      const bits = state[row] as number;
      return (bits & SETTLED) !== 0 || ((bits & LIVE) !== 0 && (publishedAt[row] as number) <= nowUs);
    };
  }

  /** The codes of a row's tags. */
  tagsOf(row: number): Uint16Array | Uint32Array {
    return this.tags.codes.subarray(row === 0 ? 0 : this.tagsEnd[row - 1], this.tagsEnd[row]);
  }

  /**
   * Closes the gaps that dead rows have left.
   * @returns the new rows by the old ones, -1 for dead ones
   */
  renumber(): Int32Array {
    const { count, id, state, sales, publishedAt, nameRank, nameHash, wordsHash, tagsEnd } = this;
    const { values: price } = this.price;
    const newRows = new Int32Array(count).fill(-1);
    let live = 0;
    for (let row = 0; row < count; row += 1) if (((state[row] as number) & LIVE) !== 0) newRows[row] = live++;
    const { codes: tags } = this.tags;
    const { codes: category } = this.category;
    const { codes: brand } = this.brand;
    // What moves, moves towards the beginning, and so never over what is still to be read.
    let tagCount = 0;
    let begin = 0;
    for (let row = 0; row < count; row += 1) {
      const end = tagsEnd[row] as number;
      const newRow = newRows[row] as number;
      if (newRow >= 0) {
        tags.copyWithin(tagCount, begin, end);
        tagCount += end - begin;
        tagsEnd[newRow] = tagCount;
      }
      begin = end;
    }
    for (const column of [id, state, price, sales, publishedAt, nameRank, nameHash, wordsHash, category, brand]) {
      for (let row = 0; row < count; row += 1) {
        const newRow = newRows[row] as number;
        if (newRow >= 0) column[newRow] = column[row] as number;
      }
    }
    for (const extremes of Object.values(this.extremes)) extremes.touchAll();
    this.count = live;
    this.#sortedCount = newRows.subarray(0, this.#sortedCount).reduce((sum, row) => sum + (row >= 0 ? 1 : 0), 0);
    this.#rehash();
    return newRows;
  }

  #isLive(row: number): boolean {
    return row >= 0 && ((this.state[row] as number) & LIVE) !== 0;
  }

  /** The first of the sorted rows whose id is not smaller. */
  #sortedRowOf(id: number): number {
    const row = countBefore(this.#sortedCount, (at) => (this.id[at] as number) < id);
    return row < this.#sortedCount ? row : -1;
  }

  #slotOf(id: number): number {
    const mask = this.#slots.length - 1;
    // Knuth's multiplier spreads neighbouring ids.
    let slot = (Math.imul(id, 0x9e3779b1) >>> 7) & mask;
    for (;;) {
      const row = (this.#slots[slot] ?? EMPTY_SLOT) - 1;
      if (row < 0 || this.id[row] === id) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #point(id: number, row: number): void {
    if ((this.#usedSlots + 1) * 3 > this.#slots.length * 2) this.#rehash();
    const slot = this.#slotOf(id);
    if (this.#slots[slot] === EMPTY_SLOT) this.#usedSlots += 1;
    this.#slots[slot] = row + 1;
  }

  #rehash(): void {
    let size = 1024;
    while (size < (this.count - this.#sortedCount) * 2) size *= 2;
    this.#slots = new Int32Array(size);
    this.#usedSlots = 0;
    for (let row = this.#sortedCount; row < this.count; row += 1) {
      if (((this.state[row] as number) & LIVE) === 0) continue;
      this.#slots[this.#slotOf(this.id[row] as number)] = row + 1;
      this.#usedSlots += 1;
    }
  }
}
