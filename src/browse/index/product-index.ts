import { priceCellOf } from '../price-bands.ts';
import { foldText } from '../words.ts';
import { BestNames } from './best-names.ts';
import { ProductColumns, Scratch, SETTLED } from './columns.ts';
import { Dictionary } from './dictionary.ts';
import { FacetValues, Tally } from './facet-values.ts';
import { AttributeValues, OptionValues } from './named-values.ts';
import { Postings } from './postings.ts';
import { fieldOf, hashOf, ProductWords, type Words, wordOf } from './product-words.ts';
import { FIELDS, RunTexts } from './term-matches.ts';
import { Numbers, Slice, Texts } from './texts.ts';

/** What is searched of a product, in memory that may change after the call. */
export interface SearchedTexts {
  readonly id: number;
  /** Null where no texts were read, but the words. */
  readonly name: Slice | null;
  readonly brand: Slice | null;
  readonly tags: readonly Slice[];
  /** Where it has more than ASCII. So with the description. */
  readonly subtitle: Slice | null;
  readonly description: Slice | null;
  /** As `vitrine_search` makes them, in the binary format of a `tsvector`. Null where there are none. */
  readonly words: Slice | null;
}

/** A product on sale, published or not, as the index reads it. */
export interface ProductRow extends SearchedTexts {
  readonly name: Slice;
  readonly categoryId: number;
  readonly cents: number;
  readonly isInStock: boolean;
  readonly isOnSale: boolean;
  /** An object of JSON. */
  readonly attributes: Slice;
  /** A list of JSON, of the names of options. */
  readonly optionNames: Slice;
  /** Of each variant a list of JSON, the values of its options, with `+` behind it where it is in stock, otherwise `-`. */
  readonly variants: readonly Slice[];
  readonly sales: number;
  readonly publishedAt: number;
  readonly nameHash: number;
}

/** What was published longer ago than this is visible to every question. */
const SETTLED_AFTER_US = 60_000_000;

/** Stands for a missing brand: PostgreSQL stores no text with a zero byte. */
export const NO_BRAND = '\0';
const NO_BRAND_SLICE = Slice.of(NO_BRAND);

/** Of a row without words: it equals nothing. */
const NO_HASH = Number.NaN;

/** Dead rows are closed up once they are this share of all, and at least so many. */
const MAX_DEAD_SHARE = 0.15;
const MIN_DEAD = 2000;

export class ProductIndex {
  readonly columns = new ProductColumns();
  readonly categories = new FacetValues<number>(new Numbers(), ({ categoryId }) => [categoryId]);
  readonly brands = new FacetValues<string>(new Texts(), ({ brand }) => [brand ?? NO_BRAND_SLICE], foldText);
  readonly tags = new FacetValues<string>(new Texts(), ({ tags }) => tags, foldText);
  readonly attributes = new AttributeValues();
  readonly options = new OptionValues();
  readonly #values = [this.categories, this.brands, this.tags, this.attributes, this.options];
  readonly dictionary = new Dictionary();
  readonly #productWords = new ProductWords(this.dictionary);
  /** By field and by the number of a word: products of which that is the best field that has the word. */
  readonly words = FIELDS.map(() => new Postings());
  readonly runTexts = new RunTexts();
  /** Of all settled products, under 0. */
  readonly total = new Tally();
  /** By the cell of the price (price-bands.ts). */
  readonly priceCells = new Tally();
  readonly bestNames: BestNames;
  readonly scratch = new Scratch();
  /** Rows that are live and were not settled when they were looked at last. */
  unsettled = new Set<number>();
  /** Products whose place in the order of names is not known; not kept while the index is filled. */
  readonly unranked = new Set<number>();
  /** While the index is filled, rows have no words; {@link putWords} puts them in. */
  hasWords = true;
  hasRanks = false;
  /** How often all ranks were read: those of two readings cannot be compared. */
  rankings = 0;
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(maxNames?: number) {
    this.bestNames = new BestNames(maxNames);
  }

