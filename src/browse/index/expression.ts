import { type AttributeFilter, type Facet, NEEDS_ALL, type OptionFilter, type SearchFilter } from '../browse-engine.ts';
import type { Dimensions } from './dimension.ts';
import { centsOf, momentOf } from './order.ts';
import type { ProductIndex } from './product-index.ts';
import { noBits, RowSet } from './row-set.ts';
import type { Column, Flags } from './rows.ts';

/** What rows must be like. Each expression is a set of rows. */
type Expression =
  | { readonly is: 'rows'; readonly rows: RowSet }
  | { readonly is: 'flag'; readonly flags: Flags }
  | { readonly is: 'anyOf'; readonly dimensions: Dimensions; readonly traits: readonly number[] }
  | {
      readonly is: 'between';
      readonly column: Column<Uint32Array | Float64Array>;
      readonly min: number;
      readonly max: number;
    }
  | { readonly is: 'not'; readonly of: Expression };

/** A part of a filter, joined to the others by *and*. */
interface Part {
  readonly expression: Expression;
  /** The facet of the same values, which counts without this part but for {@link NEEDS_ALL}; and its name where it is of one dimension. */
  readonly facet?: Facet;
  readonly name?: string;
}

/** To read a row of a list costs as much as to look at so many rows by themselves. */
const ROWS_FOR_A_LOOK = 4;

/** Any of the values that a filter wants; of dimensions without a name, too. */
const anyOf = (dimensions: Dimensions, filter: Partial<AttributeFilter>): Expression => ({
  is: 'anyOf',
  dimensions,
  traits: dimensions.traitsWith({ name: '', ...filter }),
});

const isOrIsNot = (flags: Flags, isWanted: boolean): Expression =>
  isWanted ? { is: 'flag', flags } : { is: 'not', of: { is: 'flag', flags } };

/**
 * Says of each filter what it wants of a product, such as all of the tags. `facetParts` of facets.sql.ts says the same in SQL; which facets count
 * with their own part, {@link NEEDS_ALL} says for both engines.
 */
const partsOf = (index: ProductIndex, filter: SearchFilter): Part[] => {
  const { columns, categories, brands, tags, attributes } = index;
  const { categoryIds, brands: brandsOf, tags: tagsOf = [], minPrice, maxPrice, publishedFrom } = filter;
  const parts: Part[] = [];
  if (categoryIds)
    parts.push({ facet: 'categories', expression: anyOf(categories, { values: categoryIds.map(String) }) });
  if (brandsOf) parts.push({ facet: 'brands', expression: anyOf(brands, { values: brandsOf }) });
  for (const tag of new Set(tagsOf)) parts.push({ facet: 'tags', expression: anyOf(tags, { values: [tag] }) });
  for (const wanted of filter.attributes ?? []) {
    parts.push({ facet: 'attributes', name: wanted.name, expression: anyOf(attributes, wanted) });
  }
  if (minPrice !== undefined || maxPrice !== undefined) {
    const min = minPrice === undefined ? 0 : centsOf(minPrice, 'up');
    const max = maxPrice === undefined ? Number.POSITIVE_INFINITY : centsOf(maxPrice, 'down');
    parts.push({ facet: 'price', expression: { is: 'between', column: columns.price, min, max } });
  }
  if (publishedFrom) {
    const min = momentOf(String(BigInt(publishedFrom.getTime()) * 1000n));
    const max = Number.POSITIVE_INFINITY;
    parts.push({ expression: { is: 'between', column: columns.publishedAt, min, max } });
  }
  const { inStock, onSale } = filter;
  if (inStock !== undefined) parts.push({ facet: 'inStock', expression: isOrIsNot(columns.isInStock, inStock) });
  if (onSale !== undefined) parts.push({ facet: 'onSale', expression: isOrIsNot(columns.isReduced, onSale) });
  return parts;
};

/** One and the same variant has an option of each filter, and is in stock where that is wanted. */
const variantParts = (
  { options: dimensions }: ProductIndex,
  filters: readonly OptionFilter[],
  isInStock: boolean,
): Part[] => {
  const traits = filters.length > 0 ? dimensions.fitting(filters, isInStock) : undefined;
  return traits ? [{ expression: { is: 'anyOf', dimensions, traits: [...traits] } }] : [];
};

/** A part of a question, evaluated to a set once at most, however many facets need it. */
class EvaluatedPart {
  readonly part: Part;
  readonly #index: ProductIndex;
  #rows: RowSet | undefined;

  constructor(index: ProductIndex, part: Part) {
    this.#index = index;
    this.part = part;
  }

  get sizeAtMost(): number {
    return this.#rows?.size ?? sizeAtMost(this.#index, this.part.expression);
  }

  rows(): RowSet {
    this.#rows ??= evaluate(this.#index, this.part.expression);
    return this.#rows;
  }

