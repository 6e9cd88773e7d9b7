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
import type { Dimension, Dimensions, Fitting, Variants } from './dimension.ts';
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
export const search = (index: ProductIndex, request: BrowseRequest, known: Known = {}): BrowseResult => {
  const { order, isCounted, facets, terms, code, now, filter } = request;
  index.begin();
  const isSearch = terms.length > 0 || code !== undefined;
  const matches = isSearch ? index.match(terms, 'all', known.codeIds) : undefined;
  const found = new FoundRows(index, filter, now, matches && RowSet.ofRows(index.scratch, matches.rows));
  const selection = new PageSelection(index.columns, request, matches?.scores, known.boundaryRank);
  selection.offer(found.all());
  const { rows, hasNextPage, hasPreviousPage } = selection.finish();
  const items = rows.map((row) => ({
    id: index.columns.id.values[row] as number,
    position: positionOfRow(index.columns, order, row, matches?.scores[row] ?? 0),
  }));
  const totalCount = isCounted ? { totalCount: found.all().size } : {};
  const counts = Object.fromEntries([...facets].map((facet) => [facet, FACETS[facet](index, found, filter)]));
  return { items, hasNextPage, hasPreviousPage, ...totalCount, facets: counts };
};

/** Each counts the rows that are found without its own part of the filter. */
const FACETS: {
  readonly [Name in Facet]: (index: ProductIndex, found: FoundRows, filter: SearchFilter) => FacetCounts[Name];
} = {
  /** Categories are given all, in any order. */
  categories: (index, found) => {
    const { values } = countValues(index, index.categories, found.without('categories'));
    const counted = [...index.categories.values.entries()].filter(([code]) => (values[code] as number) > 0);
    return counted.map(([code, value]) => ({ value: Number(value), count: values[code] as number }));
  },
  brands: (index, found) => valuesOf(index, index.brands, found.without('brands')),
  tags: (index, found) => valuesOf(index, index.tags, found.all()),
  price: (index, found) => priceRangeOfRows(index.columns.price.values, found.without('price').rows()),
  inStock: (index, found, { options = [], inStock }) => {
    const rows = found.without('inStock');
    if (options.length === 0 || inStock === true) return rows.countOf(index.columns.isInStock.words);
    return rows.filter(index.options.hasFitting(index.options.fitting(options, true))).size;
  },
  onSale: (index, found) => found.without('onSale').countOf(index.columns.isReduced.words),
  attributes: (index, found, { attributes = [] }) =>
    namedFacets('attributes', index.attributes, attributes, found, (rows, isWanted) =>
      countValues(index, index.attributes, rows, isWanted),
    ),
  options: (index, found, { options = [], inStock = false }) =>
    namedFacets('options', index.options, options, found, (rows, isWanted, name) => {
      const others = options.filter((each) => each.name !== name);
      return countVariants(index, others, inStock, rows, isWanted);
    }),
};

/** How many rows have each value, by code, and each dimension, by its place. */
interface Counts {
  readonly values: Int32Array;
  readonly dimensions: Int32Array;
}

type IsWanted = (dimension: Dimension) => boolean;

const ALL: IsWanted = () => true;

/** Of most rows the others are counted instead, which is sooner done. @param counts those of some rows @param totals of all live rows */
const withTotals = (
  index: ProductIndex,
  rows: RowSet,
  totals: readonly Int32Array[],
  counts: (rows: Int32Array) => readonly Int32Array[],
): readonly Int32Array[] => {
  const { columns } = index;
  if (rows.size * 2 <= columns.live) return counts(rows.rows());
  return counts(index.live().without(rows, columns.count).rows()).map((others, place) => {
    const of = totals[place] as Int32Array;
    for (let at = 0; at < others.length; at += 1) others[at] = (of[at] ?? 0) - (others[at] as number);
    return others;
  });
};

/** Counts the values of some dimensions. */
const countValues = (index: ProductIndex, of: Dimensions, rows: RowSet, isWanted = ALL): Counts => {
  const isWantedAt = (place: number): boolean => isWanted(of.all[place] as Dimension);
  const [traits = NO_COUNTS] = withTotals(index, rows, [of.totals], (some) => {
    const counts = new Int32Array(of.codesOf.length);
    of.ofRows.count(counts, some, isWantedAt);
    return [counts];
  });
  const values = new Int32Array(of.values.length);
  const dimensions = new Int32Array(of.all.length);
  for (let trait = 0; trait < traits.length; trait += 1) {
    const count = traits[trait] as number;
    if (count === 0) continue;
    const codes = of.codesOf[trait] as readonly number[];
    for (const code of codes) values[code] = (values[code] as number) + count;
    const dimension = of.dimensionOf[codes[0] as number] as number;
    dimensions[dimension] = (dimensions[dimension] as number) + count;
  }
  return { values, dimensions };
};

const NO_COUNTS = new Int32Array(0);

/** Counts the values of variants that have an option of each filter, and are in stock where that is wanted: of each product each value once. */
const countVariants = (
  index: ProductIndex,
  filters: NonNullable<SearchFilter['options']>,
  isInStock: boolean,
  rows: RowSet,
  isWanted: IsWanted,
): Counts => {
  const { options } = index;
  const fits = options.fitting(filters, isInStock);
  const countRows = (some: Int32Array): readonly Int32Array[] => {
    const { values, dimensions } = countOnce(options, fits, some, isWanted);
    return [values, dimensions];
  };
  const totals = options.totalsOf(isInStock);
  const [values = NO_COUNTS, dimensions = NO_COUNTS] =
    filters.length > 0
      ? countRows(rows.rows())
      : withTotals(index, rows, [totals.values, totals.dimensions], countRows);
  return { values, dimensions };
};

