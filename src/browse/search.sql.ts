import { namesIn } from '../language/shown.ts';
import { visibility } from '../product/visibility.ts';
import {
  type BrowseRequest,
  CODE_SCORE,
  type Facet,
  type FacetCounts,
  FIELD_WEIGHTS,
  NEEDS_ALL,
  type Position,
} from './browse-engine.ts';
import { countOf, FACETS, type FacetPart, facetParts, hasVariant, isInStock } from './facets.sql.ts';
import { KEY_TYPES, type KeyType, SEARCH_ORDERS } from './order.ts';
import { idsByCode, idsByWords, isAnyOf, type Query, tsqueryOf, Values, wordsOf } from './text.sql.ts';

export interface SearchRow extends Omit<FacetCounts, 'price'> {
  /** Positions, in the order in which they were read, with one more than the page has where there is one. */
  readonly items: readonly Position[];
  readonly total?: number;
  /** Whether there are products on the side of the page from which it was not read. */
  readonly hasOther: boolean;
  /** In cents, with the lowest price of each cell that has products, and how many it has. */
  readonly price?: { min: number; max: number; cells: readonly { first: number; count: number }[] } | null;
}

/** A page, its total and facets in one statement, so that all are of one snapshot. */
export const searchQuery = (request: BrowseRequest): Query => {
  const { terms, code, filter, order, page, isCounted, facets, now, languages } = request;
  const values = new Values();
  const { columns, isDescending } = SEARCH_ORDERS[order];
  const where = [visibility.sql('p', values.add(now, 'timestamptz'))];
  const byCode = code === undefined ? undefined : idsByCode(values.add(code, 'text'));
  const byWords = terms.length > 0 ? idsByWords(values.add(tsqueryOf(terms), 'tsquery'), languages) : undefined;
  const found = [byWords, byCode].filter((ids) => ids !== undefined);
  if (found.length > 0) where.push(isAnyOf('p.id', found.join(' union all ')));
  if (filter.publishedFrom) where.push(`p.published_at >= ${values.add(filter.publishedFrom, 'timestamptz')}`);
  const ownParts: (FacetPart & { readonly column: string })[] = [];
  for (const part of facetParts(filter, values)) {
    if (facets.has(part.facet) && !NEEDS_ALL.has(part.facet))
      ownParts.push({ ...part, column: `part${ownParts.length}` });
    else where.push(part.condition);
  }
  const fits = (without?: Facet): string =>
    ['true', ...ownParts.filter(({ facet }) => facet !== without).map(({ column }) => `b.${column}`)].join(' and ');
  const stockPart = facets.has('inStock') && filter.options ? hasVariant(filter.options, true, values) : undefined;
  const isReversed = page.from === 'end';
  const direction = isDescending !== isReversed ? 'desc' : 'asc';
  const orderIn = (way: string): string => columns.map((column) => `b.${column} ${way}`).join(', ');
  const orderBy = orderIn(direction);

  const { position, offset = 0 } = page;
  const keyColumns = columns.map((column) => `b.${column}`);
  const keys = `(${keyColumns})`;
  const at =
    position && `(${columns.map((column, index) => fromPosition(position[index] ?? '', KEY_TYPES[column], values))})`;
  const [beyond, before] = direction === 'desc' ? ['<', '>='] : ['>', '<='];
  // The nearest one is at hand in an index of the order; any one may be far in the table.
  const opposite = direction === 'desc' ? 'asc' : 'desc';
  const hasOther =
    at !== undefined || offset > 0
      ? `(select true from base b where ${fits()}${at ? ` and ${keys} ${before} ${at}` : ''} order by ${orderIn(opposite)} limit 1) is not null`
      : 'false';

  const baseColumns = new Set<string>([...columns, ...[...facets].flatMap((facet) => FACETS[facet].columns)]);
  baseColumns.delete('score');
  const { joins, name } = namesIn(baseColumns.has('name') ? languages : undefined);
  const selected = [
    ...[...baseColumns].map((column) => (column === 'name' ? `${name} as name` : `p.${column}`)),
    ...(columns.includes('score') ? [`${scoreOf(request, byCode, values)} as score`] : []),
    ...ownParts.map(({ column, condition }) => `(${condition}) as ${column}`),
    ...(stockPart ? [`${stockPart} as is_in_stock`] : []),
  ];
  const counted = {
    isInStock: stockPart ? `${isInStock('b')} and b.is_in_stock` : isInStock('b'),
    filter,
    ofAttributes: ownParts.flatMap(({ name, column }) =>
      name === undefined ? [] : [{ name, condition: `b.${column}` }],
    ),
    values,
    languages,
  };
  const outputs = [
    `(select coalesce(json_agg(json_build_array(${columns.map((column) => toPosition(`b.${column}`, KEY_TYPES[column]))}) order by ${orderBy}), '[]') from page b) as items`,
    `${hasOther} as "hasOther"`,
    ...(isCounted ? [`${countOf(fits())} as total`] : []),
    ...[...facets].map((facet) => `${FACETS[facet].count({ ...counted, fits: fits(facet) })} as "${facet}"`),
  ];
  // What is found is read once: with a search, an index in the order of the page could lead through the whole catalogue. So it is for several
  // facets, unless an index has the products of some categories: then each facet reads these by its own part of the filter (100,000 products, 6
  // facets of 2 categories: 50 ms in place of 230).
  const isMaterialized = found.length > 0 || (facets.size > 1 && !filter.categoryIds);
  const text = `
    with base as ${isMaterialized ? 'materialized' : 'not materialized'} (select ${selected} from product p${joins} where ${where.join(' and ')}),
    page as (
      select ${keyColumns} from base b
      where ${fits()}${at ? ` and ${keys} ${beyond} ${at}` : ''}
      order by ${orderBy}
      limit ${values.add(page.size + 1, 'int')} offset ${values.add(offset, 'int')}
    )
    select ${outputs}`;
  return { text, values: values.list };
};

/** What is found and has no better field is in the description. */
const scoreOf = ({ terms, languages }: BrowseRequest, byCode: string | undefined, values: Values): string => {
  const { name, brand, subtitle, description } = FIELD_WEIGHTS;
  const scores = terms.map((term) => {
    const has = (weight: 'A' | 'B' | 'C') => `w.words @@ ${values.add(tsqueryOf([term], weight), 'tsquery')}`;
    return `case when ${has('A')} then ${name} when ${has('B')} then ${brand} when ${has('C')} then ${subtitle} else ${description} end`;
  });
  const score = `(select ${scores.join(' + ')} from (select ${wordsOf('p.id', languages)} as words) w)`;
  return byCode ? `case when ${isAnyOf('p.id', byCode)} then ${CODE_SCORE} else ${score} end` : score;
};

const toPosition = (expression: string, type: KeyType): string =>
  type === 'timestamptz' ? `(extract(epoch from ${expression}) * 1000000)::bigint::text` : `${expression}::text`;

const fromPosition = (value: string, type: KeyType, values: Values): string => {
  if (type !== 'timestamptz') return values.add(value, type);
  const since1970 = values.add(value, 'bigint');
  // In two parts, because an interval is multiplied by a number with 53 bits.
  return `timestamptz 'epoch' + ${since1970} / 1000000 * interval '1 second' + ${since1970} % 1000000 * interval '1 microsecond'`;
};
