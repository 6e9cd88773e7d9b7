import { firstOf, labelSql, namesIn, shownSql } from '../language/shown.ts';
import { orderBySql } from '../product/product.order.ts';
import { visibility } from '../product/visibility.ts';
import type { FallBacks, SearchTerm, SuggestionRequest } from './browse-engine.ts';
import { changesAllowed } from './correction.ts';
import { piecesOfTerm, SEARCHED_FIELD } from './words.ts';

export interface Query {
  readonly text: string;
  readonly values: readonly unknown[];
}

export class Values {
  readonly list: unknown[] = [];

  /** Adds a value. @returns the expression for it */
  add(value: unknown, type: string): string {
    this.list.push(value);
    return `$${this.list.length}::${type}`;
  }
}

/** The ids are an array, so that they are looked up: PostgreSQL takes beginnings of words to be in more products than they are. */
export const isAnyOf = (id: string, ids: string): string => `${id} = any (array(${ids}))`;

/**
 * The products whose words in a language fit a query, as a query for `product_id`. Of each product one row counts: that of the first language that it
 * has one of, or else that of the tables' own texts.
 */
export const idsByWords = (query: string, languages: FallBacks = []): string => {
  const fitting = (table: string, wanted: string, before: readonly string[]): string =>
    `select w.product_id from ${table} w where w.words @@ ${wanted}${before.length > 0 ? ` and not exists (select from translated_words o where o.product_id = w.product_id and o.language in (${before.map((language) => `'${language}'`)}))` : ''}`;
  return [
    ...languages.map((language, place) =>
      // A word that each row of the language has: the index finds both together.
      fitting('translated_words', `(tsquery '''=${language}''' && ${query})`, languages.slice(0, place)),
    ),
    fitting('product_words', query, languages),
  ].join(' union all ');
};

/** The words of a product in a language, as an expression. @param id an expression, too */
export const wordsOf = (id: string, languages: FallBacks = []): string =>
  firstOf(
    languages.map(
      (language) =>
        `(select t.words from translated_words t where t.product_id = ${id} and t.language = '${language}')`,
    ),
    `(select t.words from product_words t where t.product_id = ${id})`,
  );

/** `foldCode` of words.ts, as the indexes `…_code_idx` and `…_barcode_idx` have it. */
const codeOf = (column: string): string => `left(vitrine_fold(${column}), 200) collate "C"`;

/** Products that have a code, or a variant with it. */
export const idsByCode = (code: string): string =>
  [
    `select id from product where ${codeOf('sku')} = ${code}`,
    `select product_id from product_variant where ${codeOf('sku')} = ${code}`,
    `select product_id from product_variant where ${codeOf('barcode')} = ${code}`,
  ].join(' union all ');

/**
 * A `tsquery` that wants every term. Words have no character that would need to be escaped.
 * @param weight of the field that has each, as `vitrine_search` gives it
 */
export const tsqueryOf = (terms: readonly SearchTerm[], weight: '' | 'A' | 'B' | 'C' = ''): string =>
  terms
    .map((term) => {
      const label = `:${term.isPrefix ? '*' : ''}${weight}`;
      return `(${piecesOfTerm(term)
        .map((piece) => `'${piece}'${label}`)
        .join(' <-> ')})`;
    })
    .join(' & ');

/** Products among themselves in the order of BEST_SELLING, the others by text. */
const BEST_FIRST = 'sales desc, rank, published_at desc, case when rank < 4 then text end collate "C", id desc';

