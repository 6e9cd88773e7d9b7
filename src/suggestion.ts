import { distance } from 'fastest-levenshtein';

/** " Did you mean …?", if a known name is similar to a wrong one; else nothing. */
export const suggest = (given: string, names: readonly string[], prefix = ''): string => {
  const [nearest] = names
    .map((name) => ({ name, edits: distance(given.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.round(name.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return nearest ? ` Did you mean ${prefix}${nearest.name}?` : '';
};
