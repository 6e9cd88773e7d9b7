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
  isObjectType,
  isSpecifiedScalarType,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import type { RestOperation } from '../documents.ts';

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
const orNull = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
};

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
