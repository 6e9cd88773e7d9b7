import {
  type BrowseRequest,
  type BrowseResult,
  type Facet,
  type FacetCounts,
  MAX_FACET_VALUES,
  type PriceRange,
  type SearchFilter,
  type ValueCount,
  type ValueFacets,
} from '../browse-engine.ts';
import { compareCodePoints } from '../order.ts';
import { PRICE_CELLS, priceCellOf, priceRangeOf } from '../price-bands.ts';
import type { Dimension, Dimensions } from './dimension.ts';
import { FoundRows } from './expression.ts';
import { PageSelection, positionOfRow } from './order.ts';
import type { ProductIndex } from './product-index.ts';
import { RowSet } from './row-set.ts';

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
  const selection = new PageSelection(columns, texts.names.rank, request, {
    scores: matches?.scores,
    boundaryRank: known.boundaryRank,
  });
  selection.offer(found.all());
  const { rows, hasNextPage, hasPreviousPage } = selection.finish();
  const items = rows.map((row) => ({
    id: columns.id.values[row] as number,
    position: positionOfRow(columns, order, row, matches?.scores[row] ?? 0),
  }));
  const totalCount = isCounted ? { totalCount: found.all().size } : {};
  const { labelOf } = texts;
  const counts = Object.fromEntries([...facets].map((facet) => [facet, FACETS[facet](index, found, filter, labelOf)]));
  return { items, hasNextPage, hasPreviousPage, ...totalCount, facets: counts };
};

/** What a term is called: what is equally frequent is sorted by it. */
type LabelOf = (term: string) => string;

const asItIs: LabelOf = (term) => term;

/** Each counts the rows that are found without its own part of the filter. */
const FACETS: {
  readonly [Name in Facet]: (
    index: ProductIndex,
    found: FoundRows,
    filter: SearchFilter,
    labelOf: LabelOf,
  ) => FacetCounts[Name];
} = {
  /** Categories are given all, in any order. */
  categories: (index, found) => {
    const { categories } = index;
    const counts = countValues(index, categories, found.without('categories'));
    return countedOf(categories, '', counts).map((code) => ({
      value: Number(categories.values[code]),
      count: counts[code] as number,
    }));
  },
  brands: (index, found) => valuesOf(index, index.brands, found.without('brands'), asItIs),
  tags: (index, found, _, labelOf) => valuesOf(index, index.tags, found.without('tags'), labelOf),
  price: (index, found) => priceRangeOfRows(index, found.without('price')),
  inStock: (index, found, { options: filters = [], inStock }) => {
    const { columns, options } = index;
    const rows = found.without('inStock');
    const fitting = filters.length > 0 && inStock !== true ? options.fitting(filters, true) : undefined;
    const own = fitting ? rows.and(options.rows.rowsOf([...fitting], columns.count)) : rows;
    return own.and(index.rowsWith(columns.isInStock)).size;
  },
  onSale: (index, found) => found.without('onSale').and(index.rowsWith(index.columns.isReduced)).size,
  attributes: (index, found, { attributes = [] }, labelOf) =>
    namedFacets('attributes', index.attributes, attributes, found, labelOf, (rows, wanted) =>
      countValues(index, index.attributes, rows, wanted),
    ),
  options: (index, found, { options = [], inStock = false }, labelOf) =>
    namedFacets('options', index.options, options, found, labelOf, (rows, wanted, name) => {
      const others = options.filter((each) => each.name !== name);
      return countValues(index, index.options, rows, wanted, index.options.fitting(others, inStock));
    }),
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

const valuesOf = (index: ProductIndex, of: Dimensions, rows: RowSet, labelOf: LabelOf): ValueCount<string>[] => {
  const counts = countValues(index, of, rows);
  return mostFrequent(countedOf(of, '', counts), counts, of.values, labelOf).map(withoutCode);
};

const withoutCode = ({ value, count }: Counted): ValueCount<string> => ({ value, count });

interface Counted extends ValueCount<string> {
  readonly code: number;
  readonly label: string;
}

/** The values of a dimension that some product has. */
const countedOf = (of: Dimensions, name: string, counts: Int32Array): number[] => {
  const codes = of.named(name)?.codes ?? [];
  return codes.filter((code) => (counts[code] as number) > 0);
};

const mostFirst = (one: Counted, other: Counted): number =>
  other.count - one.count || compareCodePoints(one.label, other.label) || compareCodePoints(one.value, other.value);

/** Of some codes those that most products have. Only what may be among the first is sorted by its text. @param counts by code */
const mostFrequent = (
  codes: readonly number[],
  counts: Int32Array,
  texts: readonly string[],
  labelOf: LabelOf,
): readonly Counted[] => {
  const countOf = (code: number): number => counts[code] as number;
  const least = codes.length > MAX_FACET_VALUES ? nthGreatest(codes.map(countOf), MAX_FACET_VALUES) : 0;
  return codes
    .filter((code) => countOf(code) >= least)
    .map((code) => {
      const value = texts[code] as string;
      return { code, value, label: labelOf(value), count: countOf(code) };
    })
    .sort(mostFirst)
    .slice(0, MAX_FACET_VALUES);
};

/** The nth of some numbers, by Hoare's quickselect. @param numbers are put into another order, the n greatest first */
const nthGreatest = (numbers: number[], nth: number): number => {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const pivot = numbers[(low + high) >>> 1] as number;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((numbers[left] as number) > pivot) left += 1;
      while ((numbers[right] as number) < pivot) right -= 1;
      if (left > right) break;
      const number = numbers[left] as number;
      numbers[left++] = numbers[right] as number;
      numbers[right--] = number;
    }
    if (nth - 1 <= right) high = right;
    else if (nth - 1 >= left) low = left;
    else break;
  }
  return numbers[nth - 1] as number;
};

