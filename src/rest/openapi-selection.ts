import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { RestOperation } from './documents.ts';

/** One key of an object in an answer. */
export interface SelectedField {
  readonly field: GraphQLField<unknown, unknown>;
  /** What every mention of the key selects below it, without fragment spreads. */
  readonly selections: readonly SelectionSetNode[];
  /** False where each mention has a directive (`@include`, `@skip`), which may take it out. */
  readonly isCertain: boolean;
}

/**
 * The keys of an object in the order of the answer: https://spec.graphql.org/draft/#CollectFields()
 * @param selections without fragment spreads
 */
export const selectedFields = (
  schema: GraphQLSchema,
  type: GraphQLObjectType,
  selections: readonly SelectionSetNode[],
): [key: string, selected: SelectedField][] => {
  const byKey = new Map<string, SelectedField>();
  const collect = (selection: SelectionSetNode, isCertain: boolean): void => {
    for (const node of selection.selections) {
      const isCertainHere = isCertain && !node.directives?.length;
      if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet, isCertainHere);
      if (node.kind !== Kind.FIELD) continue;
      const field = schema.getField(type, node.name.value);
      if (!field) throw new Error(`${type} has no field ${node.name.value}`);
      const key = (node.alias ?? node.name).value;
      const before = byKey.get(key);
      byKey.set(key, {
        field,
        selections: [...(before?.selections ?? []), ...(node.selectionSet ? [node.selectionSet] : [])],
        isCertain: isCertainHere || (before?.isCertain ?? false),
      });
    }
  };
  for (const selection of selections) collect(selection, true);
  return [...byKey];
};

/** The one root field of an operation. */
export const rootSelection = ({ operation, document }: RestOperation, schema: GraphQLSchema): SelectedField => {
  const fragments = new Map(
    document.definitions
      .filter((node) => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node.selectionSet]),
  );
  const withoutSpreads = visit(operation.selectionSet, {
    FragmentSpread: ({ name, directives = [] }) => {
      const selectionSet = fragments.get(name.value);
      return selectionSet && { kind: Kind.INLINE_FRAGMENT, directives, selectionSet };
    },
  });
  const query = schema.getQueryType();
  const [root] = query ? selectedFields(schema, query, [withoutSpreads]) : [];
  if (!root) throw new Error('an operation without a root field');
  return root[1];
};
