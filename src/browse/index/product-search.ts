import {
  type BrowseRequest,
  type Facet,
  type FacetCounts,
  MAX_FACET_VALUES,
  type ValueCount,
} from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { type CodeColumn, IN_STOCK, LIVE, ON_SALE, SETTLED } from './columns.ts';
import {
  ALL_PARTS,
  BRAND,
  CATEGORY,
  type Candidates,
  type Conditions,
  candidatesOf,
  conditionsOf,
  PRICE,
  SALE,
  STOCK,
  scoresOf,
  TAGS,
} from './matching.ts';
import { CHUNK, PageSelection, positionOfRow } from './page-selection.ts';
import { priceRangeOf } from './prices.ts';
import { NO_BRAND, type ProductIndex } from './product-index.ts';

/** What the index answers. In NAME_ASC positions have no name, as the index has none. */
export interface SearchReply {
  readonly items: readonly { readonly id: number; readonly position: readonly string[] }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: number;
  readonly facets: FacetCounts;
}

/**
 * In one pass over all rows.
 * @param boundaryRank where the name stands that the page continues from, in NAME_ASC
 */
export const search = (index: ProductIndex, request: BrowseRequest, boundaryRank?: number): SearchReply => {
  const { columns } = index;
  const scores = request.terms.length > 0 ? scoresOf(index, request.terms, 'all') : undefined;
  const conditions = conditionsOf(index, request.filter);
  const page = new PageSelection(columns, request, scores, boundaryRank);
  const now = request.now.getTime() * 1000;
  const counts = request.facets.size > 0 ? new FacetCounters(index, request.facets) : undefined;
  const totalCount = counts
    ? scanWithFacets(index, conditions, scores, now, page, counts)
    : scan(index, conditions, scores, now, page, candidatesOf(index, request.filter));
  const { rows, hasNextPage, hasPreviousPage } = page.finish();
  const items = rows.map((row) => ({
    id: columns.id[row] as number,
    position: positionOfRow(columns, request.order, row, scores?.[row] ?? 0),
  }));
  return { items, hasNextPage, hasPreviousPage, totalCount, facets: counts?.finish() ?? {} };
};

/** Offers the rows that match to the page. @param candidates no other row can match @returns how many match */
const scan = (
  { columns }: ProductIndex,
  { categories, brands, tags, tagCount, ...than }: Conditions,
  scores: Uint8Array | undefined,
  now: number,
  page: PageSelection,
  candidates: Candidates | undefined,
): number => {
  const { state, price, publishedAt } = columns;
  const count = candidates?.length ?? columns.count;
  const candidateRows = candidates?.rows;
  const { codes: category } = columns.category;
  const { codes: brand } = columns.brand;
  const { minPrice, maxPrice, publishedAfter } = than;
  const stateMask = than.stockMask | than.saleMask;
  const { stateWanted } = than;
  const hasPrice = minPrice > Number.NEGATIVE_INFINITY || maxPrice < Number.POSITIVE_INFINITY;
  const hasDate = publishedAfter > Number.NEGATIVE_INFINITY;
  const rows = new Int32Array(CHUNK);
  let length = 0;
  let total = 0;
  for (let each = 0; each < count; each += 1) {
    const row = candidateRows ? (candidateRows[each] as number) : each;
    const bits = state[row] as number;
    if ((bits & SETTLED) === 0 && !((bits & LIVE) !== 0 && (publishedAt[row] as number) <= now)) continue;
    if (scores !== undefined && scores[row] === 0) continue;
    if (categories !== undefined && categories[category[row] as number] === 0) continue;
    if (brands !== undefined && brands[brand[row] as number] === 0) continue;
    if ((bits & stateMask) !== stateWanted) continue;
    if (hasPrice && !((price[row] as number) >= minPrice && (price[row] as number) <= maxPrice)) continue;
    if (tags !== undefined && tags[row] !== tagCount) continue;
    if (hasDate && !((publishedAt[row] as number) > publishedAfter)) continue;
    rows[length++] = row;
    if (length === CHUNK) {
      page.offer(rows, length);
      total += length;
      length = 0;
    }
  }
  page.offer(rows, length);
  return total + length;
};

