import { isStorable } from '../../database/storable-text.ts';
import type { Facet, SearchFilter } from '../browse-engine.ts';
import { collect, IN_STOCK, LIVE, ON_SALE, SETTLED } from './columns.ts';
import { centsOf, momentOf } from './exact-numbers.ts';
import { STOCK_AND_SALE } from './facet-values.ts';
import type { Fitting } from './named-values.ts';
import type { Postings } from './postings.ts';
import type { ProductIndex } from './product-index.ts';
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

/** So many parts are left out in one pass over the rows: the bits of a byte. */
const PARTS_AT_ONCE = 8;

/** Keeps the rows, in place, that meet a condition or all the rest. @param own bits of the parts that leave the condition out */
type Keep = (found: Found, own: number) => void;

interface Condition {
  /** What leaves it out; undefined where nothing does. */
  readonly part?: FacetPart;
  readonly keep: Keep;
  /** The rows that meet it: those of some values. */
  readonly list?: ValueList;
}

interface ValueList {
  readonly postings: Postings;
  readonly codes: readonly number[];
  /** Rows that have several of the values are counted several times. */
  readonly length: number;
}

/** A filter that can be asked without one of its parts, as facets ask it. */
export class RowFilter {
  readonly #index: ProductIndex;
  readonly #matches: Matches | undefined;
  readonly #filter: SearchFilter;
  readonly #now: Date;
  /** Apart from those of the state and of options. */
  readonly #conditions: readonly Condition[];
  /** For each filter of options the rows that have one of its values, in whatever variant. */
  readonly #optionLists: readonly { readonly part: FacetPart; readonly list: ValueList }[];
  readonly #parts = new Map<string, FacetPart>();

