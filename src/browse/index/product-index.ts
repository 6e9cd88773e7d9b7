import { priceCellOf } from '../price-bands.ts';
import { foldedWordsOf, foldText, SEARCHED_DESCRIPTION, SEARCHED_FIELD, searchedDescription } from '../words.ts';
import { BestNames } from './best-names.ts';
import { IN_STOCK, LIVE, ON_SALE, ProductColumns, Scratch, SETTLED } from './columns.ts';
import { Dictionary } from './dictionary.ts';
import { FacetValues, Tally } from './facet-values.ts';
import { attributes, options } from './named-values.ts';
import { Postings } from './postings.ts';
import { FIELDS, RunTexts } from './term-matches.ts';

/** A product on sale, published or not, as the index reads it. */
export interface ProductRow {
  readonly id: number;
  readonly categoryId: number;
  readonly brand: string | null;
  readonly tags: readonly string[];
  readonly cents: number;
  readonly isInStock: boolean;
  readonly isOnSale: boolean;
  /** An object of JSON. */
  readonly attributes: string;
  /** A list of JSON, of the names of options. */
  readonly optionNames: string;
  /** Of each variant a list of JSON, the values of its options, with `+` behind it where it is in stock, otherwise `-`. */
  readonly variants: readonly string[];
  readonly sales: number;
  readonly publishedAt: number;
  readonly nameHash: number;
  readonly name: string;
  readonly subtitle: string | null;
  readonly description: string;
}

/** What was published longer ago than this is visible to every question. */
const SETTLED_AFTER_US = 60_000_000;

/** Stands for a missing brand: PostgreSQL stores no text with a zero byte. */
export const NO_BRAND = '\0';

/** Dead rows are closed up once they are this share of all, and at least so many. */
const MAX_DEAD_SHARE = 0.15;
const MIN_DEAD = 2000;

export class ProductIndex {
  readonly columns = new ProductColumns();
  readonly categories = new FacetValues<number>(({ categoryId }) => [categoryId], true);
  readonly brands = new FacetValues(({ brand }) => [brand ?? NO_BRAND], true, foldText);
  readonly tags = new FacetValues(({ tags }) => tags, false, foldText);
  readonly #facetValues = [this.categories, this.brands, this.tags];
  readonly attributes = attributes();
  readonly options = options();
  readonly #values = [...this.#facetValues, this.attributes, this.options];
  readonly dictionary = new Dictionary();
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
    const { name, subtitle, description } = product;
    const wordsHash = hashOf(`${name}\0${subtitle ?? ''}\0${description}`);
    const codes = this.#values.map((values) => values.learn(product));
    let row = columns.rowOf(product.id);
    const isSame =
      row >= 0 &&
      columns.wordsHash.values[row] === wordsHash &&
      this.#values.every((values, index) => values.has(row, codes[index] as number[]));
    const hasRank = row >= 0 && columns.nameHash.values[row] === product.nameHash;
    const rank = hasRank ? (columns.nameRank.values[row] as number) : Number.NaN;
    if (row >= 0) this.#leave(row);
    if (!isSame) {
      if (row >= 0) columns.kill(row);
      row = columns.append(product.id);
      columns.wordsHash.set(row, wordsHash);
      for (const [index, values] of this.#values.entries()) values.append(row, codes[index] as number[]);
      this.#appendWords(row, product);
    } else
      for (const values of [this.attributes, this.options])
        values.restock(row, codes[this.#values.indexOf(values)] as number[]);
    columns.price.set(row, product.cents);
    columns.sales.set(row, product.sales);
    columns.publishedAt.set(row, product.publishedAt);
    columns.nameHash.set(row, product.nameHash);
    columns.nameRank.set(row, rank);
    columns.state.set(row, LIVE | (product.isInStock ? IN_STOCK : 0) | (product.isOnSale ? ON_SALE : 0));
    if (product.publishedAt <= this.#settledAt) this.#settle(row);
    else this.unsettled.add(row);
    this.bestNames.put(product);
    if (!Number.isNaN(rank)) this.unranked.delete(product.id);
    else if (this.hasRanks) this.unranked.add(product.id);
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

  #settle(row: number): void {
    const { state } = this.columns;
    state.set(row, (state.values[row] as number) | SETTLED);
    this.#changeTallies(row, 1);
    for (const values of this.#values) values.enter(row, this.columns);
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

  /** Takes out rows that are dead. It takes some hundred milliseconds for a million products. */
  compact(): void {
    const newRows = this.columns.renumber();
    for (const part of this.#byRow) part.renumber(newRows);
    this.unsettled = new Set(this.unsettled.values().map((row) => newRows[row] as number));
  }

  #appendWords(row: number, product: ProductRow): void {
    const { words, runs } = wordsOfProduct(product);
    this.runTexts.append(row, runs);
    for (const [word, field] of words) this.words[field]?.append(this.dictionary.numberOf(word), row);
  }
}

/** As `vitrine_search` makes them in PostgreSQL, with the best field of each; and the long runs, by field. */
const wordsOfProduct = ({ name, brand, tags, subtitle, description }: ProductRow) => {
  const words = new Map<string, number>();
  const runs: { field: number; text: string }[] = [];
  const add = (field: (typeof FIELDS)[number], text: string, maxCharacters: number): void => {
    const number = FIELDS.indexOf(field);
    const onLongRun = (run: string): void => void runs.push({ field: number, text: run });
    for (const word of foldedWordsOf(text, maxCharacters, onLongRun)) if (!words.has(word)) words.set(word, number);
  };
  add('name', name, SEARCHED_FIELD);
  add('brand', brand ?? '', SEARCHED_FIELD);
  add('brand', tags.join(' '), SEARCHED_FIELD);
  add('subtitle', subtitle ?? '', SEARCHED_FIELD);
  add('description', searchedDescription(description), SEARCHED_DESCRIPTION);
  return { words, runs };
};

/** Two hashes of 26 bits (FNV-1a with different beginnings), so that 52 bits fit exactly into a number. */
const hashOf = (text: string): number => {
  let low = 0x811c9dc5;
  let high = 0x050c5d1f;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x01000197);
  }
  return (low >>> 6) * 2 ** 26 + (high >>> 6);
};
