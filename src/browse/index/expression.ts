import { type Facet, NEEDS_ALL, type OptionFilter, type SearchFilter } from '../browse-engine.ts';
import type { Kind } from './dimension.ts';
import { centsOf } from './order.ts';
import type { ProductIndex } from './product-index.ts';
import { RowSet } from './row-set.ts';
import type { Column, Flags } from './rows.ts';

/** To read a row of a list costs as much as to look at so many rows by themselves. */
const ROWS_FOR_A_LOOK = 4;

/** What rows must be like: a set that is made when it is needed, and once at most. */
class Expression {
  /** No more rows are in the set, and no more are read for it. */
  sizeAtMost: number;
  readonly #make: () => RowSet;
  /** Makes what tells of one row whether the set has it, without the set. */
  readonly #makeTest: (() => (row: number) => boolean) | undefined;
  #rows: RowSet | undefined;

  constructor(sizeAtMost: number, make: () => RowSet, makeTest?: () => (row: number) => boolean) {
    this.sizeAtMost = sizeAtMost;
    this.#make = make;
    this.#makeTest = makeTest;
  }

  rows(): RowSet {
    this.#rows ??= this.#make();
    this.sizeAtMost = this.#rows.size;
    return this.#rows;
  }

  /** The rows of a set that are in this one, too. */
  among(rows: RowSet): RowSet {
    const areFew = !this.#rows && rows.size * ROWS_FOR_A_LOOK < this.sizeAtMost;
    return areFew && this.#makeTest ? rows.filter(this.#makeTest()) : rows.and(this.rows());
  }
}

const anyOf = ({ columns: { count } }: ProductIndex, kind: Kind, traits: readonly number[]): Expression =>
  new Expression(
    traits.reduce((sum, trait) => sum + kind.rows.countOf(trait), 0),
    () => kind.rows.rowsOf(traits, count),
    () => kind.hasAny(traits),
  );

const flag = (index: ProductIndex, flags: Flags, isWanted: boolean): Expression =>
  new Expression(index.columns.count, () => {
    const rows = index.rowsWith(flags);
    return isWanted ? rows : index.live().without(rows);
  });

const between = ({ columns: { count } }: ProductIndex, column: Column, min: number, max: number): Expression =>
  new Expression(
    count,
    () => RowSet.ofBits(column.bitsBetween(min, max, count)),
    () => (row) => (column.values[row] as number) >= min && (column.values[row] as number) <= max,
  );

/** A part of a filter, joined to the others by *and*. */
interface Part {
  readonly expression: Expression;
  /** The facet of the same values, which counts without this part but for {@link NEEDS_ALL}; and its name where it is of one dimension. */
  readonly facet?: Facet;
  readonly name?: string;
  /** Of a part of several dimensions: what is left of it without the filters of one. */
  readonly without?: (name?: string) => Expression | undefined;
}

/**
 * Says of each filter what it wants of a product, such as all of the tags. `facetParts` of facets.sql.ts says the same in SQL; which facets count
 * with their own part, {@link NEEDS_ALL} says for both engines.
 */
const partsOf = (index: ProductIndex, filter: SearchFilter): Part[] => {
  const { columns, attributes } = index;
  const { minPrice, maxPrice, publishedFrom, inStock, onSale, options = [] } = filter;
  const parts: Part[] = [];
  const addValues = (facet: 'categories' | 'brands' | 'tags', values: readonly string[] | undefined): void => {
    const kind = index[facet];
    if (values) parts.push({ facet, expression: anyOf(index, kind, kind.traitsWith({ name: '', values })) });
  };
  addValues('categories', filter.categoryIds?.map(String));
  addValues('brands', filter.brands);
  for (const tag of filter.tags ?? []) addValues('tags', [tag]);
  for (const wanted of filter.attributes ?? []) {
    const expression = anyOf(index, attributes, attributes.traitsWith(wanted));
    parts.push({ facet: 'attributes', name: wanted.name, expression });
  }
  if (minPrice !== undefined || maxPrice !== undefined) {
    const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
    const max = maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down');
    parts.push({ facet: 'price', expression: between(index, columns.price, min, max) });
  }
  if (publishedFrom) {
    const min = publishedFrom.getTime() * 1000;
    parts.push({ expression: between(index, columns.publishedAt, min, Number.POSITIVE_INFINITY) });
  }
  if (inStock !== undefined) parts.push({ facet: 'inStock', expression: flag(index, columns.isInStock, inStock) });
  if (onSale !== undefined) parts.push({ facet: 'onSale', expression: flag(index, columns.isReduced, onSale) });
  // One and the same variant has an option of each filter, and is in stock where that is wanted.
  const variant = (filters: readonly OptionFilter[]): Expression | undefined => {
    const traits = filters.length > 0 ? index.options.traitsWithAll(filters, inStock === true) : 'all';
    return traits === 'all' ? undefined : anyOf(index, index.options, [...traits]);
  };
  const expression = variant(options);
  const without = (name?: string) => variant(options.filter((each) => each.name !== name));
  if (expression) parts.push({ facet: 'options', expression, without });
  return parts;
};

/**
 * The products that a question is about: all that are visible, under its search and its filter, or without a part of the filter, as facets count
 * them.
 */
export class FoundRows {
  readonly #parts: readonly Part[];
  readonly #byLeftOut = new Map<string, RowSet>();

  /** @param matches the rows that have the words of the search, where there is one */
  constructor(index: ProductIndex, filter: SearchFilter, now: Date, matches?: RowSet) {
    const found = [index.visible(now), ...(matches ? [matches] : [])];
    this.#parts = [
      ...found.map((rows) => ({ expression: new Expression(rows.size, () => rows) })),
      ...partsOf(index, filter),
    ];
  }

  all(): RowSet {
    return this.#once('', () => this.#parts.map(({ expression }) => expression));
  }

  /** @param name of an attribute or an option */
  without(facet: Facet, name?: string): RowSet {
    const isOwn = (part: Part): boolean => part.facet === facet && (part.name === name || part.without !== undefined);
    if (NEEDS_ALL.has(facet) || !this.#parts.some(isOwn)) return this.all();
    return this.#once(`${facet} ${name}`, () =>
      this.#parts.flatMap((part) => (isOwn(part) ? (part.without?.(name) ?? []) : part.expression)),
    );
  }

  /** Begins with the smallest part: for the others, only few rows may have to be looked at. */
  #once(leftOut: string, partsOfSet: () => readonly Expression[]): RowSet {
    const known = this.#byLeftOut.get(leftOut);
    if (known) return known;
    const [smallest, ...others] = partsOfSet().toSorted((one, other) => one.sizeAtMost - other.sizeAtMost);
    const found = others.reduce((rows, each) => each.among(rows), (smallest as Expression).rows());
    this.#byLeftOut.set(leftOut, found);
    return found;
  }
}
