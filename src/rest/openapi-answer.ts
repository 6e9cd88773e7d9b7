import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql';
import { describeLeaf, type JsonSchema, leafSchema, orNull } from './openapi-schema.ts';
import { type SelectedField, selectedFields } from './openapi-selection.ts';

type Selections = readonly SelectionSetNode[];

export interface Answers {
  /** The schema of what a field answers, its own null aside. */
  readonly schemaOf: (selected: SelectedField) => JsonSchema;
  /** The objects that these schemas refer to under `#/components/schemas`, so far. */
  readonly components: () => Record<string, JsonSchema>;
}

/** Schemas of answers: a selection set says which keys of its type an object has, and under which aliases. */
export const createAnswers = (schema: GraphQLSchema): Answers => {
  const components = new Map<string, JsonSchema>();

  // An object that several documents select alike is one component; each other selection of its type is one more.
  const componentOf = (type: GraphQLObjectType, object: JsonSchema): JsonSchema => {
    const text = JSON.stringify(object);
    let name = type.name;
    for (let number = 2; components.has(name) && JSON.stringify(components.get(name)) !== text; number += 1) {
      name = `${type.name}${number}`;
    }
    components.set(name, object);
    return { $ref: `#/components/schemas/${name}` };
  };

  const anySchema = (type: GraphQLOutputType, selections: Selections): JsonSchema =>
    isNonNullType(type) ? nonNullSchema(type.ofType, selections) : orNull(nonNullSchema(type, selections));

  const nonNullSchema = (type: GraphQLOutputType, selections: Selections): JsonSchema => {
    if (isListType(type)) return { type: 'array', items: anySchema(type.ofType, selections) };
    if (isLeafType(type)) return leafSchema(type);
    if (!isObjectType(type)) throw new Error(`OpenAPI cannot tell what ${type} answers with`);
    return componentOf(type, objectSchema(type, selections));
  };

  const objectSchema = (type: GraphQLObjectType, selections: Selections): JsonSchema => {
    const fields = selectedFields(schema, type, selections);
    return {
      type: 'object',
      ...(type.description ? { description: type.description } : {}),
      properties: Object.fromEntries(fields.map(([key, selected]) => [key, propertySchema(selected)])),
      required: fields.flatMap(([key, { isCertain }]) => (isCertain ? [key] : [])),
    };
  };

  const propertySchema = ({ field, selections }: SelectedField): JsonSchema => {
    const value = getNullableType(field.type);
    const description = field.description ?? (isLeafType(value) ? describeLeaf(value) : undefined);
    return { ...anySchema(field.type, selections), ...(description ? { description } : {}) };
  };

  return {
    schemaOf: ({ field, selections }) => nonNullSchema(getNullableType(field.type), selections),
    components: () => Object.fromEntries(components),
  };
};
