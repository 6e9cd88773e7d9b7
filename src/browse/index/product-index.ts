import { foldedWordsOf, foldText, SEARCHED_DESCRIPTION, SEARCHED_FIELD, searchedDescription } from '../words.ts';
import { BestNames } from './best-names.ts';
import { Codes } from './codes.ts';
import { IN_STOCK, LIVE, ON_SALE, ProductColumns, SETTLED } from './columns.ts';
import { Dictionary } from './dictionary.ts';
import { Postings } from './postings.ts';
import { PriceTallies } from './price-tallies.ts';
import { BRAND_OR_TAG, DESCRIPTION, NAME, RunTexts, SUBTITLE } from './run-texts.ts';
import { Scratch } from './scratch.ts';
import { Tallies } from './tallies.ts';

/** A product on sale, published or not, as the index reads it. */
export interface ProductRow {
  readonly id: number;
  readonly categoryId: number;
  readonly brand: string | null;
  readonly tags: readonly string[];
  readonly cents: number;
  readonly isInStock: boolean;
  readonly isOnSale: boolean;
  readonly sales: number;
  /** As `momentOf` makes it of the microseconds since 1970. */
  readonly publishedAt: number;
  readonly nameHash: number;
  readonly name: string;
  readonly subtitle: string | null;
  /** As far as it is searched. */
  readonly description: string;
}

/** The note of a word in a text that a brand or a tag has, and a subtitle. */
const IN_BRAND_OR_TAG = 0;
const IN_SUBTITLE = 1;

/** What was published longer ago than this is visible to every question. */
const SETTLED_AFTER_US = 60_000_000;

/** Stands for a missing brand: PostgreSQL stores no text with a zero byte. */
export const NO_BRAND = '\0';

/** Dead rows are closed up once they are this share of all, and at least so many. */
const MAX_DEAD_SHARE = 0.15;
const MIN_DEAD = 2000;

/** Everything that is known of the products, and what finds them by word, category, brand or tag. */
export class ProductIndex {
  readonly columns = new ProductColumns();
  readonly categories = new Codes<number>();
  readonly brands = new Codes(foldText);
  readonly tags = new Codes(foldText);
  readonly dictionary = new Dictionary();
  /** By the number of the word: products that have it in their name. */
  readonly inNames = new Postings({ noteBits: 0 });
  /** Of the others, products that have it in their brand, tags or subtitle, with the field; and of the rest, in their description. */
  readonly inTexts = new Postings({ noteBits: 1 });
  readonly inDescriptions = new Postings({ noteBits: 0 });
  readonly runTexts = new RunTexts();
  /** By code. */
  readonly ofCategory = new Postings({ noteBits: 0 });
  readonly ofBrand = new Postings({ noteBits: 0 });
  readonly ofTag = new Postings({ noteBits: 0 });
  readonly tallies = new Tallies();
  readonly priceTallies = new PriceTallies();
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

  /** @param maxNames how many names are kept for suggestions */
  constructor(maxNames?: number) {
    this.bestNames = new BestNames(maxNames);
  }

  get bytes(): number {
    const { columns, categories, brands, tags, dictionary, runTexts, tallies, priceTallies, bestNames, scratch } = this;
    const others = [dictionary, runTexts, tallies, priceTallies, bestNames, scratch];
    const parts = [columns, categories, brands, tags, ...others, ...this.#postings];
    return parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get #postings(): readonly Postings[] {
    return [this.inNames, this.inTexts, this.inDescriptions, this.ofCategory, this.ofBrand, this.ofTag];
  }

  put(product: ProductRow): void {
    const { columns } = this;
    const { name, subtitle, description } = product;
    const wordsHash = hashOf(`${name}\0${subtitle ?? ''}\0${description}`);
    const brand = this.brands.codeOf(product.brand ?? NO_BRAND);
    const category = this.categories.codeOf(product.categoryId);
    const tags = [...new Set(product.tags)].map((tag) => this.tags.codeOf(tag));
    let row = columns.rowOf(product.id);
    const isSame =
      row >= 0 &&
      columns.wordsHash[row] === wordsHash &&
      columns.brand.codes[row] === brand &&
      columns.category.codes[row] === category &&
      isEqual(columns.tagsOf(row), tags);
    const known = row < 0 ? undefined : { hash: columns.nameHash[row], rank: columns.nameRank[row] as number };
    if (row >= 0) this.#leave(row);
    if (!isSame) {
      if (row >= 0) columns.kill(row);
      row = this.#append(product, { wordsHash, brand, category, tags });
    }
    columns.setValues(row, product);
    const isSettled = product.publishedAt <= this.#settledAt;
    columns.state[row] = stateOf({ ...product, isSettled });
    if (isSettled) this.#settled(row);
    else this.unsettled.add(row);
    this.bestNames.put(product);
    const hasRank = known !== undefined && known.hash === product.nameHash;
    columns.setNameRank(row, hasRank ? known.rank : Number.NaN);
    if (hasRank && !Number.isNaN(known.rank)) this.unranked.delete(product.id);
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

  /** A live row is about to change, or to go. */
  #leave(row: number): void {
    const { columns, categories, brands, tags, tallies, priceTallies } = this;
    if (((columns.state[row] as number) & SETTLED) === 0) {
      this.unsettled.delete(row);
      return;
    }
    tallies.change(columns, row, -1);
    priceTallies.change(columns, row, -1);
    categories.topSales.leave(columns.category.codes[row] as number, row);
    brands.topSales.leave(columns.brand.codes[row] as number, row);
    for (const tag of columns.tagsOf(row)) tags.topSales.leave(tag, row);
  }

  /** A row has become settled, or has changed and still is. */
  #settled(row: number): void {
    const { columns, categories, brands, tags, tallies, priceTallies } = this;
    const sales = columns.sales[row] as number;
    tallies.change(columns, row, 1);
    priceTallies.change(columns, row, 1);
    categories.topSales.add(columns.category.codes[row] as number, row, sales);
    brands.topSales.add(columns.brand.codes[row] as number, row, sales);
    for (const tag of columns.tagsOf(row)) tags.topSales.add(tag, row, sales);
  }

