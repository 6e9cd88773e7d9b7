import { type GraphQLLeafType, isEnumType, isSpecifiedScalarType } from 'graphql';

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What each scalar is in JSON; those that are not GraphQL's own as graphql/scalars.ts serialises them. */
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

/** A scalar's or an enum's schema, without null and without its description. */
export const leafSchema = (type: GraphQLLeafType): JsonSchema => {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  const schema = SCALARS[type.name];
  if (!schema) throw new Error(`OpenAPI does not know the scalar ${type.name}: add it to rest/openapi-schema.ts`);
  return schema;
};

/** What a scalar or an enum means, in Markdown; an enum with the meaning of each value. */
export const describeLeaf = (type: GraphQLLeafType): string | undefined => {
  if (isSpecifiedScalarType(type)) return undefined;
  const values = isEnumType(type) ? type.getValues() : [];
  const meanings = values.flatMap(({ name, description }) => (description ? [`- \`${name}\`: ${description}`] : []));
  return [type.description, meanings.join('\n')].filter(Boolean).join('\n\n') || undefined;
};

/** The same schema, taking null too. */
export const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
};
