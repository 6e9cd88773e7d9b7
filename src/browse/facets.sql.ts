import { isStorable } from '../database/sql.ts';
import { labelSql } from '../language/shown.ts';
import {
  type AttributeFilter,
  type Facet,
  type FallBacks,
  MAX_FACET_VALUES,
  type OptionFilter,
  type SearchFilter,
} from './browse-engine.ts';
import { PRICE_CELL_DIGITS } from './price-bands.ts';
import type { Values } from './text.sql.ts';

/** A part of a filter that has a facet. */
export interface FacetPart {
  readonly facet: Facet;
  /** On the product `p`, never null. */
  readonly condition: string;
  /** Of attributes: the facet leaves out the parts of one name at a time. */
  readonly name?: string;
}

export const facetParts = (filter: SearchFilter, values: Values): FacetPart[] => {
  const parts: FacetPart[] = [];
  const add = (facet: Facet, condition: string): void => {
    parts.push({ facet, condition });
  };
  const { categoryIds, brands, tags, minPrice, maxPrice, inStock, onSale, attributes = [], options } = filter;
  if (categoryIds) add('categories', `p.category_id = any(${values.add(categoryIds, 'int[]')})`);
  if (brands) add('brands', `coalesce(p.brand = any(${values.add(brands.filter(isStorable), 'text[]')}), false)`);
  if (tags) add('tags', tags.every(isStorable) ? `p.tags @> ${values.add(tags, 'text[]')}` : 'false');
  const prices = [
    ...(minPrice === undefined ? [] : [`p.price >= ${values.add(minPrice, 'numeric')}`]),
    ...(maxPrice === undefined ? [] : [`p.price <= ${values.add(maxPrice, 'numeric')}`]),
  ];
  if (prices.length > 0) add('price', prices.join(' and '));
  if (inStock !== undefined) add('inStock', `${inStock ? '' : 'not '}(${isInStock('p')})`);
  if (onSale !== undefined) add('onSale', `${onSale ? '' : 'not '}(${isReduced('p')})`);
  for (const each of attributes) {
    parts.push({ facet: 'attributes', condition: hasAttribute(each, values), name: each.name });
  }
  if (options) add('options', hasVariant(options, inStock === true, values));
  return parts;
};

const hasAttribute = ({ name, values: wanted = [], min, max }: AttributeFilter, values: Values): string => {
  if (!isStorable(name)) return 'false';
  const attribute = `(p.attributes -> ${values.add(name, 'text')})`;
  const list = values.add(wanted.filter(isStorable), 'text[]');
  const number = `${attribute}::numeric`;
  // To write the number of each product takes ten times as long as to compare it with those that are written so.
  const numbers = wanted.map(Number).filter((each, place) => String(each) === wanted[place] && Number.isFinite(each));
  const bounds = [
    ...(min === undefined ? [] : [['>=', values.add(min, 'numeric')]]),
    ...(max === undefined ? [] : [['<=', values.add(max, 'numeric')]]),
  ];
  // As products and facets show it.
  const fits = (type: string, isWanted: () => string): string =>
    [
      ...(bounds.length > 0
        ? [bounds.map(([operator, bound]) => `${number}${type} ${operator} ${bound}${type}`).join(' and ')]
        : []),
      ...(wanted.length > 0 ? [isWanted()] : []),
    ].join(' or ');
  return `case jsonb_typeof(${attribute})
    when 'number' then
      case when ${isDouble(number)} then ${fits('::float8', () => `${number}::float8 = any(${values.add(numbers, 'float8[]')})`)}
        else ${fits('', () => `trim_scale(${number})::text = any(${list})`)} end
    when 'array' then ${attribute} ?| ${list}
    else coalesce(${attribute} #>> '{}' = any(${list}), false) end`;
};

/** Numbers beyond are no error in jsonb; nor are they numbers of JavaScript. */
const isDouble = (number: string): string => `(${number} = 0 or abs(${number}) between 1e-300 and 1e300)`;