/**
 * The same, and each facet's counts without the facet's own part: a row that fails no part counts for all facets, one that fails a single
 * part for the facet of that part alone.
 */
const scanWithFacets = (
  { columns }: ProductIndex,
  { categories, brands, tags, tagCount, ...than }: Conditions,
  scores: Uint8Array | undefined,
  now: number,
  page: PageSelection,
  counts: FacetCounters,
): number => {
  const { state, price, publishedAt, count } = columns;
  const { codes: category } = columns.category;
  const { codes: brand } = columns.brand;
  const { minPrice, maxPrice, publishedAfter, stockMask, saleMask, stateWanted } = than;
  const hasPrice = minPrice > Number.NEGATIVE_INFINITY || maxPrice < Number.POSITIVE_INFINITY;
  const hasDate = publishedAfter > Number.NEGATIVE_INFINITY;
  const rows = new Int32Array(CHUNK);
  let length = 0;
  let total = 0;
  for (let row = 0; row < count; row += 1) {
    const bits = state[row] as number;
    if ((bits & SETTLED) === 0 && !((bits & LIVE) !== 0 && (publishedAt[row] as number) <= now)) continue;
    if (scores !== undefined && scores[row] === 0) continue;
    if (hasDate && !((publishedAt[row] as number) > publishedAfter)) continue;
    let failed = 0;
    if (categories !== undefined && categories[category[row] as number] === 0) failed |= CATEGORY;
    if (brands !== undefined && brands[brand[row] as number] === 0) failed |= BRAND;
    if (tags !== undefined && tags[row] !== tagCount) failed |= TAGS;
    if (hasPrice && !((price[row] as number) >= minPrice && (price[row] as number) <= maxPrice)) failed |= PRICE;
    if (((bits ^ stateWanted) & stockMask) !== 0) failed |= STOCK;
    if (((bits ^ stateWanted) & saleMask) !== 0) failed |= SALE;
    if (failed === 0) {
      rows[length++] = row;
      if (length === CHUNK) {
        page.offer(rows, length);
        counts.count(rows, length, ALL_PARTS);
        total += length;
        length = 0;
      }
    } else if ((failed & (failed - 1)) === 0) counts.add(row, failed);
  }
  page.offer(rows, length);
  counts.count(rows, length, ALL_PARTS);
  return total + length;
};

const NO_ROWS = new Int32Array(0);

interface WaitingRows {
  readonly rows: Int32Array;
  length: number;
}

/** What is counted for the facets that are asked for. */
class FacetCounters {
  readonly #index: ProductIndex;
  readonly #categories: Int32Array | undefined;
  readonly #brands: Int32Array | undefined;
  readonly #tags: Int32Array | undefined;
  readonly #prices: Int32Array | undefined;
  readonly #facets: ReadonlySet<Facet>;
  /** By part, rows that fail that part alone and are not counted yet. */
  readonly #waiting: WaitingRows[] = [];
  #priceCount = 0;
  #inStock = 0;
  #onSale = 0;

  constructor(index: ProductIndex, facets: ReadonlySet<Facet>) {
    this.#index = index;
    this.#facets = facets;
    this.#categories = facets.has('categories') ? new Int32Array(index.categories.values.length) : undefined;
    this.#brands = facets.has('brands') ? new Int32Array(index.brands.values.length) : undefined;
    this.#tags = facets.has('tags') ? new Int32Array(index.tags.values.length) : undefined;
    this.#prices = facets.has('price') ? new Int32Array(index.columns.live) : undefined;
    for (let part = 0; part <= SALE; part += 1)
      this.#waiting.push({ rows: (part & (part - 1)) === 0 ? new Int32Array(CHUNK) : NO_ROWS, length: 0 });
  }

