import type { Statement } from '../database/sql.ts';
import { visibility } from '../product/visibility.ts';
import {
  BAND_WIDTHS,
  type BrowseRequest,
  type Facet,
  FIELD_WEIGHTS,
  MAX_BAND_WIDTHS,
  MAX_FACET_VALUES,
  type Position,
  type SearchFilter,
  type SearchTerm,
} from './browse-engine.ts';
import { type KeyType, SEARCH_ORDERS } from './order.ts';
import { piecesOfTerm, SEARCHED_FIELD } from './words.ts';

/** A statement with its values. */
export interface Query {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/** The values of a statement that is put together. */
export class Values {
  readonly list: unknown[] = [];

  /** Adds a value. @returns the expression for it */
  add(value: unknown, type: string): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}

/** The one row of the statement of {@link searchQuery}. */
export interface SearchRow {
  /** Positions, in the order in which they were read, with one more than the page has where there is one. */
  readonly items: readonly Position[];
  readonly total?: number;
  /** Whether there are products on the side of the page from which it was not read. */
  readonly hasOther: boolean;
  readonly categories?: readonly (readonly [number, number])[] | null;
  readonly brands?: readonly (readonly [string, number])[] | null;
  readonly tags?: readonly (readonly [string, number])[] | null;
  readonly price?: { min: string; max: string; bands: { min: string; max: string; count: number }[] } | null;
  readonly inStock?: number;
  readonly onSale?: number;
}

/** A page, its total and facets in one statement, so that all are of one snapshot. */
export const searchQuery = (request: BrowseRequest): Query => {
  const { terms, filter, order, page, isCounted, facets, now } = request;
  const values = new Values();
  const { columns, isDescending } = SEARCH_ORDERS[order];
  const where = [visibility.sql('p', values.add(now, 'timestamptz'))];
  if (terms.length > 0) where.push(`${wordsOfProduct('p')} @@ ${values.add(tsqueryOf(terms), 'tsquery')}`);
  if (filter.publishedAfter) where.push(`p.published_at > ${values.add(filter.publishedAfter, 'timestamptz')}`);
  const ownParts = new Map<Facet, string>();
  for (const [facet, condition] of facetParts(filter, values)) {
    if (facets.has(facet)) ownParts.set(facet, condition);
    else where.push(condition);
  }
  const partsWithout = (facet?: Facet): string =>
    [...ownParts.keys()].map((part) => (part === facet ? '' : ` and b.is_${part}`)).join('');
  const isReversed = page.from === 'end';
  const direction = isDescending !== isReversed ? 'desc' : 'asc';
  const orderBy = Object.keys(columns)
    .map((column) => `b.${column} ${direction}`)
    .join(', ');

  const position = page.from === 'start' ? page.after : page.from === 'end' ? page.before : undefined;
  const keys = `(${Object.keys(columns).map((column) => `b.${column}`)})`;
  const at =
    position &&
    `(${Object.values(columns).map((type, index) => values.add(fromPosition(position[index] ?? '', type), type))})`;
  const [beyond, before] = direction === 'desc' ? ['<', '>='] : ['>', '<='];
  const offset = page.from === 'offset' ? page.offset : 0;
  const hasOther =
    at !== undefined || offset > 0
      ? `exists (select from base b where true${partsWithout()}${at ? ` and ${keys} ${before} ${at}` : ''})`
      : 'false';

  const baseColumns = new Set(['id', ...Object.keys(columns), ...[...facets].flatMap((facet) => FACET_COLUMNS[facet])]);
  baseColumns.delete('score');
  const selected = [
    ...[...baseColumns].map((column) => `p.${column}`),
    ...('score' in columns ? [`${scoreOf(terms, values)} as score`] : []),
    ...[...ownParts].map(([part, condition]) => `(${condition}) as is_${part}`),
  ];
  const outputs = [
    `(select coalesce(json_agg(json_build_array(${Object.entries(columns).map(([column, type]) => toPosition(`b.${column}`, type))}) order by ${orderBy}), '[]') from page b) as items`,
    `${hasOther} as "hasOther"`,
    ...(isCounted ? [`(select count(*)::int from base b where true${partsWithout()}) as total`] : []),
    ...[...facets].map((facet) => `${FACETS[facet](`true${partsWithout(facet)}`, values)} as "${facet}"`),
  ];
  // What is read more than once is made once, unless an index gives the page.
  const isScanned = facets.size > 0 || 'score' in columns;
  const text = `
    with base as ${isScanned ? 'materialized' : 'not materialized'} (select ${selected} from product p where ${where.join(' and ')}),
    page as (
      select ${Object.keys(columns).map((column) => `b.${column}`)} from base b
      where true${partsWithout()}${at ? ` and ${keys} ${beyond} ${at}` : ''}
      order by ${orderBy}
      limit ${values.add(page.size + 1, 'int')} offset ${values.add(offset, 'int')}
    )
    select ${outputs}`;
  return { statement: { text }, values: values.list };
};

/** The parts of a filter that a facet leaves out for itself. */
const facetParts = (filter: SearchFilter, values: Values): [Facet, string][] => {
  const parts: [Facet, string][] = [];
  const { categoryIds, brands, tags, minPrice, maxPrice, inStock, onSale } = filter;
  if (categoryIds) parts.push(['categories', `p.category_id = any(${values.add(categoryIds, 'int[]')})`]);
  if (brands) parts.push(['brands', `coalesce(p.brand = any(${values.add(brands.filter(isText), 'text[]')}), false)`]);
  if (tags) {
    parts.push(['tags', tags.every(isText) ? `p.tags @> ${values.add(tags, 'text[]')}` : 'false']);
  }
  const prices = [
    ...(minPrice === undefined ? [] : [`p.price >= ${values.add(minPrice, 'numeric')}`]),
    ...(maxPrice === undefined ? [] : [`p.price <= ${values.add(maxPrice, 'numeric')}`]),
  ];
  if (prices.length > 0) parts.push(['price', prices.join(' and ')]);
  if (inStock !== undefined) parts.push(['inStock', `${inStock ? '' : 'not '}(${IN_STOCK('p')})`]);
  if (onSale !== undefined) parts.push(['onSale', `${onSale ? '' : 'not '}(${ON_SALE('p')})`]);
  return parts;
};

const IN_STOCK = (alias: string): string => `${alias}.stock > 0`;
const ON_SALE = (alias: string): string => `coalesce(${alias}.list_price > ${alias}.price, false)`;

// No text in PostgreSQL has a NUL; as a parameter it would be an error.
const isText = (text: string): boolean => !text.includes('\0');

const FACET_COLUMNS: Readonly<Record<Facet, readonly string[]>> = {
  categories: ['category_id'],
  brands: ['brand'],
  tags: ['tags'],
  price: ['price'],
  inStock: ['stock'],
  onSale: ['list_price', 'price'],
};

const topValues = (value: string, from: string): string => `(
  select json_agg(json_build_array(v.value, v.count) order by v.count desc, v.value collate "C")
  from (
    select ${value} as value, count(*) as count from ${from}
    group by 1 order by count desc, ${value} collate "C" limit ${MAX_FACET_VALUES}
  ) v)`;

/** Each facet as an expression. `base` has the products; the condition leaves out those that the other parts of the filter leave out. */
const FACETS: Readonly<Record<Facet, (condition: string, values: Values) => string>> = {
  categories: (condition) => `(
    select json_agg(json_build_array(c.category_id, c.count))
    from (select b.category_id, count(*) as count from base b where ${condition} group by 1) c)`,
  brands: (condition) => topValues('b.brand', `base b where b.brand is not null and ${condition}`),
  tags: (condition) =>
    topValues('t.tag', `base b cross join lateral (select distinct unnest(b.tags) as tag) t where ${condition}`),
  price: (condition, values) => `(
    with extent as (
      select min(b.price) as min, max(b.price) as max from base b where ${condition}
    ), scale as (
      select min(w.width) / 100 as width from unnest(${values.add(BAND_WIDTHS, 'numeric[]')}) as w(width), extent e
      where w.width * ${MAX_BAND_WIDTHS} >= (e.max - e.min) * 100
    ), band as (
      select floor(b.price / s.width) * s.width as min, s.width, count(*) as count
      from base b, scale s where ${condition} group by 1, 2
    )
    select json_build_object('min', e.min::text, 'max', e.max::text, 'bands', (
      select json_agg(json_build_object(
        'min', band.min::numeric(16, 2)::text, 'max', (band.min + band.width - 0.01)::numeric(16, 2)::text, 'count', band.count
      ) order by band.min) from band))
    from extent e where e.min is not null)`,
  inStock: (condition) => `(select count(*)::int from base b where ${IN_STOCK('b')} and ${condition})`,
  onSale: (condition) => `(select count(*)::int from base b where ${ON_SALE('b')} and ${condition})`,
};

/** The words of a product, as the index has them. */
export const wordsOfProduct = (alias: string): string =>
  `vitrine_search(${['name', 'brand', 'tags', 'subtitle', 'description'].map((column) => `${alias}.${column}`).join(', ')})`;

/** The words of a text. */
export const wordsOfText = (text: string): string => `vitrine_vector(${text}, ${SEARCHED_FIELD})`;

/** A `tsquery` that wants every term. Words have no character that would need to be escaped. */
export const tsqueryOf = (terms: readonly SearchTerm[]): string =>
  terms
    .map((term) => {
      const pieces = piecesOfTerm(term);
      const label = term.isPrefix && pieces.length === 1 ? ':*' : '';
      return `(${pieces.map((piece) => `'${piece}'${label}`).join(' <-> ')})`;
    })
    .join(' & ');

/** From field to field, the best first, so that most products need one: what is found and in none of these is in the description. */
const scoreOf = (terms: readonly SearchTerm[], values: Values): string => {
  const { name, brand, tags, subtitle, description } = FIELD_WEIGHTS;
  const scores = terms.map((term) => {
    const query = values.add(tsqueryOf([term]), 'tsquery');
    const has = (text: string, weight: number): string => `when ${wordsOfText(text)} @@ ${query} then ${weight}`;
    const fields = [
      has('p.name', name),
      has("coalesce(p.brand, '')", brand),
      has("array_to_string(p.tags, ' ')", tags),
      has("coalesce(p.subtitle, '')", subtitle),
    ];
    return `case ${fields.join(' ')} else ${description} end`;
  });
  return `(${scores.join(' + ')})`;
};

const toPosition = (expression: string, type: KeyType): string =>
  type === 'timestamptz' ? `(extract(epoch from ${expression}) * 1000000)::bigint::text` : `${expression}::text`;

const MICROSECONDS = 1_000_000n;

const fromPosition = (value: string, type: KeyType): string => {
  if (type !== 'timestamptz') return value;
  const since1970 = BigInt(value);
  const fraction = ((since1970 % MICROSECONDS) + MICROSECONDS) % MICROSECONDS;
  const second = new Date(Number((since1970 - fraction) / 1000n)).toISOString();
  return second.replace(/\.\d+/, `.${String(fraction).padStart(6, '0')}`);
};
