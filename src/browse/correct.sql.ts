import { orderBySql } from '../product/product.order.ts';
import { visibility } from '../product/visibility.ts';
import type { SearchTerm } from './browse-engine.ts';
import { changesAllowed } from './correction.ts';
import { type Query, tsqueryOf, Values } from './text.sql.ts';

/** Which of some searches find a visible product: their indexes, in their order, as the array `found` of one row. */
export const foundQuery = (searches: readonly (readonly SearchTerm[])[], now: Date): Query => {
  const values = new Values();
  const queries = values.add(searches.map(tsqueryOf), 'tsquery[]');
  const text = `
    select coalesce(array_agg(t.place::int - 1 order by t.place), '{}') as found
    from unnest(${queries}) with ordinality as t(query, place)
    where (
      -- In the order in which a truncate locks them.
      select true from product p join product_words w on w.product_id = p.id
      where w.words @@ t.query and ${visibility.sql('p', values.add(now, 'timestamptz'))}
      limit 1
    )`;
  return { statement: { text }, values: values.list };
};

/** Only their words are looked at, which takes 0.1 s: those of a whole large catalogue would take seconds. */
const BEST_SELLERS = 5000;

/** The words of visible products that are about as long as one of some terms, with the number of products that have each. */
export const nearWordsQuery = (terms: readonly SearchTerm[], now: Date): Query => {
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
    ) p join product_words on product_words.product_id = p.id,
      unnest(tsvector_to_array(product_words.words)) as w(word)
    where exists (
      select from unnest(${bounds(-1)}, ${bounds(1)}) as b(shortest, longest)
      where octet_length(w.word) >= b.shortest and length(w.word) <= b.longest
    )
    group by w.word`;
  return { statement: { text }, values: values.list };
};
