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

/** All words of products, and how many products have each: those that none has are left out. */
interface Vocabulary {
  readonly words: readonly string[];
  readonly countOf: (word: string) => number;
}

/**
 * The words that were most likely meant: with the fewest letters changed, then those that most products have, then in the order of code points.
 * Two neighbours that are swapped count as one change. One change is allowed in words of three and four letters, two in longer ones.
 */
const nearestWords = (word: string, { words, countOf }: Vocabulary): readonly NearWord[] => {
  const allowed = changesAllowed(word);
  if (allowed === 0) return [];
  const near: NearWord[] = [];
  for (const text of words) {
    if (text === word || Math.abs(text.length - word.length) > allowed) continue;
    const changes = isSwapped(text, word) ? 1 : distance(text, word);
    if (changes <= allowed) near.push({ text, changes, count: countOf(text) });
  }
  return near
    .filter(({ count }) => count > 0)
    .sort(compareNear)
    .slice(0, MAX_NEAR_WORDS);
};

/** How many letters of a word may be wrong. Pairs of Chinese characters are no words. */
export const changesAllowed = (word: string): number => {
  if (word.length < 3 || piecesOfTerm({ text: word }).length > 1) return 0;
  return word.length < 5 ? 1 : 2;
};

const compareNear = (one: NearWord, other: NearWord): number =>
  one.changes - other.changes || other.count - one.count || (one.text < other.text ? -1 : 1);

/** Of two words that are not the same. */
const isSwapped = (one: string, other: string): boolean => {
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
};

/**
 * The searches that may have been meant by one that finds nothing, in the order in which they are tried: with the fewest letters changed in all, then
 * with the nearest words, then with an earlier word changed. Empty where a word that no product has has no word near it.
 * @param isFound whether some product has a term: then it may stay
 */
export const correctionsOf = (
  terms: readonly SearchTerm[],
  isFound: (term: SearchTerm) => boolean,
  vocabulary: Vocabulary,
): readonly (readonly SearchTerm[])[] => {
  let best: { readonly terms: readonly SearchTerm[]; readonly changes: number; readonly rank: number }[] = [
    { terms: [], changes: 0, rank: 0 },
  ];
  // From the last word on, and from the farthest: a sort keeps what is equal in its order. One more, as the first may be the search itself.
  // What is not among the best of some words is not among the best of more.
  for (const term of terms.toReversed()) {
    const near = nearestWords(term.text, vocabulary);
    const words = isFound(term) ? [{ text: term.text, changes: 0 }, ...near] : near;
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
    .map((each) => each.terms);
};
