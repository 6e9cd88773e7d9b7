import {
  type FieldNode,
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
  Kind,
  type ValueNode,
  type VariableValues,
} from 'graphql';
import { isListSize, MAX_IDS, maxItemsOf, rangeOf } from '../arguments.ts';
import type { OperationContext } from '../context.ts';
import { readable, tooComplex } from './query-limits.ts';

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

/** A size that an argument gives; without variables, the largest that any could. */
export type ArgumentReader = (variables?: VariableValues) => number;

/** The length of the list that a slicing argument asks for: none where it is out of its range, because the field will refuse it. */
export const listSizeReader = (argument: GraphQLArgument, node: FieldNode): ArgumentReader => {
  const maximum = rangeOf(argument)?.maximum ?? 0;
  const sizeOf = (value: unknown): number => {
    const size = Number(value ?? 0);
    return size > 0 && size <= maximum ? size : 0;
  };
  return reader(argument, node, maximum, sizeOf, (literal) => sizeOf(literal.kind === Kind.INT ? literal.value : 0));
};

/** The length of an argument that is a list itself. */
export const listLengthReader = (argument: GraphQLArgument, node: FieldNode): ArgumentReader | undefined => {
  if (!isListType(getNullableType(argument.type))) return undefined;
  const maximum = maxItemsOf(argument) ?? MAX_IDS;
  const lengthOf = (value: unknown): number => (Array.isArray(value) ? Math.min(value.length, maximum) : 0);
  return reader(argument, node, maximum, lengthOf, (literal) =>
    literal.kind === Kind.LIST ? lengthOf(literal.values) : 1,
  );
};

const reader = (
  { name, defaultValue }: GraphQLArgument,
  node: FieldNode,
  maximum: number,
  ofValue: (value: unknown) => number,
  ofLiteral: (literal: ValueNode) => number,
): ArgumentReader => {
  const literal = node.arguments?.find((each) => each.name.value === name)?.value;
  const fallback = ofValue(defaultValue);
  if (!literal) return () => fallback;
  if (literal.kind !== Kind.VARIABLE) {
    const size = ofLiteral(literal);
    return () => size;
  }
  const variable = literal.name.value;
  return (variables) => {
    if (!variables) return maximum;
    return variable in variables.coerced ? ofValue(variables.coerced[variable]) : fallback;
  };
};

/** The rows that the lists of one operation may still bring. */
export class RowBudget {
  readonly #maximum: number;
  #spent = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** As large as this one, with nothing spent: for an operation that is executed a second time. */
  afresh(): RowBudget {
    return new RowBudget(this.#maximum);
  }

  /** @throws AppError QUERY_TOO_COMPLEX */
  spend(rows: number, field: string): void {
    this.#spent += rows;
    // One list alone is what the database holds: nobody has multiplied anything.
    if (this.#spent <= this.#maximum || this.#spent === rows) return;
    throw tooComplex(
      `The operation has more than ${readable(this.#maximum)} rows (QUERY_MAX_COST). It was given up in "${field}".`,
      { limit: 'QUERY_MAX_COST', maximum: this.#maximum, actual: this.#spent, field },
    );
  }
}

/**
 * Makes every list count what it really brought. The cost of an operation is an estimate where the length of a list is assumed: a shop may
 * have fifty categories where ten were thought of, and lists in lists multiply the difference.
 */
export const enforceRowBudget = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      const isSized = slicingArgumentOf(field) !== undefined || assumedSizeOf(field) !== undefined;
      if (!isSized || !isObjectList(field) || !resolve) continue;
      const name = `${type.name}.${field.name}`;
      field.resolve = (source, args, context: OperationContext, info) => {
        const spend = (items: readonly unknown[]): readonly unknown[] => {
          context.rowBudget.spend(items.length, name);
          return items;
        };
        const items: unknown = resolve(source, args, context, info);
        return items instanceof Promise ? items.then(spend) : spend(items as readonly unknown[]);
      };
    }
  }
  return schema;
};
