import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type SelectionSetNode,
} from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]));

/** A node with each @skip and @include on the way to it: it is part of the result where all of them say so. */
interface Conditional<Node> {
  readonly node: Node;
  readonly conditions: readonly DirectiveNode[];
}

export type SelectedField = Conditional<FieldNode>;

/** Something with selections: a field, an operation, a fragment. */
export type Parent = Conditional<{ readonly selectionSet?: SelectionSetNode | undefined }>;

/** All selections of one response key. Validation ensures that they have the same field and the same arguments. */
export type MergedField = readonly [SelectedField, ...SelectedField[]];

/** The parents that an operation or a fragment is to {@link collectFields}. */
export const rootOf = (node: Parent['node']): readonly Parent[] => [{ node, conditions: [] }];

/**
 * The fields that several selections of one object select together, by response key, fragments written out:
 * https://spec.graphql.org/draft/#CollectFields(), except that @skip and @include are only noted. The schema has no abstract types, so every type
 * condition holds.
 */
export const collectFields = (parents: readonly Parent[], fragments: Fragments): Map<string, MergedField> => {
  const byKey = new Map<string, [SelectedField, ...SelectedField[]]>();
  const spread = new Set<string>();

  const collect = (selectionSet: SelectionSetNode, above: readonly DirectiveNode[]): void => {
    for (const selection of selectionSet.selections) {
      const own = selection.directives?.filter(isCondition) ?? [];
      const conditions = own.length > 0 ? [...above, ...own] : above;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const field = { node: selection, conditions };
        const same = byKey.get(key);
        if (same) same.push(field);
        else byKey.set(key, [field]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet, conditions);
      } else {
        const name = selection.name.value;
        const fragment = fragments.get(name);
        // After an unconditional spread, another one adds nothing.
        if (!fragment || spread.has(name)) continue;
        if (conditions.length === 0) spread.add(name);
        collect(fragment.selectionSet, conditions);
      }
    }
  };

  for (const { node, conditions } of parents) if (node.selectionSet) collect(node.selectionSet, conditions);
  return byKey;
};

const CONDITIONS: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

const isCondition = ({ name }: DirectiveNode): boolean => CONDITIONS.has(name.value);
