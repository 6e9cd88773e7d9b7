import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { isListSize } from '../arguments.ts';

/*
 * How long a list may be, in the terms of https://ibm.github.io/graphql-specs/cost-spec.html, declared where the field is:
 * - a slicing argument is one of `within(LIST_SIZE, …)`;
 * - `extensions: { assumedSize: 20 }` for a list without one;
 * - `extensions: { sizedFields: ['items'] }` on a field whose slicing argument sizes a list one level below.
 */

type Field = GraphQLField<unknown, unknown>;

export const slicingArgumentOf = ({ args }: Field): GraphQLArgument | undefined => args.find(isListSize);

export const assumedSizeOf = ({ extensions }: Field): number | undefined =>
  extensions.assumedSize as number | undefined;

export const sizedFieldsOf = ({ extensions }: Field): readonly string[] =>
  (extensions.sizedFields as readonly string[] | undefined) ?? [];

/** Whether the field answers a list of anything but leaves. */
export const isObjectList = ({ type }: Field): boolean =>
  isListType(getNullableType(type)) && !isLeafType(getNamedType(type));

/** @throws Error for a list of which nothing says how long it may be, so that none is free by mistake */
export const assertListSizes = (schema: GraphQLSchema): GraphQLSchema => {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => Object.values(type.getFields()).map((field: Field) => ({ type, field })));
  const sizersOf = (type: GraphQLOutputType): Field[] =>
    fields.flatMap(({ field }) => (getNamedType(field.type) === type ? [field] : []));

  for (const { type, field } of fields.filter((each) => isObjectList(each.field))) {
    if (slicingArgumentOf(field) || assumedSizeOf(field) !== undefined) continue;
    const sizers = sizersOf(type);
    const isSized = sizers.every((each) => slicingArgumentOf(each) && sizedFieldsOf(each).includes(field.name));
    if (sizers.length > 0 && isSized) continue;
    throw new Error(
      `Nothing says how long the list ${type.name}.${field.name} may be: give it an argument within(LIST_SIZE, …), ` +
        `"extensions: { assumedSize }", or "extensions: { sizedFields: ['${field.name}'] }" to every field that answers ${type.name}.`,
    );
  }
  return schema;
};

/** The longest that a list of introspection is in this schema, for the name of its field. */
export const introspectionSizes = (schema: GraphQLSchema): ((field: string) => number) => {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const fields = types.flatMap((type) => ('getFields' in type ? [Object.values(type.getFields())] : []));
  const longest = (lists: readonly { readonly length: number }[]): number =>
    Math.max(1, ...lists.map(({ length }) => length));
  const sizes = new Map([
    ['directives', directives.length],
    ['fields', longest(fields)],
    ['inputFields', longest(fields)],
    ['enumValues', longest(types.map((type) => ('getValues' in type ? type.getValues() : [])))],
    [
      'args',
      longest([
        ...fields.flat().map((field) => ('args' in field ? field.args : [])),
        ...directives.map(({ args }) => args),
      ]),
    ],
  ]);
  return (field) => sizes.get(field) ?? types.length;
};
