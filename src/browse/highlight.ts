import type { Product } from '../database/generated/client/client.ts';
import type { SearchTerm } from './browse-engine.ts';
import { fold, piecesOfTerm, SEARCHED_DESCRIPTION, SEARCHED_FIELD, searchedDescription, wordsOf } from './words.ts';

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
  segmentsOf(name, marksOf(name, terms, SEARCHED_FIELD));

/** A part of the subtitle, or else of the description, around the first place that was searched for. */
export const snippetSegments = ({ product: { subtitle, description }, terms }: Match): TextSegment[] => {
  const line = subtitle ?? '';
  const marks = marksOf(line, terms, SEARCHED_FIELD);
  if (marks.includes(1)) return snippetOf(line, marks);
  const text = plainText(description);
  return text === '' ? snippetOf(line, marks) : snippetOf(text, firstMarksOf(text, terms));
};

/** A long text is searched in parts of this length. */
const PART_LENGTH = 500;

/** From the first place on, as far as a snippet may show them: to know where each word stands takes long. */
const firstMarksOf = (text: string, terms: readonly SearchTerm[]): Uint8Array => {
  const marks = new Uint8Array(text.length);
  const folded = fold(text);
  if (!terms.some((term) => folded.includes(piecesOfTerm(term)[0] ?? ''))) return marks;
  for (let from = 0; from < text.length && !marks.includes(1); ) {
    const to = wordStart(text, from + PART_LENGTH, text.length);
    const ofPart = marksOf(text.slice(from, to + 2 * SNIPPET_LENGTH), terms, SEARCHED_DESCRIPTION);
    if (ofPart.subarray(0, to - from).includes(1)) marks.set(ofPart, from);
    from = to;
  }
  return marks;
};

/** 1 for each UTF-16 unit of a text that was searched for. */
const marksOf = (text: string, terms: readonly SearchTerm[], maxCharacters: number): Uint8Array => {
  const words = wordsOf(text, maxCharacters);
  const marks = new Uint8Array(text.length);
  for (const term of terms) {
    const pieces = piecesOfTerm(term);
    const isOneCharacter = [...term.text].length === 1;
    for (const [index, { start }] of words.entries()) {
      const found = words.slice(index, index + pieces.length);
      if (!pieces.every((piece, at) => (term.isPrefix ? found[at]?.text.startsWith(piece) : found[at]?.text === piece)))
        continue;
      const end = found.at(-1)?.end ?? start;
      // A pair of Chinese characters, of which the first was searched for, overlaps with the next pair.
      marks.fill(1, start, isOneCharacter ? Math.min(words[index + 1]?.start ?? end, end) : end);
    }
  }
  return marks;
};

const segmentsOf = (text: string, marks: Uint8Array, from = 0, to = text.length): TextSegment[] => {
  const segments: TextSegment[] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(endOfMark(marks, at), to);
    segments.push({ text: text.slice(at, end), isMatch: marks[at] === 1 });
    at = end;
  }
  return segments;
};

/** Where the marks change after a place. */
const endOfMark = (marks: Uint8Array, at: number): number => {
  const change = marks.indexOf(marks[at] === 1 ? 0 : 1, at);
  return change < 0 ? marks.length : change;
};

const ELLIPSIS: TextSegment = { text: '…', isMatch: false };

const snippetOf = (text: string, marks: Uint8Array): TextSegment[] => {
  const match = marks.indexOf(1);
  const first = Math.max(match, 0);
  const earliest = match < 0 ? 0 : endOfMark(marks, match);
  const wanted = Math.max(0, Math.min(first - SNIPPET_LEAD, text.length - SNIPPET_LENGTH));
  const from = wanted === 0 ? 0 : wordStart(text, wanted, first);
  const to = text.length <= from + SNIPPET_LENGTH ? text.length : wordEnd(text, from + SNIPPET_LENGTH, earliest);
  return [
    ...(from > 0 ? [ELLIPSIS] : []),
    ...segmentsOf(text, marks, from, to),
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
