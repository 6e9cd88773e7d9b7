import type { Statement } from '../database/sql.ts';
import type { SearchTerm } from './browse-engine.ts';
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

/**
 * Whether a product has words, as a condition. The ids are an array, so that they are looked up: PostgreSQL takes beginnings of words to be in more products
 * than they are in, and would read all products, in several processes.
 * @param query an expression, a `tsquery`
 */
export const hasWords = (alias: string, query: string): string =>
  `${alias}.id = any (array(select w.product_id from product_words w where w.words @@ ${query}))`;

/** The words of a text. */
const wordsOfText = (text: string): string => `vitrine_vector(${text}, ${SEARCHED_FIELD})`;

/** Whether a text has no character beyond ASCII. */
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

/**
 * Whether an expression has a term, as a condition. To make the words of a text takes ten times as long as to look for one of them in it, so that this
 * is done only for texts with more than ASCII in them.
 */
export const hasTerm = (term: SearchTerm, values: Values): ((text: string) => string) => {
  const query = values.add(tsqueryOf([term]), 'tsquery');
  const has = (text: string): string => `${wordsOfText(text)} @@ ${query}`;
  if (!ASCII_WORD.test(term.text)) return (text) => `(not ${isAscii(text)} and ${has(text)})`;
  const pattern = values.add(`(^|[^a-z0-9])${term.text}${term.isPrefix ? '' : '($|[^a-z0-9])'}`, 'text');
  return (text) =>
    `case when ${isAscii(text)} then lower(left(${text}, ${SEARCHED_FIELD}) collate "C") ~ ${pattern} else ${has(text)} end`;
};

/** Whether an expression has all of the terms, as a condition. */
export const hasTerms = (terms: readonly SearchTerm[], values: Values): ((text: string) => string) => {
  const conditions = terms.map((term) => hasTerm(term, values));
  return (text) => `(${conditions.map((has) => has(text)).join(' and ')})`;
};