/** A number as JavaScript writes it, and so as a product shows it: with the digits of double precision. */
const numberText = (attribute: string): string => {
  const number = `${attribute}::numeric`;
  const size = `abs(${number})`;
  const double = `${number}::float8::text`;
  return `case when not ${isDouble(number)} then trim_scale(${number})::text
    when ${size} <> 0 and ${size} < 1e-6 or ${size} >= 1e21 then regexp_replace(${double}, 'e([-+])0', 'e\\1')
    else trim_scale(${double}::numeric)::text end`;
};

/** Whether one variant of `p` has all the options. */
export const hasVariant = (options: readonly OptionFilter[], isInStock: boolean, values: Values): string => {
  const conditions = options.map((option) => `(${hasOption(option, 'p', values)})`);
  return `exists (select from product_variant v where v.product_id = p.id and ${conditions.join(' and ')}${isInStock ? ' and v.stock > 0' : ''})`;
};

/** Whether the variant `v` has an option. */
const hasOption = ({ name, values: wanted }: OptionFilter, product: string, values: Values): string =>
  isStorable(name)
    ? `v.option_values[array_position(${product}.option_names, ${values.add(name, 'text')})] = any(${values.add(wanted.filter(isStorable), 'text[]')})`
    : 'false';

export const isInStock = (alias: string): string => `${alias}.stock > 0`;
const isReduced = (alias: string): string => `coalesce(${alias}.list_price > ${alias}.price, false)`;

export const countOf = (condition: string): string => `(select count(*)::int from base b where ${condition})`;

/** @param from rows with a value each @param count of the products that have it */
const topValues = (value: string, from: string, count: string, languages?: FallBacks): string => {
  const by = byLabel('v.value', languages);
  return `(
      select coalesce(json_agg(v order by v.count desc, ${by}), '[]')
      from (
        select v.* from (select ${value} as value, sum(${count})::int as count from ${from} group by 1) v
        order by v.count desc, ${by} limit ${MAX_FACET_VALUES}
      ) v)`;
};

/** By the label of a term, and the term itself where several have the same: the end of an `order by`. */
const byLabel = (term: string, languages: FallBacks = []): string =>
  [...(languages.length > 0 ? [labelSql(term, languages)] : []), term].map((each) => `${each} collate "C"`).join(', ');

/** The lowest price of the cell of a price: `priceCellOf` of price-bands.ts, with a digit less before the point where there is none after it. */
const priceCell = (price: string): string =>
  `trunc(${price}, least(2, ${PRICE_CELL_DIGITS} - length(trunc(${price})::text)))`;

const cents = (price: string): string => `(${price} * 100)::bigint`;

/** What a facet counts under. */
interface Counted {
  /** The condition on `b` of all parts of the filter but the facet's own. */
  readonly fits: string;
  /** The condition on `b` that a variant that fits is in stock. */
  readonly isInStock: string;
  readonly filter: SearchFilter;
  /** The conditions on `b` of the filters of attributes, with their names. */
  readonly ofAttributes: readonly { readonly name: string; readonly condition: string }[];
  readonly values: Values;
  readonly languages: FallBacks;
}

/** As `c`: each value of a column, and how many products have it. */
const rowsBy = (column: string, { fits }: Counted): string =>
  `(select b.${column}, count(*) as count from base b where ${fits} group by 1) c`;

interface FacetSql {
  /** The columns of a product that it is counted by. */
  readonly columns: readonly string[];
  /** An expression. */
  readonly count: (counted: Counted) => string;
}

