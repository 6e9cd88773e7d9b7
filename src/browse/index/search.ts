import {
  type BrowseRequest,
  type BrowseResult,
  type Facet,
  type FacetCounts,
  MAX_FACET_VALUES,
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
import type { Dimension, Kind, Traits } from './dimension.ts';
import { FoundRows } from './expression.ts';
import { pageOf, positionOfRow } from './order.ts';
import type { ProductIndex } from './product-index.ts';
import { RowSet } from './row-set.ts';
import { nthGreatest } from './rows.ts';
import { add } from './traits.ts';

/** What is read of the database for a question that the index cannot know by itself. */
interface Known {
  /** Where the name stands that the page continues from, in NAME_ASC. */
  readonly boundaryRank?: number | undefined;
  /** The products of the code that is searched for. */
  readonly codeIds?: readonly number[] | undefined;
}

/** Positions have no name in NAME_ASC: the index does not have it. */
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
  const by = { scores: matches?.scores, nameRank: texts.names.rank, boundaryRank: known.boundaryRank };
  const { rows, hasNextPage, hasPreviousPage } = pageOf(columns, found.all(), request, by);
  const items = rows.map((row) => ({
    id: columns.id.values[row] as number,
    position: positionOfRow(columns, order, row, matches?.scores[row] ?? 0),
  }));
  const totalCount = isCounted ? { totalCount: found.all().size } : {};
  const counted = { index, found, filter, labelOf: texts.labelOf };
  const counts = Object.fromEntries([...facets].map((facet) => [facet, FACET_COUNTERS[facet](counted)]));
  return { items, hasNextPage, hasPreviousPage, ...totalCount, facets: counts };
};

/** What a term is called: what is equally frequent is sorted by it. */
type LabelOf = (term: string) => string;

/** What is counted: the rows that are found. */
interface Counted {
  readonly index: ProductIndex;
  readonly found: FoundRows;
  readonly filter: SearchFilter;
  readonly labelOf: LabelOf;
}

/** Each counts the rows that are found without its own part of the filter. */
const FACET_COUNTERS: { readonly [Name in Facet]: (counted: Counted) => FacetCounts[Name] } = {
  /** Categories are given all, in any order. */
  categories: ({ index, found }) => {
    const { categories } = index;
    const counts = countCodes(index, categories, found.without('categories'));
    return (categories.byName.get('')?.codes ?? [])
      .filter((code) => (counts[code] as number) > 0)
      .map((code) => ({ value: Number(categories.texts[code]), count: counts[code] as number }));
  },
  brands: ({ index, found }) => valuesOf(index, index.brands, found.without('brands')),
  tags: ({ index, found, labelOf }) => valuesOf(index, index.tags, found.without('tags'), labelOf),
  price: ({ index, found }) => priceRangeOfRows(index, found.without('price')),
  inStock: ({ index, found, filter: { options = [], inStock } }) => {
    const { columns, options: kind } = index;
    const rows = found.without('inStock').and(index.rowsWith(columns.isInStock));
    const variants = options.length > 0 && inStock !== true ? kind.traitsWithAll(options, true) : 'all';
    return variants === 'all' ? rows.size : rows.and(kind.rows.rowsOf([...variants], columns.count)).size;
  },
  onSale: ({ index, found }) => found.without('onSale').and(index.rowsWith(index.columns.isReduced)).size,
  attributes: (counted) => namedFacets('attributes', counted, () => 'all'),
  options: (counted) => {
    const { options = [], inStock = false } = counted.filter;
    const others = (name?: string) => options.filter((each) => each.name !== name);
    return namedFacets('options', counted, (name) => counted.index.options.traitsWithAll(others(name), inStock));
  },
};

/** By code of some dimensions, how many of some rows have it. */
const countCodes = (
  index: ProductIndex,
  kind: Kind,
  rows: RowSet,
  dimensions: readonly Dimension[] = kind.dimensions,
  traits: Traits = 'all',
): Int32Array => countRows(index, rows, (some) => kind.count(some, dimensions, traits), kind.totalsOf(traits));

