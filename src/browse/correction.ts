import { distance } from 'fastest-levenshtein';
import { piecesOfTerm } from './words.ts';

/** A word that products have. */
interface Candidate {
  readonly text: string;
  /** How many products have the word. */
  readonly count: number;
}

/**
 * The word that was most likely meant: with the fewest letters changed, then the one that most products have, then the first in the order of code
 * points. Two neighbours that are swapped count as one change. One change is allowed in words of three and four letters, two in longer ones.
 */
export const nearestWord = (word: string, candidates: Iterable<Candidate>): string | undefined => {
  const allowed = changesAllowed(word);
  let best: { readonly text: string; readonly count: number; readonly changes: number } | undefined;
  // Pairs of Chinese characters are no words.
  if (allowed === 0 || piecesOfTerm({ text: word }).length > 1) return undefined;
  for (const { text, count } of candidates) {
    if (Math.abs(text.length - word.length) > allowed) continue;
    const changes = isSwapped(text, word) ? 1 : distance(text, word);
    if (changes > allowed || (best && isBefore(best, { text, count, changes }))) continue;
    best = { text, count, changes };
  }
  return best?.text;
};

/** How many letters of a word may be wrong. */
export const changesAllowed = ({ length }: { readonly length: number }): number =>
  length < 3 ? 0 : length < 5 ? 1 : 2;

type Ranked = Candidate & { readonly changes: number };

const isBefore = (one: Ranked, other: Ranked): boolean => {
  if (one.changes !== other.changes) return one.changes < other.changes;
  if (one.count !== other.count) return one.count > other.count;
  return one.text < other.text;
};

/** Whether two words differ by two neighbours that are swapped. */
const isSwapped = (one: string, other: string): boolean => {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return (
    one[at] !== undefined &&
    one[at] === other[at + 1] &&
    one[at + 1] === other[at] &&
    one.slice(at + 2) === other.slice(at + 2)
  );
};
