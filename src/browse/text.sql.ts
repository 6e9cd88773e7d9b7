import { firstOf } from '../language/shown.ts';
import type { FallBacks, SearchTerm } from './browse-engine.ts';
import { piecesOfTerm } from './words.ts';

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
      const pieces = piecesOfTerm(term);
      const label = `:${term.isPrefix && pieces.length === 1 ? '*' : ''}${weight}`;
      return `(${pieces.map((piece) => `'${piece}'${label}`).join(' <-> ')})`;
    })
    .join(' & ');
