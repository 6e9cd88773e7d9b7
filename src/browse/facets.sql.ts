import { isStorable } from '../database/storable-text.ts';
import { type Facet, MAX_FACET_VALUES, type SearchFilter } from './browse-engine.ts';
import { PRICE_CELL_DIGITS, TOLERANCE } from './price-bands.ts';
import type { Values } from './text.sql.ts';

/** The parts of a filter that have a facet, as conditions on the product `p`. */
export const facetParts = (filter: SearchFilter, values: Values): [Facet, string][] => {
  const parts: [Facet, string][] = [];
  const { categoryIds, brands, tags, minPrice, maxPrice, inStock, onSale } = filter;
  if (categoryIds) parts.push(['categories', `p.category_id = any(${values.add(categoryIds, 'int[]')})`]);
  if (brands)
    parts.push(['brands', `coalesce(p.brand = any(${values.add(brands.filter(isStorable), 'text[]')}), false)`]);
  if (tags) parts.push(['tags', tags.every(isStorable) ? `p.tags @> ${values.add(tags, 'text[]')}` : 'false']);
  const prices = [
    ...(minPrice === undefined ? [] : [`p.price >= ${values.add(minPrice, 'numeric')}`]),
    ...(maxPrice === undefined ? [] : [`p.price <= ${values.add(maxPrice, 'numeric')}`]),
  ];
  if (prices.length > 0) parts.push(['price', prices.join(' and ')]);
  if (inStock !== undefined) parts.push(['inStock', `${inStock ? '' : 'not '}(${isInStock('p')})`]);
  if (onSale !== undefined) parts.push(['onSale', `${onSale ? '' : 'not '}(${isOnSale('p')})`]);
  return parts;
};

const isInStock = (alias: string): string => `${alias}.stock > 0`;
const isOnSale = (alias: string): string => `coalesce(${alias}.list_price > ${alias}.price, false)`;

const GROUPS = { categories: 'category_id', brands: 'brand', tags: 'tags', price: 'price' } as const;

type GroupedFacet = keyof typeof GROUPS;

const isGrouped = (facet: Facet): facet is GroupedFacet => facet in GROUPS;

export const facetColumns = (facets: ReadonlySet<Facet>): string[] => [
  ...[...facets].filter(isGrouped).map((facet) => GROUPS[facet]),
  ...(facets.has('inStock') ? ['stock'] : []),
  ...(facets.has('onSale') ? ['list_price', 'price'] : []),
];

interface Wanted {
  readonly facets: ReadonlySet<Facet>;
  readonly isCounted: boolean;
  /** The condition on `b` of all parts of the filter. @param without the facet whose own part is left out */
  readonly fits: (without?: Facet) => string;
}

/**
 * The counts of `base b`, which is read once for all of them: a query `counted`, which groups by each facet's column on its own, and the expressions
 * that make the facets of its rows.
 */
export const countsOf = ({
  facets,
  isCounted,
  fits,
}: Wanted): { readonly text: string; readonly outputs: readonly string[] } => {
  const counters: string[] = [];
  const counter = (condition: string): string => {
    const count = `count(*) filter (where ${condition})`;
    if (!counters.includes(count)) counters.push(count);
    return `c.n${counters.indexOf(count)}`;
  };
  const grouped = [...facets].filter(isGrouped);
  // Of the bits of `grouping`, that of the row's own group is 0; the last row has no group.
  const bits = (own?: GroupedFacet): number => grouped.reduce((sum, facet) => sum * 2 + (facet === own ? 0 : 1), 0);
  const total = (condition: string): string =>
    `coalesce((select ${counter(condition)}::int from counted c where c.grouped = ${bits()}), 0)`;
  const outputOf = (facet: Facet): string => {
    if (facet === 'inStock') return total(`${isInStock('b')} and ${fits(facet)}`);
    if (facet === 'onSale') return total(`${isOnSale('b')} and ${fits(facet)}`);
    const count = counter(fits(facet));
    return FACETS[facet](`counted c where c.grouped = ${bits(facet)} and ${count} > 0`, count);
  };
  const outputs = [
    ...(isCounted ? [`${total(fits())} as total`] : []),
    ...[...facets].map((facet) => `${outputOf(facet)} as "${facet}"`),
  ];
  const columns = grouped.map((facet) => `b.${GROUPS[facet]}`);
  const selected = [
    ...columns,
    columns.length > 0 ? `grouping(${columns}) as grouped` : '0 as grouped',
    ...counters.map((count, index) => `${count} as n${index}`),
  ];
  const text = `counted as materialized (
      select ${selected} from base b group by grouping sets (${[...columns.map((column) => `(${column})`), '()']})
    )`;
  return { text, outputs };
};

/** @param from rows with a value each @param count of the products that have it */
const topValues = (value: string, from: string, count: string): string => `(
      select coalesce(json_agg(v order by v.count desc, v.value collate "C"), '[]')
      from (
        select ${value} as value, sum(${count})::int as count from ${from}
        group by 1 order by 2 desc, ${value} collate "C" limit ${MAX_FACET_VALUES}
      ) v)`;

/** The lowest price of the cell of a price: `priceCellOf` of price-bands.ts, with a digit less before the point where there is none after it. */
const priceCell = (price: string): string =>
  `trunc(${price}, least(2, ${PRICE_CELL_DIGITS} - length(trunc(${price})::text)))`;

const cents = (price: string): string => `(${price} * 100)::bigint`;

/** @param rows the rows of `counted c` of the facet, of values that have products */
const FACETS: Readonly<Record<GroupedFacet, (rows: string, count: string) => string>> = {
  categories: (rows, count) =>
    `(select coalesce(json_agg(json_build_object('value', c.category_id, 'count', ${count})), '[]') from ${rows})`,
  brands: (rows, count) => topValues('c.brand', `${rows} and c.brand is not null`, count),
  // Equal lists of tags are one row; a tag that a list has twice counts once.
  tags: (rows, count) =>
    topValues(
      't.tag',
      `(select c.tags, ${count} as count from ${rows}) c, lateral (select distinct unnest(c.tags)) t(tag)`,
      'c.count',
    ),
  price: (rows, count) => `(
      with priced as (
        select c.price, ${priceCell('c.price')} as cell, ${count} as count from ${rows}
      ), shared as (
        select p.*, sum(p.count) over (partition by p.cell) > ${TOLERANCE} * sum(p.count) over () as is_large from priced p
      ), counted_cell as (
        select case when s.is_large then s.price else s.cell end as first, s.is_large, sum(s.count)::int as count from shared s group by 1, 2
      )
      select json_build_object('min', min(${cents('p.price')}), 'max', max(${cents('p.price')}), 'cells', (
        select json_agg(json_build_array(${cents('c.first')}, c.count, c.is_large) order by c.first) from counted_cell c))
      from priced p having count(*) > 0)`,
};