/** The dimensions that are not filtered are counted together; each of the others without its own filters. */
const namedFacets = (
  facet: 'attributes' | 'options',
  of: Dimensions,
  filters: readonly { readonly name: string }[],
  found: FoundRows,
  labelOf: LabelOf,
  countsOf: (rows: RowSet, wanted: readonly Dimension[], name?: string) => Int32Array,
): ValueFacets[] => {
  const filtered = new Set(filters.map(({ name }) => name));
  const others = of.all.filter(({ name }) => !filtered.has(name));
  const counted = dimensionFacets(of, others, countsOf(found.all(), others), labelOf);
  for (const dimension of of.all)
    if (filtered.has(dimension.name)) {
      const counts = countsOf(found.without(facet, dimension.name), [dimension], dimension.name);
      counted.push(...dimensionFacets(of, [dimension], counts, labelOf));
    }
  return counted
    .sort(mostFirst)
    .slice(0, MAX_FACET_VALUES)
    .map((each) => each.facet);
};

interface CountedDimension extends Counted {
  readonly facet: ValueFacets;
}

/** Of some dimensions those which most products have. */
const dimensionFacets = (
  of: Dimensions,
  dimensions: readonly Dimension[],
  counts: Int32Array,
  labelOf: LabelOf,
): CountedDimension[] => {
  const anys = dimensions.map(({ any }) => any).filter((any) => (counts[any] as number) > 0);
  return mostFrequent(anys, counts, of.values, labelOf).map((counted) => {
    const { value: name } = counted;
    const { byText } = of.named(name) as Dimension;
    const found = countedOf(of, name, counts);
    if (found.every((code) => !Number.isNaN(of.numberOf(code)))) {
      const values = mostFrequent(found, counts, of.values, labelOf).map(withoutCode);
      return { ...counted, facet: { name, values, ...extremesOf(of, found) } };
    }
    // A number and a text that are written alike are one value.
    for (const [one, other] of byText.values()) {
      if (one === undefined || other === undefined) continue;
      counts[one] = (counts[one] as number) + (counts[other] as number);
      counts[other] = 0;
    }
    const values = mostFrequent(countedOf(of, name, counts), counts, of.values, labelOf).map(withoutCode);
    return { ...counted, facet: { name, values } };
  });
};

const extremesOf = (of: Dimensions, codes: readonly number[]): { min: string; max: string } => {
  const least = codes.reduce((one, other) => (of.numberOf(other) < of.numberOf(one) ? other : one));
  const greatest = codes.reduce((one, other) => (of.numberOf(other) > of.numberOf(one) ? other : one));
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
