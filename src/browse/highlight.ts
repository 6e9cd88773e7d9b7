import type { Product } from '../database/generated/client/client.ts';
import type { SearchTerm } from './browse-engine.ts';
import {
  fold,
  piecesOfTerm,
  SEARCHED_DESCRIPTION,
  SEARCHED_FIELD,
  searchedDescription,
  type Word,
  wordsOf,
} from './words.ts';

export interface TextSegment {
  readonly text: string;
  readonly isMatch: boolean;
}

export interface Match {
  readonly product: Pick<Product, 'name' | 'subtitle' | 'description'>;
  readonly terms: readonly SearchTerm[];
}

/** About how long a snippet is, in UTF-16 units. */
const SNIPPET_LENGTH = 160;

/** How many of them come before the first match. */
const SNIPPET_LEAD = 40;

/** The name of a product, with what was searched for marked in it. */
export const nameSegments = ({ product: { name }, terms }: Match): TextSegment[] =>
  segmentsOf(name, rangesOf(name, terms, SEARCHED_FIELD), 0, name.length);

/** A part of the subtitle, or else of the description, around the first place that was searched for. */
export const snippetSegments = ({ product: { subtitle, description }, terms }: Match): TextSegment[] => {
  const line = subtitle ?? '';
  const inSubtitle = rangesOf(line, terms, SEARCHED_FIELD);
  if (inSubtitle.length > 0) return snippetOf(line, inSubtitle);
  const text = plainText(description);
  return text === '' ? snippetOf(line, []) : snippetOf(text, firstRangesOf(text, terms));
};

/** A long text is searched in parts of this length. */
const PART_LENGTH = 500;

/** From the first place on, as far as a snippet may show them: to know where each word stands takes long. */
const firstRangesOf = (text: string, terms: readonly SearchTerm[]): Range[] => {
  const folded = fold(text);
  if (!terms.some((term) => folded.includes(piecesOfTerm(term)[0] ?? ''))) return [];
  for (let from = 0; from < text.length; ) {
    const to = wordStart(text, from + PART_LENGTH, text.length);
    const ranges = rangesOf(text.slice(from, to + 2 * SNIPPET_LENGTH), terms, SEARCHED_DESCRIPTION);
    if (ranges[0] && from + ranges[0].start < to) {
      return ranges.map(({ start, end }) => ({ start: from + start, end: from + end }));
    }
    from = to;
  }
  return [];
};

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where the terms are in a text, from its beginning to its end; none overlap. */
const rangesOf = (text: string, terms: readonly SearchTerm[], maxCharacters: number): Range[] => {
  const words = wordsOf(text, maxCharacters);
  const ranges = terms.flatMap((term) => rangesOfTerm(words, term)).sort((one, other) => one.start - other.start);
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges) {
    const last = merged.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
};

const rangesOfTerm = (words: readonly Word[], term: SearchTerm): Range[] => {
  const [first = '', ...rest] = piecesOfTerm(term);
  if (rest.length > 0) {
    return words.flatMap((word, index) => {
      const last = words[index + rest.length];
      const isFound = word.text === first && rest.every((piece, offset) => words[index + 1 + offset]?.text === piece);
      return isFound && last ? [{ start: word.start, end: last.end }] : [];
    });
  }
  return words.flatMap(({ text: word, start, end }, index) => {
    if (term.isPrefix ? !word.startsWith(first) : word !== first) return [];
    // A pair of Chinese characters, of which the first was searched for, overlaps with the next pair.
    const next = words[index + 1]?.start ?? end;
    return [{ start, end: [...first].length === 1 ? Math.min(next, end) : end }];
  });
};

const segmentsOf = (text: string, ranges: readonly Range[], from: number, to: number): TextSegment[] => {
  const segments: TextSegment[] = [];
  const add = (start: number, end: number, isMatch: boolean): void => {
    if (start < end) segments.push({ text: text.slice(start, end), isMatch });
  };
  let at = from;
  for (const { start, end } of ranges) {
    if (start >= to || end <= from) continue;
    add(at, Math.max(start, from), false);
    add(Math.max(start, from), Math.min(end, to), true);
    at = Math.min(end, to);
  }
  add(at, to, false);
  return segments;
};

const ELLIPSIS: TextSegment = { text: '…', isMatch: false };

const snippetOf = (text: string, ranges: readonly Range[]): TextSegment[] => {
  const first = ranges[0]?.start ?? 0;
  const wanted = Math.max(0, Math.min(first - SNIPPET_LEAD, text.length - SNIPPET_LENGTH));
  const from = wanted === 0 ? 0 : wordStart(text, wanted, first);
  const to =
    text.length <= from + SNIPPET_LENGTH ? text.length : wordEnd(text, from + SNIPPET_LENGTH, ranges[0]?.end ?? 0);
  return [
    ...(from > 0 ? [ELLIPSIS] : []),
    ...segmentsOf(text, ranges, from, to),
    ...(to < text.length ? [ELLIPSIS] : []),
  ];
};

/** How far a snippet may be from where it should end, so that it ends between words. */
const SLACK = 20;

const wordStart = (text: string, at: number, latest: number): number => {
  const space = text.slice(at - 1, at + SLACK).indexOf(' ');
  const start = space >= 0 ? at + space : at;
  return isInCharacter(text, start) ? start + 1 : Math.min(start, latest);
};

const wordEnd = (text: string, at: number, earliest: number): number => {
  const space = text.lastIndexOf(' ', at);
  const end = space > at - SLACK ? space : at;
  return Math.max(isInCharacter(text, end) ? end - 1 : end, Math.min(earliest, text.length));
};

/** Whether an index is between the two halves of a character. */
const isInCharacter = (text: string, index: number): boolean => /[\udc00-\udfff]/.test(text.charAt(index));

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };

const plainText = (description: string): string =>
  searchedDescription(description, (name) => ENTITIES[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();
