import { distance } from 'fastest-levenshtein';
import type { SearchTerm } from './browse-engine.ts';
import { piecesOfTerm } from './words.ts';

/** A word that products have. */
interface Candidate {
  readonly text: string;
  /** How many products have the word. */
  readonly count: number;
}

/** A word that may have been meant by another. */
export interface NearWord extends Candidate {
  /** How many letters are changed. */
  readonly changes: number;
}

/** So many words are tried in the place of one, */
export const MAX_NEAR_WORDS = 6;

/** and so many searches in the place of one. */
const MAX_CORRECTIONS = 32;

/**
 * The words that were most likely meant: with the fewest letters changed, then those that most products have, then in the order of code points.
 * Two neighbours that are swapped count as one change. One change is allowed in words of three and four letters, two in longer ones.
 */
export const nearestWords = (word: string, candidates: Iterable<Candidate>): NearWord[] => {
  const near: NearWord[] = [];
  for (const { text, count } of candidates) {
    const changes = changesBetween(word, text);
    if (changes !== undefined) near.push({ text, count, changes });
  }
  return near.sort(compareNear).slice(0, MAX_NEAR_WORDS);
};

/** How many letters of a word are to be changed so that it is another; undefined where it is the same, or these are too many. */
export const changesBetween = (word: string, other: string): number | undefined => {
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

export const compareNear = (one: NearWord, other: NearWord): number =>
  one.changes - other.changes || other.count - one.count || (one.text < other.text ? -1 : 1);

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

/** A term of a search that finds nothing. */
export interface DoubtfulTerm {
  readonly term: SearchTerm;
  /** Whether some product has it: then it may stay. */
  readonly isFound: boolean;
  /** As {@link nearestWords} sorts them. */
  readonly near: readonly NearWord[];
}

/**
 * The searches that may have been meant by one that finds nothing, in the order in which they are tried: with the fewest letters changed in all, then with the
 * nearest words, then with an earlier word changed. Empty where a word that no product has has no word near it.
 */
export const correctionsOf = (terms: readonly DoubtfulTerm[]): SearchTerm[][] => {
  const choices = terms.map(({ term, isFound, near }) => [
    ...(isFound ? [{ text: term.text, changes: 0 }] : []),
    ...near,
  ]);
  if (choices.some(({ length }) => length === 0)) return [];
  const corrections: SearchTerm[][] = [];
  const seen = new Set<string>();
  const next: Correction[] = [];
  const offer = (chosen: readonly number[]): void => {
    const key = chosen.join();
    if (seen.has(key)) return;
    seen.add(key);
    const words = chosen.map((choice, place) => choices[place]?.[choice]);
    if (words.some((word) => word === undefined)) return;
    next.push({
      chosen,
      changes: words.reduce((sum, word) => sum + (word?.changes ?? 0), 0),
      rank: chosen.reduce((sum, choice) => sum + choice, 0),
    });
  };
  offer(choices.map(() => 0));
  while (corrections.length < MAX_CORRECTIONS) {
    const [best] = next.sort(compareCorrections).splice(0, 1);
    if (!best) break;
    if (best.changes > 0)
      corrections.push(
        terms.map(({ term }, place) => ({
          ...term,
          text: choices[place]?.[best.chosen[place] as number]?.text ?? term.text,
        })),
      );
    // Every other search is a step away from one that comes before it.
    for (const place of choices.keys()) offer(best.chosen.with(place, (best.chosen[place] as number) + 1));
  }
  return corrections;
};

interface Correction {
  /** By term, the number of the word that takes its place. */
  readonly chosen: readonly number[];
  readonly changes: number;
  readonly rank: number;
}

const compareCorrections = (one: Correction, other: Correction): number => {
  const differing = one.chosen.findIndex((choice, place) => choice !== other.chosen[place]);
  return (
    one.changes - other.changes ||
    one.rank - other.rank ||
    (other.chosen[differing] as number) - (one.chosen[differing] as number)
  );
};
