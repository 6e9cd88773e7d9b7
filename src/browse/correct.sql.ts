import { visibility } from '../product/visibility.ts';
import type { SearchTerm } from './browse-engine.ts';
import { changesAllowed } from './correction.ts';
import { type Query, tsqueryOf, Values } from './search.sql.ts';

/** The indexes of the terms that no visible product has, from 0, as the array `missing` of one row. */
export const missingTermsQuery = (terms: readonly SearchTerm[], now: Date): Query => {
  const values = new Values();
  const queries = values.add(
    terms.map((term) => tsqueryOf([term])),
    'tsquery[]',
  );
  const text = `
    select coalesce(array_agg(t.place::int - 1 order by t.place), '{}') as missing
    from unnest(${queries}) with ordinality as t(query, place)
    where not exists (
      select from product p where p.search @@ t.query and ${visibility.sql('p', values.add(now, 'timestamptz'))})`;
  return { statement: { text }, values: values.list };
};

/** Words of visible products that are about as long as a term, with the number of products that have each. */
export const nearWordsQuery = ({ text: word }: SearchTerm, now: Date): Query => {
  const values = new Values();
  const changes = changesAllowed(word);
  const products = `select p.search from product p where ${visibility.sql('p', `'${now.toISOString()}'::timestamptz`)}`;
  const text = `
    select word as text, ndoc as count from ts_stat(${values.add(products, 'text')})
    where length(word) between ${values.add(word.length - changes, 'int')} and ${values.add(word.length + changes, 'int')}`;
  return { statement: { text }, values: values.list };
};
