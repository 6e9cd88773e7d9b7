import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { collectFields, type Fragments, fragmentsOf } from '../selection.ts';
import { MAX_FRAGMENTS, MAX_PAIRS, NESTING_PER_DEPTH, type QueryLimits, readable, tooComplex } from './query-limits.ts';

/** What a selection set comes to, fragments written out. */
interface Shape {
  readonly fields: number;
  readonly depth: number;
  /** Selection sets within selection sets, those of fragments among them. */
  readonly nesting: number;
}

/** How deep a selection set is in the document. */
type Above = Pick<Shape, 'depth' | 'nesting'>;

const TOP: Above = { depth: 0, nesting: 0 };

/**
 * Measures what a document selects before it is validated, because validation, and all that follows, takes time that grows with the
 * fragments written out: a few hundred characters of fragments that spread each other twice may select 2^50 fields. Each fragment is
 * measured once.
 * @throws AppError QUERY_TOO_COMPLEX
 * @throws GraphQLError as validation would, for a fragment within itself; what else is wrong is left to validation
 */
export const checkShape = (document: DocumentNode, { maxDepth, maxFields }: QueryLimits): void => {
  const fragments = fragmentsOf(document);
  const count = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length;
  if (count > MAX_FRAGMENTS) {
    throw tooComplex(`The document has ${count} fragments, and may have ${MAX_FRAGMENTS}.`, {
      limit: 'fragments',
      maximum: MAX_FRAGMENTS,
      actual: count,
    });
  }

  const known = new Map<FragmentDefinitionNode, Shape>();
  /** Those that are being measured. */
  const open = new Set<FragmentDefinitionNode>();
  const path: string[] = [];

  const assertDepth = (depth: number): void => {
    if (depth <= maxDepth) return;
    throw tooComplex(
      `The document selects fields more than ${maxDepth} deep (QUERY_MAX_DEPTH), at "${path.slice(0, maxDepth + 1).join('.')}".`,
      { limit: 'QUERY_MAX_DEPTH', maximum: maxDepth, actual: depth, field: path.join('.') },
    );
  };

  const maxNesting = maxDepth * NESTING_PER_DEPTH;
  const assertNesting = (nesting: number): void => {
    if (nesting <= maxNesting) return;
    throw tooComplex(
      `The document nests selections and fragments more than ${maxNesting} deep (twice QUERY_MAX_DEPTH).`,
      { limit: 'nesting', maximum: maxNesting, actual: nesting },
    );
  };

  const measure = ({ selections }: SelectionSetNode, above: Above): Shape => {
    const here = { depth: above.depth, nesting: above.nesting + 1 };
    assertNesting(here.nesting);
    let fields = 0;
    let depth = 0;
    let nesting = 0;
    const add = (shape: Shape): void => {
      fields += shape.fields;
      depth = Math.max(depth, shape.depth);
      nesting = Math.max(nesting, shape.nesting);
    };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        path.push((selection.alias ?? selection.name).value);
        const deeper = { depth: here.depth + 1, nesting: here.nesting };
        assertDepth(deeper.depth);
        const below = selection.selectionSet ? measure(selection.selectionSet, deeper) : NOTHING;
        add({ fields: below.fields + 1, depth: below.depth + 1, nesting: below.nesting });
        path.pop();
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        add(measure(selection.selectionSet, here));
      } else {
        const fragment = fragments.get(selection.name.value);
        if (fragment && open.has(fragment)) throw spreadWithinItself(selection);
        if (fragment) add(measureFragment(fragment, here));
      }
    }
    return { fields, depth, nesting: nesting + 1 };
  };

  const measureFragment = (fragment: FragmentDefinitionNode, above: Above): Shape => {
    let shape = known.get(fragment);
    if (!shape) {
      open.add(fragment);
      shape = measure(fragment.selectionSet, above);
      open.delete(fragment);
      known.set(fragment, shape);
    }
    assertDepth(above.depth + shape.depth);
    assertNesting(above.nesting + shape.nesting);
    return shape;
  };

  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  let { fields } = NOTHING;
  for (const { selectionSet } of operations) fields += measure(selectionSet, TOP).fields;
  // Those that no operation spreads are validated, too.
  const unused = [...fragments.values()].filter((fragment) => !known.has(fragment));
  for (const fragment of unused) fields += measureFragment(fragment, TOP).fields;
  if (fields > maxFields) {
    throw tooComplex(
      `The document selects ${readable(fields)} fields with its fragments written out, and may select ${readable(maxFields)} (QUERY_MAX_FIELDS).`,
      { limit: 'QUERY_MAX_FIELDS', maximum: maxFields, actual: fields },
    );
  }
  checkRepeats(
    [...operations, ...unused].map(({ selectionSet }) => selectionSet),
    fragments,
  );
};

const spreadWithinItself = (spread: FragmentSpreadNode): GraphQLError =>
  new GraphQLError(`Cannot spread fragment "${spread.name.value}" within itself.`, {
    nodes: spread,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });

const NOTHING: Shape = { fields: 0, depth: 0, nesting: 0 };

/**
 * Validation compares selections that merge into one field pair by pair (https://spec.graphql.org/draft/#sec-Field-Selection-Merging),
 * which takes the square of their number. Their fields are counted beforehand: this walk visits each once.
 * @param roots selection sets of operations, and of fragments that none of them spreads
 * @throws AppError QUERY_TOO_COMPLEX
 */
const checkRepeats = (roots: readonly SelectionSetNode[], fragments: Fragments): void => {
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
