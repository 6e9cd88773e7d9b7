import { ANY_PRODUCT, type Part, productOf, productsIn, type Table, wholeOf } from './changes.ts';

/** An answer that rests on more parts rests on all products instead. */
const MAX_PARTS = 64;

/** What the resolvers and loaders of one operation say about its answer, for the cache to know how long it holds. */
export class GatheredPolicy {
  readonly parts = new Set<Part>();

  /** Those of which the answer shows what there is at the moment: it holds until that next changes by itself. */
  readonly tables = new Set<Table>();

  maxAgeMs = Number.POSITIVE_INFINITY;
  changesMs = Number.POSITIVE_INFINITY;
  endsMs = Number.POSITIVE_INFINITY;

  /**
   * No commit that was acknowledged before this moment is missed, by `performance.now()`. Undefined where the reads must be as new as can be,
   * because a view is counted beside them.
   */
  asOfMs: number | undefined;

  /** The notices whose views the answer leaves slots for: to give it to somebody is to count them. */
  readonly views = new Set<number>();

  /** It is read where commits that are younger than this may be missing. */
  readsAsOf(ms: number): void {
    if (this.asOfMs !== undefined && ms < this.asOfMs) this.asOfMs = ms;
  }

  /** The answer shows rows of this table, whichever they are. */
  dependsOn(table: Table): void {
    this.tables.add(table);
    this.parts.add(wholeOf(table));
    if (table === 'product') this.parts.add(ANY_PRODUCT);
  }

  /** The answer shows this product, or that there is none. */
  dependsOnProduct(id: number): void {
    this.#dependsOnProducts(productOf(id));
  }

  /** The answer shows which visible products stand in this category. */
  dependsOnProductsIn(categoryId: number): void {
    this.tables.add('product');
    this.#dependsOnProducts(productsIn(categoryId));
  }

  /** The answer holds for this long at most, whatever the tables do. */
  holdsFor(ms: number): void {
    if (ms < this.maxAgeMs) this.maxAgeMs = ms;
  }

  /** The answer changes by itself at this moment, in the database's milliseconds. */
  holdsUntil(ms: number): void {
    if (ms < this.changesMs) this.changesMs = ms;
  }

  /** The answer shows something that is over from this moment on, in the database's milliseconds: no outage is a reason to show it then. */
  showsUntil(ms: number): void {
    if (ms < this.endsMs) this.endsMs = ms;
  }

  #dependsOnProducts(part: Part): void {
    this.parts.add(wholeOf('product'));
    this.parts.add(this.parts.size < MAX_PARTS ? part : ANY_PRODUCT);
  }
}
