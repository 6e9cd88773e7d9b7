import { FIELD_WEIGHTS, type SearchTerm } from '../browse-engine.ts';
import { piecesOfTerm } from '../words.ts';
import { withRoom } from './columns.ts';
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

/** Fields, as bits. Before each run stands its field: no character of a run has such a number. */
export const NAME = 1;
export const BRAND_OR_TAG = 2;
export const SUBTITLE = 4;
export const DESCRIPTION = 8;

/** By field. */
const WEIGHTS: number[] = [];
WEIGHTS[NAME] = FIELD_WEIGHTS.name;
WEIGHTS[BRAND_OR_TAG] = FIELD_WEIGHTS.brand;
WEIGHTS[SUBTITLE] = FIELD_WEIGHTS.subtitle;
WEIGHTS[DESCRIPTION] = FIELD_WEIGHTS.description;
const END = 0;

/**
 * The runs of Chinese, Japanese and Korean of each row that are longer than a piece: pieces say which characters follow each other in pairs, and not which
 * pairs do. Empty where no product has any.
 */
export class RunTexts {
  /** Of all rows, in their order: field, run, field, run, …, {@link END}. UTF-16 units. */
  #units = new Uint16Array(0);
  #length = 0;
  /** By row, where its runs begin; 0 where it has none. */
  #begins = new Uint32Array(0);

  get bytes(): number {
    return this.#units.byteLength + this.#begins.byteLength;
  }

  /** Adds the runs of a row that has none yet; rows come in their order. */
  append(row: number, runs: readonly { readonly field: number; readonly text: string }[]): void {
    if (runs.length === 0) return;
    this.#begins = withRoom(this.#begins, row + 1);
    this.#units = withRoom(this.#units, this.#length + runs.reduce((sum, { text }) => sum + text.length + 1, 2));
    const units = this.#units;
    let at = this.#length === 0 ? 1 : this.#length;
    this.#begins[row] = at;
    for (const { field, text } of runs) {
      units[at++] = field;
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
      if (unit < WEIGHTS.length) weight = fields === 'all' || unit === NAME ? (WEIGHTS[unit] as number) : 0;
      else if (unit === first && weight > best && this.#isAt(at, part)) best = weight;
    }
    return best;
  }

  /** @param newRows by the old number; ascending, and -1 for rows that are gone */
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
