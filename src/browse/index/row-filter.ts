import { isStorable } from '../../database/storable-text.ts';
import type { SearchFilter } from '../browse-engine.ts';
import type { Codes } from './codes.ts';
import { type CodeColumn, IN_STOCK, LIVE, momentOf, ON_SALE, type ProductColumns, SETTLED } from './columns.ts';
import { CHUNK } from './page-selection.ts';
import type { Postings } from './postings.ts';
import { centsOf } from './prices.ts';
import type { ProductIndex } from './product-index.ts';
import type { Candidates, Matches } from './term-matches.ts';

/** The parts of a filter that have a facet, as bits. */
export const CATEGORY = 1;
export const BRAND = 2;
const TAGS = 4;
export const PRICE = 8;
export const STOCK = 16;
export const SALE = 32;

/** A condition on rows. */
interface Step {
  /** Keeps those of some rows that meet it, in place. @returns how many are left */
  readonly keep: (rows: Int32Array, length: number) => number;
  /** Writes all rows between two that meet it: the same as to write all, and to keep some. @returns how many there are */
  readonly find?: (rows: Int32Array, begin: number, end: number) => number;
}

/** From this share of all rows on it is quicker to look at them in their order. */
const MAX_CANDIDATES_SHARE = 0.25;

const MAX_INT = 2 ** 31 - 1;

/** A filter that can be asked without one of its parts, as facets ask it. */
export class RowFilter {
  readonly #index: ProductIndex;
  readonly #matches: Matches | undefined;
  readonly #filter: SearchFilter;
  readonly #now: Date;
  /** By part, for parts that are given, apart from those of the state; the quickest to refuse most rows come first. */
  readonly #steps = new Map<number, Step>();
  readonly #publishedFrom: Step | undefined;
  /** The parts that are given. */
  readonly parts: number;

