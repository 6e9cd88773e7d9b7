import { isStorable } from '../../database/storable-text.ts';
import type { SearchFilter } from '../browse-engine.ts';
import { IN_STOCK, LIVE, ON_SALE, SETTLED } from './columns.ts';
import { centsOf, momentOf } from './exact-numbers.ts';
import { type FacetValues, STOCK_AND_SALE } from './facet-values.ts';
import { CHUNK } from './page-selection.ts';
import type { ProductIndex } from './product-index.ts';
import type { Candidates, Matches } from './term-matches.ts';

/** The parts of a filter that have a facet, as bits. */
export const CATEGORY = 1;
export const BRAND = 2;
const TAGS = 4;
export const PRICE = 8;
export const STOCK = 16;
export const SALE = 32;

/** A condition: keeps those of some rows that meet it, in place. @returns how many are left */
type Keep = (rows: Int32Array, length: number) => number;

/** From this share of all rows on it is quicker to look at them in their order. */
const MAX_CANDIDATES_SHARE = 0.25;

/** A filter that can be asked without one of its parts, as facets ask it. */
export class RowFilter {
  readonly #index: ProductIndex;
  readonly #matches: Matches | undefined;
  readonly #filter: SearchFilter;
  readonly #now: Date;
  /** By part, apart from those of the state; the quickest to refuse most rows come first. */
  readonly #conditions = new Map<number, Keep>();
  readonly #publishedFrom: Keep | undefined;
  readonly parts: number;

