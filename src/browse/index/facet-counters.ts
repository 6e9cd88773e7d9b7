import { type Facet, type FacetCounts, MAX_FACET_VALUES, type ValueCount } from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { type CodeColumn, IN_STOCK, ON_SALE } from './columns.ts';
import { PriceCounter } from './prices.ts';
import { NO_BRAND, type ProductIndex } from './product-index.ts';
import type { Tallies } from './tallies.ts';

/** What is counted for the facets that are asked for. */
export class FacetCounters {
  readonly #index: ProductIndex;
  readonly #categories: Int32Array | undefined;
  readonly #brands: Int32Array | undefined;
  readonly #tags: Int32Array | undefined;
  readonly #prices: PriceCounter | undefined;
  readonly #facets: ReadonlySet<Facet>;
  #inStock = 0;
  #onSale = 0;

  constructor(index: ProductIndex, facets: ReadonlySet<Facet>) {
    this.#index = index;
    this.#facets = facets;
    this.#categories = facets.has('categories') ? new Int32Array(index.categories.values.length) : undefined;
    this.#brands = facets.has('brands') ? new Int32Array(index.brands.values.length) : undefined;
    this.#tags = facets.has('tags') ? new Int32Array(index.tags.values.length) : undefined;
    this.#prices = facets.has('price') ? new PriceCounter(index) : undefined;
  }

  count(rows: Int32Array, length: number): void {
    const { state, category, brand } = this.#index.columns;
    if (this.#categories) countCodes(this.#categories, category.codes, rows, length);
    if (this.#brands) countCodes(this.#brands, brand.codes, rows, length);
    if (this.#tags) this.#countTags(this.#tags, rows, length);
    this.#prices?.add(rows, length);
    if (this.#facets.has('inStock')) this.#inStock += countBits(IN_STOCK, state, rows, length);
    if (this.#facets.has('onSale')) this.#onSale += countBits(ON_SALE, state, rows, length);
  }

  /** Counts all settled products whose state is wanted; prices have no tallies. */
  addTallies(tallies: Tallies, isWanted: (bits: number) => boolean): void {
    if (this.#categories) tallies.addTo(this.#categories, 'categories', isWanted);
    if (this.#brands) tallies.addTo(this.#brands, 'brands', isWanted);
    if (this.#tags) tallies.addTo(this.#tags, 'tags', isWanted);
    this.#inStock += tallies.total((bits) => (bits & IN_STOCK) !== 0 && isWanted(bits));
    this.#onSale += tallies.total((bits) => (bits & ON_SALE) !== 0 && isWanted(bits));
  }

  finish(): FacetCounts {
    const { categories, brands, tags } = this.#index;
    return {
      ...(this.#categories && { categories: nonZero(this.#categories, categories.values) }),
      ...(this.#brands && { brands: mostFrequent(this.#brands, brands.values) }),
      ...(this.#tags && { tags: mostFrequent(this.#tags, tags.values) }),
      ...(this.#prices && { price: this.#prices.finish() }),
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
  for (let at = 0; at < length; at += 1) count += -((state[rows[at] as number] as number) & bit) >>> 31;
  return count;
};

const nonZero = <Value>(counts: Int32Array, values: readonly Value[]): ValueCount<Value>[] => {
  const found: ValueCount<Value>[] = [];
  for (let code = 0; code < counts.length; code += 1) {
    const count = counts[code] as number;
    if (count > 0) found.push({ value: values[code] as Value, count });
  }
  return found;
};

/** Only what may be among the first is sorted by its text. */
const mostFrequent = (counts: Int32Array, values: readonly string[]): ValueCount<string>[] => {
  const least = Math.max(1, counts.length > MAX_FACET_VALUES ? (counts.toSorted().at(-MAX_FACET_VALUES - 1) ?? 0) : 1);
  const found: ValueCount<string>[] = [];
  for (let code = 0; code < counts.length; code += 1) {
    const count = counts[code] as number;
    const value = values[code] as string;
    if (count >= least && value !== NO_BRAND) found.push({ value, count });
  }
  return found.sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value)).slice(0, MAX_FACET_VALUES);
};