/** Where a set has most rows, the others are counted instead, which is sooner done. @param totals the counts of all live rows */
const countRows = (
  index: ProductIndex,
  set: RowSet,
  count: (rows: Int32Array) => Int32Array,
  totals: Int32Array | undefined,
): Int32Array => {
  if (!totals || set.size * 2 <= index.columns.live) return count(set.rows());
  const counts = count(set.othersOf(index.live()).rows());
  for (let at = 0; at < counts.length; at += 1) counts[at] = (totals[at] ?? 0) - (counts[at] as number);
  return counts;
};

/** Of a kind with one dimension, whose values are texts. A product may have several of them: its dimension is not counted once. */
const valuesOf = (
  index: ProductIndex,
  kind: Kind,
  rows: RowSet,
  labelOf: LabelOf = String,
): readonly ValueCount<string>[] =>
  mostFrequent(kind.dimensions[0]?.codes ?? [], countCodes(index, kind, rows), kind.texts, labelOf).map(withoutLabel);

interface Frequent extends ValueCount<string> {
  readonly label: string;
}

const withoutLabel = ({ value, count }: Frequent): ValueCount<string> => ({ value, count });

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
 * @param traitsFor the traits that count, but for the filters of a dimension
 */
const namedFacets = (
  facet: 'attributes' | 'options',
  { index, found, filter, labelOf }: Counted,
  traitsFor: (name?: string) => Traits,
): ValueFacets[] => {
  const kind = index[facet];
  const filtered = new Set(filter[facet]?.map(({ name }) => name));
  const facetsOf = (rows: RowSet, dimensions: readonly Dimension[], traits: Traits): FrequentDimension[] =>
    dimensionFacets(kind, dimensions, countCodes(index, kind, rows, dimensions, traits), labelOf);
  const others = kind.dimensions.filter(({ name }) => !filtered.has(name));
  return kind.dimensions
    .filter(({ name }) => filtered.has(name))
    .flatMap((each) => facetsOf(found.without(facet, each.name), [each], traitsFor(each.name)))
    .concat(facetsOf(found.all(), others, traitsFor()))
    .sort(mostFirst)
    .slice(0, MAX_FACET_VALUES)
    .map((each) => each.facet);
};

interface FrequentDimension extends Frequent {
  readonly facet: ValueFacets;
}

/** Of some dimensions those which most products have. */
const dimensionFacets = (
  kind: Kind,
  dimensions: readonly Dimension[],
  counts: Int32Array,
  labelOf: LabelOf,
): FrequentDimension[] => {
  const codes = dimensions.map(({ code }) => code);
  return mostFrequent(codes, counts, kind.texts, labelOf).map((counted) => {
    const { value: name } = counted;
    const dimension = kind.byName.get(name) as Dimension;
    const extremes = extremesOf(kind, dimension, counts);
    // A number and a text that are written alike are one value.
    for (const [one, other] of dimension.byText.values()) {
      if (one === undefined || other === undefined) continue;
      counts[one] = (counts[one] as number) + (counts[other] as number);
      counts[other] = 0;
    }
    const values = mostFrequent(dimension.codes, counts, kind.texts, labelOf);
    return { ...counted, facet: { name, values: values.map(withoutLabel), ...extremes } };
  });
};

/** Nothing where some product has a text. */
const extremesOf = (kind: Kind, { codes }: Dimension, counts: Int32Array): Pick<ValueFacets, 'min' | 'max'> => {
  const { numbers, texts } = kind;
  let [least, greatest] = [-1, -1];
  for (const code of codes) {
    const number = numbers[code] as number;
    if (counts[code] === 0) continue;
    if (Number.isNaN(number)) return {};
    if (least < 0 || number < (numbers[least] as number)) least = code;
    if (greatest < 0 || number > (numbers[greatest] as number)) greatest = code;
  }
  return least < 0 ? {} : { min: texts[least] as string, max: texts[greatest] as string };
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
    for (let at = 0; at < rows.length; at += 1) add(counts, priceCellOf(values[rows[at] as number] as number), 1);
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
