import { isStorable } from '../../database/storable-text.ts';
import type { Facet, SearchFilter } from '../browse-engine.ts';
import { IN_STOCK, LIVE, ON_SALE, SETTLED } from './columns.ts';
import { centsOf, momentOf } from './exact-numbers.ts';
import { type FacetValues, STOCK_AND_SALE } from './facet-values.ts';
import { type GroupTest, NamedFilter } from './named-values.ts';
import { CHUNK } from './page-selection.ts';
import type { Postings } from './postings.ts';
import type { ProductIndex } from './product-index.ts';
import type { Candidates, Matches } from './term-matches.ts';

/** A part of a filter that has a facet: of attributes and options, that of one name. In a facet without a name: all those that are not filtered. */
export interface FacetPart {
  readonly facet: Facet;
  readonly name?: string | undefined;
}

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
  /** Apart from those of the state, of attributes and of options; the quickest to refuse most rows come first. */
  readonly #conditions = new Map<Facet, Keep>();
  readonly #named: Readonly<Record<'attributes' | 'options', NamedFilter>>;
  readonly #publishedFrom: Keep | undefined;
  readonly #parts = new Map<string, FacetPart>();

  constructor(index: ProductIndex, filter: SearchFilter, matches: Matches | undefined, now: Date) {
    this.#index = index;
    this.#matches = matches;
    // What no text in PostgreSQL can be is no brand, and not the mark for none either.
    this.#filter = { ...filter, ...(filter.brands && { brands: filter.brands.filter(isStorable) }) };
    this.#now = now;
    const { categories, brands, columns } = index;
    const { minPrice, maxPrice, publishedFrom, categoryIds, tags } = filter;
    const conditions = this.#conditions;
    if (minPrice !== undefined || maxPrice !== undefined) {
      const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
      const max = maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down');
      conditions.set('price', within(columns.price.values, min, max));
    }
    if (tags) conditions.set('tags', withAll(index, tags));
    if (categoryIds) conditions.set('categories', withAny(categories, categoryIds));
    if (this.#filter.brands) conditions.set('brands', withAny(brands, this.#filter.brands));
    this.#named = {
      attributes: new NamedFilter(index.attributes, filter.attributes),
      options: new NamedFilter(index.options, filter.options),
    };
    if (publishedFrom) {
      const from = momentOf(String(BigInt(publishedFrom.getTime()) * 1000n));
      this.#publishedFrom = within(columns.publishedAt.values, from, Number.POSITIVE_INFINITY);
    }
  }

  /** The parts of a facet that are counted apart, as each leaves out another part of the filter. */
  partsOf(facet: Facet): FacetPart[] {
    if (facet !== 'attributes' && facet !== 'options') return [{ facet }];
    const names = new Set(this.#named[facet].wanted.map(({ name }) => name));
    return [{ facet }, ...names.values().map((name) => ({ facet, name }))];
  }

  /** What is left out where a facet is counted, the same object for the same part; undefined where all of the filter holds. */
  leftOutBy({ facet, name }: FacetPart): FacetPart | undefined {
    const { inStock, onSale } = this.#filter;
    // Of products in stock there are as many without the part that wants these as with it.
    const isPart =
      facet === 'inStock'
        ? inStock === false
        : facet === 'onSale'
          ? onSale === false
          : facet === 'tags'
            ? false
            : name !== undefined || this.#conditions.has(facet);
    if (!isPart) return undefined;
    const key = `${facet}:${name}`;
    const part = this.#parts.get(key) ?? { facet, name };
    this.#parts.set(key, part);
    return part;
  }

  hasName(facet: 'attributes' | 'options', name: string): boolean {
    return this.#named[facet].wanted.some((each) => each.name === name);
  }

  get hasOptions(): boolean {
    return this.#named.options.filters();
  }

  /** What a group of values must have that a facet counts. */
  groupTest(facet: 'attributes' | 'options', without: string | undefined): GroupTest {
    return this.#named[facet].test(without, facet === 'options' && this.#filter.inStock === true);
  }

  /** Of some rows those of which a variant that fits is in stock. */
  countInStock(rows: Int32Array, length: number): number {
    const { options } = this.#named;
    return options.of.keep(options.test(undefined, true), rows.slice(0, length), length);
  }

  /** Whether nothing but stock and sale decides, as tallies count them. */
  isTallied(without?: FacetPart): boolean {
    const isFiltered = (facet: Facet): boolean => facet !== without?.facet;
    return (
      !this.#matches &&
      !this.#publishedFrom &&
      !this.#conditions.keys().some(isFiltered) &&
      !this.#named.attributes.filters(nameIn('attributes', without)) &&
      !this.#named.options.filters(nameIn('options', without))
    );
  }

  /** Whether a facet can be counted by tallies. Those of options do not say which products that are out of stock have a value. */
  areKept(facet: Facet): boolean {
    return facet !== 'price' && (facet !== 'options' || this.#filter.inStock !== false);
  }

  /** The states of {@link STOCK_AND_SALE} that are wanted. */
  statesOf(without?: FacetPart): number[] {
    const { mask, wanted } = this.#state(without);
    return STOCK_AND_SALE.filter((bits) => (bits & mask) === wanted);
  }

  /** Whether a row fits and is visible, for conditions of which few rows are asked. */
  holds(without?: FacetPart): (row: number) => boolean {
    const isVisible = this.#index.columns.visibleAt(this.#now);
    const conditions = this.#conditionsOf(without, LIVE);
    const one = new Int32Array(1);
    return (row) => {
      if (!isVisible(row)) return false;
      one[0] = row;
      return conditions.every((keep) => keep(one, 1) === 1);
    };
  }

  /** Calls back with all visible rows that fit, at most {@link CHUNK} at a time. */
  forEachChunk(without: FacetPart | undefined, visit: (rows: Int32Array, length: number) => void): void {
    const rows = new Int32Array(CHUNK);
    const candidates = this.#candidates(without);
    const conditions = this.#conditionsOf(without, SETTLED, candidates);
    const count = candidates?.length ?? this.#index.columns.count;
    for (let begin = 0; begin < count; begin += CHUNK) {
      const end = Math.min(begin + CHUNK, count);
      let length = end - begin;
      if (candidates) rows.set(candidates.rows.subarray(begin, end));
      else for (let row = begin; row < end; row += 1) rows[row - begin] = row;
      for (const keep of conditions) length = length && keep(rows, length);
      if (length > 0) visit(rows, length);
    }
    this.forEachUnsettled(without, visit);
  }

  /** The same of the rows that are not settled, which tallies do not have. */
  forEachUnsettled(without: FacetPart | undefined, visit: (rows: Int32Array, length: number) => void): void {
    const { unsettled, columns } = this.#index;
    if (unsettled.size === 0) return;
    const isVisible = columns.visibleAt(this.#now);
    const conditions = this.#conditionsOf(without, LIVE);
    const visible = Int32Array.from(unsettled.values().filter(isVisible));
    for (let begin = 0; begin < visible.length; begin += CHUNK) {
      const rows = visible.subarray(begin, begin + CHUNK);
      const length = conditions.reduce((left, keep) => keep(rows, left), rows.length);
      if (length > 0) visit(rows, length);
    }
  }

  #state(without?: FacetPart): { readonly mask: number; readonly wanted: number } {
    const inStock = without?.facet === 'inStock' ? undefined : this.#filter.inStock;
    const onSale = without?.facet === 'onSale' ? undefined : this.#filter.onSale;
    const mask = (inStock === undefined ? 0 : IN_STOCK) | (onSale === undefined ? 0 : ON_SALE);
    return { mask, wanted: (inStock ? IN_STOCK : 0) | (onSale ? ON_SALE : 0) };
  }

  /** @param bit of the state that rows must have, too @param candidates that the rows are among */
  #conditionsOf(without: FacetPart | undefined, bit: number, candidates?: FilterCandidates): Keep[] {
    const { mask, wanted } = this.#state(without);
    const named = (['attributes', 'options'] as const).flatMap((facet): Keep[] => {
      const name = nameIn(facet, without);
      if (!this.#named[facet].filters(name) || candidates?.met === facet) return [];
      const test = this.groupTest(facet, name);
      return [(rows, length) => this.#index[facet].keep(test, rows, length)];
    });
    return [
      ...(this.#matches && !candidates?.areMatches ? [within(this.#matches.scores, 1, Number.POSITIVE_INFINITY)] : []),
      ...this.#conditions
        .entries()
        .flatMap(([facet, keep]) => (facet === without?.facet || facet === candidates?.met ? [] : [keep])),
      ...(this.#publishedFrom ? [this.#publishedFrom] : []),
      withBits(this.#index.columns.state.values, mask | bit, wanted | bit),
      ...named,
    ];
  }

  /** No other row can match: the rows that a search has found, or those of some values. Undefined where these are many. */
  #candidates(without: FacetPart | undefined): FilterCandidates | undefined {
    const { columns, categories, brands, tags, scratch } = this.#index;
    const { categoryIds, brands: wantedBrands, tags: wantedTags, inStock } = this.#filter;
    const listOf = (facet: Facet, postings: Postings, codes: readonly number[], isMet: boolean) => ({
      postings,
      codes,
      isShared: codes.length > 1 && (facet === 'attributes' || facet === 'options'),
      met: isMet ? facet : undefined,
      length: codes.reduce((sum, code) => sum + postings.countOf(code), 0),
    });
    const distinctTags = [...new Set(wantedTags)];
    const lists = [
      ...(categoryIds ? [listOf('categories', categories.rows, categories.find(categoryIds), true)] : []),
      ...(wantedBrands ? [listOf('brands', brands.rows, brands.find(wantedBrands), true)] : []),
      ...distinctTags.map((tag) => listOf('tags', tags.rows, tags.find([tag]), distinctTags.length === 1)),
    ].filter(({ met }) => met === undefined || met !== without?.facet);
    for (const facet of ['attributes', 'options'] as const) {
      const { of, wanted } = this.#named[facet];
      const isAll = wanted.length === 1 && (facet === 'attributes' || inStock !== true);
      for (const { name, codes } of wanted)
        if (name !== nameIn(facet, without)) lists.push(listOf(facet, of.rows, codes, isAll));
    }
    const [narrowest] = lists.sort((one, other) => one.length - other.length);
    const matches = this.#matches;
    if (matches && matches.length <= (narrowest?.length ?? columns.count)) return { ...matches, areMatches: true };
    if (!narrowest || narrowest.length > columns.count * MAX_CANDIDATES_SHARE) return undefined;
    const { postings, codes, met, isShared } = narrowest;
    const rows = new Int32Array(narrowest.length);
    let length = 0;
    // A row may have several of the values.
    const seen = isShared ? scratch.zeros('seen', columns.count) : undefined;
    for (const code of codes)
      length = seen ? postings.raise(code, 1, seen, rows, length) : postings.read(code, rows, length);
    return { rows, length, met, areMatches: false };
  }
}

const nameIn = (facet: Facet, part: FacetPart | undefined): string | undefined =>
  part?.facet === facet ? part.name : undefined;

interface FilterCandidates extends Candidates {
  /** The part of the filter that they meet. */
  readonly met?: Facet | undefined;
  readonly areMatches: boolean;
}

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
