import type { FallBacks, SearchTerm, Suggestion, SuggestionRequest } from '../browse-engine.ts';
import { foldText, piecesOfTerm } from '../words.ts';
import type { Dimensions } from './dimension.ts';
import { NameOrder } from './names.ts';
import { PageSelection } from './order.ts';
import { RowSet } from './row-set.ts';
import { type CategoryRow, nthGreatest, type ProductColumns, type ProductRow, type Slice, withRoom } from './rows.ts';
import { Words } from './words.ts';

const BYTES_PER_LABEL = 150;

/** What the catalogue says in one language: by what products are searched, sorted by name and suggested, and what terms are called. */
export class LanguageTexts {
  /** Undefined for the language of the tables' columns. */
  readonly languages: FallBacks;
  readonly words = new Words();
  readonly names: NameOrder;
  readonly bestNames: BestNames;
  categories: readonly CategoryNode[] = [];
  tags = new FoldedTexts();
  #labels: ReadonlyMap<string, string> = new Map();

  constructor(columns: ProductColumns, languages: FallBacks, maxNames = MAX_NAMES) {
    this.languages = languages;
    this.names = new NameOrder(columns, languages);
    // A further language is to take little memory, also in a small catalogue.
    this.bestNames = new BestNames(languages ? maxNames >>> 1 : maxNames);
  }

  get bytes(): number {
    const parts = [this.words, this.names, this.bestNames, this.tags];
    return parts.reduce((sum, { bytes }) => sum + bytes, this.#labels.size * BYTES_PER_LABEL);
  }

  /** @param labels by term */
  set labels(labels: ReadonlyMap<string, string>) {
    this.#labels = labels;
    this.tags = new FoldedTexts();
  }

  /** What a tag, or the name or a value of an option or an attribute, is called. */
  readonly labelOf = (term: string): string => this.#labels.get(term) ?? term;
}

/** Texts that somebody may type, folded: the words of each with a space before and after. */
export class FoldedTexts {
  readonly #folded: string[] = [];
  /** All of them: where most of what is typed is in none, one look through one long text is enough. */
  #together = '';

  get bytes(): number {
    return this.#together.length * 4;
  }

