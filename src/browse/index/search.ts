import {
  type BrowseRequest,
  type BrowseResult,
  type Facet,
  type FacetCounts,
  MAX_FACET_VALUES,
  type OptionFilter,
  type PriceRange,
  type SearchFilter,
  type SearchTerm,
  type TermsRequest,
  type ValueCount,
  type ValueFacets,
} from '../browse-engine.ts';
import { correctionsOf } from '../correction.ts';
import { compareCodePoints } from '../order.ts';
import { PRICE_CELLS, priceCellOf, priceRangeOf } from '../price-bands.ts';
import type { Dimension, Dimensions } from './dimension.ts';
import { FoundRows } from './expression.ts';
import { PageSelection, positionOfRow } from './order.ts';
import type { ProductIndex } from './product-index.ts';
import { RowSet } from './row-set.ts';
import { nthGreatest } from './rows.ts';

/** What is read of the database for a question that the index cannot know by itself. */
interface Known {
  /** Where the name stands that the page continues from, in NAME_ASC. */
  readonly boundaryRank?: number | undefined;
  /** The products of the code that is searched for. */
  readonly codeIds?: readonly number[] | undefined;
}

/** In NAME_ASC positions have no name. */
export const search = (
  index: ProductIndex,
  request: BrowseRequest,
  known: Known = {},
  texts = index.texts,
): BrowseResult => {
  const { order, isCounted, facets, terms, code, now, filter } = request;
  const isSearch = terms.length > 0 || code !== undefined;
  const { columns } = index;
  const codeRows = known.codeIds?.map((id) => columns.rowOf(id)).filter((row) => row >= 0);
  const matches = isSearch ? texts.words.match(terms, 'all', columns.count, codeRows) : undefined;
  const found = new FoundRows(index, filter, now, matches && RowSet.ofRows(matches.rows, columns.count));
  const selection = new PageSelection(columns, request, {
    scores: matches?.scores,
    nameRank: texts.names.rank,
    boundaryRank: known.boundaryRank,
  });
  selection.offer(found.all());
  const { rows, hasNextPage, hasPreviousPage } = selection.finish();
  const items = rows.map((row) => ({
    id: columns.id.values[row] as number,
    position: positionOfRow(columns, order, row, matches?.scores[row] ?? 0),
  }));
  const totalCount = isCounted ? { totalCount: found.all().size } : {};
  const counted = { index, found, filter, labelOf: texts.labelOf };
  const counts = Object.fromEntries([...facets].map((facet) => [facet, FACETS[facet](counted)]));
  return { items, hasNextPage, hasPreviousPage, ...totalCount, facets: counts };
};

/** What a term is called: what is equally frequent is sorted by it. */
type LabelOf = (term: string) => string;

const asItIs: LabelOf = (term) => term;

/** What is counted: the rows that are found. */
interface Counted {
  readonly index: ProductIndex;
  readonly found: FoundRows;
  readonly filter: SearchFilter;
  readonly labelOf: LabelOf;
}

/** Each counts the rows that are found without its own part of the filter. */
const FACETS: { readonly [Name in Facet]: (counted: Counted) => FacetCounts[Name] } = {
  /** Categories are given all, in any order. */
  categories: ({ index, found }) => {
    const { categories } = index;
    const counts = countValues(index, categories, found.without('categories'));
    return (categories.named('')?.codes ?? [])
      .filter((code) => (counts[code] as number) > 0)
      .map((code) => ({ value: Number(categories.values[code]), count: counts[code] as number }));
  },
  brands: ({ index, found }) => valuesOf(index, index.brands, found.without('brands'), asItIs),
  tags: ({ index, found, labelOf }) => valuesOf(index, index.tags, found.without('tags'), labelOf),
  price: ({ index, found }) => priceRangeOfRows(index, found.without('price')),
  inStock: ({ index, found, filter: { options: filters = [], inStock } }) => {
    const { columns, options } = index;
    const rows = found.without('inStock');
    const fitting = filters.length > 0 && inStock !== true ? options.fitting(filters, true) : undefined;
    const own = fitting ? rows.and(options.rows.rowsOf([...fitting], columns.count)) : rows;
    return own.and(index.rowsWith(columns.isInStock)).size;
  },
  onSale: ({ index, found }) => found.without('onSale').and(index.rowsWith(index.columns.isReduced)).size,
  attributes: (counted) => namedFacets('attributes', counted),
  options: (counted) => {
    const { options = [], inStock = false } = counted.filter;
    const others = (name?: string): readonly OptionFilter[] => options.filter((each) => each.name !== name);
    return namedFacets('options', counted, (name) => counted.index.options.fitting(others(name), inStock));
  },
};

/** Counts rows by the codes of some dimensions. @param fitting traits; by default all */
const countValues = (
  index: ProductIndex,
  of: Dimensions,
  rows: RowSet,
  wanted = of.all,
  fitting?: ReadonlySet<number>,
): Int32Array => {
  const totals = fitting === undefined ? of.totals : fitting === of.inStock ? of.totalsInStock : undefined;
  return countRows(index, rows, (some) => of.count(some, wanted, fitting), totals);
};

/** Where a set has most rows, the others are counted instead, which is sooner done. @param totals the counts of all live rows */
const countRows = (
  index: ProductIndex,
  set: RowSet,
  count: (rows: Int32Array) => Int32Array,
  totals?: Int32Array,
): Int32Array => {
  if (!totals || set.size * 2 <= index.columns.live) return count(set.rows());
  const counts = count(set.othersOf(index.live()).rows());
  for (let at = 0; at < counts.length; at += 1) counts[at] = (totals[at] ?? 0) - (counts[at] as number);
  return counts;
};

