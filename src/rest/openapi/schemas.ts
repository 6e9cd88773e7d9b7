import {
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isSpecifiedScalarType,
} from 'graphql';
import { collectFields, fragmentsOf, objectTypesOf, type Parent, rootOf } from '../../graphql/selection.ts';
import type { RestOperation } from '../documents.ts';

/** A field of a document, all of its selections together. */
export interface ResultField {
  readonly key: string;
  readonly field: GraphQLField<unknown, unknown>;
  /** False where `@include` or `@skip` may remove each selection of it. */
  readonly isCertain: boolean;
  /** Those of its objects, by the types that these may have. */
  readonly objects: ResultObjects;
}

export type ResultObjects = ReadonlyMap<GraphQLObjectType, readonly ResultField[]>;

/** The one root field of a REST document, with all fields below it. */
export const resultOf = ({ operation, document }: RestOperation, schema: GraphQLSchema): ResultField => {
  const fragments = fragmentsOf(document);
  const fieldsOf = (type: GraphQLObjectType, parents: readonly Parent[]): ResultField[] =>
    [...collectFields(parents, fragments, { schema, types: [type] })].map(([key, selections]) => {
      const name = selections[0].node.name.value;
      const field = schema.getField(type, name);
      if (!field) throw new Error(`${type} has no field ${name}`);
      const isCertain = selections.some(({ conditions }) => conditions.length === 0);
      const types = objectTypesOf(schema, field.type);
      return { key, field, isCertain, objects: new Map(types.map((each) => [each, fieldsOf(each, selections)])) };
    });
  const queryType = schema.getQueryType();
  const [root] = queryType ? fieldsOf(queryType, rootOf(operation)) : [];
  if (!root) throw new Error('an operation without a root field');
  return root;
};

/** Schemas of responses: the selections decide which keys an object has, and under which aliases. */
export const createResultSchemas = () => {
  const components = new Map<string, JsonSchema>();

  // Objects with the same fields are one component; any other selection of their type is another.
  const componentOf = (type: GraphQLObjectType, object: JsonSchema): JsonSchema => {
    const text = JSON.stringify(object);
    let name = type.name;
    for (let number = 2; components.has(name) && JSON.stringify(components.get(name)) !== text; number += 1) {
      name = `${type.name}${number}`;
    }
    components.set(name, object);
    return { $ref: `#/components/schemas/${name}` };
  };

  const anySchema = (type: GraphQLOutputType, objects: ResultObjects): JsonSchema =>
    isNonNullType(type) ? nonNullSchema(type.ofType, objects) : orNull(nonNullSchema(type, objects));

  const nonNullSchema = (type: GraphQLOutputType, objects: ResultObjects): JsonSchema => {
    if (isListType(type)) return { type: 'array', items: anySchema(type.ofType, objects) };
    if (isLeafType(type)) return leafSchema(type);
    const schemas = [...objects].map(([each, fields]) => componentOf(each, objectSchema(each, fields)));
    const [one] = schemas;
    return one && schemas.length === 1 ? one : { anyOf: schemas };
  };

  const objectSchema = (type: GraphQLObjectType, fields: readonly ResultField[]): JsonSchema => ({
    type: 'object',
    ...described(type.description),
    properties: Object.fromEntries(fields.map((each) => [each.key, propertySchema(each)])),
    required: fields.filter(({ isCertain }) => isCertain).map(({ key }) => key),
  });

  const propertySchema = ({ field, objects }: ResultField): JsonSchema => {
    const value = getNullableType(field.type);
    const description = field.description ?? (isLeafType(value) ? describeLeaf(value) : undefined);
    return { ...anySchema(field.type, objects), ...described(description) };
  };

  return {
    /** The schema of a field's value, except that it may be null. */
    schemaOf: ({ field, objects }: ResultField): JsonSchema => nonNullSchema(getNullableType(field.type), objects),
    /** The objects that these schemas refer to under `#/components/schemas`, so far. */
    components: (): Record<string, JsonSchema> => Object.fromEntries(components),
  };
};

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const described = (description: string | null | undefined): JsonSchema => (description ? { description } : {});

/** Each scalar in JSON; those that are not GraphQL's own as graphql/builder.ts serializes them. */
const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Int: { type: 'integer', format: 'int32' },
  Float: { type: 'number', format: 'double' },
  String: { type: 'string' },
  ID: { type: 'string' },
  Boolean: { type: 'boolean' },
  DateTime: { type: 'string', format: 'date-time' },
  Decimal: { type: 'string', pattern: '^-?\\d+\\.\\d{2}$' },
  SafeInt: { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER },
};

/** The schema of a scalar or an enum, without null and without its description. */
export const leafSchema = (type: GraphQLLeafType): JsonSchema => {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  const schema = SCALARS[type.name];
  if (!schema) throw new Error(`OpenAPI does not know the scalar ${type.name}: add it to rest/openapi/schemas.ts`);
  return schema;
};

/** The meaning of a scalar or an enum, in Markdown; an enum with the meaning of each value. */
export const describeLeaf = (type: GraphQLLeafType): string | undefined => {
  if (isSpecifiedScalarType(type)) return undefined;
  const values = isEnumType(type) ? type.getValues() : [];
  const meanings = values.flatMap(({ name, description }) => (description ? [`- \`${name}\`: ${description}`] : []));
  return [type.description, meanings.join('\n')].filter(Boolean).join('\n\n') || undefined;
};

const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
};
