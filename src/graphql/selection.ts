import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  isCompositeType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

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

/** A field with all the selections that merge into it. */
export interface Selected {
  readonly key: string;
  readonly name: string;
  readonly parent: GraphQLCompositeType;
  /** The first selection; validation has seen to it that the others have the same arguments. */
  readonly node: FieldNode;
  /** Whether the same field is selected under another key, too, and this is not the first. */
  readonly isAgain: boolean;
  /** For each selection, the @skip and @include on the way to it. */
  readonly conditions: readonly (readonly DirectiveNode[])[];
  readonly selections: readonly Selection[];
}

/** A selection set, and what must hold for it to be answered. */
export interface Selection {
  readonly selectionSet: SelectionSetNode;
  readonly conditions: readonly DirectiveNode[];
}

/**
 * As `collectFields` of the compiled operations, but with conditions, and for abstract types: what is selected of several possible types
 * is taken together, as if an object could be all of them. A fragment is written out as often as it is spread: how much that may come
 * to is checked beforehand (check-shape.ts).
 */
export const selectedFields = (
  schema: GraphQLSchema,
  type: GraphQLCompositeType,
  selections: readonly Selection[],
  fragments: Fragments,
): Selected[] => {
  const fields = new Map<
    string,
    { -readonly [Key in keyof Selected]: Selected[Key] } & {
      conditions: (readonly DirectiveNode[])[];
      selections: Selection[];
    }
  >();

  const names = new Set<string>();

  const collect = (parent: GraphQLCompositeType, { selectionSet, conditions }: Selection): void => {
    for (const selection of selectionSet.selections) {
      const own = selection.directives?.filter(isCondition) ?? [];
      const all = own.length > 0 ? [...conditions, ...own] : conditions;
      if (selection.kind === Kind.FIELD) add(parent, selection, all);
      else if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(typeNamed(selection.typeCondition?.name.value) ?? parent, {
          selectionSet: selection.selectionSet,
          conditions: all,
        });
      } else {
        const fragment = fragments.get(selection.name.value);
        if (fragment)
          collect(typeNamed(fragment.typeCondition.name.value) ?? parent, {
            selectionSet: fragment.selectionSet,
            conditions: all,
          });
      }
    }
  };

  const add = (parent: GraphQLCompositeType, node: FieldNode, conditions: readonly DirectiveNode[]): void => {
    const key = (node.alias ?? node.name).value;
    const id = `${parent.name}.${key}`;
    let known = fields.get(id);
    if (!known) {
      const name = node.name.value;
      const isAgain = names.has(`${parent.name}.${name}`);
      names.add(`${parent.name}.${name}`);
      known = { key, name, parent, node, isAgain, conditions: [], selections: [] };
      fields.set(id, known);
    }
    known.conditions.push(conditions);
    if (node.selectionSet) known.selections.push({ selectionSet: node.selectionSet, conditions });
  };

  const typeNamed = (name: string | undefined): GraphQLCompositeType | undefined => {
    const found = name === undefined ? undefined : schema.getType(name);
    return isCompositeType(found) ? found : undefined;
  };

  for (const selection of selections) collect(type, selection);
  return [...fields.values()];
};

const CONDITIONS: ReadonlySet<string> = new Set([GraphQLSkipDirective.name, GraphQLIncludeDirective.name]);

const isCondition = ({ name }: DirectiveNode): boolean => CONDITIONS.has(name.value);