  /** @param part the only one that the row fails */
  add(row: number, part: number): void {
    const waiting = this.#waiting[part] as WaitingRows;
    waiting.rows[waiting.length++] = row;
    if (waiting.length < CHUNK) return;
    this.count(waiting.rows, waiting.length, part);
    waiting.length = 0;
  }

  /** Counts rows for the facets of these parts. */
  count(rows: Int32Array, length: number, parts: number): void {
    const { state, category, brand } = this.#index.columns;
    if (this.#categories && (parts & CATEGORY) !== 0) countCodes(this.#categories, category.codes, rows, length);
    if (this.#brands && (parts & BRAND) !== 0) countCodes(this.#brands, brand.codes, rows, length);
    if (this.#tags && (parts & TAGS) !== 0) this.#countTags(this.#tags, rows, length);
    if (this.#prices && (parts & PRICE) !== 0) {
      this.#prices.set(rows.subarray(0, length), this.#priceCount);
      this.#priceCount += length;
    }
    if ((parts & STOCK) !== 0) this.#inStock += countBits(IN_STOCK, state, rows, length);
    if ((parts & SALE) !== 0) this.#onSale += countBits(ON_SALE, state, rows, length);
  }

  finish(): FacetCounts {
    for (const [part, { rows, length }] of this.#waiting.entries()) this.count(rows, length, part);
    const { categories, brands, tags, columns } = this.#index;
    return {
      ...(this.#categories && { categories: nonZero(this.#categories, categories.values) }),
      ...(this.#brands && { brands: mostFrequent(this.#brands, brands.values) }),
      ...(this.#tags && { tags: mostFrequent(this.#tags, tags.values) }),
      ...(this.#prices && { price: priceRangeOf(this.#prices.subarray(0, this.#priceCount), columns.price) }),
      ...(this.#facets.has('inStock') && { inStock: this.#inStock }),
      ...(this.#facets.has('onSale') && { onSale: this.#onSale }),
    };
  }

  #countTags(counts: Int32Array, rows: Int32Array, length: number): void {
    const { tagsEnd, tags } = this.#index.columns;
    const { codes } = tags;
    for (let each = 0; each < length; each += 1) {
      const row = rows[each] as number;
      const end = tagsEnd[row] as number;
      for (let at = row === 0 ? 0 : (tagsEnd[row - 1] as number); at < end; at += 1) {
        const code = codes[at] as number;
        counts[code] = (counts[code] as number) + 1;
      }
    }
  }
}

const countCodes = (counts: Int32Array, codes: CodeColumn['codes'], rows: Int32Array, length: number): void => {
  for (let at = 0; at < length; at += 1) {
    const code = codes[rows[at] as number] as number;
    counts[code] = (counts[code] as number) + 1;
  }
};

const countBits = (bit: number, state: Uint8Array, rows: Int32Array, length: number): number => {
  let count = 0;
  for (let at = 0; at < length; at += 1) if (((state[rows[at] as number] as number) & bit) !== 0) count += 1;
  return count;
};

const nonZero = <Value>(counts: Int32Array, values: readonly Value[]): ValueCount<Value>[] => {
  const found: ValueCount<Value>[] = [];
  for (const [code, count] of counts.entries()) if (count > 0) found.push({ value: values[code] as Value, count });
  return found;
};

/** Only what may be among the first is sorted by its text. */
const mostFrequent = (counts: Int32Array, values: readonly string[]): ValueCount<string>[] => {
  const least = Math.max(1, counts.length > MAX_FACET_VALUES ? (counts.toSorted().at(-MAX_FACET_VALUES - 1) ?? 0) : 1);
  const found: ValueCount<string>[] = [];
  for (const [code, count] of counts.entries()) {
    const value = values[code] as string;
    if (count >= least && value !== NO_BRAND) found.push({ value, count });
  }
  return found.sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value)).slice(0, MAX_FACET_VALUES);
};
