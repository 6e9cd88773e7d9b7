/*
 * Suggestions: texts that have all words of what somebody types, the last one as a beginning; those first of which a product has sold most.
 *
 * Categories, brands and tags are so few that all of their texts are looked through ({@link FoldedTexts}), and of each it is known how much its best
 * product has sold ({@link BestSellers}). Products are many: the names of the best sellers are looked through ({@link BestNames}), and only where too
 * few of these have the words, the words of all names, whose products' names are then read in the database.
 */

import type { SearchTerm, Suggestion, SuggestionRequest } from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { fold, foldText, piecesOfTerm } from '../words.ts';
import type { Kind } from './dimension.ts';
import { bestSellingFirst, pageOf } from './order.ts';
import { RowSet } from './row-set.ts';
import { type CategoryRow, nthGreatest, type ProductColumns, type ProductRow, type Slice, withRoom } from './rows.ts';
import type { Words } from './words.ts';

/** The names of some products, as the database has them; undefined where it cannot be asked. */
type ReadNames = (ids: readonly number[]) => Promise<ReadonlyMap<number, string> | undefined>;

interface Wanted {
  readonly terms: readonly SearchTerm[];
  /** The terms, as a folded text has them. */
  readonly parts: readonly string[];
  /** Of each kind so many, where there are. */
  readonly count: number;
  readonly isVisible: (row: number) => boolean;
}

/** Of every dimension whose values are suggested. */
export type BestSellersOf = Readonly<Record<'categories' | 'brands' | 'tags', BestSellers>>;

/** What is suggested in one language. */
export class Suggestions {
  readonly bestNames: BestNames;
  readonly #brands = new FoldedTexts();
  #tags = new FoldedTexts();
  #categories: readonly CategoryNode[] = [];
  readonly #columns: ProductColumns;
  readonly #words: Words;
  readonly #bestSellers: BestSellersOf;

  /** @param words of the language @param maxNames so many names of best sellers are kept */
  constructor(columns: ProductColumns, words: Words, bestSellers: BestSellersOf, maxNames: number) {
    this.#columns = columns;
    this.#words = words;
    this.#bestSellers = bestSellers;
    this.bestNames = new BestNames(maxNames);
  }

  get bytes(): number {
    return this.bestNames.bytes + this.#brands.bytes + this.#tags.bytes;
  }

  set categories(rows: readonly CategoryRow[]) {
    this.#categories = categoryNodes(rows);
  }

  set labelOfTag(labelOf: (tag: string) => string) {
    this.#tags = new FoldedTexts(labelOf);
  }

