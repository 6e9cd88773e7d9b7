import type { DocumentNode, GraphQLObjectType, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { collectFields, fragmentsOf, objectTypesOf, type Parent, rootOf } from '../selection.ts';

/** The text of a result without the fields whose change alone is no event: those with `extensions: { isSilent: true }`. */
export type WithoutSilentFields = (json: string) => string;

/** Removes silent fields from the values of a field: an object, a list, or null. */
type Remove = (value: unknown) => void;

/** @returns undefined where the operation selects none */
export const silentFields = (
  schema: GraphQLSchema,
  document: DocumentNode,
  definition: OperationDefinitionNode,
): WithoutSilentFields | undefined => {
  const fragments = fragmentsOf(document);

  const removerOf = (types: readonly GraphQLObjectType[], parents: readonly Parent[]): Remove | undefined => {
    const silent: string[] = [];
    const below: [key: string, remove: Remove][] = [];
    for (const [key, selections] of collectFields(parents, fragments, { schema, types })) {
      const fields = selections.flatMap(({ node, types: owners }) =>
        owners.flatMap((type) => schema.getField(type, node.name.value) ?? []),
      );
      // The result does not say which type an object has: a key that is silent in some of them alone makes an event.
      if (fields.every(({ extensions }) => extensions.isSilent === true)) silent.push(key);
      const typesBelow = new Set(fields.flatMap(({ type }) => objectTypesOf(schema, type)));
      const remove = typesBelow.size > 0 ? removerOf([...typesBelow], selections) : undefined;
      if (remove) below.push([key, remove]);
    }
    if (silent.length === 0 && below.length === 0) return undefined;
    const remove: Remove = (value) => {
      if (Array.isArray(value)) for (const item of value) remove(item);
      else if (typeof value === 'object' && value !== null) {
        const object = value as Record<string, unknown>;
        for (const key of silent) delete object[key];
        for (const [key, removeBelow] of below) removeBelow(object[key]);
      }
    };
    return remove;
  };

  const rootType = schema.getRootType(definition.operation);
  const remove = rootType && removerOf([rootType], rootOf(definition));
  if (!remove) return undefined;
  return (json) => {
    const result = JSON.parse(json);
    remove(result.data);
    return JSON.stringify(result);
  };
};