  get bytes(): number {
    const { columns, dictionary, total, priceCells, bestNames, scratch } = this;
    const parts = [columns, dictionary, total, priceCells, bestNames, scratch, ...this.#byRow];
    return parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** What has to be told where rows get other numbers. */
  get #byRow() {
    return [...this.words, this.runTexts, ...this.#values];
  }

  put(product: ProductRow): void {
    const { columns } = this;
    const words = this.hasWords ? this.#productWords.read(product) : undefined;
    const wordsHash = words ? hashOf(words) : NO_HASH;
    const codes = this.#values.map((values) => values.learn(product));
    let row = columns.rowOf(product.id);
    const isSame = row >= 0 && columns.wordsHash.values[row] === wordsHash && this.#hasCodes(row, codes);
    const hasRank = row >= 0 && columns.nameHash.values[row] === product.nameHash;
    const rank = hasRank ? (columns.nameRank.values[row] as number) : Number.NaN;
    if (row >= 0) this.#leave(row);
    if (!isSame) {
      if (row >= 0) columns.kill(row);
      row = columns.append(product.id);
      for (let at = 0; at < codes.length; at += 1) this.#values[at]?.append(row, codes[at] as number[]);
      columns.wordsHash.values[row] = NO_HASH;
      if (words) this.#appendWords(row, words, wordsHash);
    } else this.options.restock(row, codes[this.#values.indexOf(this.options)] as number[]);
    columns.write(row, product, rank);
    if (product.publishedAt <= this.#settledAt) this.#settle(row, codes);
    else this.unsettled.add(row);
    this.bestNames.put(product);
    if (!Number.isNaN(rank)) this.unranked.delete(product.id);
    else if (this.hasRanks) this.unranked.add(product.id);
  }

  #hasCodes(row: number, codes: readonly (readonly number[])[]): boolean {
    return this.#values.every((values, at) => values.has(row, codes[at] as readonly number[]));
  }

  /** Puts words into a row that has none: into one row after another, before `hasWords`. @returns false where texts are needed, too */
  putWords(product: SearchedTexts): boolean {
    const row = this.columns.rowOf(product.id);
    if (row < 0) return true;
    const words = this.#productWords.read(product);
    if (words) this.#appendWords(row, words, hashOf(words));
    return words !== undefined;
  }

  #appendWords(row: number, { postings, runs }: Words, hash: number): void {
    this.columns.wordsHash.values[row] = hash;
    for (let at = 0; at < postings.length; at += 1) {
      const posting = postings[at] as number;
      this.words[fieldOf(posting)]?.append(wordOf(posting), row);
    }
    this.runTexts.append(row, runs);
  }

  remove(id: number): void {
    const row = this.columns.rowOf(id);
    if (row >= 0) {
      this.#leave(row);
      this.columns.kill(row);
    }
    this.bestNames.remove(id);
    this.unranked.delete(id);
  }

  #leave(row: number): void {
    if (((this.columns.state.values[row] as number) & SETTLED) === 0) this.unsettled.delete(row);
    else {
      this.#changeTallies(row, -1);
      for (const values of this.#values) values.leave(row, this.columns);
    }
  }

  /** @param codes those of each of {@link #values}, where they are at hand */
  #settle(row: number, codes?: readonly (readonly number[])[]): void {
    const { values: state } = this.columns.state;
    state[row] = (state[row] as number) | SETTLED;
    this.#changeTallies(row, 1);
    for (let at = 0; at < this.#values.length; at += 1) this.#values[at]?.enter(row, this.columns, codes?.[at]);
  }

  #changeTallies(row: number, by: 1 | -1): void {
    const { state, price } = this.columns;
    const bits = state.values[row] as number;
    this.total.change(0, bits, by);
    this.priceCells.change(priceCellOf(price.values[row] as number), bits, by);
  }

  /** What was published by then is visible to every question from now on. */
  settle(now: number): void {
    const at = now - SETTLED_AFTER_US;
    if (at < this.#settledAt + SETTLED_AFTER_US) return;
    this.#settledAt = at;
    const { values: publishedAt } = this.columns.publishedAt;
    for (const row of this.unsettled) {
      if ((publishedAt[row] as number) > at) continue;
      this.#settle(row);
      this.unsettled.delete(row);
    }
  }

  get needsCompaction(): boolean {
    const { count, live } = this.columns;
    return count - live > Math.max(MIN_DEAD, count * MAX_DEAD_SHARE);
  }

  /** Gives memory back that only filling needs, and makes columns. */
  settlePostings(): void {
    const { categories, brands, tags, attributes, options, columns } = this;
    for (const postings of [...this.words, ...this.#values.map(({ rows }) => rows), options.rowsOfTexts])
      postings.settle();
    for (const { ofRows } of [categories, brands, tags, attributes]) ofRows.arrange(columns.count);
  }

  /** Takes out rows that are dead. It takes some hundred milliseconds for a million products. */
  compact(): void {
    const newRows = this.columns.renumber();
    for (const part of this.#byRow) part.renumber(newRows);
    this.unsettled = new Set(this.unsettled.values().map((row) => newRows[row] as number));
  }
}
