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

/** @param rows in memory that the next ones take @param without the part of the filter that they need not meet */
export type VisitRows = (without: LeftOut, rows: Int32Array, length: number) => void;

/** Some rows, and of each a bit for each part that is left out: whether the row meets all the rest. */
interface Found {
  readonly rows: Int32Array;
  readonly bits: Uint8Array;
  length: number;
}

/** So many parts are left out, and so many lists are marked, in one pass over the rows: the bits of a byte. */
const AT_ONCE = 8;

/** Where fewer of all rows are in a list of several values, it is quicker to write them first than to look at all rows by all lists at once. */
const MAX_RARE_SHARE = 1 / 16;

/** Keeps the rows, in place, that meet a condition or all the rest. @param own bits of the parts that leave the condition out */
type Keep = (found: Found, own: number) => void;

interface Condition {
  /** What leaves it out; undefined where nothing does. */
  readonly part: LeftOut;
  readonly keep: Keep;
}

/** Of a byte that a row has, and how it is wanted: 0, or the bit itself. */
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
  /** The shortest first. */
  readonly #lists: readonly ValueList[];
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
    const addList = (postings: Postings, codes: readonly number[], part?: FacetPart, column?: Codes): void => {
      const length = codes.reduce((sum, code) => sum + postings.countOf(code), 0);
      lists.push({ part, postings, codes, length, column });
    };
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
    this.#lists = lists.sort((one, other) => one.length - other.length);
    const conditions: Condition[] = [];
    if (minPrice !== undefined || maxPrice !== undefined) {
      const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
      const max = maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down');
      conditions.push({ part: { facet: 'price' }, keep: within(columns.price.values, min, max) });
    }
    if (publishedFrom) {
      const from = momentOf(String(BigInt(publishedFrom.getTime()) * 1000n));
      conditions.push({ part: undefined, keep: within(columns.publishedAt.values, from, Number.POSITIVE_INFINITY) });
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
  fittingVariants(without: string | undefined): Fitting {
    const { options = [], inStock } = this.#filter;
    return this.#index.options.fitting(options, inStock === true, without);
  }

  /** Of some rows those of which a variant that fits is in stock; undefined where those are all that are in stock. */
  countWithVariantInStock(rows: Int32Array, length: number): number | undefined {
    const { options = [], inStock } = this.#filter;
    if (options.length === 0 || inStock === true) return undefined;
    const found = { rows: rows.slice(0, length), bits: new Uint8Array(length).fill(1), length };
    this.#index.options.keep(this.#index.options.fitting(options, true), found);
    return found.length;
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
   * For each of some parts calls back with all visible rows that meet the rest of the filter: all parts are asked for in one pass.
   * @param among the rows that are looked at: by default all
   */
  forEach(leftOut: readonly LeftOut[], visit: VisitRows, among?: Iterable<number>): void {
    for (let begin = 0; begin < leftOut.length; begin += AT_ONCE) {
      const parts = leftOut.slice(begin, begin + AT_ONCE);
      const found = this.#find(parts, among);
      const [only] = parts;
      if (parts.length === 1) visit(only, found.rows, found.length);
      else
        for (const [place, part] of parts.entries()) {
          const picked = this.#index.scratch.like('picked', found.rows, found.length);
          visit(part, picked, pick(found, place, picked));
        }
    }
  }

  #find(parts: readonly LeftOut[], among: Iterable<number> | undefined): Found {
    const { columns, scratch, unsettled, options } = this.#index;
    const { count, state, publishedAt } = columns;
    const ownOf = (of: FacetPart | undefined): number =>
      parts.reduce((own, part, place) => own | (Number(isLeftOut(of, part)) << place), 0);
    const found = {
      rows: scratch.like('found', NO_ROWS, count),
      bits: scratch.like('bits', NO_BYTES, count),
      length: 0,
    };
    const all = (1 << parts.length) - 1;
    /** By the byte of a row that has bits that are wanted, the bits of the parts that are left. */
    const bitsLeft = (asked: readonly WantedBit[]): Uint8Array =>
      Uint8Array.from({ length: 256 }, (_, byte) =>
        asked.reduce((bits, { part, bit, wanted }) => ((byte & bit) === wanted ? bits : bits & ownOf(part)), all),
      );
    const matches = this.#matches;
    const shortest = this.#lists.find(({ part }) => ownOf(part) === 0);
    const isSearch = matches !== undefined && matches.length <= (shortest?.length ?? count);
    const isRare = shortest && (shortest.codes.length === 1 || shortest.length < count * MAX_RARE_SHARE);
    /** Whose rows are written first. */
    const rare = isRare && !among && !isSearch ? shortest : undefined;
    if (among) for (const row of among) found.rows[found.length++] = row;
    else if (isSearch) {
      found.rows.set(matches.rows.subarray(0, matches.length));
      found.length = matches.length;
    } else if (rare)
      found.length =
        rare.codes.length === 1
          ? rare.postings.read(rare.codes[0] as number, found.rows, 0)
          : collect(this.#mark([rare]), count, found.rows);
    found.bits.fill(all, 0, found.length);
    let isBegun = among !== undefined || isSearch || rare !== undefined;
    const keep = (values: Uint8Array, bitsOf: Uint8Array): void => {
      if (isBegun) withBits(values, bitsOf, found);
      else allWithBits(values, bitsOf, count, found);
      isBegun = true;
    };
    // Where few rows are left, it is enough that their variants are looked at.
    const isAsked = ({ part }: ValueList): boolean => !(isBegun && part?.facet === 'options') && ownOf(part) !== all;
    const lists = this.#lists.filter((list) => list !== rare && isAsked(list));
    for (const { column, part, codes, postings } of lists) {
      if (!column) continue;
      const bitsOf = new Uint8Array(postings.lists + 1).fill(ownOf(part));
      for (const code of codes) bitsOf[code + 1] = all;
      if (isBegun) withCodes(column, bitsOf, found);
      else allWithCodes(column, bitsOf, count, found);
      isBegun = true;
    }
    const marked = lists.filter(({ column }) => !column);
    for (let begin = 0; begin < marked.length; begin += AT_ONCE) {
      const asked = marked.slice(begin, begin + AT_ONCE);
      const bits = asked.map(({ part }, place) => ({ part, bit: 1 << place, wanted: 1 << place }));
      keep(this.#mark(asked), bitsLeft(bits));
    }
    keep(state.values, bitsLeft([IS_LIVE, ...this.#states()]));
    if (matches && (among || !isSearch)) within(matches.scores, 1, Number.POSITIVE_INFINITY)(found, 0);
    for (const { part, keep } of this.#conditions) keep(found, ownOf(part));
    if (unsettled.size > 0) within(publishedAt.values, Number.NEGATIVE_INFINITY, this.#now.getTime() * 1000)(found, 0);
    if (this.#filter.options?.length) {
      const bitsOf = parts
        .map((part) => this.fittingVariants(part?.facet === 'options' ? part.name : undefined))
        .reduce((bits, fits, place) => bits.map((each, variant) => each | ((fits[variant] as number) << place)));
      options.keep(bitsOf, found);
    }
    return found;
  }

  /** By row, a bit for each list that it is in; until the next call. */
  #mark(lists: readonly ValueList[]): Uint8Array {
    const marks = this.#index.scratch.zeros('marks', this.#index.columns.count);
    for (const [place, { postings, codes }] of lists.entries())
      for (const code of codes) postings.mark(code, 1 << place, marks);
    return marks;
  }

  #states(): WantedBit[] {
    const wantedOf = (facet: 'inStock' | 'onSale', bit: number): WantedBit[] =>
      this.#filter[facet] === undefined ? [] : [{ part: { facet }, bit, wanted: this.#filter[facet] ? bit : 0 }];
    return [...wantedOf('inStock', IN_STOCK), ...wantedOf('onSale', ON_SALE)];
  }
}

const NO_ROWS = new Int32Array(0);
const NO_BYTES = new Uint8Array(0);

const isLeftOut = (part: FacetPart | undefined, by: LeftOut): boolean =>
  part !== undefined && part.facet === by?.facet && part.name === by.name;

// In each loop a row is written, and then counted or not: the processor would often predict a branch wrongly.

const within =
  (values: Uint8Array | Uint32Array | Float64Array, min: number, max: number): Keep =>
  (found, own) => {
    const { rows, bits, length } = found;
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      const value = values[row] as number;
      const left = (bits[at] as number) & (own | -(Number(value >= min) & Number(value <= max)));
      rows[kept] = row;
      bits[kept] = left;
      kept += Number(left !== 0);
    }
    found.length = kept;
  };

/** @param bitsOf by the value of a row, the bits that it may keep */
const withBits = (values: Uint8Array, bitsOf: Uint8Array, found: Found): void => {
  const { rows, bits, length } = found;
  let kept = 0;
  for (let at = 0; at < length; at += 1) {
    const row = rows[at] as number;
    const left = (bits[at] as number) & (bitsOf[values[row] as number] as number);
    rows[kept] = row;
    bits[kept] = left;
    kept += Number(left !== 0);
  }
  found.length = kept;
};

/** As {@link withBits}, where all rows are to be looked at. */
const allWithBits = (values: Uint8Array, bitsOf: Uint8Array, count: number, found: Found): void => {
  const { rows, bits } = found;
  let kept = 0;
  for (let row = 0; row < count; row += 1) {
    const left = bitsOf[values[row] as number] as number;
    rows[kept] = row;
    bits[kept] = left;
    kept += Number(left !== 0);
  }
  found.length = kept;
};

/** @param bitsOf by the value of a row, the bits that it may keep */
/** As {@link withBits}. One function for arrays of bytes and of codes takes V8 10 % longer. */
const withCodes = (values: Codes, bitsOf: Uint8Array, found: Found): void => {
  const { rows, bits, length } = found;
  let kept = 0;
  for (let at = 0; at < length; at += 1) {
    const row = rows[at] as number;
    const left = (bits[at] as number) & (bitsOf[values[row] as number] as number);
    rows[kept] = row;
    bits[kept] = left;
    kept += Number(left !== 0);
  }
  found.length = kept;
};

/** As {@link withCodes}, where all rows are to be looked at. */
const allWithCodes = (values: Codes, bitsOf: Uint8Array, count: number, found: Found): void => {
  const { rows, bits } = found;
  let kept = 0;
  for (let row = 0; row < count; row += 1) {
    const left = bitsOf[values[row] as number] as number;
    rows[kept] = row;
    bits[kept] = left;
    kept += Number(left !== 0);
  }
  found.length = kept;
};

/** Writes the rows with a bit. @returns how many there are */
const pick = ({ rows, bits, length }: Found, place: number, into: Int32Array): number => {
  let picked = 0;
  for (let at = 0; at < length; at += 1) {
    into[picked] = rows[at] as number;
    picked += ((bits[at] as number) >>> place) & 1;
  }
  return picked;
};
