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
import { firstOfPriceCell, PRICE_CELLS, type PricedCell, priceCellOf, priceRangeOf } from '../price-bands.ts';
import type { Counts, Dimension, Dimensions } from './dimension.ts';
import { FoundRows } from './expression.ts';
import { nthGreatest, PageSelection, positionOfRow } from './order.ts';
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
  const matches = isSearch ? index.match(texts, terms, 'all', known.codeIds) : undefined;
  const found = new FoundRows(index, filter, now, matches && RowSet.ofRows(matches.rows, index.columns.count));
  const selection = new PageSelection(index.columns, texts.names.rank, request, {
    scores: matches?.scores,
    boundaryRank: known.boundaryRank,
  });
  selection.offer(found.all());
  const { rows, hasNextPage, hasPreviousPage } = selection.finish();
  const items = rows.map((row) => ({
    id: index.columns.id.values[row] as number,
    position: positionOfRow(index.columns, order, row, matches?.scores[row] ?? 0),
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
    const { values } = countValues(index, index.categories, found.without('categories'));
    const counted = [...index.categories.values.entries()].filter(([code]) => (values[code] as number) > 0);
    return counted.map(([code, value]) => ({ value: Number(value), count: values[code] as number }));
  },
  brands: (index, found) => valuesOf(index, index.brands, found.without('brands'), asItIs),
  tags: (index, found, _, labelOf) => valuesOf(index, index.tags, found.without('tags'), labelOf),
  price: (index, found) => priceRangeOfRows(index, found.without('price')),
  inStock: ({ columns, options }, found, { options: filters = [], inStock }) => {
    const rows = found.without('inStock');
    const fitting = filters.length > 0 && inStock !== true ? options.fitting(filters, true) : undefined;
    const own = fitting ? rows.and(options.rowsWith([...fitting], columns.count)) : rows;
    return own.countOf(columns.isInStock.bits);
  },
  onSale: (index, found) => found.without('onSale').countOf(index.columns.isReduced.bits),
  attributes: (index, found, { attributes = [] }, labelOf) =>
    namedFacets('attributes', index.attributes, attributes, found, labelOf, (rows, isWanted) =>
      countValues(index, index.attributes, rows, isWanted),
    ),
  options: (index, found, { options = [], inStock = false }, labelOf) =>
    namedFacets('options', index.options, options, found, labelOf, (rows, isWanted, name) => {
      const others = options.filter((each) => each.name !== name);
      return countValues(index, index.options, rows, isWanted, index.options.fitting(others, inStock));
    }),
};

type IsWanted = (dimension: Dimension) => boolean;

const ALL: IsWanted = () => true;

/** Counts the values of some dimensions. @param fitting traits; by default all */
const countValues = (
  index: ProductIndex,
  of: Dimensions,
  rows: RowSet,
  isWanted = ALL,
  fitting?: ReadonlySet<number>,
): Counts => {
  const totals = fitting === undefined ? of.totals : fitting === of.inStock ? of.totalsInStock : undefined;
  if (!totals || !areMost(index, rows)) return of.count(rows.rows(), isWanted, fitting);
  const others = of.count(index.others(rows).rows(), isWanted, fitting);
  return {
    values: restOf(totals.values, others.values),
    dimensions: restOf(totals.dimensions, others.dimensions),
  };
};

/** Where a set has most rows, the others are counted instead, which is sooner done. */
const areMost = ({ columns }: ProductIndex, rows: RowSet): boolean => rows.size * 2 > columns.live;

/** @param counts of the other rows */
const restOf = (totals: Int32Array, counts: Int32Array): Int32Array => {
  const rest = new Int32Array(counts.length);
  for (let at = 0; at < rest.length; at += 1) rest[at] = (totals[at] ?? 0) - (counts[at] as number);
  return rest;
};

const valuesOf = (index: ProductIndex, of: Dimensions, rows: RowSet, labelOf: LabelOf): ValueCount<string>[] => {
  const { values } = countValues(index, of, rows);
  return mostFrequent(countedIn(values), values, (code) => of.values[code] as string, labelOf).map(withoutCode);
};

const withoutCode = ({ value, count }: Counted): ValueCount<string> => ({ value, count });

interface Counted extends ValueCount<string> {
  readonly code: number;
  readonly label: string;
}

/** The codes that some product has, of all or of some. */
const countedIn = (counts: Int32Array, codes?: readonly number[]): number[] => {
  const counted: number[] = [];
  const length = codes?.length ?? counts.length;
  for (let at = 0; at < length; at += 1) {
    const code = codes ? (codes[at] as number) : at;
    if ((counts[code] as number) > 0) counted.push(code);
  }
  return counted;
};

const mostFirst = (one: Omit<Counted, 'code'>, other: Omit<Counted, 'code'>): number =>
  other.count - one.count || compareCodePoints(one.label, other.label) || compareCodePoints(one.value, other.value);

/** Of some codes those that most products have. Only what may be among the first is sorted by its text. @param counts by code */
const mostFrequent = (
  codes: readonly number[],
  counts: Int32Array,
  textOf: (code: number) => string,
  labelOf: LabelOf,
): readonly Counted[] => {
  let first = codes;
  if (codes.length > MAX_FACET_VALUES) {
    const found = new Int32Array(codes.length);
    for (let at = 0; at < found.length; at += 1) found[at] = counts[codes[at] as number] as number;
    const least = nthGreatest(found, MAX_FACET_VALUES);
    first = codes.filter((code) => (counts[code] as number) >= least);
  }
  return first
    .map((code) => ({ code, value: textOf(code), label: labelOf(textOf(code)), count: counts[code] as number }))
    .sort(mostFirst)
    .slice(0, MAX_FACET_VALUES);
};

/** The dimensions that are not filtered are counted together; each of the others without its own filters. */
const namedFacets = (
  facet: 'attributes' | 'options',
  of: Dimensions,
  filters: readonly { readonly name: string }[],
  found: FoundRows,
  labelOf: LabelOf,
  countsOf: (rows: RowSet, isWanted: IsWanted, name?: string) => Counts,
): ValueFacets[] => {
  const filtered = new Set(filters.map(({ name }) => name));
  const counted = dimensionFacets(
    of,
    countsOf(found.all(), ({ name }) => !filtered.has(name)),
    ({ name }) => !filtered.has(name),
    labelOf,
  );
  for (const name of filtered) {
    const isWanted: IsWanted = (dimension) => dimension.name === name;
    counted.push(...dimensionFacets(of, countsOf(found.without(facet, name), isWanted, name), isWanted, labelOf));
  }
  return counted
    .sort(mostFirst)
    .slice(0, MAX_FACET_VALUES)
    .map((each) => each.facet);
};

interface CountedDimension extends Omit<Counted, 'code'> {
  readonly facet: ValueFacets;
}

/** Of the dimensions that are wanted those which most products have. */
const dimensionFacets = (
  of: Dimensions,
  { values, dimensions }: Counts,
  isWanted: IsWanted,
  labelOf: LabelOf,
): CountedDimension[] => {
  const textOf = (code: number): string => of.values[code] as string;
  const nameOf = (place: number): string => (of.all[place] as Dimension).name;
  const places = countedIn(dimensions).filter((place) => isWanted(of.all[place] as Dimension));
  return mostFrequent(places, dimensions, nameOf, labelOf).map(({ code: place, ...counted }) => {
    const { value: name } = counted;
    const { codes, texts, numbers } = of.all[place] as Dimension;
    const found = countedIn(values, codes);
    const areNumbers = found.every((code) => of.isNumber(code));
    // A number and a text that are written alike are one value.
    for (const code of areNumbers || numbers.size === 0 ? [] : found) {
      const other = texts.get(textOf(code));
      if (other === undefined || other === code) continue;
      values[other] = (values[other] as number) + (values[code] as number);
      values[code] = 0;
      if (!found.includes(other)) found.push(other);
    }
    const shown = areNumbers ? found : found.filter((code) => (values[code] as number) > 0);
    const extremes = areNumbers && found.length > 0 ? extremesOf(of, found) : {};
    return {
      ...counted,
      facet: { name, values: mostFrequent(shown, values, textOf, labelOf).map(withoutCode), ...extremes },
    };
  });
};

const extremesOf = (of: Dimensions, codes: readonly number[]): { min: string; max: string } => {
  let [min, max] = [codes[0] as number, codes[0] as number];
  for (const code of codes) {
    if (of.compare(code, min) < 0) min = code;
    if (of.compare(code, max) > 0) max = code;
  }
  return { min: of.values[min] as string, max: of.values[max] as string };
};

const priceRangeOfRows = (index: ProductIndex, set: RowSet): PriceRange | null => {
  if (set.size === 0) return null;
  const { values } = index.columns.price;
  const rows = set.rows();
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < rows.length; at += 1) {
    const price = values[rows[at] as number] as number;
    if (price < min) min = price;
    if (price > max) max = price;
  }
  const counts = areMost(index, set)
    ? restOf(index.priceCells, countPriceCells(values, index.others(set).rows()))
    : countPriceCells(values, rows);
  const cells: PricedCell[] = [];
  const last = priceCellOf(max);
  for (let cell = priceCellOf(min); cell <= last; cell += 1) {
    const count = counts[cell] as number;
    if (count > 0) cells.push({ first: firstOfPriceCell(cell), count });
  }
  return priceRangeOf(min, max, cells);
};

const countPriceCells = (values: Uint32Array | Float64Array, rows: Int32Array): Int32Array => {
  const counts = new Int32Array(PRICE_CELLS);
  for (let at = 0; at < rows.length; at += 1) {
    const cell = priceCellOf(values[rows[at] as number] as number);
    counts[cell] = (counts[cell] as number) + 1;
  }
  return counts;
};