  /** @param matches of a search, where there is one */
  constructor(index: ProductIndex, filter: SearchFilter, matches: Matches | undefined, now: Date) {
    this.#index = index;
    this.#matches = matches;
    // What no text in PostgreSQL can be is no brand, and not the mark for none either.
    this.#filter = { ...filter, ...(filter.brands && { brands: filter.brands.filter(isStorable) }) };
    this.#now = now;
    const { columns } = index;
    const { minPrice, maxPrice, inStock, onSale, publishedFrom } = filter;
    const steps = this.#steps;
    if (minPrice !== undefined || maxPrice !== undefined) steps.set(PRICE, withPrice(columns, minPrice, maxPrice));
    if (filter.tags) steps.set(TAGS, withTags(index, filter.tags));
    if (filter.categoryIds) steps.set(CATEGORY, withCode(columns.category, index.categories, filter.categoryIds));
    if (this.#filter.brands) steps.set(BRAND, withCode(columns.brand, index.brands, this.#filter.brands));
    this.#publishedFrom = publishedFrom && withPublication(columns, publishedFrom);
    this.parts =
      steps.keys().reduce((sum, part) => sum | part, 0) |
      (inStock === undefined ? 0 : STOCK) |
      (onSale === undefined ? 0 : SALE);
  }

  /** Whether nothing but stock and sale decides, as for {@link Tallies}. */
  isTallied(parts: number): boolean {
    return !this.#matches && !this.#publishedFrom && (parts & ~(STOCK | SALE)) === 0;
  }

  /** Whether the bits of a row's state are as the parts want them. */
  isState(parts: number): (bits: number) => boolean {
    const { inStock, onSale } = this.#filter;
    return (bits) =>
      ((parts & STOCK) === 0 || ((bits & IN_STOCK) !== 0) === inStock) &&
      ((parts & SALE) === 0 || ((bits & ON_SALE) !== 0) === onSale);
  }

  /** Whether a row meets some parts and is visible, for conditions of which few rows are asked. */
  holds(parts: number): (row: number) => boolean {
    const isVisible = this.#index.columns.visibleAt(this.#now);
    const steps = this.#stepsOf(parts, LIVE);
    const one = new Int32Array(1);
    return (row) => {
      if (!isVisible(row)) return false;
      one[0] = row;
      return steps.every(({ keep }) => keep(one, 1) === 1);
    };
  }

  /** Calls back with all visible rows that meet some parts, at most {@link CHUNK} at a time. */
  forEachChunk(parts: number, visit: (rows: Int32Array, length: number) => void): void {
    const rows = new Int32Array(CHUNK);
    const candidates = this.#candidates(parts);
    const steps = this.#stepsOf(parts & ~(candidates?.parts ?? 0), SETTLED, candidates?.areMatches);
    const count = candidates?.length ?? this.#index.columns.count;
    const find = steps[0]?.find;
    for (let begin = 0; begin < count; begin += CHUNK) {
      const end = Math.min(begin + CHUNK, count);
      let length = end - begin;
      let at = 0;
      if (candidates) rows.set(candidates.rows.subarray(begin, end));
      else if (find) {
        length = find(rows, begin, end);
        at = 1;
      } else for (let row = begin; row < end; row += 1) rows[row - begin] = row;
      for (; at < steps.length && length > 0; at += 1) length = (steps[at] as Step).keep(rows, length);
      if (length > 0) visit(rows, length);
    }
    this.forEachUnsettled(parts, visit);
  }

  /** The same of the rows that are not settled: {@link Tallies} does not have them. */
  forEachUnsettled(parts: number, visit: (rows: Int32Array, length: number) => void): void {
    const { unsettled, columns } = this.#index;
    const { state } = columns;
    const isVisible = columns.visibleAt(this.#now);
    if (unsettled.size === 0) return;
    const rows = new Int32Array(CHUNK);
    const steps = this.#stepsOf(parts, LIVE);
    let length = 0;
    const flush = (): void => {
      for (const { keep } of steps) length = keep(rows, length);
      if (length > 0) visit(rows, length);
      length = 0;
    };
    for (const row of unsettled) {
      if (((state[row] as number) & SETTLED) !== 0 || !isVisible(row)) continue;
      rows[length++] = row;
      if (length === CHUNK) flush();
    }
    flush();
  }

  /**
   * @param bit of the state that rows must have, too
   * @param areMatches whether all rows that are asked of are known to match the search
   */
  #stepsOf(parts: number, bit: number, areMatches = false): Step[] {
    const { inStock, onSale } = this.#filter;
    const steps = this.#steps.entries().flatMap(([part, step]) => ((parts & part) === 0 ? [] : [step]));
    const mask = ((parts & STOCK) === 0 ? 0 : IN_STOCK) | ((parts & SALE) === 0 ? 0 : ON_SALE);
    const wanted = (inStock ? IN_STOCK : 0) | (onSale ? ON_SALE : 0);
    return [
      ...(this.#matches && !areMatches ? [withScore(this.#matches.scores)] : []),
      ...steps,
      ...(this.#publishedFrom ? [this.#publishedFrom] : []),
      withState(this.#index.columns, mask | bit, (wanted & mask) | bit),
    ];
  }

  /** No other row can match: the rows that a search has found, or those of some categories, some brands or a tag. Undefined where these are many. */
  #candidates(parts: number): FilterCandidates | undefined {
    const { columns, categories, brands, tags, ofCategory, ofBrand, ofTag } = this.#index;
    const filter = this.#filter;
    const wantedTags = [...new Set((parts & TAGS) === 0 ? [] : filter.tags)];
    // A row has one category and one brand, so that it is in one of their lists.
    const lists = [
      ...((parts & CATEGORY) === 0 ? [] : [listOf(ofCategory, categories, filter.categoryIds ?? [], CATEGORY)]),
      ...((parts & BRAND) === 0 ? [] : [listOf(ofBrand, brands, filter.brands ?? [], BRAND)]),
      ...wantedTags.map((tag) => listOf(ofTag, tags, [tag], wantedTags.length === 1 ? TAGS : 0)),
    ];
    const [narrowest] = lists.sort((one, other) => one.length - other.length);
    const matches = this.#matches;
    if (matches && matches.length <= (narrowest?.length ?? columns.count))
      return { ...matches, parts: 0, areMatches: true };
    if (!narrowest || narrowest.length > columns.count * MAX_CANDIDATES_SHARE) return undefined;
    return { ...rowsOf(narrowest), parts: narrowest.parts, areMatches: false };
  }
}

/** Rows, and what is known of each of them. */
interface FilterCandidates extends Candidates {
  /** The parts of the filter that they meet. */
  readonly parts: number;
  readonly areMatches: boolean;
}

interface List {
  readonly postings: Postings;
  readonly codes: readonly number[];
  /** Of rows, dead ones among them. */
  readonly length: number;
  /** The parts of the filter that its rows meet. */
  readonly parts: number;
}

const listOf = <Value extends string | number>(
  postings: Postings,
  known: Codes<Value>,
  values: readonly Value[],
  parts: number,
): List => {
  const codes = [...new Set(values.map((value) => known.find(value)))].filter((code) => code !== undefined);
  return { postings, codes, length: codes.reduce((sum, code) => sum + postings.countOf(code), 0), parts };
};

const rowsOf = ({ postings, codes, length: count }: List): Candidates => {
  const rows = new Int32Array(count);
  let length = 0;
  for (const code of codes) length = postings.read(code, rows, length);
  return { rows, length };
};

// Each row is written, and then counted or not: the processor would often predict a branch wrongly.

const withCode = <Value extends string | number>(
  { codes }: CodeColumn,
  known: Codes<Value>,
  values: readonly Value[],
): Step => {
  // 1 for the codes that are asked for.
  const wanted = new Uint8Array(known.values.length);
  for (const value of values) {
    const code = known.find(value);
    if (code !== undefined) wanted[code] = 1;
  }
  return {
    keep: (rows, length) => {
      let kept = 0;
      for (let at = 0; at < length; at += 1) {
        const row = rows[at] as number;
        rows[kept] = row;
        kept += wanted[codes[row] as number] as number;
      }
      return kept;
    },
  };
};

/** @param wanted of the bits of the mask */
const withState = ({ state }: ProductColumns, mask: number, wanted: number): Step => ({
  keep: (rows, length) => {
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      rows[kept] = row;
      kept += ((((state[row] as number) & mask) ^ wanted) - 1) >>> 31;
    }
    return kept;
  },
});

const withScore = (scores: Uint8Array): Step => ({
  keep: (rows, length) => {
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      rows[kept] = row;
      kept += -(scores[row] as number) >>> 31;
    }
    return kept;
  },
});

const withPrice = ({ price }: ProductColumns, minPrice: string | undefined, maxPrice: string | undefined): Step => {
  const { values } = price;
  const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
  const max = maxPrice === undefined ? price.greatest : centsOf(maxPrice, 'down');
  if (price.greatest <= MAX_INT) {
    // The difference of a price that is out of the range, and of no other one, is below zero.
    const least = Math.max(0, Math.min(min, MAX_INT));
    const most = min > MAX_INT ? -1 : Math.max(-1, Math.min(max, MAX_INT));
    return {
      keep: (rows, length) => {
        let kept = 0;
        for (let at = 0; at < length; at += 1) {
          const row = rows[at] as number;
          const cents = values[row] as number;
          rows[kept] = row;
          kept += 1 - (((cents - least) | (most - cents)) >>> 31);
        }
        return kept;
      },
      find: (rows, begin, end) => {
        let kept = 0;
        for (let row = begin; row < end; row += 1) {
          const cents = values[row] as number;
          rows[kept] = row;
          kept += 1 - (((cents - least) | (most - cents)) >>> 31);
        }
        return kept;
      },
    };
  }
  return {
    keep: (rows, length) => {
      let kept = 0;
      for (let at = 0; at < length; at += 1) {
        const row = rows[at] as number;
        const cents = values[row] as number;
        if (cents >= min && cents <= max) rows[kept++] = row;
      }
      return kept;
    },
  };
};

const withPublication = ({ publishedAt }: ProductColumns, time: Date): Step => {
  const from = momentOf(String(BigInt(time.getTime()) * 1000n));
  return {
    keep: (rows, length) => {
      let kept = 0;
      for (let at = 0; at < length; at += 1) {
        const row = rows[at] as number;
        if ((publishedAt[row] as number) >= from) rows[kept++] = row;
      }
      return kept;
    },
  };
};

const withTags = ({ columns, tags, ofTag, scratch }: ProductIndex, wanted: readonly string[]): Step => {
  const distinct = [...new Set(wanted)];
  /** By row, how many of the tags it has. */
  const count = (): Uint8Array => {
    const found = scratch.zeroed('tags', columns.count);
    for (const [index, tag] of distinct.entries()) {
      const code = tags.find(tag);
      if (code === undefined) continue;
      ofTag.forEach(code, (row) => {
        if (found[row] === index) found[row] = index + 1;
      });
    }
    return found;
  };
  // Where the rows are those of the tag, nobody asks.
  let counted: Uint8Array | undefined;
  return {
    keep: (rows, length) => {
      counted ??= count();
      const found = counted;
      let kept = 0;
      for (let at = 0; at < length; at += 1) {
        const row = rows[at] as number;
        rows[kept] = row;
        kept += (((found[row] as number) ^ distinct.length) - 1) >>> 31;
      }
      return kept;
    },
  };
};