  /** As {@link BrowseEngine.suggest} says. @returns undefined where too many products have the same names, or these cannot be read */
  async suggest({ terms, now, limit }: SuggestionRequest, read: ReadNames): Promise<readonly Suggestion[] | undefined> {
    const { brands, tags } = this.#bestSellers;
    const isVisible = this.#columns.visibleAt(now);
    // More than are asked for, as some products have the same name.
    const wanted = { terms, parts: terms.map(beginningOf), count: limit * 4 + 20, isVisible };
    const others = [
      ...this.#categoriesWith(wanted),
      ...bestOf('BRAND', brands, this.#brands, wanted),
      ...bestOf('TAG', tags, this.#tags, wanted),
    ];
    const products = this.#productsByNames(wanted) ?? (await this.#productsByWords(wanted, read));
    return products && merge(others, products, limit);
  }

  #categoriesWith({ parts, isVisible }: Wanted): Suggestion[] {
    const { categories } = this.#bestSellers;
    return this.#categories.flatMap(({ id, name, folded, subtree }): Suggestion[] => {
      if (!hasAll(folded, parts)) return [];
      const traits = categories.kind.traitsWith({ name: '', values: subtree });
      const sales = Math.max(-1, ...traits.map((trait) => categories.salesOf(trait, isVisible)));
      return sales < 0 ? [] : [{ kind: 'CATEGORY', text: name, sales, id }];
    });
  }

  /** Undefined where too few of the best sellers have the words. */
  #productsByNames({ terms, parts, count, isVisible }: Wanted) {
    const { bestNames } = this;
    // Where so many are not to be expected, they are not looked through in vain.
    const expected = (this.#words.countAtMost(terms, 'names') / this.#columns.live) * bestNames.size;
    if (!bestNames.isWhole && expected < count) return undefined;
    const products: Suggestion[] = [];
    for (const { id, name, folded, sales } of bestNames.bestFirst()) {
      if (!hasAll(folded, parts) || !isVisible(this.#columns.rowOf(id))) continue;
      if (products.length === count) return { products, hasMore: true };
      products.push({ kind: 'PRODUCT', text: name, sales, id });
    }
    return bestNames.isWhole ? { products, hasMore: false } : undefined;
  }

  async #productsByWords({ terms, count, isVisible }: Wanted, read: ReadNames) {
    const columns = this.#columns;
    const matches = RowSet.ofRows(this.#words.match(terms, 'names', columns.count).rows, columns.count);
    const request = { order: 'BEST_SELLING', page: { from: 'start', size: count } } as const;
    const { rows, hasNextPage } = pageOf(columns, matches.filter(isVisible), request);
    const sold = rows.map((row) => ({
      id: columns.id.values[row] as number,
      sales: columns.sales.values[row] as number,
    }));
    const names = await read(sold.map(({ id }) => id));
    const products = sold.flatMap(({ id, sales }): Suggestion[] => {
      const text = names?.get(id);
      return text === undefined ? [] : [{ kind: 'PRODUCT', text, sales, id }];
    });
    return names && { products, hasMore: hasNextPage };
  }
}

/** As a folded text has the term: with a space before and after each word. */
const beginningOf = (term: SearchTerm): string =>
  term.isPrefix ? ` ${term.text}` : ` ${piecesOfTerm(term).join(' ')} `;

/** Whether a folded text has some parts. */
const hasAll = (folded: string, parts: readonly string[]): boolean => parts.every((part) => folded.includes(part));

/** The first ones, and those that have sold as much as the last of these. */
const bestOf = (
  kind: 'BRAND' | 'TAG',
  sellers: BestSellers,
  texts: FoldedTexts,
  { parts, count, isVisible }: Wanted,
): Suggestion[] => {
  const { values } = sellers.kind.traits;
  const found = texts.placesWith(parts, values);
  const sold = found.map((trait) => sellers.salesOf(trait, isVisible));
  const least = Math.max(0, nthGreatest(sold, count));
  return found.flatMap((trait, at) => {
    const sales = sold[at] as number;
    return sales < least ? [] : [{ kind, id: 0, text: texts.textOf(values[trait] as string), sales }];
  });
};

/**
 * The first ones of all kinds, each text once.
 * @param products as BEST_SELLING sorts them
 * @returns undefined where products that were not found might come before the last
 */
const merge = (
  others: readonly Suggestion[],
  { products, hasMore }: { readonly products: readonly Suggestion[]; readonly hasMore: boolean },
  limit: number,
): readonly Suggestion[] | undefined => {
  const sorted = [...others, ...products].sort(byRank);
  // Others may come behind the last of these products.
  const known = hasMore ? sorted.slice(0, sorted.findLastIndex(({ kind }) => kind === 'PRODUCT') + 1) : sorted;
  const byText = new Map<string, Suggestion>();
  for (const suggestion of known) {
    const text = fold(suggestion.text);
    if (byText.size < limit && !byText.has(text)) byText.set(text, suggestion);
  }
  return hasMore && byText.size < limit ? undefined : [...byText.values()];
};

const KINDS: readonly Suggestion['kind'][] = ['CATEGORY', 'BRAND', 'TAG', 'PRODUCT'];

/** Equal products stay as they come. */
const byRank = (a: Suggestion, b: Suggestion): number =>
  b.sales - a.sales ||
  KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
  (a.kind === 'PRODUCT' ? 0 : compareCodePoints(a.text, b.text) || b.id - a.id);

/** Texts that somebody may type, folded: the words of each with a space before and after. */
class FoldedTexts {
  readonly textOf: (value: string) => string;
  readonly #folded: string[] = [];
  /** All of them: where most of what is typed is in none, one look through one long text is enough. */
  #together = '';

  constructor(textOf = (value: string): string => value) {
    this.textOf = textOf;
  }

  get bytes(): number {
    return this.#together.length * 4;
  }

  /** The places of the values whose text has some parts. @param values as before, with new ones behind them */
  placesWith(parts: readonly string[], values: readonly string[]): number[] {
    const folded = this.#folded;
    if (folded.length < values.length) {
      for (const value of values.slice(folded.length)) folded.push(foldText(this.textOf(value)));
      this.#together = folded.join('\n');
    }
    if (!hasAll(this.#together, parts)) return [];
    return [...folded.keys()].filter((place) => hasAll(folded[place] as string, parts));
  }
}

/** A category with those below it. */
interface CategoryNode extends CategoryRow {
  readonly folded: string;
  /** Its id and those of all categories below it, in digits. */
  readonly subtree: readonly string[];
}

const categoryNodes = (rows: readonly CategoryRow[]): CategoryNode[] => {
  const children = Map.groupBy(rows, ({ parentId }) => parentId);
  return rows.map((row) => {
    const subtree = new Set([row.id]);
    // Each is visited once, so that a circle of parents ends.
    for (const id of subtree) for (const child of children.get(id) ?? []) subtree.add(child.id);
    return { ...row, folded: foldText(row.name), subtree: [...subtree].map(String) };
  });
};

/** Of best sellers, by default. */
export const MAX_NAMES = 10_000;
const BYTES_PER_NAME = 250;

interface BestName {
  readonly id: number;
  readonly name: string;
  readonly folded: string;
  readonly sales: number;
  readonly publishedAt: number;
}

/** Where very many names have a word that begins so, the best are found after a look at some hundred of these. */
class BestNames {
  #names = new Map<number, BestName>();
  /** Every product that has sold at least this many is here. */
  #least = Number.NEGATIVE_INFINITY;
  /** In the order of BEST_SELLING; undefined where some have come or gone since. */
  #sorted: readonly BestName[] | undefined;
  readonly #maxNames: number;

  constructor(maxNames: number) {
    this.#maxNames = maxNames;
  }

  get bytes(): number {
    return this.#names.size * BYTES_PER_NAME;
  }

  get size(): number {
    return this.#names.size;
  }

  get isWhole(): boolean {
    return this.#least === Number.NEGATIVE_INFINITY;
  }

  put({ id, sales, publishedAt }: ProductRow, bytes: Slice): void {
    if (sales < this.#least) {
      this.remove(id);
      return;
    }
    const known = this.#names.get(id);
    const name = String(bytes);
    const folded = known?.name === name ? known.folded : foldText(name);
    this.#names.set(id, { id, name, folded, sales, publishedAt });
    this.#sorted = undefined;
    if (this.#names.size > this.#maxNames) this.#shorten();
  }

  remove(id: number): void {
    if (this.#names.delete(id)) this.#sorted = undefined;
  }

  /** In the order of BEST_SELLING. What is almost in order, as after some changes, is sorted in a tenth of the time. */
  bestFirst(): readonly BestName[] {
    if (!this.#sorted) {
      this.#sorted = [...this.#names.values()].sort(bestSellingFirst);
      this.#names = new Map(this.#sorted.map((each) => [each.id, each]));
    }
    return this.#sorted;
  }

  /** Equal sales are kept or left out together, so that there may be none where all products have sold as much. */
  #shorten(): void {
    const sorted = this.bestFirst();
    this.#least = (sorted[this.#maxNames >>> 1] as BestName).sales + 1;
    for (const { id, sales } of sorted) if (sales < this.#least) this.remove(id);
  }
}

/** The best-selling product of each trait. */
export class BestSellers {
  readonly kind: Kind;
  readonly #columns: ProductColumns;
  /** By trait, 1 plus how much a product has sold: no other has sold more. 0 where there is none. */
  #most = new Uint32Array(0);
  /** By trait, the row that had sold so much. */
  #rows = new Int32Array(0);

  constructor(kind: Kind, columns: ProductColumns) {
    this.kind = kind;
    this.#columns = columns;
  }

  get bytes(): number {
    return this.#most.byteLength + this.#rows.byteLength;
  }

  offer(row: number, traits: readonly number[], sales: number): void {
    for (const trait of traits) {
      if (sales + 1 < (this.#most[trait] ?? 0)) continue;
      this.#most = withRoom(this.#most, trait + 1);
      this.#rows = withRoom(this.#rows, trait + 1);
      this.#most[trait] = sales + 1;
      this.#rows[trait] = row;
    }
  }

  /** The sales of the best-selling visible product of the trait; -1 where there is none. */
  salesOf(trait: number, isVisible: (row: number) => boolean): number {
    const { isLive, sales } = this.#columns;
    const known = (this.#most[trait] ?? 0) - 1;
    if (known < 0) return known;
    const best = this.#rows[trait] as number;
    if (isVisible(best) && sales.values[best] === known) return known;
    // That product has gone, or has sold less than it had, or is not published.
    let [most, mostVisible] = [-1, -1];
    const rows = this.kind.rows.read(trait);
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] as number;
      const sold = sales.values[row] as number;
      if (sold <= mostVisible || !isLive.has(row)) continue;
      if (isVisible(row)) mostVisible = sold;
      if (sold <= most) continue;
      most = sold;
      this.#rows[trait] = row;
    }
    this.#most[trait] = most + 1;
    return mostVisible;
  }

  /** Rows that are gone, now or before, sell nothing: what they had sold is more than any row has. */
  renumber(newRows: Int32Array): void {
    for (const [trait, row] of this.#rows.entries()) this.#rows[trait] = newRows[row] ?? -1;
  }
}