  constructor(index: ProductIndex, filter: SearchFilter, matches: Matches | undefined, now: Date) {
    this.#index = index;
    this.#matches = matches;
    this.#filter = filter;
    this.#now = now;
    const { categories, brands, tags, attributes, options, columns } = index;
    const { minPrice, maxPrice, publishedFrom } = filter;
    const conditions: Condition[] = [];
    const addList = (postings: Postings, codes: readonly number[], part?: FacetPart): void => {
      const list = listOf(postings, codes);
      const keep: Keep = (found, own) => withBits(this.#mark(list), 1, 1)(found, own);
      conditions.push({ ...(part && { part }), list, keep });
    };
    for (const tag of new Set(filter.tags)) addList(tags.rows, tags.find([tag]));
    if (filter.categoryIds) addList(categories.rows, categories.find(filter.categoryIds), { facet: 'categories' });
    // What no text in PostgreSQL can be is no brand, and not the mark for none either.
    if (filter.brands) addList(brands.rows, brands.find(filter.brands.filter(isStorable)), { facet: 'brands' });
    for (const wanted of filter.attributes ?? [])
      addList(attributes.rows, attributes.find(wanted), { facet: 'attributes', name: wanted.name });
    conditions.sort((one, other) => (one.list?.length ?? 0) - (other.list?.length ?? 0));
    if (minPrice !== undefined || maxPrice !== undefined) {
      const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
      const max = maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down');
      conditions.push({ part: { facet: 'price' }, keep: within(columns.price.values, min, max) });
    }
    if (publishedFrom) {
      const from = momentOf(String(BigInt(publishedFrom.getTime()) * 1000n));
      conditions.push({ keep: within(columns.publishedAt.values, from, Number.POSITIVE_INFINITY) });
    }
    this.#conditions = conditions;
    this.#optionLists = (filter.options ?? []).map((wanted) => ({
      part: { facet: 'options', name: wanted.name },
      list: listOf(options.rows, options.find(wanted)),
    }));
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
          : name !== undefined || this.#conditions.some(({ part }) => part?.facet === facet && part.name === undefined);
    if (!isPart) return undefined;
    const key = `${facet}:${name}`;
    const part = this.#parts.get(key) ?? { facet, name };
    this.#parts.set(key, part);
    return part;
  }

  hasName(facet: 'attributes' | 'options', name: string): boolean {
    return this.#filter[facet]?.some((each) => each.name === name) === true;
  }

  /** The variants that count in a facet of options. */
  fittingVariants(without: string | undefined): Fitting {
    const { options = [], inStock } = this.#filter;
    return this.#index.options.fitting(options, inStock === true, without);
  }

  /** Of some rows those of which a variant that fits is in stock; undefined without options. */
  countWithVariantInStock(rows: Int32Array, length: number): number | undefined {
    const { options = [] } = this.#filter;
    if (options.length === 0) return undefined;
    const found = { rows: rows.slice(0, length), bits: new Uint8Array(length).fill(1), length };
    this.#index.options.keep(this.#index.options.fitting(options, true), found);
    return found.length;
  }

  /** Whether nothing but stock and sale decides, as tallies count them. */
  isTallied(without?: LeftOut): boolean {
    return (
      !this.#matches &&
      this.#conditions.every(({ part }) => isLeftOut(part, without)) &&
      !this.#filter.options?.some(({ name }) => name !== nameIn('options', without))
    );
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
    for (let begin = 0; begin < leftOut.length; begin += PARTS_AT_ONCE) {
      const parts = leftOut.slice(begin, begin + PARTS_AT_ONCE);
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
    const met = this.#begin(found, parts, among);
    found.bits.fill((1 << parts.length) - 1, 0, found.length);
    if (this.#matches && met !== this.#matches) within(this.#matches.scores, 1, Number.POSITIVE_INFINITY)(found, 0);
    for (const { part, keep, list } of this.#conditions) if (!list || list !== met) keep(found, ownOf(part));
    const states = this.#states();
    const isLeftOutBySome = ({ part }: (typeof states)[number]): boolean => ownOf(part) !== 0;
    const { mask, wanted } = states
      .filter((each) => !isLeftOutBySome(each))
      .reduce((all, each) => ({ mask: all.mask | each.bit, wanted: all.wanted | each.wanted }), LIVE_STATE);
    withBits(state.values, mask, wanted)(found, 0);
    for (const each of states.filter(isLeftOutBySome))
      withBits(state.values, each.bit, each.wanted)(found, ownOf(each.part));
    if (unsettled.size > 0) visibleAt(state.values, publishedAt.values, this.#now)(found);
    if (this.#filter.options?.length) {
      const bitsOf = parts
        .map((part) => this.fittingVariants(nameIn('options', part)))
        .reduce((bits, fits, place) => bits.map((each, variant) => each | ((fits[variant] as number) << place)));
      options.keep(bitsOf, found);
    }
    return found;
  }

  /** Writes the fewest rows that can fit, in their order: those of a search or of some values, or all. @returns what they meet by that */
  #begin(
    found: Found,
    parts: readonly LeftOut[],
    among: Iterable<number> | undefined,
  ): Matches | ValueList | undefined {
    const { rows } = found;
    if (among) {
      for (const row of among) rows[found.length++] = row;
      return undefined;
    }
    const matches = this.#matches;
    const lists = [
      ...this.#conditions.flatMap(({ part, list }) => (list ? { part, list } : [])),
      ...this.#optionLists,
    ].filter(({ part }) => !parts.some((each) => isLeftOut(part, each)));
    const { list } = lists.sort((one, other) => one.list.length - other.list.length)[0] ?? {};
    if (matches && matches.length <= (list?.length ?? Number.POSITIVE_INFINITY)) {
      rows.set(matches.rows.subarray(0, matches.length));
      found.length = matches.length;
      return matches;
    }
    const { count } = this.#index.columns;
    const [code] = list?.codes ?? [];
    if (!list) for (let row = 0; row < count; row += 1) rows[row] = row;
    found.length = !list
      ? count
      : code === undefined
        ? 0
        : list.codes.length === 1
          ? list.postings.read(code, rows, 0)
          : collect(this.#mark(list), count, rows);
    return list;
  }

  /** By row, 1 where it is in a list; until the next call. */
  #mark({ postings, codes }: ValueList): Uint8Array {
    const marks = this.#index.scratch.zeros('marks', this.#index.columns.count);
    for (const code of codes) postings.raise(code, 1, marks);
    return marks;
  }

  #states(): { readonly part: FacetPart; readonly bit: number; readonly wanted: number }[] {
    const { inStock, onSale } = this.#filter;
    return [
      ...(inStock === undefined
        ? []
        : [{ part: { facet: 'inStock' as const }, bit: IN_STOCK, wanted: inStock ? IN_STOCK : 0 }]),
      ...(onSale === undefined
        ? []
        : [{ part: { facet: 'onSale' as const }, bit: ON_SALE, wanted: onSale ? ON_SALE : 0 }]),
    ];
  }
}

const LIVE_STATE = { mask: LIVE, wanted: LIVE };
const NO_ROWS = new Int32Array(0);
const NO_BYTES = new Uint8Array(0);

const listOf = (postings: Postings, codes: readonly number[]): ValueList => ({
  postings,
  codes,
  length: codes.reduce((sum, code) => sum + postings.countOf(code), 0),
});

const isLeftOut = (part: FacetPart | undefined, by: LeftOut): boolean =>
  part !== undefined && part.facet === by?.facet && part.name === by.name;

const nameIn = (facet: Facet, part: LeftOut): string | undefined => (part?.facet === facet ? part.name : undefined);

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

const withBits =
  (values: Uint8Array, mask: number, wanted: number): Keep =>
  (found, own) => {
    const { rows, bits, length } = found;
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      const left = (bits[at] as number) & (own | -Number(((values[row] as number) & mask) === wanted));
      rows[kept] = row;
      bits[kept] = left;
      kept += Number(left !== 0);
    }
    found.length = kept;
  };

const visibleAt =
  (state: Uint8Array, publishedAt: Float64Array, now: Date) =>
  (found: Found): void => {
    const { rows, bits, length } = found;
    const nowUs = now.getTime() * 1000;
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      rows[kept] = row;
      bits[kept] = bits[at] as number;
      kept += Number(((state[row] as number) & SETTLED) !== 0) | Number((publishedAt[row] as number) <= nowUs);
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
