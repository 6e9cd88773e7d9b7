import { MAX_FACET_VALUES } from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { IN_STOCK, ON_SALE, type ProductColumns, SETTLED, withRoom } from './columns.ts';
import { Postings } from './postings.ts';
import type { ProductRow } from './product-index.ts';
import { RowNumbers } from './row-lists.ts';
import type { Slice } from './texts.ts';

/** In stock or not, on sale or not: bits of a row's state. */
export const STOCK_AND_SALE: readonly number[] = [0, IN_STOCK, ON_SALE, IN_STOCK | ON_SALE];

const STATES = STOCK_AND_SALE.length;
const placeOf = (number: number, state: number): number => number * STATES + (state & (IN_STOCK | ON_SALE)) / IN_STOCK;

/** Settled products under each number, kept with every change: a list with no other filter counts by it. */
export class Tally {
  #counts = new Int32Array(0);

  get bytes(): number {
    return this.#counts.byteLength;
  }

  change(number: number, state: number, by: 1 | -1): void {
    const place = placeOf(number, state);
    const end = placeOf(number + 1, 0);
    if (end > this.#counts.length) this.#counts = withRoom(this.#counts, end);
    this.#counts[place] = (this.#counts[place] as number) + by;
  }

  of(number: number, states: readonly number[]): number {
    return states.reduce((sum, state) => sum + (this.#counts[placeOf(number, state)] ?? 0), 0);
  }

  addTo(counts: Int32Array, states: readonly number[]): void {
    const length = Math.min(counts.length, Math.floor(this.#counts.length / STATES));
    for (const state of states)
      for (let number = 0, place = placeOf(0, state); number < length; number += 1, place += STATES)
        counts[number] = (counts[number] as number) + (this.#counts[place] as number);
  }
}

/** Some codes that most products have, without those that none has. Only what may be among the first is sorted by its text. @param counts by code */
export const mostFrequent = (codes: readonly number[], counts: Int32Array, textOf: (code: number) => string) => {
  const found = codes.filter((code) => (counts[code] as number) > 0);
  let least = 1;
  if (found.length > MAX_FACET_VALUES) {
    const sorted = new Int32Array(found.length);
    for (const [at, code] of found.entries()) sorted[at] = counts[code] as number;
    least = sorted.sort().at(-MAX_FACET_VALUES) as number;
  }
  return found
    .filter((code) => (counts[code] as number) >= least)
    .map((code) => ({ code, value: textOf(code), count: counts[code] as number }))
    .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value))
    .slice(0, MAX_FACET_VALUES);
};

type Read<Value> = Value extends string ? Slice : Value;

/** Values of one kind under numbers. */
interface Known<Value> {
  readonly values: readonly Value[];
  readonly bytes: number;
  readonly numberOf: (read: Read<Value>) => number;
  readonly find: (value: Value) => number | undefined;
}

/** Values of one kind that products share (categories, brands, tags), each under a small number, its code; and which products have each. */
export class FacetValues<Value extends string | number> {
  /** By code, the words of the value with a space before and after each. */
  readonly folded: string[] = [];
  /** By code, the rows that have it, dead ones among them. */
  readonly rows = new Postings();
  readonly tally = new Tally();
  readonly #known: Known<Value>;
  readonly #of: (product: ProductRow) => readonly Read<Value>[];
  readonly #fold: ((value: Value) => string) | undefined;
  /** All of {@link folded}; undefined where it lacks the latest. */
  #allFolded: string | undefined;
  readonly ofRows = new RowNumbers(this.rows, (_, at) => at);
  /** By code: no settled product has sold more; and 1 plus the row that has sold so much, 0 where it is to be looked for. */
  #most = new Int32Array(0);
  #bestRows = new Int32Array(0);

  /**
   * @param known those that any product ever had
   * @param of the values of a product
   * @param fold for texts that suggestions look for words in
   */
  constructor(
    known: Known<Value>,
    of: (product: ProductRow) => readonly Read<Value>[],
    fold?: (value: Value) => string,
  ) {
    this.#known = known;
    this.#of = of;
    this.#fold = fold;
  }

  get bytes(): number {
    const parts = [this.rows, this.tally, this.ofRows, this.#known];
    const own = this.folded.length * 120 + this.#most.byteLength + this.#bestRows.byteLength;
    return parts.reduce((sum, { bytes }) => sum + bytes, own);
  }

  /** The codes of some values, each once, without those that no product ever had. */
  find(values: readonly Value[]): number[] {
    return [...new Set(values)].map((value) => this.#known.find(value)).filter((code) => code !== undefined);
  }

  /** The codes of a product's values, which become known. */
  learn(product: ProductRow): number[] {
    const values = this.#of(product);
    const codes = new Array<number>(values.length);
    let count = 0;
    for (let at = 0; at < values.length; at += 1) {
      const code = this.#known.numberOf(values[at] as Read<Value>);
      if (!codes.includes(code)) codes[count++] = code;
    }
    codes.length = count;
    if (this.#fold && this.folded.length < this.values.length) {
      for (const value of this.values.slice(this.folded.length)) this.folded.push(this.#fold(value));
      this.#allFolded = undefined;
    }
    return codes;
  }

  /** By code. */
  get values(): readonly Value[] {
    return this.#known.values;
  }

  /** Whether any of {@link folded} has a text: one look through one long text, where most of what is typed is in none. */
  isFolded(text: string): boolean {
    this.#allFolded ??= this.folded.join('\n');
    return this.#allFolded.includes(text);
  }

  codesOf(row: number): number[] {
    return this.ofRows.of(row);
  }

  has(row: number, codes: readonly number[]): boolean {
    return this.ofRows.has(row, codes);
  }

  append(row: number, codes: readonly number[]): void {
    this.ofRows.append(row, codes);
  }

  /** A row has become settled, or has changed and still is. */
  enter(row: number, { state, sales }: ProductColumns, codes: readonly number[] = this.codesOf(row)): void {
    for (const code of codes) {
      this.tally.change(code, state.values[row] as number, 1);
      this.#offer(code, row, sales.values[row] as number);
    }
  }

  /** A settled row is about to change, or to go. */
  leave(row: number, { state }: ProductColumns): void {
    for (const code of this.codesOf(row)) {
      this.tally.change(code, state.values[row] as number, -1);
      if (this.#bestRows[code] === row + 1) this.#bestRows[code] = 0;
    }
  }

  count(counts: Int32Array, rows: Int32Array, length: number): void {
    this.ofRows.count(counts, rows, length);
  }

  salesAtMost(code: number): number {
    return this.#most[code] ?? -1;
  }

  /** The sales of the best-selling settled product of the code; -1 where there is none. */
  salesOf(code: number, { state, sales }: ProductColumns): number {
    if (this.salesAtMost(code) >= 0 && this.#bestRows[code] === 0) {
      this.#most[code] = -1;
      this.rows.forEach(code, (row) => {
        if (((state.values[row] as number) & SETTLED) !== 0) this.#offer(code, row, sales.values[row] as number);
      });
    }
    return this.salesAtMost(code);
  }

  renumber(newRows: Int32Array): void {
    this.rows.renumber(newRows);
    this.ofRows.renumber(newRows);
    this.#bestRows.fill(0);
  }

  #offer(code: number, row: number, sales: number): void {
    const known = this.#most.length;
    if (code >= known) {
      this.#most = withRoom(this.#most, code + 1).fill(-1, known);
      this.#bestRows = withRoom(this.#bestRows, code + 1);
    }
    if (sales < (this.#most[code] as number)) return;
    this.#most[code] = sales;
    this.#bestRows[code] = row + 1;
  }
}