  /** The places of the values whose text has some parts. @param values as before, with new ones behind them */
  placesWith(parts: readonly string[], values: readonly string[], textOf = (value: string): string => value): number[] {
    const folded = this.#folded;
    if (folded.length < values.length) {
      for (const value of values.slice(folded.length)) folded.push(foldText(textOf(value)));
      this.#together = folded.join('\n');
    }
    if (!hasAll(this.#together, parts)) return [];
    return [...folded.keys()].filter((place) => hasAll(folded[place] as string, parts));
  }
}

/** Whether a folded text has some parts. */
const hasAll = (folded: string, parts: readonly string[]): boolean => parts.every((part) => folded.includes(part));

/** A category with those below it. */
interface CategoryNode extends CategoryRow {
  readonly folded: string;
  /** Its id and those of all categories below it, in digits. */
  readonly subtree: readonly string[];
}

/** All categories, for suggestions. */
export const categoryNodes = (rows: readonly CategoryRow[]): CategoryNode[] => {
  const children = Map.groupBy(rows, ({ parentId }) => parentId);
  return rows.map((row) => {
    const subtree = new Set([row.id]);
    // Each is visited once, so that a circle of parents ends.
    for (const id of subtree) for (const child of children.get(id) ?? []) subtree.add(child.id);
    return { ...row, folded: foldText(row.name), subtree: [...subtree].map(String) };
  });
};

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
class BestNames {
  readonly #names = new Map<number, BestName>();
  /** Every product that has sold at least this many is here. */
  #least = Number.NEGATIVE_INFINITY;
  /** In the order of BEST_SELLING, unless some have come or gone since. */
  #sorted: BestName[] = [];
  #isSorted = true;
  readonly #maxNames: number;

  constructor(maxNames: number) {
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

  put({ id, sales, publishedAt }: ProductRow, bytes: Slice): void {
    if (sales < this.#least) {
      this.remove(id);
      return;
    }
    const known = this.#names.get(id);
    const name = String(bytes);
    const folded = known?.name === name ? known.folded : foldText(name);
    const best = { id, name, folded, sales, publishedAt };
    this.#names.set(id, best);
    this.#sorted.push(best);
    this.#isSorted = false;
    if (this.#names.size > this.#maxNames) this.#shorten();
    // Changes may come for hours without a question.
    if (this.#sorted.length > this.#maxNames * 2) this.bestFirst();
  }

  remove(id: number): void {
    if (this.#names.delete(id)) this.#isSorted = false;
  }

  /** In the order of BEST_SELLING. What is almost in order is sorted in a tenth of the time. */
  bestFirst(): readonly BestName[] {
    if (!this.#isSorted) {
      this.#sorted = this.#sorted.filter((each) => this.#names.get(each.id) === each).sort(compare);
      this.#isSorted = true;
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

const compare = (a: BestName, b: BestName): number => b.sales - a.sales || b.publishedAt - a.publishedAt || b.id - a.id;

/** The best-selling product of each trait. */
export class BestSellers {
  readonly of: Dimensions;
  readonly #columns: ProductColumns;
  /** By trait, 1 plus how much a product has sold: no other has sold more. 0 where there is none. */
  #most = new Int32Array(0);
  /** By trait, the row that had sold so much. */
  #rows = new Int32Array(0);

  constructor(of: Dimensions, columns: ProductColumns) {
    this.of = of;
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
    const rows = this.of.rows.read(trait);
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

  /** Rows that are gone sell nothing: what they had sold is more than any row has. */
  renumber(newRows: Int32Array): void {
    for (const [trait, row] of this.#rows.entries()) this.#rows[trait] = newRows[row] as number;
  }
}

type SuggestionAsked = Omit<SuggestionRequest, 'limit'> & { readonly maxProducts: number };

interface SuggestedProduct {
  readonly id: number;
  readonly sales: number;
  /** Undefined where the index does not have it. */
  readonly name?: string;
}

export interface Suggested {
  /** In the order of BEST_SELLING. */
  readonly products: readonly SuggestedProduct[];
  readonly hasMore: boolean;
  /** Categories, brands and tags, in no order. */
  readonly others: readonly Suggestion[];
}

/** What suggestions are made of: a part of the index. */
interface Suggesting {
  readonly columns: ProductColumns;
  readonly texts: LanguageTexts;
  readonly bestSellers: { readonly categories: BestSellers; readonly brands: BestSellers; readonly tags: BestSellers };
  readonly foldedBrands: FoldedTexts;
}

/** Of categories, brands and tags at least as many as of products, where there are. */
export const suggest = (index: Suggesting, asked: SuggestionAsked, texts = index.texts): Suggested => {
  const { terms, now, maxProducts } = asked;
  const { categories, brands, tags } = index.bestSellers;
  const isVisible = index.columns.visibleAt(now);
  const parts = terms.map(beginningOf);
  const bestOf = (
    kind: 'BRAND' | 'TAG',
    sellers: BestSellers,
    found: readonly number[],
    textOf = (trait: string): string => trait,
  ): Suggestion[] => {
    const sold = found.map((trait) => sellers.salesOf(trait, isVisible));
    const least = Math.max(0, nthGreatest(sold, maxProducts));
    return found.flatMap((trait, at) => {
      const sales = sold[at] as number;
      return sales < least ? [] : [{ kind, id: 0, text: textOf(sellers.of.traits[trait] as string), sales }];
    });
  };
  return {
    ...productsOf(index, texts, asked, parts),
    others: [
      ...texts.categories.flatMap(({ id, name, folded, subtree }): Suggestion[] => {
        if (!hasAll(folded, parts)) return [];
        const traits = categories.of.traitsWith({ name: '', values: subtree });
        const sales = Math.max(-1, ...traits.map((trait) => categories.salesOf(trait, isVisible)));
        return sales < 0 ? [] : [{ kind: 'CATEGORY', text: name, sales, id }];
      }),
      ...bestOf('BRAND', brands, index.foldedBrands.placesWith(parts, brands.of.traits)),
      ...bestOf('TAG', tags, texts.tags.placesWith(parts, tags.of.traits, texts.labelOf), texts.labelOf),
    ],
  };
};

/** As a name has the term, folded: with a space before and after each word. */
const beginningOf = (term: SearchTerm): string =>
  term.isPrefix ? ` ${term.text}` : ` ${piecesOfTerm(term).join(' ')} `;

/** From the names of the best sellers, or else from the words of all names. */
const productsOf = (
  { columns }: Suggesting,
  { words, names, bestNames }: LanguageTexts,
  { terms, now, maxProducts }: SuggestionAsked,
  parts: readonly string[],
): Pick<Suggested, 'products' | 'hasMore'> => {
  const isVisible = columns.visibleAt(now);
  // Where so many are not to be expected among the best sellers, they are not looked through in vain.
  const expected = (words.countAtMost(terms, 'names') / columns.live) * bestNames.size;
  if (bestNames.isWhole || expected >= maxProducts) {
    const products: SuggestedProduct[] = [];
    for (const { id, name, folded, sales } of bestNames.bestFirst()) {
      if (!hasAll(folded, parts) || !isVisible(columns.rowOf(id))) continue;
      if (products.length === maxProducts) return { products, hasMore: true };
      products.push({ id, sales, name });
    }
    if (bestNames.isWhole) return { products, hasMore: false };
  }
  const matches = RowSet.ofRows(words.match(terms, 'names', columns.count).rows, columns.count);
  const page = { from: 'start', size: maxProducts } as const;
  const selection = new PageSelection(columns, names.rank, { order: 'BEST_SELLING', page });
  selection.offer(matches.filter(isVisible));
  const { rows, hasNextPage } = selection.finish();
  const products = rows.map((row) => ({
    id: columns.id.values[row] as number,
    sales: columns.sales.values[row] as number,
  }));
  return { products, hasMore: hasNextPage };
};
