import { isStorable } from '../../database/storable-text.ts';
import type { Facet, SearchFilter } from '../browse-engine.ts';
import { collect, IN_STOCK, LIVE, ON_SALE } from './columns.ts';
import { centsOf, momentOf } from './exact-numbers.ts';
import { STOCK_AND_SALE } from './facet-values.ts';
import type { Fitting } from './named-values.ts';
import type { Postings } from './postings.ts';
import type { ProductIndex } from './product-index.ts';
import type { Codes } from './row-lists.ts';
import type { Matches } from './term-matches.ts';

/** A part of a filter that has a facet: of attributes and options, that of one name. In a facet without a name: all those that are not filtered. */
export interface FacetPart {
  readonly facet: Facet;
  readonly name?: string | undefined;
}

type LeftOut = FacetPart | undefined;

/** Where fewer of all rows are in a list of several values, it is quicker to write them first than to look at all rows. */
const MAX_RARE_SHARE = 1 / 16;

interface Condition {
  /** What leaves it out; undefined where nothing does. */
  readonly part: LeftOut;
  readonly values: Uint32Array | Float64Array;
  readonly min: number;
  readonly max: number;
}

/** Of the state of a row, and how it is wanted: 0, or the bit itself. */
interface WantedBit {
  readonly part: LeftOut;
  readonly bit: number;
  readonly wanted: number;
}

const IS_LIVE: WantedBit = { part: undefined, bit: LIVE, wanted: LIVE };

/** The rows that have one of some values; of options in whatever variant. */
interface ValueList {
  readonly part: LeftOut;
  readonly postings: Postings;
  readonly codes: readonly number[];
  /** Rows that have several of the values are counted several times. */
  readonly length: number;
  /** By row, 1 plus the code that it has, where it is known that it has no other one that might be wanted. */
  readonly column: Codes | undefined;
}

/** A filter that can be asked without one of its parts, as facets ask it. */
export class RowFilter {
  readonly #index: ProductIndex;
  readonly #matches: Matches | undefined;
  readonly #filter: SearchFilter;
  readonly #now: Date;
  readonly #lists: readonly ValueList[];
  /** Where there are several filters by options, what has a variant that meets them all. */
  readonly #variants: ValueList | undefined;
  /** Apart from lists, the state and variants. */
  readonly #conditions: readonly Condition[];
  readonly #parts = new Map<string, FacetPart>();

  constructor(index: ProductIndex, filter: SearchFilter, matches: Matches | undefined, now: Date) {
    this.#index = index;
    this.#matches = matches;
    this.#filter = filter;
    this.#now = now;
    const { categories, brands, tags, attributes, options, columns } = index;
    const { minPrice, maxPrice, publishedFrom } = filter;
    const lists: ValueList[] = [];
    const addList = (...list: Parameters<typeof listOf>): void => void lists.push(listOf(...list));
    for (const tag of new Set(filter.tags)) addList(tags.rows, tags.find([tag]));
    if (filter.categoryIds) {
      const codes = categories.find(filter.categoryIds);
      addList(categories.rows, codes, { facet: 'categories' }, categories.ofRows.columnAt(0));
    }
    if (filter.brands) {
      // What no text in PostgreSQL can be is no brand, and not the mark for none either.
      const codes = brands.find(filter.brands.filter(isStorable));
      addList(brands.rows, codes, { facet: 'brands' }, brands.ofRows.columnAt(0));
    }
    for (const wanted of filter.attributes ?? []) {
      const part = { facet: 'attributes', name: wanted.name } as const;
      addList(attributes.rows, attributes.find(wanted), part, attributes.columnOf(wanted.name));
    }
    for (const wanted of filter.options ?? [])
      addList(options.rows, options.find(wanted), { facet: 'options', name: wanted.name });
    this.#lists = lists;
    if (filter.options && filter.options.length > 1)
      this.#variants = listOf(options.rowsOfTexts, options.textsOf(this.fittingVariants()), { facet: 'options' });
    const conditions: Condition[] = [];
    if (minPrice !== undefined || maxPrice !== undefined) {
      const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
      const max = maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down');
      conditions.push({ part: { facet: 'price' }, values: columns.price.values, min, max });
    }
    if (publishedFrom) {
      const from = momentOf(String(BigInt(publishedFrom.getTime()) * 1000n));
      conditions.push({
        part: undefined,
        values: columns.publishedAt.values,
        min: from,
        max: Number.POSITIVE_INFINITY,
      });
    }
    this.#conditions = conditions;
  }

