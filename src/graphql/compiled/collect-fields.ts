import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]));

/**
 * The fields that selection sets of one object type select, by response key, however they are spread over fragments. As
 * https://spec.graphql.org/draft/#CollectFields() without abstract types, and without regard to @skip and @include.
 */
export const collectFields = (
  selectionSets: readonly SelectionSetNode[],
  fragments: Fragments,
): Map<string, FieldNode[]> => {
  const byKey = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = byKey.get(key);
        if (nodes) nodes.push(selection);
        else byKey.set(key, [selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        // Validation has seen to it that the type condition, if any, is this very type.
        collect(selection.selectionSet);
      } else if (!visited.has(selection.name.value)) {
        visited.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      }
    }
  };
  for (const selectionSet of selectionSets) collect(selectionSet);
  return byKey;
};
