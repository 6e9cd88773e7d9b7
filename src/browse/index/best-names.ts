import { foldText } from '../words.ts';
import { countBefore } from './columns.ts';
import type { ProductRow } from './product-index.ts';

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
    this.#sorted?.splice(this.#placeOf(best), 0, best);
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
    this.#sorted?.splice(this.#placeOf(known), 1);
  }

  /** Where a name stands, or would stand, among the sorted ones: to sort all again after each change takes milliseconds. */
  #placeOf(name: BestName): number {
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
