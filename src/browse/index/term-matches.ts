import { CODE_SCORE, FIELD_WEIGHTS, type SearchTerm } from '../browse-engine.ts';
import { piecesOfTerm } from '../words.ts';
import { collect, withRoom } from './columns.ts';
import type { Postings } from './postings.ts';
import type { ProductIndex } from './product-index.ts';

/** The fields of a product, the best first; that of the brand has the tags, too. */
export const FIELDS = ['name', 'brand', 'subtitle', 'description'] as const;

const WEIGHTS: readonly number[] = FIELDS.map((field) => FIELD_WEIGHTS[field]);

const NO_ROWS = new Int32Array(0);

/** The rows that have all terms, dead ones among them; until the next question. */
export interface Matches {
  readonly rows: Int32Array;
  readonly length: number;
  /** By row, the sum over the terms of what the best field is worth that has the term; 0 where one of them is in no field. */
  readonly scores: Uint8Array;
}

/** In the place of {@link CODE_SCORE}, which has no room in a byte. The terms of a search have a score of 80 at most. */
const CODE_BYTE = 255;

export const scoreOfByte = (byte: number): number => (byte === CODE_BYTE ? CODE_SCORE : byte);
export const byteOfScore = (score: number): number => Math.min(score, CODE_BYTE);

/**
 * @param fields names alone: the beginnings of what somebody types
 * @param codeIds products that are found whether they have the terms or not, with the highest score
 */
export const matchesOf = (
  index: ProductIndex,
  terms: readonly SearchTerm[],
  fields: 'all' | 'names',
  codeIds: readonly number[] = [],
): Matches => {
  const { columns, runTexts, scratch } = index;
  const { count } = columns;
  const rarestFirst = terms
    .map((term) => wordsOfTerm(index, term, fields))
    .sort((one, other) => one.count - other.count);
  const scores = scratch.zeros('scores', count);
  const rows = scratch.like('rows', NO_ROWS, count);
  let length = 0;
  for (const [place, { words, run }] of rarestFirst.entries()) {
    const isFirst = place === 0;
    // No row has all terms: those of the others may be very many.
    if (!isFirst && length === 0) break;
    const best = isFirst ? scores : scratch.zeros('best', count);
    for (const [field, postings] of postingsIn(index, fields).entries())
      for (const word of words) postings.raise(word, WEIGHTS[field] as number, best);
    if (isFirst) length = collect(scores, count, rows);
    if (isFirst && run === undefined) continue;
    let kept = 0;
    for (let at = 0; at < length; at += 1) {
      const row = rows[at] as number;
      const score = run === undefined || best[row] === 0 ? (best[row] as number) : runTexts.weightOf(row, run, fields);
      rows[kept] = row;
      kept += Number(score > 0);
      scores[row] = score === 0 || isFirst ? score : (scores[row] as number) + score;
    }
    length = kept;
  }
  for (const row of codeIds.map((id) => columns.rowOf(id))) {
    if (row < 0) continue;
    if (scores[row] === 0) rows[length++] = row;
    scores[row] = CODE_BYTE;
  }
  return { rows, length, scores };
};

/** How many postings the rarest term has: no more rows have all terms. */
export const postingsOf = (index: ProductIndex, terms: readonly SearchTerm[], fields: 'all' | 'names'): number =>
  Math.min(...terms.map((term) => wordsOfTerm(index, term, fields).count));

const postingsIn = ({ words }: ProductIndex, fields: 'all' | 'names'): readonly Postings[] =>
  fields === 'all' ? words : words.slice(0, 1);

interface TermWords {
  readonly words: readonly number[];
  readonly count: number;
  /** What such a row must have in one piece, too. */
  readonly run?: string;
}

const wordsOfTerm = (index: ProductIndex, term: SearchTerm, fields: 'all' | 'names'): TermWords => {
  const { dictionary } = index;
  const lists = postingsIn(index, fields);
  const counted = (words: readonly number[]): TermWords => {
    let count = 0;
    for (const list of lists) for (const word of words) count += list.countOf(word);
    return { words, count };
  };
  const exactly = (text: string): TermWords => {
    const word = dictionary.find(text);
    return counted(word === undefined ? [] : [word]);
  };
  const { text, isPrefix } = term;
  const pieces = piecesOfTerm(term);
  if (pieces.length === 1) return isPrefix ? counted(dictionary.beginningWith(text)) : exactly(text);
  const [rarest] = pieces.map(exactly).sort((one, other) => one.count - other.count);
  return { ...(rarest ?? counted([])), run: text };
};

const END = 0;

/** The longer runs of Chinese, Japanese and Korean of each row: pieces say which characters follow each other in pairs alone. */
export class RunTexts {
  /** Of all rows, in their order: field, run, field, run, …, {@link END}. UTF-16 units, and numbers of fields from 1, which no character of a run has. */
  #units = new Uint16Array(0);
  #length = 0;
  /** By row, where its runs begin; 0 where it has none. */
  #begins = new Uint32Array(0);

  get bytes(): number {
    return this.#units.byteLength + this.#begins.byteLength;
  }

  append(row: number, runs: readonly { readonly field: number; readonly text: string }[]): void {
    if (runs.length === 0) return;
    this.#begins = withRoom(this.#begins, row + 1);
    this.#units = withRoom(this.#units, this.#length + runs.reduce((sum, { text }) => sum + text.length + 1, 2));
    const units = this.#units;
    let at = this.#length === 0 ? 1 : this.#length;
    this.#begins[row] = at;
    for (const { field, text } of runs) {
      units[at++] = field + 1;
      for (let index = 0; index < text.length; index += 1) units[at++] = text.charCodeAt(index);
    }
    units[at++] = END;
    this.#length = at;
  }

  /** What the best field of the row is worth that has a part of a run in one piece; 0 where none has. */
  weightOf(row: number, part: string, fields: 'all' | 'names'): number {
    const units = this.#units;
    let at = this.#begins[row] ?? 0;
    let best = 0;
    if (at === 0) return best;
    let weight = 0;
    const first = part.charCodeAt(0);
    for (let unit = units[at] as number; unit !== END; unit = units[++at] as number) {
      if (unit <= FIELDS.length) weight = fields === 'all' || unit === 1 ? (WEIGHTS[unit - 1] as number) : 0;
      else if (unit === first && weight > best && this.#isAt(at, part)) best = weight;
    }
    return best;
  }

  renumber(newRows: Int32Array): void {
    const units = this.#units;
    const begins = this.#begins;
    let length = this.#length === 0 ? 0 : 1;
    for (let row = 0; row < begins.length; row += 1) {
      const begin = begins[row] as number;
      begins[row] = 0;
      const newRow = newRows[row] ?? -1;
      if (begin === 0 || newRow < 0) continue;
      const end = units.indexOf(END, begin) + 1;
      units.copyWithin(length, begin, end);
      begins[newRow] = length;
      length += end - begin;
    }
    this.#length = length;
  }

  #isAt(at: number, part: string): boolean {
    for (let index = 1; index < part.length; index += 1)
      if (this.#units[at + index] !== part.charCodeAt(index)) return false;
    return true;
  }
}
