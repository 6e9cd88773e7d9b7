import { FIELD_WEIGHTS, type SearchTerm } from '../browse-engine.ts';
import { piecesOfTerm } from '../words.ts';
import type { ProductIndex } from './product-index.ts';

/** What a word is worth by the note of its posting. */
const NAME_SCORE = [FIELD_WEIGHTS.name];
const TEXT_SCORES = [FIELD_WEIGHTS.brand, FIELD_WEIGHTS.subtitle];
const DESCRIPTION_SCORE = [FIELD_WEIGHTS.description];

/** Rows of an index that are looked at, each once. */
export interface Candidates {
  readonly rows: Int32Array;
  readonly length: number;
}

/** The rows that have all terms, dead ones among them; until the next question. */
export interface Matches extends Candidates {
  /** By row, the sum over the terms of what the best field is worth that has the term; 0 where one of them is in no field. */
  readonly scores: Uint8Array;
}

/** From this share of all rows on they are looked at in their order, which is kinder to the processor's cache. */
const MIN_ORDERED_SHARE = 1 / 16;

/** @param fields names alone: the beginnings of what somebody types */
export const matchesOf = (index: ProductIndex, terms: readonly SearchTerm[], fields: 'all' | 'names'): Matches => {
  const { columns, inNames, inTexts, inDescriptions, runTexts, scratch } = index;
  const { count } = columns;
  const rarestFirst = terms
    .map((term) => wordsOfTerm(index, term, fields))
    .sort((one, other) => one.count - other.count);
  const scores = scratch.zeroed('scores', count);
  const rows = scratch.rows(count);
  let length = 0;
  for (const [place, { words, run }] of rarestFirst.entries()) {
    const isFirst = place === 0;
    const best = isFirst ? scores : scratch.zeroed('best', count);
    const found = isFirst ? rows : undefined;
    for (const word of words) {
      length = inNames.raise(word, NAME_SCORE, best, found, length);
      if (fields === 'names') continue;
      length = inTexts.raise(word, TEXT_SCORES, best, found, length);
      length = inDescriptions.raise(word, DESCRIPTION_SCORE, best, found, length);
    }
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
  if (length > count * MIN_ORDERED_SHARE) {
    length = 0;
    for (let row = 0; row < count; row += 1) {
      rows[length] = row;
      // A branch would be guessed wrong too often.
      length += Number((scores[row] as number) > 0);
    }
  }
  return { rows, length, scores };
};

/** How many postings the rarest term has: no more rows have all terms. */
export const postingsOf = (index: ProductIndex, terms: readonly SearchTerm[], fields: 'all' | 'names'): number =>
  Math.min(...terms.map((term) => wordsOfTerm(index, term, fields).count));

interface TermWords {
  /** A row that has the term has one of them. */
  readonly words: readonly number[];
  /** How many postings they have. */
  readonly count: number;
  /** What such a row must have in one piece, too. */
  readonly run?: string;
}

const wordsOfTerm = (index: ProductIndex, term: SearchTerm, fields: 'all' | 'names'): TermWords => {
  const { dictionary, inNames, inTexts, inDescriptions } = index;
  const lists = fields === 'all' ? [inNames, inTexts, inDescriptions] : [inNames];
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
