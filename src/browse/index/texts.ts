import type { FallBacks } from '../browse-engine.ts';
import { foldText } from '../words.ts';
import { NameOrder } from './names.ts';
import { type CategoryRow, countBefore, type ProductRow, type Slice } from './rows.ts';
import { Words } from './words.ts';

const BYTES_PER_LABEL = 150;

/** What the catalogue says in one language: by what products are searched, sorted by name and suggested, and what terms are called. */
export class LanguageTexts {
  /** Undefined for the language of the tables' columns. */
  readonly languages: FallBacks;
  readonly words = new Words();
  readonly names = new NameOrder();
  readonly bestNames: BestNames;
  categories = new SuggestedCategories([]);
  tags = new FoldedTexts();
  #labels: ReadonlyMap<string, string> = new Map();

  constructor(languages: FallBacks, maxNames = MAX_NAMES) {
    this.languages = languages;
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
    if (!parts.every((part) => this.#together.includes(part))) return [];
    return [...folded.keys()].filter((place) => parts.every((part) => folded[place]?.includes(part)));
  }
}

/** A category with those below it. */
interface CategoryNode extends CategoryRow {
  readonly folded: string;
  /** Its id and those of all categories below it, in digits. */
  readonly subtree: readonly string[];
}

/** All categories, for suggestions. */
export class SuggestedCategories {
  readonly all: readonly CategoryNode[];

  constructor(rows: readonly CategoryRow[]) {
    const children = Map.groupBy(rows, ({ parentId }) => parentId);
    this.all = rows.map((row) => {
      const subtree = new Set([row.id]);
      // Each is visited once, so that a circle of parents ends.
      for (const id of subtree) for (const child of children.get(id) ?? []) subtree.add(child.id);
      return { ...row, folded: foldText(row.name), subtree: [...subtree].map(String) };
    });
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