/** Of dimensions without a name, of which there is one at most. */
const valuesOf = (index: ProductIndex, of: Dimensions, rows: RowSet, labelOf: LabelOf): readonly ValueCount<string>[] =>
  dimensionFacets(of, of.all, countValues(index, of, rows), labelOf)[0]?.facet.values ?? [];

interface Frequent extends ValueCount<string> {
  readonly label: string;
}

const mostFirst = (one: Frequent, other: Frequent): number =>
  other.count - one.count || compareCodePoints(one.label, other.label) || compareCodePoints(one.value, other.value);

/** Of some codes those that most products have, and some at all. Only what may be among the first is sorted by its text. @param counts by code */
const mostFrequent = (
  codes: readonly number[],
  counts: Int32Array,
  texts: readonly string[],
  labelOf: LabelOf,
): readonly Frequent[] => {
  const countOf = (code: number): number => counts[code] as number;
  const least = Math.max(1, nthGreatest(codes.map(countOf), MAX_FACET_VALUES));
  return codes
    .filter((code) => countOf(code) >= least)
    .map((code) => {
      const value = texts[code] as string;
      return { value, label: labelOf(value), count: countOf(code) };
    })
    .sort(mostFirst)
    .slice(0, MAX_FACET_VALUES);
};

/**
 * The dimensions that are not filtered are counted together; each of the others without its own filters.
 * @param fittingOf the traits that count for a dimension that is filtered, and for all others; by default all
 */
const namedFacets = (
  facet: 'attributes' | 'options',
  { index, found, filter, labelOf }: Counted,
  fittingOf = (_?: string): ReadonlySet<number> | undefined => undefined,
): ValueFacets[] => {
  const of = index[facet];
  const facetsOf = (rows: RowSet, dimensions: readonly Dimension[], name?: string): FrequentDimension[] =>
    dimensionFacets(of, dimensions, countValues(index, of, rows, dimensions, fittingOf(name)), labelOf);
  const isFiltered = ({ name }: Dimension): boolean => filter[facet]?.some((each) => each.name === name) === true;
  const others = of.all.filter((dimension) => !isFiltered(dimension));
  const filtered = of.all.filter(isFiltered);
  return facetsOf(found.all(), others)
    .concat(filtered.flatMap((each) => facetsOf(found.without(facet, each.name), [each], each.name)))
    .sort(mostFirst)
    .slice(0, MAX_FACET_VALUES)
    .map((each) => each.facet);
};

interface FrequentDimension extends Frequent {
  readonly facet: ValueFacets;
}

/** Of some dimensions those which most products have. */
const dimensionFacets = (
  of: Dimensions,
  dimensions: readonly Dimension[],
  counts: Int32Array,
  labelOf: LabelOf,
): FrequentDimension[] => {
  const anys = dimensions.map(({ any }) => any);
  return mostFrequent(anys, counts, of.values, labelOf).map((counted) => {
    const { value: name } = counted;
    const dimension = of.named(name) as Dimension;
    const extremes = extremesOf(of, dimension, counts);
    // A number and a text that are written alike are one value.
    for (const [one, other] of dimension.byText.values()) {
      if (one === undefined || other === undefined) continue;
      counts[one] = (counts[one] as number) + (counts[other] as number);
      counts[other] = 0;
    }
    const values = mostFrequent(dimension.codes, counts, of.values, labelOf);
    return { ...counted, facet: { name, values: values.map(({ value, count }) => ({ value, count })), ...extremes } };
  });
};

/** Nothing where some product has a text. */
const extremesOf = (of: Dimensions, { codes }: Dimension, counts: Int32Array): { min?: string; max?: string } => {
  const isFound = (code: number): boolean => (counts[code] as number) > 0;
  if (codes.some((code) => isFound(code) && Number.isNaN(of.numberOf(code)))) return {};
  const found = codes.filter(isFound);
  const [first] = found;
  if (first === undefined) return {};
  const least = found.reduce((one, other) => (of.numberOf(other) < of.numberOf(one) ? other : one), first);
  const greatest = found.reduce((one, other) => (of.numberOf(other) > of.numberOf(one) ? other : one), first);
  return { min: of.values[least] as string, max: of.values[greatest] as string };
};

const priceRangeOfRows = (index: ProductIndex, set: RowSet): PriceRange | null => {
  if (set.size === 0) return null;
  const { values, least, greatest } = index.columns.price;
  let [min, max] = [Number.POSITIVE_INFINITY, 0];
  set.visit(
    (block) => (least[block] as number) < min || (greatest[block] as number) > max,
    (rows, count) => {
      for (let at = 0; at < count; at += 1) {
        const price = values[rows[at] as number] as number;
        min = Math.min(min, price);
        max = Math.max(max, price);
      }
    },
  );
  const countCells = (rows: Int32Array): Int32Array => {
    const counts = new Int32Array(PRICE_CELLS);
    for (let at = 0; at < rows.length; at += 1) {
      const cell = priceCellOf(values[rows[at] as number] as number);
      counts[cell] = (counts[cell] as number) + 1;
    }
    return counts;
  };
  return priceRangeOf(min, max, countRows(index, set, countCells, index.priceCells));
};

/** As {@link BrowseEngine.correct} says. */
export const correct = (
  index: ProductIndex,
  { terms, now }: TermsRequest,
  { words } = index.texts,
): readonly SearchTerm[] | undefined => {
  const isVisible = index.columns.visibleAt(now);
  const isFound = (some: readonly SearchTerm[]): boolean =>
    words.match(some, 'all', index.columns.count).rows.some(isVisible);
  if (isFound(terms)) return undefined;
  const vocabulary = { words: words.dictionary.values, countOf: (word: string) => words.countOf(word, isVisible) };
  return correctionsOf(terms, (term) => isFound([term]), vocabulary).find(isFound);
};
