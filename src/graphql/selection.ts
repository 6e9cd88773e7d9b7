import {
  type ASTNode,
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getNamedType,
  isAbstractType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

export const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]));

/** A node with each @skip and @include on the way to it: it is part of the result where all of them say so. */
interface Conditional<Node> {
  readonly node: Node;
  readonly conditions: readonly DirectiveNode[];
}

export interface SelectedField extends Conditional<FieldNode> {
  /** Those of the types that are selected from whose objects have it; empty without a schema. */
  readonly types: readonly GraphQLObjectType[];
}

/** Something with selections: a field, an operation, a fragment. */
export type Parent = Conditional<{ readonly selectionSet?: SelectionSetNode | undefined }>;

/** All selections of one response key. Validation ensures that those of one type have the same field and the same arguments. */
export type MergedField = readonly [SelectedField, ...SelectedField[]];

/** The types of the objects in a value of this type: none of a leaf. */
export const objectTypesOf = (schema: GraphQLSchema, type: GraphQLOutputType): readonly GraphQLObjectType[] => {
  const named = getNamedType(type);
  if (isObjectType(named)) return [named];
  return isAbstractType(named) ? schema.getPossibleTypes(named) : [];
};

/** The parents that an operation or a fragment is to {@link FieldsOf}. */
export const rootOf = (node: Parent['node']): readonly Parent[] => [{ node, conditions: [] }];

/**
 * The fields that several selections of one object select together, by response key, fragments written out:
 * https://spec.graphql.org/draft/#CollectFields(), except that @skip and @include are only noted.
 * @param types what the object may be: one type, or each of those that an interface or a union stands for
 */
export type FieldsOf = (parents: readonly Parent[], types?: readonly GraphQLObjectType[]) => Map<string, MergedField>;

/** @param schema without it every type condition holds, as for a document that is not validated yet */
export const fieldsIn = (document: DocumentNode, schema?: GraphQLSchema): FieldsOf => {
  const fragments = fragmentsOf(document);
  return (parents, all = []) => {
    const byKey = new Map<string, [SelectedField, ...SelectedField[]]>();
    const spread = new Set<string>();

    const collect = (
      selectionSet: SelectionSetNode,
      above: readonly DirectiveNode[],
      types: readonly GraphQLObjectType[],
    ): void => {
      for (const selection of selectionSet.selections) {
        const own = selection.directives?.filter(isCondition) ?? [];
        const conditions = own.length > 0 ? [...above, ...own] : above;
        if (selection.kind === Kind.FIELD) {
          const key = (selection.alias ?? selection.name).value;
          const field = { node: selection, conditions, types };
          const same = byKey.get(key);
          if (same) same.push(field);
          else byKey.set(key, [field]);
        } else if (selection.kind === Kind.INLINE_FRAGMENT) {
          collectFragment(selection, conditions, types);
        } else {
          const name = selection.name.value;
          const fragment = fragments.get(name);
          // After a spread for any object and without a condition, another one adds nothing.
          if (!fragment || spread.has(name)) continue;
          if (conditions.length === 0 && types.length === all.length) spread.add(name);
          collectFragment(fragment, conditions, types);
        }
      }
    };

    const collectFragment = (
      {
        selectionSet,
        typeCondition,
      }: { readonly selectionSet: SelectionSetNode; readonly typeCondition?: NamedTypeNode | undefined },
      conditions: readonly DirectiveNode[],
      types: readonly GraphQLObjectType[],
    ): void => {
      const narrowed = schema && typeCondition ? typesThatAre(typeCondition.name.value, types, schema) : types;
      if (!schema || narrowed.length > 0) collect(selectionSet, conditions, narrowed);
    };

    for (const { node, conditions } of parents) if (node.selectionSet) collect(node.selectionSet, conditions, all);
    return byKey;
  };
};

/** https://spec.graphql.org/draft/#DoesFragmentTypeApply() */
const typesThatAre = (
  name: string,
  types: readonly GraphQLObjectType[],
  schema: GraphQLSchema,
): readonly GraphQLObjectType[] => {
  if (types.length === 1 && types[0]?.name === name) return types;
  const condition = schema.getType(name);
  return types.filter((type) => type === condition || (isAbstractType(condition) && schema.isSubType(condition, type)));
};

const isCondition = ({ name }: DirectiveNode): boolean =>
  name.value === GraphQLSkipDirective.name || name.value === GraphQLIncludeDirective.name;

/** Whether a node of this kind stands in another. */
export const hasNode = (node: ASTNode, kind: Kind): boolean => {
  let found = false;
  visit(node, {
    enter: (each) => {
      found ||= each.kind === kind;
      return found ? BREAK : undefined;
    },
  });
  return found;
};