  /** The parts of a facet that are counted apart, as each leaves out another part of the filter. */
  partsOf(facet: Facet): FacetPart[] {
    if (facet !== 'attributes' && facet !== 'options') return [{ facet }];
    const names = new Set(this.#filter[facet]?.map(({ name }) => name));
    return [{ facet }, ...names.values().map((name) => ({ facet, name }))];
  }

  /** What is left out where a facet is counted, the same object for the same part; undefined where all of the filter holds. */
  leftOutBy({ facet, name }: FacetPart): LeftOut {
    const { inStock, onSale } = this.#filter;
    // Of products in stock there are as many without the part that wants these as with it.
    const isPart =
      facet === 'inStock'
        ? inStock === false
        : facet === 'onSale'
          ? onSale === false
          : name !== undefined ||
            this.#listsAndConditions.some(({ part }) => part?.facet === facet && part.name === undefined);
    if (!isPart) return undefined;
    const key = `${facet}:${name}`;
    const part = this.#parts.get(key) ?? { facet, name };
    this.#parts.set(key, part);
    return part;
  }

  get #listsAndConditions(): readonly { readonly part: LeftOut }[] {
    return [...this.#lists, ...this.#conditions];
  }

  /** Whether a name is of a facet: of one without a name all those that are not filtered. */
  hasName({ facet, name }: FacetPart & { readonly facet: 'attributes' | 'options' }): (each: string) => boolean {
    const filtered = this.#filter[facet]?.map((each) => each.name) ?? [];
    return (each) => (name === undefined ? !filtered.includes(each) : each === name);
  }

  /** The variants that count in a facet of options. */
  fittingVariants(without?: string): Fitting {
    const { options = [], inStock } = this.#filter;
    return this.#index.options.fitting(options, inStock === true, without);
  }

  /** Of some rows those of which a variant that fits is in stock; undefined where those are all that are in stock. */
  countWithVariantInStock(rows: Int32Array, length: number): number | undefined {
    const { options = [], inStock } = this.#filter;
    if (options.length === 0 || inStock === true) return undefined;
    return this.#index.options.keep(this.#index.options.fitting(options, true), rows.slice(0, length), length);
  }

  /** Whether nothing but stock and sale decides, as tallies count them. */
  isTallied(without?: LeftOut): boolean {
    return !this.#matches && this.#listsAndConditions.every(({ part }) => isLeftOut(part, without));
  }

  /** Whether a facet can be counted by tallies. Those of options do not say which products that are out of stock have a value. */
  areKept(facet: Facet): boolean {
    return facet !== 'price' && (facet !== 'options' || this.#filter.inStock !== false);
  }

  /** The states of {@link STOCK_AND_SALE} that are wanted. */
  statesOf(without?: LeftOut): number[] {
    const states = this.#states().filter(({ part }) => !isLeftOut(part, without));
    return STOCK_AND_SALE.filter((bits) => states.every(({ bit, wanted }) => (bits & bit) === wanted));
  }

  /** Whether a row is visible and of a state that is wanted. */
  hasState(without?: LeftOut): (row: number) => boolean {
    const isVisible = this.#index.columns.visibleAt(this.#now);
    const { values: state } = this.#index.columns.state;
    const wanted = new Set(this.statesOf(without));
    return (row) => wanted.has((state[row] as number) & (IN_STOCK | ON_SALE)) && isVisible(row);
  }

  /**
   * All visible rows that meet the filter without a part, in memory that the next ones take; without a part of options some more, none of whose variants fits.
   * @param among the rows that are looked at: by default all
   */
  rowsOf(without: LeftOut, among?: Iterable<number>): Int32Array {
    const { columns, scratch, unsettled, options } = this.#index;
    const { count, state, publishedAt } = columns;
    const isAsked = ({ part }: { readonly part: LeftOut }): boolean => !isLeftOut(part, without);
    const lists = this.#lists.filter(isAsked);
    if (this.#variants && without?.facet !== 'options') lists.push(this.#variants);
    lists.sort((one, other) => one.length - other.length);
    const conditions = this.#conditions.filter(isAsked);
    const rows = scratch.like('found', NO_ROWS, count);
    const wanted = [IS_LIVE, ...this.#states().filter(isAsked)];
    const states = Uint8Array.from({ length: 256 }, (_, byte) =>
      Number(wanted.every(({ bit, wanted }) => (byte & bit) === wanted)),
    );
    const matches = this.#matches;
    const isSearch = matches !== undefined && matches.length <= (lists[0]?.length ?? count);
    let length = 0;
    /** Whether rows are written, so that no others are looked at. */
    let isBegun = among !== undefined || isSearch;
    if (among) for (const row of among) rows[length++] = row;
    else if (isSearch) {
      rows.set(matches.rows.subarray(0, matches.length));
      length = matches.length;
    }
    for (const { part, postings, codes, column, length: most } of lists) {
      // Where few rows are left, it is enough that their variants are looked at.
      if (isBegun && part?.facet === 'options') continue;
      if (!isBegun && codes.length === 1) length = postings.read(codes[0] as number, rows, 0);
      else if (column && (isBegun || most >= count * MAX_RARE_SHARE)) {
        const wantedCodes = new Uint8Array(postings.lists + 1);
        for (const code of codes) wantedCodes[code + 1] = 1;
        length = isBegun
          ? withCodes(column, wantedCodes, rows, length)
          : allWithCodes(column, wantedCodes, rows, count);
      } else {
        const marks = scratch.zeros('marks', count);
        for (const code of codes) postings.mark(code, 1, marks);
        length = isBegun ? withBytes(marks, IS_MARKED, rows, length) : collect(marks, count, rows);
      }
      isBegun = true;
    }
    for (const { values, min, max } of conditions) {
      length = isBegun ? within(values, min, max, rows, length) : allWithin(values, min, max, rows, count);
      isBegun = true;
    }
    length = isBegun ? withBytes(state.values, states, rows, length) : allWithBytes(state.values, states, rows, count);
    if (matches && (among || !isSearch)) length = within(matches.scores, 1, Number.POSITIVE_INFINITY, rows, length);
    if (unsettled.size > 0)
      length = within(publishedAt.values, Number.NEGATIVE_INFINITY, this.#now.getTime() * 1000, rows, length);
    // A facet of options looks at the variants of each row itself.
    if (this.#filter.options?.length && without?.facet !== 'options')
      length = options.keep(this.fittingVariants(), rows, length);
    return rows.subarray(0, length);
  }

  #states(): WantedBit[] {
    const wantedOf = (facet: 'inStock' | 'onSale', bit: number): WantedBit[] =>
      this.#filter[facet] === undefined ? [] : [{ part: { facet }, bit, wanted: this.#filter[facet] ? bit : 0 }];
    return [...wantedOf('inStock', IN_STOCK), ...wantedOf('onSale', ON_SALE)];
  }
}

const NO_ROWS = new Int32Array(0);
/** By the byte of a row. */
const IS_MARKED = Uint8Array.of(0, 1);

const listOf = (postings: Postings, codes: readonly number[], part?: FacetPart, column?: Codes): ValueList => {
  const length = codes.reduce((sum, code) => sum + postings.countOf(code), 0);
  return { part, postings, codes, length, column };
};

const isLeftOut = (part: FacetPart | undefined, by: LeftOut): boolean =>
  part !== undefined && part.facet === by?.facet && part.name === by.name;

/*
 * What is kept of some rows, in place, or of all. In each loop a row is written, and then counted or not: the processor would often predict a branch wrongly.
 * A loop that reads a second array for each of all rows takes twice as long. One function for arrays of bytes and of codes takes V8 10 % longer.
 */

const withBytes = (values: Uint8Array, wanted: Uint8Array, rows: Int32Array, length: number): number => {
  let kept = 0;
  for (let at = 0; at < length; at += 1) {
    const row = rows[at] as number;
    rows[kept] = row;
    kept += wanted[values[row] as number] as number;
  }
  return kept;
};

const withCodes = (values: Codes, wanted: Uint8Array, rows: Int32Array, length: number): number => {
  let kept = 0;
  for (let at = 0; at < length; at += 1) {
    const row = rows[at] as number;
    rows[kept] = row;
    kept += wanted[values[row] as number] as number;
  }
  return kept;
};

const within = (
  values: Uint8Array | Uint32Array | Float64Array,
  min: number,
  max: number,
  rows: Int32Array,
  length: number,
): number => {
  let kept = 0;
  for (let at = 0; at < length; at += 1) {
    const row = rows[at] as number;
    const value = values[row] as number;
    rows[kept] = row;
    kept += Number(value >= min) & Number(value <= max);
  }
  return kept;
};

const allWithBytes = (values: Uint8Array, wanted: Uint8Array, rows: Int32Array, count: number): number => {
  let kept = 0;
  for (let row = 0; row < count; row += 1) {
    rows[kept] = row;
    kept += wanted[values[row] as number] as number;
  }
  return kept;
};

const allWithCodes = (values: Codes, wanted: Uint8Array, rows: Int32Array, count: number): number => {
  let kept = 0;
  for (let row = 0; row < count; row += 1) {
    rows[kept] = row;
    kept += wanted[values[row] as number] as number;
  }
  return kept;
};

const allWithin = (
  values: Uint32Array | Float64Array,
  min: number,
  max: number,
  rows: Int32Array,
  count: number,
): number => {
  let kept = 0;
  for (let row = 0; row < count; row += 1) {
    const value = values[row] as number;
    rows[kept] = row;
    kept += Number(value >= min) & Number(value <= max);
  }
  return kept;
};