  /** The rows of a set that this part has, too. */
  among(rows: RowSet): RowSet {
    const areFew = !this.#rows && rows.size * ROWS_FOR_A_LOOK < this.sizeAtMost;
    const holds = areFew ? testOf(this.part.expression) : undefined;
    return holds ? rows.filter(holds) : rows.and(this.rows());
  }
}

/** No more rows have an expression, and no more are read for its set. */
const sizeAtMost = ({ columns: { count } }: ProductIndex, expression: Expression): number => {
  switch (expression.is) {
    case 'rows':
      return expression.rows.size;
    case 'anyOf':
      return expression.traits.reduce((sum, trait) => sum + expression.dimensions.rows.countOf(trait), 0);
    default:
      return count;
  }
};

const evaluate = (index: ProductIndex, expression: Expression): RowSet => {
  const { count } = index.columns;
  switch (expression.is) {
    case 'rows':
      return expression.rows;
    case 'flag':
      return RowSet.ofBits(expression.flags.bits.subarray(0, (count + 31) >>> 5));
    case 'not':
      return index.live().without(evaluate(index, expression.of));
    case 'anyOf':
      return expression.dimensions.rowsWith(expression.traits, count);
    case 'between':
      return rowsBetween(index, expression);
  }
};

/** What tells of one row whether it has an expression; undefined where the set is needed for it. */
const testOf = (expression: Expression): ((row: number) => boolean) | undefined => {
  switch (expression.is) {
    case 'anyOf':
      return expression.dimensions.hasAny(expression.traits);
    case 'between': {
      const { min, max } = expression;
      const { values } = expression.column;
      return (row) => (values[row] as number) >= min && (values[row] as number) <= max;
    }
    default:
      return undefined;
  }
};

const rowsBetween = (
  { columns: { count } }: ProductIndex,
  { column: { values }, min, max }: Expression & { is: 'between' },
): RowSet => {
  const bits = noBits(count);
  for (let row = 0; row < count; row += 1) {
    const value = values[row] as number;
    const isBetween = Number(value >= min) & Number(value <= max);
    bits[row >>> 5] = (bits[row >>> 5] as number) | (isBetween << (row & 31));
  }
  return RowSet.ofBits(bits);
};

/**
 * The products that a question is about: all that are visible, under its search and its filter, or without a part of the filter, as facets count
 * them.
 */
export class FoundRows {
  readonly #index: ProductIndex;
  readonly #filter: SearchFilter;
  readonly #parts: readonly EvaluatedPart[];
  readonly #variants: readonly EvaluatedPart[];
  #all: RowSet | undefined;
  readonly #byLeftOut = new Map<string, RowSet>();

  /** @param matches the rows that have the words of the search, where there is one */
  constructor(index: ProductIndex, filter: SearchFilter, now: Date, matches?: RowSet) {
    this.#index = index;
    this.#filter = filter;
    const visible: Part = { expression: { is: 'rows', rows: index.visible(now) } };
    const search: Part[] = matches ? [{ expression: { is: 'rows', rows: matches } }] : [];
    this.#parts = this.#evaluated([visible, ...search, ...partsOf(index, filter)]);
    this.#variants = this.#evaluated(variantParts(index, filter.options ?? [], filter.inStock === true));
  }

  all(): RowSet {
    this.#all ??= this.#and([...this.#parts, ...this.#variants]);
    return this.#all;
  }

  /** @param name of an attribute or an option */
  without(facet: Facet, name?: string): RowSet {
    const isOwn = ({ part }: EvaluatedPart): boolean => part.facet === facet && part.name === name;
    const options = this.#filter.options ?? [];
    const isOfOptions = facet === 'options' && name !== undefined;
    if (NEEDS_ALL.has(facet) || (!isOfOptions && !this.#parts.some(isOwn))) return this.all();
    const key = `${facet} ${name}`;
    const known = this.#byLeftOut.get(key);
    if (known) return known;
    const others = options.filter((each) => each.name !== name);
    const variants = isOfOptions
      ? this.#evaluated(variantParts(this.#index, others, this.#filter.inStock === true))
      : this.#variants;
    const found = this.#and([...this.#parts.filter((part) => !isOwn(part)), ...variants]);
    this.#byLeftOut.set(key, found);
    return found;
  }

  #evaluated(parts: readonly Part[]): EvaluatedPart[] {
    return parts.map((part) => new EvaluatedPart(this.#index, part));
  }

  /** Begins with the smallest part: for the others, only few rows may have to be looked at. */
  #and(parts: readonly EvaluatedPart[]): RowSet {
    const smallestFirst = [...parts].sort((one, other) => one.sizeAtMost - other.sizeAtMost);
    let found: RowSet | undefined;
    for (const part of smallestFirst) found = found ? part.among(found) : part.rows();
    return found as RowSet;
  }
}
