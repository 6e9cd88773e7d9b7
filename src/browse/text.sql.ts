import type { Statement } from '../database/sql.ts';
import type { SearchTerm } from './browse-engine.ts';
import { piecesOfTerm, SEARCHED_FIELD } from './words.ts';

export interface Query {
  readonly statement: Statement;
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

export const idsByWords = (query: string): string =>
  `select w.product_id from product_words w where w.words @@ ${query}`;

/** `foldCode` of words.ts, as the indexes of migrations 20261128003000 to 20261128003020 have it. */
const codeOf = (column: string): string => `left(vitrine_fold(${column}), 200) collate "C"`;

/** Products that have a code, or a variant with it. */
export const idsByCode = (code: string): string =>
  [
    `select id from product where ${codeOf('sku')} = ${code}`,
    `select product_id from product_variant where ${codeOf('sku')} = ${code}`,
    `select product_id from product_variant where ${codeOf('barcode')} = ${code}`,
  ].join(' union all ');

const wordsOfText = (text: string): string => `vitrine_vector(${text}, ${SEARCHED_FIELD})`;

const isAscii = (text: string): string => `octet_length(${text}) = length(${text})`;

/** A `tsquery` that wants every term. Words have no character that would need to be escaped. */
export const tsqueryOf = (terms: readonly SearchTerm[]): string =>
  terms
    .map((term) => {
      const pieces = piecesOfTerm(term);
      const label = term.isPrefix && pieces.length === 1 ? ':*' : '';
      return `(${pieces.map((piece) => `'${piece}'${label}`).join(' <-> ')})`;
    })
    .join(' & ');

const ASCII_WORD = /^[a-z0-9]{1,63}$/;

/** To make the words of a text takes ten times as long as to look for one, so that it is done only beyond ASCII. */
export const hasTerm = (term: SearchTerm, values: Values): ((text: string) => string) => {
  const query = values.add(tsqueryOf([term]), 'tsquery');
  const has = (text: string): string => `${wordsOfText(text)} @@ ${query}`;
  if (!ASCII_WORD.test(term.text)) return (text) => `(not ${isAscii(text)} and ${has(text)})`;
  const pattern = values.add(`(^|[^a-z0-9])${term.text}${term.isPrefix ? '' : '($|[^a-z0-9])'}`, 'text');
  return (text) =>
    `case when ${isAscii(text)} then lower(left(${text}, ${SEARCHED_FIELD}) collate "C") ~ ${pattern} else ${has(text)} end`;
};

export const hasTerms = (terms: readonly SearchTerm[], values: Values): ((text: string) => string) => {
  const conditions = terms.map((term) => hasTerm(term, values));
  return (text) => `(${conditions.map((has) => has(text)).join(' and ')})`;
};
