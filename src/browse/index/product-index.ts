import type { FallBacks, SearchTerm } from '../browse-engine.ts';
import { PRICE_CELLS, priceCellOf } from '../price-bands.ts';
import {
  createAttributes,
  createBrands,
  createCategories,
  createOptions,
  createTags,
  type Dimensions,
} from './dimension.ts';
import { RowSet } from './row-set.ts';
import { ProductColumns, type ProductRow, withRoom } from './rows.ts';
import { FoldedTexts, LanguageTexts } from './texts.ts';
import { hashOfWords, type Matches, type SearchedFields } from './words.ts';

/** What was published longer ago than this is visible to every question. */
const SETTLED_AFTER_US = 60_000_000;

/** Dead rows are closed up once they are this share of all, and at least so many. */
const MAX_DEAD_SHARE = 0.15;
const MIN_DEAD = 2000;

/** All products on sale, as rows: their columns, their dimensions, and their texts in each language. */
export class ProductIndex {
  readonly columns = new ProductColumns();
  readonly categories = createCategories();
  readonly brands = createBrands();
  readonly tags = createTags();
  readonly attributes = createAttributes();
  readonly options = createOptions();
  readonly #dimensions: readonly Dimensions[] = [
    this.categories,
    this.brands,
    this.tags,
    this.attributes,
    this.options,
  ];
  /** In the language of the tables' columns. */
  readonly texts: LanguageTexts;
  readonly #allTexts: readonly LanguageTexts[];
  /** For suggestions. */
  readonly suggested = {
    categories: new SuggestedValues(this.categories),
    brands: new SuggestedValues(this.brands),
    tags: new SuggestedValues(this.tags),
  };
  readonly foldedBrands = new FoldedTexts();
  readonly #suggested = Object.values(this.suggested);
  /** Rows that are live and were not visible to every question when they were looked at last. */
  unsettled = new Set<number>();
  #settledAt = Number.NEGATIVE_INFINITY;
  readonly #others = new WeakMap<RowSet, RowSet>();
  /** How many live rows have a price of each cell. */
  readonly priceCells = new Int32Array(PRICE_CELLS);

  /** @param languages besides that of the tables' columns */
  constructor(languages: readonly FallBacks[] = [], maxNames?: number) {
    this.texts = new LanguageTexts(undefined, maxNames);
    this.#allTexts = [this.texts, ...languages.map((each) => new LanguageTexts(each, maxNames))];
  }

  /** In the other languages. */
  get translated(): readonly LanguageTexts[] {
    return this.#allTexts.slice(1);
  }

  /** Undefined for a language that the index does not have. */
  textsIn(languages: FallBacks): LanguageTexts | undefined {
    return this.#allTexts.find((texts) => texts.languages?.join() === languages?.join());
  }

  get bytes(): number {
    const parts = [this.columns, ...this.#allTexts, ...this.#dimensions, ...this.#suggested];
    return parts.reduce((sum, { bytes }) => sum + bytes, this.foldedBrands.bytes + this.priceCells.byteLength);
  }

  /** Makes room for so many products. */
  reserve(count: number): void {
    this.columns.reserve(count);
    for (const { names } of this.#allTexts) names.reserve(count);
  }

  /** All live rows, for one question. */
  live(): RowSet {
    const { isLive, count, live } = this.columns;
    return RowSet.ofBits(isLive.bits.subarray(0, (count + 31) >>> 5), live);
  }

  /** The live rows that are not among some, for one question. */
  others(rows: RowSet): RowSet {
    const known = this.#others.get(rows);
    if (known) return known;
    const others = this.live().without(rows);
    this.#others.set(rows, others);
    return others;
  }

  /** The live rows that are published by then. */
  visible(now: Date): RowSet {
    const { columns } = this;
    const isVisible = columns.visibleAt(now);
    const future = [...this.unsettled].filter((row) => !isVisible(row)).sort((one, other) => one - other);
    if (future.length === 0) return this.live();
    return this.live().without(RowSet.ofRows(Int32Array.from(future), columns.count));
  }

  /** The rows that have all terms, and those of some products, for one question. */
  match(
    { words }: LanguageTexts,
    terms: readonly SearchTerm[],
    fields: SearchedFields,
    ids: readonly number[] = [],
  ): Matches {
    const { columns } = this;
    const codeRows = ids.map((id) => columns.rowOf(id)).filter((row) => row >= 0);
    return words.match(terms, fields, { count: columns.count, codeRows });
  }

  put(product: ProductRow): void {
    const { columns } = this;
    const { id } = product;
    /** What a language does not have is said as in the tables' columns. */
    const said = this.#allTexts.map((_, place) =>
      place === 0 ? product : (product.translated?.[place - 1] ?? product),
    );
    const words = this.#allTexts.map((texts, place) => texts.words.read(said[place]?.words ?? null));
    const wordsHash = hashOfWords(words);
    const traits = this.#dimensions.map((dimensions) => dimensions.learn(product));
    const before = columns.rowOf(id);
    let row = before;
    const isSame = row >= 0 && columns.wordsHash.values[row] === wordsHash && this.#hasTraits(row, traits);
    if (row >= 0) this.#leave(row);
    if (!isSame) {
      if (row >= 0) columns.kill(row);
      row = columns.append(id);
      for (let at = 0; at < traits.length; at += 1) this.#dimensions[at]?.append(row, traits[at] as number[]);
      columns.wordsHash.values[row] = wordsHash;
      for (const [place, each] of words.entries()) this.#allTexts[place]?.words.append(row, each);
    }
    columns.write(row, product);
    this.#countPrice(row, 1);
    for (let at = 0; at < traits.length; at += 1) this.#dimensions[at]?.enter(row, traits[at] as number[]);
    if (product.publishedAt <= this.#settledAt) this.#settle(row);
    else this.unsettled.add(row);
    for (const [place, { name, nameHash }] of said.entries()) {
      this.#allTexts[place]?.names.put(id, row, before, nameHash);
      this.#allTexts[place]?.bestNames.put(product, name);
    }
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
    for (const { bestNames, names } of this.#allTexts) {
      bestNames.remove(id);
      names.unranked.delete(id);
    }
  }

  #countPrice(row: number, by: 1 | -1): void {
    const cell = priceCellOf(this.columns.price.values[row] as number);
    this.priceCells[cell] = (this.priceCells[cell] as number) + by;
  }

  #leave(row: number): void {
    this.#countPrice(row, -1);
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
    for (const { words } of this.#allTexts) words.arrange();
    for (const dimensions of this.#dimensions) dimensions.arrange(this.columns.count);
  }

  /** Takes out rows that are dead. It takes some hundred milliseconds for a million products. */
  compact(): void {
    const newRows = this.columns.renumber();
    const ofTexts = this.#allTexts.flatMap(({ words, names }) => [words, names]);
    for (const part of [...ofTexts, ...this.#dimensions, ...this.#suggested]) part.renumber(newRows);
    this.unsettled = new Set(this.unsettled.values().map((row) => newRows[row] as number));
  }
}

/** The values of a dimension as suggestions need them. Of categories, brands and tags a trait has one value, with the number of the trait. */
export class SuggestedValues {
  readonly of: Dimensions;
  /** By trait: no product that is visible to every question has sold more. */
  #most = new Int32Array(0);
  /** By trait, 1 plus the row that has sold so much; 0 where it is to be looked for. */
  #rows = new Int32Array(0);

  constructor(of: Dimensions) {
    this.of = of;
  }

  get bytes(): number {
    return this.#most.byteLength + this.#rows.byteLength;
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
  salesOf(trait: number, { columns, unsettled }: ProductIndex): number {
    if (this.salesAtMost(trait) >= 0 && this.#rows[trait] === 0) {
      this.#most[trait] = -1;
      for (const row of this.of.rowsWith([trait], columns.count).rows())
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