/** Suggestions of every kind in one statement, a row each. */
export const suggestionQuery = ({ terms, limit, now, languages }: SuggestionRequest): Query => {
  const values = new Values();
  const { joins, name } = namesIn(languages);
  const at = values.add(now, 'timestamptz');
  const query = values.add(tsqueryOf(terms), 'tsquery');
  const inName = values.add(tsqueryOf(terms, 'A'), 'tsquery');
  const inBrandOrTags = values.add(tsqueryOf(terms, 'B'), 'tsquery');
  const has = (name: string): string => `vitrine_vector(${name}, ${SEARCHED_FIELD}) @@ ${query}`;
  const text = `
    with recursive hit as materialized (
      select p.id, ${name} as name, p.brand, p.tags, p.sales, p.published_at, w.is_in_name, w.is_in_brand_or_tags
      from product p${joins} cross join lateral (
        select words @@ ${inName} as is_in_name, words @@ ${inBrandOrTags} as is_in_brand_or_tags
        from (select ${wordsOf('p.id', languages)} as words) w
      ) w
      where ${visibility.sql('p', at)} and ${isAnyOf('p.id', idsByWords(query, languages))}
    ),
    tree (root, name, id) as (
      select c.id, c.name, c.id from (select c.id, ${shownSql('c', 'name', languages)} as name from category c offset 0) c where ${has('c.name')}
      union
      select t.root, t.name, c.id from tree t join category c on c.parent_id = t.id
    ),
    suggestion (kind, rank, text, sales, id, published_at) as (
      select 'CATEGORY', 1, t.name, max(best.sales), t.root, null::timestamptz
      from tree t cross join lateral (
        select p.sales from product p where p.category_id = t.id and ${visibility.sql('p', at)}
        order by p.sales desc, p.published_at desc, p.id desc limit 1
      ) best
      group by t.root, t.name
      union all
      -- With an offset no condition is moved into the group: each text is looked at once.
      select 'BRAND', 2, b.brand, b.sales, 0, null
      from (select h.brand, max(h.sales) as sales from hit h where h.is_in_brand_or_tags group by h.brand offset 0) b
      where ${has('b.brand')}
      union all
      select 'TAG', 3, t.label, t.sales, 0, null
      from (
        select ${labelSql('t.tag', languages)} as label, t.sales
        from (select tag, max(h.sales) as sales from hit h, unnest(h.tags) tag where h.is_in_brand_or_tags group by tag) t offset 0
      ) t
      where ${has('t.label')}
      union all
      select 'PRODUCT', 4, h.name, h.sales, h.id, h.published_at from hit h where h.is_in_name
    ),
    one_of_each as (
      select distinct on (vitrine_fold(text)) * from suggestion order by vitrine_fold(text), ${BEST_FIRST}
    )
    select kind, text, sales, id from one_of_each
    order by ${BEST_FIRST}
    limit ${values.add(limit, 'int')}`;
  return { text, values: values.list };
};

/** Which of some searches find a visible product: their indexes, in their order, as the array `found` of one row. */
export const foundQuery = (searches: readonly (readonly SearchTerm[])[], now: Date, languages?: FallBacks): Query => {
  const values = new Values();
  const queries = values.add(
    searches.map((terms) => tsqueryOf(terms)),
    'tsquery[]',
  );
  const text = `
    select coalesce(array_agg(t.place::int - 1 order by t.place), '{}') as found
    from unnest(${queries}) with ordinality as t(query, place)
    where (
      -- In the order in which a truncate locks them.
      select true from product p join (${idsByWords('t.query', languages)}) w on w.product_id = p.id
      where ${visibility.sql('p', values.add(now, 'timestamptz'))}
      limit 1
    )`;
  return { text, values: values.list };
};

/** Only their words are looked at, which takes 0.1 s: those of a whole large catalogue would take seconds. */
const BEST_SELLERS = 5000;

/** The words of visible products that are about as long as one of some terms, with the number of products that have each. */
export const nearWordsQuery = (terms: readonly SearchTerm[], now: Date, languages?: FallBacks): Query => {
  const values = new Values();
  const bounds = (change: 1 | -1): string =>
    values.add(
      terms.map(({ text }) => text.length + change * changesAllowed(text)),
      'int[]',
    );
  const text = `
    select w.word as text, count(*)::int as count
    from (
      select p.id from product p where ${visibility.sql('p', values.add(now, 'timestamptz'))}
      order by ${orderBySql('BEST_SELLING', 'p')} limit ${BEST_SELLERS}
    ) p, unnest(tsvector_to_array(${wordsOf('p.id', languages)})) as w(word)
    where left(w.word, 1) <> '=' and exists (
      select from unnest(${bounds(-1)}, ${bounds(1)}) as b(shortest, longest)
      where octet_length(w.word) >= b.shortest and length(w.word) <= b.longest
    )
    group by w.word`;
  return { text, values: values.list };
};
