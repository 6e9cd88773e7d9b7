import type { SelectionSetNode } from 'graphql';
import { collectFields, type Fragments } from '../compiled/collect-fields.ts';
import { MAX_PAIRS, readable, tooComplex } from './query-limits.ts';

/**
 * Validation compares selections that merge into one field pair by pair (https://spec.graphql.org/draft/#sec-Field-Selection-Merging),
 * which takes the square of their number. Their fields are counted beforehand: this walk visits each once.
 * @param roots selection sets of operations, and of fragments that none of them spreads
 * @throws AppError QUERY_TOO_COMPLEX
 */
export const checkRepeats = (roots: readonly SelectionSetNode[], fragments: Fragments): void => {
  let pairs = 0;
  let most = { field: '', count: 0 };

  const visit = (selectionSets: readonly SelectionSetNode[], parentPath: string): void => {
    for (const [key, nodes] of collectFields(selectionSets, fragments)) {
      const path = parentPath + key;
      pairs += (nodes.length * (nodes.length - 1)) / 2;
      if (nodes.length > most.count) most = { field: path, count: nodes.length };
      if (pairs > MAX_PAIRS) {
        throw tooComplex(
          `The document selects the same fields so often that ${readable(pairs)} pairs or more would have to be compared, and may be ${readable(MAX_PAIRS)}. Most are "${most.field}".`,
          { limit: 'repeats', maximum: MAX_PAIRS, actual: pairs, field: most.field },
        );
      }
      const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      if (below.length > 0) visit(below, `${path}.`);
    }
  };

  for (const root of roots) visit([root], '');
};
