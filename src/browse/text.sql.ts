import type { SearchTerm } from './browse-engine.ts';
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

export const idsByWords = (query: string): string =>
  `select w.product_id from product_words w where w.words @@ ${query}`;

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