/** Values and dimensions are counted at places. A dimension that each variant has is counted at place 0, with the rows that have a variant. */
const countOnce = (options: Variants, fits: Fitting, rows: Int32Array, isWanted: IsWanted): Counts => {
  const { all, codesOf, dimensionOf, lists } = options;
  const placesOfValues = new Int32Array(options.values.length).fill(-1);
  const placesOfDimensions = new Int32Array(all.length).fill(-1);
  const traits = options.traitsOf(fits);
  let count = 1;
  for (const [place, dimension] of all.entries()) {
    if (!isWanted(dimension)) continue;
    for (const code of dimension.codes) placesOfValues[code] = count++;
    const isOfEach = traits.every((trait) => codesOf[trait]?.some((code) => dimensionOf[code] === place));
    placesOfDimensions[place] = isOfEach ? 0 : count++;
  }
  const placesOf = codesOf.map((codes) =>
    codes
      .flatMap((code) => [placesOfValues[code] as number, placesOfDimensions[dimensionOf[code] as number] as number])
      .filter((place) => place >= 0),
  );
  const placesOfVariants = Array.from(fits, (fit, variant) =>
    fit ? (placesOf[variant >>> 1] as number[]) : NO_PLACES,
  );
  const counts = lists.countOnce(placesOfVariants, count, rows);
  const countsAt = (places: Int32Array): Int32Array =>
    places.map((place) => (place < 0 ? 0 : (counts[place] as number)));
  return { values: countsAt(placesOfValues), dimensions: countsAt(placesOfDimensions) };
};

const NO_PLACES: number[] = [];

const valuesOf = (index: ProductIndex, of: Dimensions, rows: RowSet): ValueCount<string>[] => {
  const { values } = countValues(index, of, rows);
  return mostFrequent(countedIn(values), values, (code) => of.values[code] as string).map(withoutCode);
};

const withoutCode = ({ value, count }: Counted): ValueCount<string> => ({ value, count });

interface Counted extends ValueCount<string> {
  readonly code: number;
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

/** Of some codes those that most products have. Only what may be among the first is sorted by its text. @param counts by code */
const mostFrequent = (
  codes: readonly number[],
  counts: Int32Array,
  textOf: (code: number) => string,
): readonly Counted[] => {
  let first = codes;
  if (codes.length > MAX_FACET_VALUES) {
    const sorted = new Int32Array(codes.length);
    for (let at = 0; at < codes.length; at += 1) sorted[at] = counts[codes[at] as number] as number;
    const least = sorted.sort().at(-MAX_FACET_VALUES) as number;
    first = codes.filter((code) => (counts[code] as number) >= least);
  }
  return first
    .map((code) => ({ code, value: textOf(code), count: counts[code] as number }))
    .sort((a, b) => b.count - a.count || compareCodePoints(a.value, b.value))
    .slice(0, MAX_FACET_VALUES);
};

/** The dimensions that are not filtered are counted together; each of the others without its own filters. */
const namedFacets = (
  facet: 'attributes' | 'options',
  of: Dimensions,
  filters: readonly { readonly name: string }[],
  found: FoundRows,
  countsOf: (rows: RowSet, isWanted: IsWanted, name?: string) => Counts,
): ValueFacets[] => {
  const filtered = new Set(filters.map(({ name }) => name));
  const counted = dimensionFacets(
    of,
    countsOf(found.all(), ({ name }) => !filtered.has(name)),
    ({ name }) => !filtered.has(name),
  );
  for (const name of filtered) {
    const isWanted: IsWanted = (dimension) => dimension.name === name;
    counted.push(...dimensionFacets(of, countsOf(found.without(facet, name), isWanted, name), isWanted));
  }
  return counted
    .sort((a, b) => b.count - a.count || compareCodePoints(a.facet.name, b.facet.name))
    .slice(0, MAX_FACET_VALUES)
    .map((each) => each.facet);
};

interface CountedDimension {
  readonly count: number;
  readonly facet: ValueFacets;
}

/** Of the dimensions that are wanted those which most products have. */
const dimensionFacets = (of: Dimensions, { values, dimensions }: Counts, isWanted: IsWanted): CountedDimension[] => {
  const textOf = (code: number): string => of.values[code] as string;
  const nameOf = (place: number): string => (of.all[place] as Dimension).name;
  const places = countedIn(dimensions).filter((place) => isWanted(of.all[place] as Dimension));
  return mostFrequent(places, dimensions, nameOf).map(({ code: place, value: name, count }) => {
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
    return { count, facet: { name, values: mostFrequent(shown, values, textOf).map(withoutCode), ...extremes } };
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

const priceRangeOfRows = (values: Uint32Array | Float64Array, rows: Int32Array): PriceRange | null => {
  if (rows.length === 0) return null;
  const counts = new Int32Array(PRICE_CELLS);
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < rows.length; at += 1) {
    const price = values[rows[at] as number] as number;
    const cell = priceCellOf(price);
    counts[cell] = (counts[cell] as number) + 1;
    if (price < min) min = price;
    if (price > max) max = price;
  }
  const cells: PricedCell[] = [];
  const last = priceCellOf(max);
  for (let cell = priceCellOf(min); cell <= last; cell += 1) {
    const count = counts[cell] as number;
    if (count > 0) cells.push({ first: firstOfPriceCell(cell), count });
  }
  return priceRangeOf(min, max, cells);
};
