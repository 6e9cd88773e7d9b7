import { distance } from 'fastest-levenshtein';
import type { SearchTerm } from './browse-engine.ts';
import { piecesOfTerm } from './words.ts';

/** A word that may have been meant by another. */
interface NearWord {
  readonly text: string;
  readonly changes: number;
  /** How many products have it. */
  readonly count: number;
}

/** So many words are tried in the place of one, */
const MAX_NEAR_WORDS = 6;

/** and so many searches in the place of one. */
const MAX_CORRECTIONS = 32;

/**
 * The words that were most likely meant: with the fewest letters changed, then those that most products have, then in the order of code points.
 * Two neighbours that are swapped count as one change. One change is allowed in words of three and four letters, two in longer ones.
 * @param countOf how many products have a word; those that none has are left out
 */
export const nearestWords = (
  word: string,
  words: Iterable<string>,
  countOf: (text: string) => number,
): readonly NearWord[] => {
  const near: NearWord[] = [];
  if (changesAllowed(word) === 0) return near;
  for (const text of words) {
    const changes = changesBetween(word, text);
    if (changes !== undefined) near.push({ text, changes, count: countOf(text) });
  }
  return near
    .filter(({ count }) => count > 0)
    .sort(compareNear)
    .slice(0, MAX_NEAR_WORDS);
};

/** How many letters of a word are to be changed so that it is another; undefined where it is the same, or these are too many. */
const changesBetween = (word: string, other: string): number | undefined => {
  const allowed = changesAllowed(word);
  if (word === other || Math.abs(other.length - word.length) > allowed) return undefined;
  const changes = isSwapped(other, word) ? 1 : distance(other, word);
  return changes > allowed ? undefined : changes;
};

/** How many letters of a word may be wrong. Pairs of Chinese characters are no words. */
export const changesAllowed = (word: string): number => {
  if (word.length < 3 || piecesOfTerm({ text: word }).length > 1) return 0;
  return word.length < 5 ? 1 : 2;
};

const compareNear = (one: NearWord, other: NearWord): number =>
  one.changes - other.changes || other.count - one.count || (one.text < other.text ? -1 : 1);

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

interface DoubtfulTerm {
  readonly term: SearchTerm;
  /** Whether some product has it: then it may stay. */
  readonly isFound: boolean;
  /** As {@link nearestWords} sorts them. */
  readonly near: readonly NearWord[];
}

/**
 * The searches that may have been meant by one that finds nothing, in the order in which they are tried: with the fewest letters changed in all, then
 * with the nearest words, then with an earlier word changed. Empty where a word that no product has has no word near it.
 */
export const correctionsOf = (doubtful: readonly DoubtfulTerm[]): readonly (readonly SearchTerm[])[] => {
  let best: { readonly terms: readonly SearchTerm[]; readonly changes: number; readonly rank: number }[] = [
    { terms: [], changes: 0, rank: 0 },
  ];
  // From the last word on, and from the farthest: a sort keeps what is equal in its order. One more, as the first may be the search itself.
  // What is not among the best of some words is not among the best of more.
  for (const { term, isFound, near } of doubtful.toReversed()) {
    const words = isFound ? [{ text: term.text, changes: 0 }, ...near] : near;
    const found = [...words.entries()].reverse().flatMap(([place, { text, changes }]) =>
      best.map((rest) => ({
        terms: [{ ...term, text }, ...rest.terms],
        changes: changes + rest.changes,
        rank: place + rest.rank,
      })),
    );
    best = found
      .sort((one, other) => one.changes - other.changes || one.rank - other.rank)
      .slice(0, MAX_CORRECTIONS + 1);
  }
  return best
    .filter(({ changes }) => changes > 0)
    .slice(0, MAX_CORRECTIONS)
    .map(({ terms }) => terms);
};