  constructor(index: ProductIndex, filter: SearchFilter, matches: Matches | undefined, now: Date) {
    this.#index = index;
    this.#matches = matches;
    // What no text in PostgreSQL can be is no brand, and not the mark for none either.
    this.#filter = { ...filter, ...(filter.brands && { brands: filter.brands.filter(isStorable) }) };
    this.#now = now;
    const { categories, brands, columns } = index;
    const { minPrice, maxPrice, inStock, onSale, publishedFrom, categoryIds, tags } = filter;
    const conditions = this.#conditions;
    if (minPrice !== undefined || maxPrice !== undefined) {
      const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
      const max = maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down');
      conditions.set(PRICE, within(columns.price.values, min, max));
    }
    if (tags) conditions.set(TAGS, withAll(index, tags));
    if (categoryIds) conditions.set(CATEGORY, withAny(categories, categoryIds));
    if (this.#filter.brands) conditions.set(BRAND, withAny(brands, this.#filter.brands));
    if (publishedFrom) {
      const from = momentOf(String(BigInt(publishedFrom.getTime()) * 1000n));
      this.#publishedFrom = within(columns.publishedAt.values, from, Number.POSITIVE_INFINITY);
    }
    this.parts =
      conditions.keys().reduce((sum, part) => sum | part, 0) |
      (inStock === undefined ? 0 : STOCK) |
      (onSale === undefined ? 0 : SALE);
  }

  /** Whether nothing but stock and sale decides, as tallies count them. */
  isTallied(parts: number): boolean {
    return !this.#matches && !this.#publishedFrom && (parts & ~(STOCK | SALE)) === 0;
  }

  /** The states of {@link STOCK_AND_SALE} that the parts want. */
  statesOf(parts: number): number[] {
    const { mask, wanted } = this.#state(parts);
    return STOCK_AND_SALE.filter((bits) => (bits & mask) === wanted);
  }

  /** Whether a row meets some parts and is visible, for conditions of which few rows are asked. */
  holds(parts: number): (row: number) => boolean {
    const isVisible = this.#index.columns.visibleAt(this.#now);
    const conditions = this.#conditionsOf(parts, LIVE);
    const one = new Int32Array(1);
    return (row) => {
      if (!isVisible(row)) return false;
      one[0] = row;
      return conditions.every((keep) => keep(one, 1) === 1);
    };
  }

  /** Calls back with all visible rows that meet some parts, at most {@link CHUNK} at a time. */
  forEachChunk(parts: number, visit: (rows: Int32Array, length: number) => void): void {
    const rows = new Int32Array(CHUNK);
    const candidates = this.#candidates(parts);
    const conditions = this.#conditionsOf(parts & ~(candidates?.parts ?? 0), SETTLED, candidates?.areMatches);
    const count = candidates?.length ?? this.#index.columns.count;
    for (let begin = 0; begin < count; begin += CHUNK) {
      const end = Math.min(begin + CHUNK, count);
      let length = end - begin;
      if (candidates) rows.set(candidates.rows.subarray(begin, end));
      else for (let row = begin; row < end; row += 1) rows[row - begin] = row;
      for (const keep of conditions) length = length && keep(rows, length);
      if (length > 0) visit(rows, length);
    }
    this.forEachUnsettled(parts, visit);
  }

  /** The same of the rows that are not settled, which tallies do not have. */
  forEachUnsettled(parts: number, visit: (rows: Int32Array, length: number) => void): void {
    const { unsettled, columns } = this.#index;
    if (unsettled.size === 0) return;
    const isVisible = columns.visibleAt(this.#now);
    const conditions = this.#conditionsOf(parts, LIVE);
    const visible = Int32Array.from(unsettled.values().filter(isVisible));
    for (let begin = 0; begin < visible.length; begin += CHUNK) {
      const rows = visible.subarray(begin, begin + CHUNK);
      const length = conditions.reduce((left, keep) => keep(rows, left), rows.length);
      if (length > 0) visit(rows, length);
    }
  }

  #state(parts: number): { readonly mask: number; readonly wanted: number } {
    const { inStock, onSale } = this.#filter;
    const mask = ((parts & STOCK) === 0 ? 0 : IN_STOCK) | ((parts & SALE) === 0 ? 0 : ON_SALE);
    return { mask, wanted: ((inStock ? IN_STOCK : 0) | (onSale ? ON_SALE : 0)) & mask };
  }

  /** @param bit of the state that rows must have, too @param areMatches whether all rows match the search */
  #conditionsOf(parts: number, bit: number, areMatches = false): Keep[] {
    const { mask, wanted } = this.#state(parts);
    return [
      ...(this.#matches && !areMatches ? [within(this.#matches.scores, 1, Number.POSITIVE_INFINITY)] : []),
      ...this.#conditions.entries().flatMap(([part, keep]) => ((parts & part) === 0 ? [] : [keep])),
      ...(this.#publishedFrom ? [this.#publishedFrom] : []),
      withBits(this.#index.columns.state.values, mask | bit, wanted | bit),
    ];
  }

  /** No other row can match: the rows that a search has found, or those of some categories, some brands or a tag. Undefined where these are many. */
  #candidates(parts: number): FilterCandidates | undefined {
    const { columns, categories, brands, tags } = this.#index;
    const filter = this.#filter;
    const wantedTags = [...new Set((parts & TAGS) === 0 ? [] : filter.tags)];
    const lists = [
      ...((parts & CATEGORY) === 0 ? [] : [listOf(categories, filter.categoryIds ?? [], CATEGORY)]),
      ...((parts & BRAND) === 0 ? [] : [listOf(brands, filter.brands ?? [], BRAND)]),
      ...wantedTags.map((tag) => listOf(tags, [tag], wantedTags.length === 1 ? TAGS : 0)),
    ];
    const [narrowest] = lists.sort((one, other) => one.length - other.length);
    const matches = this.#matches;
    if (matches && matches.length <= (narrowest?.length ?? columns.count))
      return { ...matches, parts: 0, areMatches: true };
    if (!narrowest || narrowest.length > columns.count * MAX_CANDIDATES_SHARE) return undefined;
    const rows = new Int32Array(narrowest.length);
    let length = 0;
    for (const code of narrowest.codes) length = narrowest.of.rows.read(code, rows, length);
    return { rows, length, parts: narrowest.parts, areMatches: false };
  }
}

interface FilterCandidates extends Candidates {
  /** The parts of the filter that they meet. */
  readonly parts: number;
  readonly areMatches: boolean;
}

/** The rows of some values, dead ones among them. Of two values there must be no row that has both. */
const listOf = <Value extends string | number>(of: FacetValues<Value>, values: readonly Value[], parts: number) => {
  const codes = of.find(values);
  return { of, codes, parts, length: codes.reduce((sum, code) => sum + of.rows.countOf(code), 0) };
};

// In each loop a row is written, and then counted or not: the processor would often predict a branch wrongly.

const within =
  (values: Uint8Array | Uint32Array | Float64Array, min: number, max: number): Keep =>
  (rows, length) => {
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      const value = values[row] as number;
      rows[kept] = row;
      kept += Number(value >= min) & Number(value <= max);
    }
    return kept;
  };

const withBits =
  (values: Uint8Array, mask: number, wanted: number): Keep =>
  (rows, length) => {
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      rows[kept] = row;
      kept += Number(((values[row] as number) & mask) === wanted);
    }
    return kept;
  };

const withAny = <Value extends string | number>(of: FacetValues<Value>, values: readonly Value[]): Keep => {
  const { codes } = of;
  const wanted = new Uint8Array(of.values.length);
  for (const code of of.find(values)) wanted[code] = 1;
  return (rows, length) => {
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      rows[kept] = row;
      kept += wanted[codes[row] as number] as number;
    }
    return kept;
  };
};

const withAll = ({ columns, tags, scratch }: ProductIndex, values: readonly string[]): Keep => {
  const wanted = [...new Set(values)];
  let keep: Keep | undefined;
  // Where the rows are those of the tag, nobody asks.
  return (rows, length) => {
    if (!keep) {
      /** By row, how many of the tags it has, as far as it has all that come before. */
      const found = scratch.zeros('tags', columns.count);
      for (const [index, tag] of wanted.entries())
        for (const code of tags.find([tag]))
          tags.rows.forEach(code, (row) => {
            if (found[row] === index) found[row] = index + 1;
          });
      keep = withBits(found, 0xff, wanted.length);
    }
    return keep(rows, length);
  };
};
