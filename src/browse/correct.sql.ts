import { orderBySql } from '../product/product.order.ts';
import { visibility } from '../product/visibility.ts';
import type { SearchTerm } from './browse-engine.ts';
import { changesAllowed } from './correction.ts';
import { isAscii, type Query, tsqueryOf, Values, wordsOfText } from './text.sql.ts';
import { SEARCHED_FIELD } from './words.ts';

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
    where (
      -- In the order in which a truncate locks them.
      select true from product p join product_words w on w.product_id = p.id
      where w.words @@ t.query and ${visibility.sql('p', values.add(now, 'timestamptz'))}
      limit 1
    ) is null`;
  return { statement: { text }, values: values.list };
};

/** Only their words are looked at: those of a whole large catalogue would take seconds. */
const BEST_SELLERS = 5000;

/** Words of the names, brands and tags of visible products that are about as long as a term, with the number of products that have each. */
export const nearWordsQuery = ({ text: word }: SearchTerm, now: Date): Query => {
  const values = new Values();
  const changes = changesAllowed(word);
  const text = `
    select w.word as text, count(distinct p.id)::int as count
    from (
      select p.id, concat_ws(' ', p.name, p.brand, array_to_string(p.tags, ' ')) as text
      from product p where ${visibility.sql('p', values.add(now, 'timestamptz'))}
      order by ${orderBySql('BEST_SELLING', 'p')} limit ${BEST_SELLERS}
    ) p, unnest(
      case when ${isAscii('p.text')}
        then string_to_array(regexp_replace(lower(left(p.text, ${SEARCHED_FIELD}) collate "C"), '[^a-z0-9]+', ' ', 'g'), ' ')
        else tsvector_to_array(${wordsOfText('p.text')})
      end
    ) as w(word)
    where length(w.word) between ${values.add(word.length - changes, 'int')} and ${values.add(word.length + changes, 'int')}
    group by w.word`;
  return { statement: { text }, values: values.list };
};
