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
import { fieldsIn, objectTypesOf, type Parent, rootOf } from '../../graphql/selection.ts';
import type { RestOperation } from '../documents.ts';

/** The one root field of a REST document. */
export interface Result {
  readonly field: GraphQLField<unknown, unknown>;
  /** False where `@include` or `@skip` may remove each selection of it. */
  readonly isCertain: boolean;
  /** Of its value, except that it may be null. */
  readonly schema: JsonSchema;
}

/** Schemas of responses: the selections decide which keys an object has, and under which aliases. */
export const createResultSchemas = (schema: GraphQLSchema) => {
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

  const resultOf = ({ operation, document }: RestOperation): Result => {
    const selected = fieldsIn(document, schema);

    const fieldsOf = (type: GraphQLObjectType, parents: readonly Parent[]) =>
      [...selected(parents, [type])].map(([key, selections]) => {
        // The document is valid.
        const field = schema.getField(type, selections[0].node.name.value) as Result['field'];
        const isCertain = selections.some(({ conditions }) => conditions.length === 0);
        return { key, field, isCertain, selections };
      });

    const anySchema = (type: GraphQLOutputType, parents: readonly Parent[]): JsonSchema =>
      isNonNullType(type) ? nonNullSchema(type.ofType, parents) : orNull(nonNullSchema(type, parents));

    const nonNullSchema = (type: GraphQLOutputType, parents: readonly Parent[]): JsonSchema => {
      if (isListType(type)) return { type: 'array', items: anySchema(type.ofType, parents) };
      if (isLeafType(type)) return leafSchema(type);
      const schemas = objectTypesOf(schema, type).map((each) => componentOf(each, objectSchema(each, parents)));
      const [one] = schemas;
      return one && schemas.length === 1 ? one : { anyOf: schemas };
    };

    const objectSchema = (type: GraphQLObjectType, parents: readonly Parent[]): JsonSchema => {
      const fields = fieldsOf(type, parents);
      const properties = fields.map(({ key, field, selections }) => {
        const value = getNullableType(field.type);
        const description = field.description ?? (isLeafType(value) ? describeLeaf(value) : undefined);
        return [key, { ...anySchema(field.type, selections), ...described(description) }];
      });
      return {
        type: 'object',
        ...described(type.description),
        properties: Object.fromEntries(properties),
        required: fields.filter(({ isCertain }) => isCertain).map(({ key }) => key),
      };
    };

    const roots = fieldsOf(schema.getQueryType() as GraphQLObjectType, rootOf(operation));
    const [{ field, isCertain, selections }] = roots as [(typeof roots)[number]];
    return { field, isCertain, schema: nonNullSchema(getNullableType(field.type), selections) };
  };

  /** `components`: the objects that the schemas refer to under `#/components/schemas`, so far. */
  return { resultOf, components: (): Record<string, JsonSchema> => Object.fromEntries(components) };
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
