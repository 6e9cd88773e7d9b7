import type { SearchTerm } from '../browse-engine.ts';
import { foldText } from '../words.ts';
import {
  createAttributes,
  createBrands,
  createCategories,
  createOptions,
  createTags,
  type Dimensions,
} from './dimension.ts';
import { RowSet, Scratch } from './row-set.ts';
import { countBefore, ProductColumns, type ProductRow, withRoom } from './rows.ts';
import { hashOfWords, type Matches, type SearchedFields, Words } from './words.ts';

/** What was published longer ago than this is visible to every question. */
const SETTLED_AFTER_US = 60_000_000;

/** Dead rows are closed up once they are this share of all, and at least so many. */
const MAX_DEAD_SHARE = 0.15;
const MIN_DEAD = 2000;

/** What a question may keep of memory for the next ones, by row. */
const SCRATCH_BYTES_PER_ROW = 12;

/** All products on sale, as rows: their columns, their dimensions and their words. */
export class ProductIndex {
  readonly columns = new ProductColumns();
  readonly categories = createCategories();
  readonly brands = createBrands();
  readonly tags = createTags();
  readonly attributes = createAttributes();
  readonly options = createOptions(false);
  readonly optionsInStock = createOptions(true);
  readonly #dimensions: readonly Dimensions[] = [
    this.categories,
    this.brands,
    this.tags,
    this.attributes,
    this.options,
    this.optionsInStock,
  ];
  readonly words = new Words();
  /** For suggestions. */
  readonly bestNames: BestNames;
  readonly suggested = {
    categories: new SuggestedValues(this.categories),
    brands: new SuggestedValues(this.brands),
    tags: new SuggestedValues(this.tags),
  };
  readonly #suggested = Object.values(this.suggested);
  readonly scratch = new Scratch();
  /** Rows that are live and were not visible to every question when they were looked at last. */
  unsettled = new Set<number>();
  /** Products whose place in the order of names is not known; not kept while the index is filled. */
  readonly unranked = new Set<number>();
  hasRanks = false;
  /** How often all ranks were read: those of two readings cannot be compared. */
  rankings = 0;
  #settledAt = Number.NEGATIVE_INFINITY;
  #live: RowSet | undefined;

  constructor(maxNames?: number) {
    this.bestNames = new BestNames(maxNames);
  }

  get bytes(): number {
    const { columns, words, bestNames, scratch } = this;
    const parts = [columns, words, bestNames, scratch, ...this.#dimensions, ...this.#suggested];
    return parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Begins a question: sets of rows that were made for the one before are no longer right. */
  begin(): void {
    this.scratch.begin(this.columns.count * SCRATCH_BYTES_PER_ROW);
    this.#live = undefined;
  }

  /** All live rows, for one question. */
  live(): RowSet {
    const { isLive, count, live } = this.columns;
    this.#live ??= RowSet.ofWords(this.scratch, isLive.words.subarray(0, (count + 31) >>> 5), live);
    return this.#live;
  }

  /** The live rows that are published by then. */
  visible(now: Date): RowSet {
    const { columns, scratch } = this;
    const isVisible = columns.visibleAt(now);
    const future = [...this.unsettled].filter((row) => !isVisible(row)).sort((one, other) => one - other);
    if (future.length === 0) return this.live();
    return this.live().without(RowSet.ofRows(scratch, Int32Array.from(future)), columns.count);
  }

  /** The rows that have all terms, and those of some products, for one question. */
  match(terms: readonly SearchTerm[], fields: SearchedFields, ids: readonly number[] = []): Matches {
    const { columns, scratch } = this;
    const codeRows = ids.map((id) => columns.rowOf(id)).filter((row) => row >= 0);
    return this.words.match(terms, fields, { count: columns.count, scratch, codeRows });
  }

  put(product: ProductRow): void {
    const { columns } = this;
    const words = this.words.read(product.words);
    const wordsHash = hashOfWords(words);
    const traits = this.#dimensions.map((dimensions) => dimensions.learn(product));
    let row = columns.rowOf(product.id);
    const isSame = row >= 0 && columns.wordsHash.values[row] === wordsHash && this.#hasTraits(row, traits);
    const hasRank = row >= 0 && columns.nameHash.values[row] === product.nameHash;
    const rank = hasRank ? (columns.nameRank.values[row] as number) : Number.NaN;
    if (row >= 0) this.#leave(row);
    if (!isSame) {
      if (row >= 0) columns.kill(row);
      row = columns.append(product.id);
      for (let at = 0; at < traits.length; at += 1) this.#dimensions[at]?.append(row, traits[at] as number[]);
      columns.wordsHash.values[row] = wordsHash;
      this.words.append(row, words);
    }
    columns.write(row, product, rank);
    for (let at = 0; at < traits.length; at += 1) this.#dimensions[at]?.enter(row, traits[at] as number[]);
    if (product.publishedAt <= this.#settledAt) this.#settle(row);
    else this.unsettled.add(row);
    this.bestNames.put(product);
    if (!Number.isNaN(rank)) this.unranked.delete(product.id);
    else if (this.hasRanks) this.unranked.add(product.id);
  }

  #hasTraits(row: number, traits: readonly (readonly number[])[]): boolean {
    return this.#dimensions.every((dimensions, at) => dimensions.has(row, traits[at] as readonly number[]));
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
    for (const dimensions of this.#dimensions) dimensions.leave(row);
    if (!this.unsettled.delete(row)) for (const values of this.#suggested) values.leave(row);
  }

  #settle(row: number): void {
    const sales = this.columns.sales.values[row] as number;
    for (const values of this.#suggested) values.enter(row, sales);
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
  arrange(): void {
    this.words.settle();
    for (const dimensions of this.#dimensions) dimensions.settle(this.columns.count);
  }

  /** Takes out rows that are dead. It takes some hundred milliseconds for a million products. */
  compact(): void {
    const newRows = this.columns.renumber();
    for (const part of [this.words, ...this.#dimensions, ...this.#suggested]) part.renumber(newRows);
    this.unsettled = new Set(this.unsettled.values().map((row) => newRows[row] as number));
  }
}

/** The values of a dimension as suggestions need them. Of categories, brands and tags a trait has one value, with the number of the trait. */
export class SuggestedValues {
  readonly of: Dimensions;
  /** By trait, the words of the value with a space before and after each. */
  readonly #folded: string[] = [];
  /** All of them: where most of what is typed is in none, one look through one long text is enough. */
  #foldedTogether = '';
  /** By trait: no product that is visible to every question has sold more. */
  #most = new Int32Array(0);
  /** By trait, 1 plus the row that has sold so much; 0 where it is to be looked for. */
  #rows = new Int32Array(0);

  constructor(of: Dimensions) {
    this.of = of;
  }

  get bytes(): number {
    return this.#most.byteLength + this.#rows.byteLength + this.#foldedTogether.length * 4;
  }

  /** The traits whose value has some texts in its words. */
  traitsWith(texts: readonly string[]): number[] {
    const { values } = this.of;
    if (this.#folded.length < values.length) {
      for (const value of values.slice(this.#folded.length)) this.#folded.push(foldText(value));
      this.#foldedTogether = this.#folded.join('\n');
    }
    if (!texts.every((text) => this.#foldedTogether.includes(text))) return [];
    return [...values.keys()].filter((trait) => texts.every((text) => this.#folded[trait]?.includes(text)));
  }

  enter(row: number, sales: number): void {
    for (const trait of this.of.ofRows.of(row)) this.#offer(trait, row, sales);
  }

  leave(row: number): void {
    for (const trait of this.of.ofRows.of(row)) if (this.#rows[trait] === row + 1) this.#rows[trait] = 0;
  }

  salesAtMost(trait: number): number {
    return this.#most[trait] ?? -1;
  }

  /** The sales of the best-selling product of the trait; -1 where there is none. */
  salesOf(trait: number, { columns, unsettled, scratch }: ProductIndex): number {
    if (this.salesAtMost(trait) >= 0 && this.#rows[trait] === 0) {
      this.#most[trait] = -1;
      for (const row of this.of.rowsWith([trait], columns.count, scratch).rows())
        if (columns.isLive.has(row) && !unsettled.has(row))
          this.#offer(trait, row, columns.sales.values[row] as number);
    }
    return this.salesAtMost(trait);
  }

  renumber(_newRows: Int32Array): void {
    this.#rows.fill(0);
  }

  #offer(trait: number, row: number, sales: number): void {
    const known = this.#most.length;
    if (trait >= known) {
      this.#most = withRoom(this.#most, trait + 1).fill(-1, known);
      this.#rows = withRoom(this.#rows, trait + 1);
    }
    if (sales < (this.#most[trait] as number)) return;
    this.#most[trait] = sales;
    this.#rows[trait] = row + 1;
  }
}

/** A name takes some 250 bytes. */
const MAX_NAMES = 10_000;

interface BestName {
  readonly id: number;
  readonly name: string;
  readonly folded: string;
  readonly sales: number;
  readonly publishedAt: number;
}

/** Where very many names have a word that begins so, the best are found after a look at some hundred of these. */
export class BestNames {
  readonly #names = new Map<number, BestName>();
  /** Every product that has sold at least this many is here. */
  #least = Number.NEGATIVE_INFINITY;
  /** In the order of BEST_SELLING; undefined where they were not asked for since many have come. */
  #sorted: BestName[] | undefined;
  readonly #maxNames: number;

  constructor(maxNames = MAX_NAMES) {
    this.#maxNames = maxNames;
  }

  get bytes(): number {
    return this.#names.size * 250;
  }

  get size(): number {
    return this.#names.size;
  }

  get isWhole(): boolean {
    return this.#least === Number.NEGATIVE_INFINITY;
  }

  put({ id, name: bytes, sales, publishedAt }: ProductRow): void {
    if (sales < this.#least) {
      this.remove(id);
      return;
    }
    const known = this.#names.get(id);
    const name = String(bytes);
    const folded = known?.name === name ? known.folded : foldText(name);
    const best = { id, name, folded, sales, publishedAt };
    if (known) this.#takeOut(known);
    this.#names.set(id, best);
    this.#sorted?.splice(this.#rankOf(best), 0, best);
    if (this.#names.size > this.#maxNames) this.#shorten();
  }

  remove(id: number): void {
    const known = this.#names.get(id);
    if (!known) return;
    this.#takeOut(known);
    this.#names.delete(id);
  }

  /** In the order of BEST_SELLING. */
  bestFirst(): readonly BestName[] {
    this.#sorted ??= [...this.#names.values()].sort(compare);
    return this.#sorted;
  }

  #takeOut(known: BestName): void {
    this.#sorted?.splice(this.#rankOf(known), 1);
  }

  /** Where a name stands, or would stand, among the sorted ones: to sort all again after each change takes milliseconds. */
  #rankOf(name: BestName): number {
    const sorted = this.#sorted ?? [];
    return countBefore(sorted.length, (at) => compare(sorted[at] as BestName, name) < 0);
  }

  /** Equal sales are kept or left out together, so that there may be none where all products have sold as much. */
  #shorten(): void {
    this.#least = (this.bestFirst()[this.#maxNames >>> 1] as BestName).sales + 1;
    for (const { id, sales } of this.bestFirst()) if (sales < this.#least) this.#names.delete(id);
    this.#sorted = undefined;
  }
}

const compare = (a: BestName, b: BestName): number => b.sales - a.sales || b.publishedAt - a.publishedAt || b.id - a.id;