  /** What was published by then is visible to every question from now on. */
  settle(now: number): void {
    const at = now - SETTLED_AFTER_US;
    if (at < this.#settledAt + SETTLED_AFTER_US) return;
    this.#settledAt = at;
    const { state, publishedAt } = this.columns;
    for (const row of this.unsettled) {
      if ((publishedAt[row] as number) > at) continue;
      state[row] = (state[row] as number) | SETTLED;
      this.#settled(row);
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
    for (const postings of this.#postings) postings.renumber(newRows);
    this.runTexts.renumber(newRows);
    for (const { topSales } of [this.categories, this.brands, this.tags]) topSales.forgetRows();
    this.unsettled = new Set(this.unsettled.values().map((row) => newRows[row] as number));
  }

  #append(
    product: ProductRow,
    { wordsHash, brand, category, tags }: { wordsHash: number; brand: number; category: number; tags: number[] },
  ): number {
    const { columns, dictionary, inNames, inTexts, inDescriptions } = this;
    const row = columns.append(product.id);
    columns.wordsHash[row] = wordsHash;
    columns.brand.set(row, brand);
    columns.category.set(row, category);
    this.ofBrand.append(brand, row);
    this.ofCategory.append(category, row);
    const begin = row === 0 ? 0 : (columns.tagsEnd[row - 1] as number);
    for (const [index, tag] of tags.entries()) {
      columns.tags.set(begin + index, tag);
      this.ofTag.append(tag, row);
    }
    columns.tagsEnd[row] = begin + tags.length;
    const { words, runs } = wordsOfProduct(product);
    this.runTexts.append(row, runs);
    for (const [word, fields] of words) {
      const number = dictionary.numberOf(word);
      if ((fields & NAME) !== 0) inNames.append(number, row);
      if ((fields & (BRAND_OR_TAG | SUBTITLE)) !== 0)
        inTexts.append(number, row, (fields & BRAND_OR_TAG) === 0 ? IN_SUBTITLE : IN_BRAND_OR_TAG);
      else if ((fields & NAME) === 0) inDescriptions.append(number, row);
    }
    return row;
  }
}

interface State {
  readonly isSettled: boolean;
  readonly isInStock: boolean;
  readonly isOnSale: boolean;
}

const stateOf = ({ isSettled, isInStock, isOnSale }: State): number =>
  LIVE | (isSettled ? SETTLED : 0) | (isInStock ? IN_STOCK : 0) | (isOnSale ? ON_SALE : 0);

/** As `vitrine_search` makes them in PostgreSQL, with the fields that have each; and the long runs, by field. */
const wordsOfProduct = ({ name, brand, tags, subtitle, description }: ProductRow) => {
  const words = new Map<string, number>();
  const runs: { field: number; text: string }[] = [];
  const add = (text: string, maxCharacters: number, field: number): void => {
    const onLongRun = (run: string): void => void runs.push({ field, text: run });
    for (const word of foldedWordsOf(text, maxCharacters, onLongRun)) words.set(word, (words.get(word) ?? 0) | field);
  };
  add(name, SEARCHED_FIELD, NAME);
  add(brand ?? '', SEARCHED_FIELD, BRAND_OR_TAG);
  add(tags.join(' '), SEARCHED_FIELD, BRAND_OR_TAG);
  add(subtitle ?? '', SEARCHED_FIELD, SUBTITLE);
  add(searchedDescription(description), SEARCHED_DESCRIPTION, DESCRIPTION);
  return { words, runs };
};

const isEqual = (codes: ArrayLike<number>, others: readonly number[]): boolean =>
  codes.length === others.length && others.every((code, index) => codes[index] === code);

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