export const FACETS: Readonly<Record<Facet, FacetSql>> = {
  categories: {
    columns: ['category_id'],
    count: (counted) =>
      `(select coalesce(json_agg(json_build_object('value', c.category_id, 'count', c.count)), '[]') from ${rowsBy('category_id', counted)})`,
  },
  brands: {
    columns: ['brand'],
    count: (counted) => topValues('c.brand', `${rowsBy('brand', counted)} where c.brand is not null`, 'c.count'),
  },
  tags: {
    columns: ['tags'],
    // Equal lists of tags are one row; a tag that a list has twice counts once.
    count: (counted) => {
      const tags = `${rowsBy('tags', counted)}, lateral (select distinct unnest(c.tags)) t(tag)`;
      return topValues('t.tag', tags, 'c.count', counted.languages);
    },
  },
  price: {
    columns: ['price'],
    count: (counted) => `(
      with counted_cell as (
        select ${priceCell('c.price')} as first, min(c.price) as min, max(c.price) as max, sum(c.count)::int as count from ${rowsBy('price', counted)} group by 1
      )
      select json_build_object('min', ${cents('min(p.min)')}, 'max', ${cents('max(p.max)')},
        'cells', json_agg(json_build_object('first', ${cents('p.first')}, 'count', p.count)))
      from counted_cell p having count(*) > 0)`,
  },
  inStock: { columns: ['stock'], count: ({ isInStock, fits }) => countOf(`${isInStock} and ${fits}`) },
  onSale: { columns: ['list_price', 'price'], count: ({ fits }) => countOf(`${isReduced('b')} and ${fits}`) },
  attributes: {
    columns: ['attributes'],
    count: ({ fits, ofAttributes, values, languages }) => {
      const others = ofAttributes.map(
        ({ name, condition }) => ` and (${condition} or a.name = ${nameOf(name, values)})`,
      );
      return valueFacets(
        languages,
        `
    select name, count,
      case jsonb_typeof(value)
        when 'array' then array(select distinct jsonb_array_elements_text(value))
        when 'number' then array[${numberText('value')}]
        else array[value #>> '{}']
      end as values,
      case when jsonb_typeof(value) = 'number' then value::numeric end as number
    from (
      select a.name, a.value, count(*) as count
      from base b cross join lateral jsonb_each(b.attributes) as a(name, value)
      where ${fits}${others.join('')} group by 1, 2
    ) grouped`,
      );
    },
  },
  options: {
    columns: ['option_names'],
    count: ({ fits, filter: { options = [], inStock }, values, languages }) => {
      const others = options.map(
        (option) => ` and (${hasOption(option, 'b', values)} or o.name = ${nameOf(option.name, values)})`,
      );
      return valueFacets(
        languages,
        `
    select name, count(*) as count, values, null::numeric as number
    from (
      select o.name, array_agg(distinct o.value) as values
      from base b join product_variant v on v.product_id = b.id
        cross join lateral unnest(b.option_names, v.option_values) as o(name, value)
      where ${fits} and o.name is not null and o.value is not null${inStock ? ' and v.stock > 0' : ''}${others.join('')}
      group by b.id, o.name
    ) of_product
    group by name, values`,
      );
    },
  },
};

/** A name that no table can hold is no name of theirs. */
const nameOf = (name: string, values: Values): string => values.add(isStorable(name) ? name : null, 'text');

/** @param grouped a query: by name and values, each value once, how many products have these, and the number that they are */
const valueFacets = (languages: FallBacks, grouped: string): string => `(
      with grouped as materialized (${grouped}),
      top_name as (
        select name, sum(count) as count, count(*) = count(number) as are_numbers, min(number) as min, max(number) as max
        from grouped where cardinality(values) > 0 group by name
        order by 2 desc, ${byLabel('grouped.name', languages)} limit ${MAX_FACET_VALUES}
      ),
      counted_value as (
        select g.name, v.value, sum(g.count)::int as count,
          row_number() over (partition by g.name order by sum(g.count) desc, ${byLabel('v.value', languages)}) as place
        from grouped g cross join lateral unnest(g.values) as v(value) group by g.name, v.value
      ),
      top_values as materialized (
        select name, json_agg(json_build_object('value', value, 'count', count) order by place) as values
        from counted_value where place <= ${MAX_FACET_VALUES} group by name
      )
      select coalesce(json_agg(json_strip_nulls(json_build_object(
        'name', t.name, 'values', v.values,
        'min', case when t.are_numbers then ${numberText('t.min')} end, 'max', case when t.are_numbers then ${numberText('t.max')} end
      )) order by t.count desc, ${byLabel('t.name', languages)}), '[]')
      from top_name t join top_values v on v.name = t.name)`;
