import type { FallBacks } from '../browse-engine.ts';
import { PRICE_CELLS, priceCellOf } from '../price-bands.ts';
import { attributes, type Dimensions, options, values } from './dimension.ts';
import { RowSet } from './row-set.ts';
import { ProductColumns, type ProductRow } from './rows.ts';
import { BestSellers, FoldedTexts, LanguageTexts } from './texts.ts';
import { hashOfProduct } from './words.ts';

/** What was published longer ago than this is visible to every question. */
const SETTLED_AFTER_US = 60_000_000;

/** Dead rows are closed up once they are this share of all, and at least so many. */
const MAX_DEAD_SHARE = 0.15;
const MIN_DEAD = 2000;

/** All products on sale, as rows: their columns, their dimensions, and their texts in each language. */
export class ProductIndex {
  readonly columns = new ProductColumns();
  readonly categories = values(({ category }) => [category]);
  readonly brands = values(({ brand }) => (brand === null ? [] : [brand]));
  readonly tags = values(({ tags }) => tags);
  readonly attributes = attributes();
  readonly options = options();
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
  readonly bestSellers = {
    categories: new BestSellers(this.categories, this.columns),
    brands: new BestSellers(this.brands, this.columns),
    tags: new BestSellers(this.tags, this.columns),
  };
  readonly foldedBrands = new FoldedTexts();
  readonly #bestSellers = Object.values(this.bestSellers);
  /** Until then, in microseconds since 1970, what is published is visible to every question. */
  #settledUs: number;
  /** Live rows that were published later when they were looked at last. */
  #unsettled = new Set<number>();
  /** How many live rows have a price of each cell. */
  readonly priceCells = new Int32Array(PRICE_CELLS);

  /** @param languages besides that of the tables' columns @param nowUs the database's time */
  constructor(languages: readonly FallBacks[], nowUs: number, maxNames?: number) {
    this.texts = new LanguageTexts(this.columns, undefined, maxNames);
    this.#allTexts = [this.texts, ...languages.map((each) => new LanguageTexts(this.columns, each, maxNames))];
    this.#settledUs = nowUs - SETTLED_AFTER_US;
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
    const parts = [this.columns, ...this.#allTexts, ...this.#dimensions, ...this.#bestSellers];
    return parts.reduce((sum, { bytes }) => sum + bytes, this.foldedBrands.bytes + this.priceCells.byteLength);
  }

  /** All live rows, for one question. */
  live(): RowSet {
    const { isLive, count, live } = this.columns;
    return RowSet.ofBits(isLive.bits.subarray(0, (count + 31) >>> 5), live);
  }

  /** The live rows that are published by then. */
  visible(now: Date): RowSet {
    const { columns } = this;
    const isVisible = columns.visibleAt(now);
    // Other questions ask for a little earlier or later.
    this.#settledUs = Math.max(this.#settledUs, now.getTime() * 1000 - SETTLED_AFTER_US);
    const future: number[] = [];
    for (const row of this.#unsettled)
      if ((columns.publishedAt.values[row] as number) <= this.#settledUs) this.#unsettled.delete(row);
      else if (!isVisible(row)) future.push(row);
    if (future.length === 0) return this.live();
    return this.live().without(RowSet.ofRows(Int32Array.from(future).sort(), columns.count));
  }

  put(product: ProductRow): void {
    const { columns } = this;
    const { id, sales, publishedAt } = product;
    /** What a language does not have is said as in the tables' columns. */
    const said = this.#allTexts.map((_, place) =>
      place === 0 ? product : (product.translated?.[place - 1] ?? product),
    );
    const words = this.#allTexts.map((texts, place) => texts.words.read(said[place]?.words ?? null));
    const traits = this.#dimensions.map((dimensions) => dimensions.learn(product));
    const hash = hashOfProduct(words, traits);
    const before = columns.rowOf(id);
    let row = before;
    const isSame = row >= 0 && columns.hash.values[row] === hash;
    if (row >= 0) this.#leave(row);
    if (!isSame) {
      if (row >= 0) columns.kill(row);
      row = columns.append(id);
      for (let at = 0; at < traits.length; at += 1) this.#dimensions[at]?.append(row, traits[at] as number[]);
      columns.hash.set(row, hash);
      for (const [place, each] of words.entries()) this.#allTexts[place]?.words.append(row, each);
    }
    columns.write(row, product);
    this.#countPrice(row, 1);
    for (let at = 0; at < traits.length; at += 1) this.#dimensions[at]?.enter(traits[at] as number[]);
    for (let at = 0; at < this.#bestSellers.length; at += 1)
      this.#bestSellers[at]?.offer(row, traits[at] as number[], sales);
    if (publishedAt > this.#settledUs) this.#unsettled.add(row);
    for (const [place, { name }] of said.entries()) {
      this.#allTexts[place]?.names.put(id, row, before, name);
      this.#allTexts[place]?.bestNames.put(product, name);
    }
  }

  remove(id: number): void {
    const row = this.columns.rowOf(id);
    if (row >= 0) {
      this.#leave(row);
      this.columns.kill(row);
    }
    for (const { bestNames, names } of this.#allTexts) {
      bestNames.remove(id);
      names.remove(id);
    }
  }

  #countPrice(row: number, by: 1 | -1): void {
    const cell = priceCellOf(this.columns.price.values[row] as number);
    this.priceCells[cell] = (this.priceCells[cell] as number) + by;
  }

  #leave(row: number): void {
    this.#countPrice(row, -1);
    for (const dimensions of this.#dimensions) dimensions.leave(row);
    this.#unsettled.delete(row);
  }

  get needsCompaction(): boolean {
    const { count, live } = this.columns;
    return count - live > Math.max(MIN_DEAD, count * MAX_DEAD_SHARE);
  }

  /** Gives memory back that only filling needs. */
  arrange(): void {
    for (const { words } of this.#allTexts) words.rows.arrange();
    for (const dimensions of this.#dimensions) dimensions.rows.arrange();
  }

  /** Takes out rows that are dead. It takes some hundred milliseconds for a million products. */
  compact(): void {
    const newRows = this.columns.renumber();
    const ofTexts = this.#allTexts.flatMap(({ words, names }) => [words, names]);
    for (const part of [...ofTexts, ...this.#dimensions, ...this.#bestSellers]) part.renumber(newRows);
    this.#unsettled = new Set(this.#unsettled.values().map((row) => newRows[row] as number));
  }
}
