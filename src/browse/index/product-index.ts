import type { FallBacks } from '../browse-engine.ts';
import { PRICE_CELLS, priceCellOf } from '../price-bands.ts';
import { type Kind, kindOfAttributes, kindOfOptions, plainKind } from './dimension.ts';
import { NameOrder } from './order.ts';
import { RowSet } from './row-set.ts';
import { type Flags, ProductColumns, type ProductRow } from './rows.ts';
import { BestSellers, type BestSellersOf, MAX_NAMES, Suggestions } from './suggest.ts';
import { hashOfProduct, Words } from './words.ts';

/** Dead rows are closed up once they are this share of all, and at least so many. */
const MAX_DEAD_SHARE = 0.15;
const MIN_DEAD = 2000;

/** All products on sale, as rows: their columns, their dimensions, and their texts in each language. */
export class ProductIndex {
  readonly columns = new ProductColumns();
  readonly categories = plainKind(({ category }) => [category]);
  readonly brands = plainKind(({ brand }) => (brand === null ? [] : [brand]));
  readonly tags = plainKind(({ tags }) => tags);
  readonly attributes = kindOfAttributes();
  readonly options = kindOfOptions();
  readonly #kinds: readonly Kind[] = [this.categories, this.brands, this.tags, this.attributes, this.options];
  /** For suggestions. */
  readonly #bestSellersOf = {
    categories: new BestSellers(this.categories, this.columns),
    brands: new BestSellers(this.brands, this.columns),
    tags: new BestSellers(this.tags, this.columns),
  };
  readonly #bestSellers = Object.values(this.#bestSellersOf);
  /** In the language of the tables' columns. */
  readonly texts: LanguageTexts;
  /** These, and those of the other languages. */
  readonly allTexts: readonly LanguageTexts[];
  /** How many live rows have a price of each cell. */
  readonly priceCells = new Int32Array(PRICE_CELLS);

  /** @param languages besides that of the tables' columns */
  constructor(languages: readonly FallBacks[], maxNames = MAX_NAMES) {
    const textsOf = (each: FallBacks, names: number) =>
      new LanguageTexts(this.columns, this.#bestSellersOf, each, names);
    this.texts = textsOf(undefined, maxNames);
    // A further language is to take little memory, also in a small catalogue.
    this.allTexts = [this.texts, ...languages.map((each) => textsOf(each, maxNames >>> 1))];
  }

  /** Undefined for a language that the index does not have. */
  textsIn(languages: FallBacks): LanguageTexts | undefined {
    return this.allTexts.find((texts) => texts.languages?.join() === languages?.join());
  }

  get bytes(): number {
    const parts = [this.columns, ...this.allTexts, ...this.#kinds, ...this.#bestSellers];
    return parts.reduce((sum, { bytes }) => sum + bytes, this.priceCells.byteLength);
  }

  /** All live rows, for one question. */
  live(): RowSet {
    return this.rowsWith(this.columns.isLive, this.columns.live);
  }

  /** For one question, too. @param size how many they are, where it is known */
  rowsWith({ bits }: Flags, size?: number): RowSet {
    return RowSet.ofBits(bits.subarray(0, (this.columns.count + 31) >>> 5), size);
  }

  /** The live rows that are published by then. */
  visible(now: Date): RowSet {
    const { publishedAt, count } = this.columns;
    const nowUs = now.getTime() * 1000;
    if (publishedAt.areAtMost(nowUs)) return this.live();
    return this.live().and(RowSet.ofBits(publishedAt.bitsBetween(Number.NEGATIVE_INFINITY, nowUs, count)));
  }

  put(product: ProductRow): void {
    const { columns } = this;
    const { id, sales } = product;
    // In a language that a product does not have it says what the tables' columns say, which are the first.
    const said = this.allTexts.map((_, place) => product.translated?.[place - 1] ?? product);
    const words = this.allTexts.map((texts, place) => texts.words.read(said[place]?.words ?? null));
    const traits = this.#kinds.map((kind) => kind.learn(product));
    const hash = hashOfProduct(words, traits);
    const before = columns.rowOf(id);
    let row = before;
    const isSame = row >= 0 && columns.hash.values[row] === hash;
    if (row >= 0) this.#leave(row);
    if (!isSame) {
      if (row >= 0) columns.kill(row);
      row = columns.append(id);
      for (let at = 0; at < traits.length; at += 1) this.#kinds[at]?.append(row, traits[at] as number[]);
      columns.hash.set(row, hash);
      for (const [place, each] of words.entries()) this.allTexts[place]?.words.append(row, each);
    }
    columns.write(row, product);
    this.#countPrice(row, 1);
    for (let at = 0; at < traits.length; at += 1) this.#kinds[at]?.enter(traits[at] as number[]);
    for (let at = 0; at < this.#bestSellers.length; at += 1)
      this.#bestSellers[at]?.offer(row, traits[at] as number[], sales);
    for (const [place, { name }] of said.entries()) {
      this.allTexts[place]?.names.put(id, row, before, name);
      this.allTexts[place]?.suggestions.bestNames.put(product, name);
    }
  }

  remove(id: number): void {
    const row = this.columns.rowOf(id);
    if (row >= 0) {
      this.#leave(row);
      this.columns.kill(row);
    }
    for (const { suggestions, names } of this.allTexts) {
      suggestions.bestNames.remove(id);
      names.remove(id);
    }
  }

  #countPrice(row: number, by: 1 | -1): void {
    const cell = priceCellOf(this.columns.price.values[row] as number);
    this.priceCells[cell] = (this.priceCells[cell] as number) + by;
  }

  #leave(row: number): void {
    this.#countPrice(row, -1);
    for (const kind of this.#kinds) kind.leave(row);
  }

  get needsCompaction(): boolean {
    const { count, live } = this.columns;
    return count - live > Math.max(MIN_DEAD, count * MAX_DEAD_SHARE);
  }

  /** Gives memory back that filling and changes have needed. */
  arrange(): void {
    for (const { words } of this.allTexts) words.rows.arrange();
    for (const kind of this.#kinds) kind.rows.arrange();
  }

  /** Takes out rows that are dead. It takes some hundred milliseconds for a million products. */
  compact(): void {
    const newRows = this.columns.renumber();
    const ofTexts = this.allTexts.flatMap(({ words, names }) => [words, names]);
    for (const part of [...ofTexts, ...this.#kinds, ...this.#bestSellers]) part.renumber(newRows);
    this.arrange();
  }
}

const BYTES_PER_LABEL = 150;

/** What the catalogue says in one language: by what products are searched, sorted by name and suggested, and what terms are called. */
export class LanguageTexts {
  /** Undefined for the language of the tables' columns. */
  readonly languages: FallBacks;
  readonly words = new Words();
  readonly names: NameOrder;
  readonly suggestions: Suggestions;
  #labels: ReadonlyMap<string, string> = new Map();

  constructor(columns: ProductColumns, bestSellers: BestSellersOf, languages: FallBacks, maxNames: number) {
    this.languages = languages;
    this.names = new NameOrder(columns, languages);
    this.suggestions = new Suggestions(columns, this.words, bestSellers, maxNames);
  }

  get bytes(): number {
    const parts = [this.words, this.names, this.suggestions];
    return parts.reduce((sum, { bytes }) => sum + bytes, this.#labels.size * BYTES_PER_LABEL);
  }

  /** @param labels by term */
  set labels(labels: ReadonlyMap<string, string>) {
    this.#labels = labels;
    this.suggestions.labelOfTag = this.labelOf;
  }

  /** What a tag, or the name or a value of an option or an attribute, is called. */
  readonly labelOf = (term: string): string => this.#labels.get(term) ?? term;
}
