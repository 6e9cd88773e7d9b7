import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  GraphQLError,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from '../compiled/collect-fields.ts';
import { checkRepeats } from './check-repeats.ts';
import { MAX_FRAGMENTS, type QueryLimits, readable, tooComplex } from './query-limits.ts';

/** What a selection set comes to, fragments written out. */
interface Shape {
  readonly fields: number;
  readonly depth: number;
}

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

  const measure = ({ selections }: SelectionSetNode, above: number): Shape => {
    let fields = 0;
    let depth = 0;
    const add = (shape: Shape): void => {
      fields += shape.fields;
      depth = Math.max(depth, shape.depth);
    };
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        path.push((selection.alias ?? selection.name).value);
        assertDepth(above + 1);
        const below = selection.selectionSet ? measure(selection.selectionSet, above + 1) : NOTHING;
        add({ fields: below.fields + 1, depth: below.depth + 1 });
        path.pop();
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        add(measure(selection.selectionSet, above));
      } else {
        const fragment = fragments.get(selection.name.value);
        if (fragment && open.has(fragment)) throw spreadWithinItself(selection);
        if (fragment) add(measureFragment(fragment, above));
      }
    }
    return { fields, depth };
  };

  const measureFragment = (fragment: FragmentDefinitionNode, above: number): Shape => {
    let shape = known.get(fragment);
    if (!shape) {
      open.add(fragment);
      shape = measure(fragment.selectionSet, above);
      open.delete(fragment);
      known.set(fragment, shape);
    }
    assertDepth(above + shape.depth);
    return shape;
  };

  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  let { fields } = NOTHING;
  for (const { selectionSet } of operations) fields += measure(selectionSet, 0).fields;
  // Those that no operation spreads are validated, too.
  const unused = [...fragments.values()].filter((fragment) => !known.has(fragment));
  for (const fragment of unused) fields += measureFragment(fragment, 0).fields;
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

const NOTHING: Shape = { fields: 0, depth: 0 };
