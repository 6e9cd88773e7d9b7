import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  Kind,
  type ValueNode,
  type VariableValues,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, defaultOf, isListSize, MAX_IDS, maxItemsOf, objectFieldsOf, rangeOf } from '../arguments.ts';
import type { OperationContext } from '../context.ts';
import { isPromise } from '../executor/output.ts';
import { readable, tooComplex } from './query-limits.ts';

/*
 * How long a list may be, in the terms of https://ibm.github.io/graphql-specs/cost-spec.html, is declared at the field:
 * - a slicing argument is one of `within(LIST_SIZE, …)`;
 * - `extensions: { assumedSize: 20 }` for a list without one;
 * - `extensions: { sizedFields: ['items'] }` on a field whose slicing argument sizes a list one level below. A connection has it already: its
 *   `first` and `last` size `edges` and `nodes`, and without both they are as long as a page of a connection.
 */

type Field = GraphQLField<unknown, unknown>;

const slicingArgumentsOf = ({ args }: Field): GraphQLArgument[] => args.filter(isListSize);

const isConnection = (field: Field): boolean => slicingArgumentsOf(field).some(({ name }) => name === 'first');

const isSliced = (field: Field): boolean => slicingArgumentsOf(field).length > 0;

export const assumedSizeOf = ({ extensions }: Field): number | undefined =>
  extensions.assumedSize as number | undefined;

export const sizedFieldsOf = (field: Field): readonly string[] =>
  (field.extensions.sizedFields as readonly string[] | undefined) ?? (isConnection(field) ? ['edges', 'nodes'] : []);

/** Whether the field is a list of anything but leaves. */
export const isObjectList = ({ type }: Field): boolean =>
  isListType(getNullableType(type)) && !isLeafType(getNamedType(type));

/** @throws Error for a list without a declared length, so that none is free by mistake */
export const assertListSizes = (schema: GraphQLSchema): GraphQLSchema => {
  const fields = objectFieldsOf(schema);
  for (const { type, field, coordinate } of fields) {
    if (!isObjectList(field) || isSliced(field) || assumedSizeOf(field) !== undefined) continue;
    const parents = fields.filter((each) => getNamedType(each.field.type) === type).map((each) => each.field);
    const isSized = (parent: Field): boolean => isSliced(parent) && sizedFieldsOf(parent).includes(field.name);
    if (parents.length > 0 && parents.every(isSized)) continue;
    throw new Error(
      `Nothing says how long the list ${coordinate} may be: give it an argument within(LIST_SIZE, …), ` +
        `"extensions: { assumedSize }", or "extensions: { sizedFields: ['${field.name}'] }" to every field that answers ${type.name}.`,
    );
  }
  return schema;
};

/** The longest that a list of introspection is in this schema, for the name of its field. */
export const introspectionSizes = (schema: GraphQLSchema): ((field: string) => number) => {
  const types = Object.values(schema.getTypeMap());
  const directives = schema.getDirectives();
  const fieldLists = types.flatMap((type) => ('getFields' in type ? [Object.values(type.getFields())] : []));
  const valueLists = types.flatMap((type) => ('getValues' in type ? [type.getValues()] : []));
  const argumentLists = [...fieldLists.flat(), ...directives].flatMap((owner) => ('args' in owner ? [owner.args] : []));
  const longest = (lists: readonly (readonly unknown[])[]): number => Math.max(1, ...lists.map(({ length }) => length));
  const sizes: Readonly<Record<string, number>> = {
    directives: directives.length,
    fields: longest(fieldLists),
    inputFields: longest(fieldLists),
    enumValues: longest(valueLists),
    args: longest(argumentLists),
  };
  return (field) => sizes[field] ?? types.length;
};

/** A size that an argument asks for; without variables, the largest that any could. */
export type SizeReader = (variables?: VariableValues) => number;

/** The list length that the slicing arguments of a field ask for, the greatest of them; undefined for a field without one. */
export const slicedSizeReader = (field: Field, node: FieldNode): SizeReader | undefined => {
  const readers = slicingArgumentsOf(field).map((argument) => listSizeReader(argument, node));
  if (readers.length === 0) return undefined;
  const without = isConnection(field) ? DEFAULT_PAGE_SIZE : 0;
  return (variables) => Math.max(...readers.map((read) => read(variables))) || without;
};

/** The list length that a slicing argument asks for: 0 where it is out of its range, because the field will refuse it. */
const listSizeReader = (argument: GraphQLArgument, node: FieldNode): SizeReader => {
  const maximum = rangeOf(argument)?.maximum ?? 0;
  const sizeOf = (value: unknown): number => {
    const size = Number(value ?? 0);
    return size > 0 && size <= maximum ? size : 0;
  };
  return reader(argument, node, maximum, sizeOf, (literal) => sizeOf(literal.kind === Kind.INT ? literal.value : 0));
};

/** The length of an argument that is itself a list; undefined for another argument. */
export const listLengthReader = (argument: GraphQLArgument, node: FieldNode): SizeReader | undefined => {
  if (!isListType(getNullableType(argument.type))) return undefined;
  const maximum = maxItemsOf(argument) ?? MAX_IDS;
  const lengthOf = (value: unknown): number => (Array.isArray(value) ? Math.min(value.length, maximum) : 0);
  return reader(argument, node, maximum, lengthOf, (literal) =>
    literal.kind === Kind.LIST ? lengthOf(literal.values) : 1,
  );
};

const reader = (
  argument: GraphQLArgument,
  node: FieldNode,
  maximum: number,
  ofValue: (value: unknown) => number,
  ofLiteral: (literal: ValueNode) => number,
): SizeReader => {
  const { name } = argument;
  const literal = node.arguments?.find((each) => each.name.value === name)?.value;
  const ofDefault = ofValue(defaultOf(argument));
  if (!literal) return () => ofDefault;
  if (literal.kind !== Kind.VARIABLE) {
    const size = ofLiteral(literal);
    return () => size;
  }
  const variable = literal.name.value;
  return (variables) => {
    if (!variables) return maximum;
    return variable in variables.coerced ? ofValue(variables.coerced[variable]) : ofDefault;
  };
};

/** Counts the rows that the lists of one operation return. */
export class RowBudget {
  readonly #maximum: number;
  #spent = 0;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** The same budget with nothing spent, for a second execution of the operation. */
  renew(): RowBudget {
    return new RowBudget(this.#maximum);
  }

  /** @throws AppError QUERY_TOO_COMPLEX */
  spend(rows: number, field: string): void {
    this.#spent += rows;
    // One list alone is as long as its table: no client has multiplied anything.
    if (this.#spent <= this.#maximum || this.#spent === rows) return;
    throw tooComplex(
      `The operation has more than ${readable(this.#maximum)} rows (QUERY_MAX_COST). It was given up in "${field}".`,
      { limit: 'QUERY_MAX_COST', maximum: this.#maximum, actual: this.#spent, field },
    );
  }
}

/**
 * Makes every list count the rows that it returns. The cost of an operation is an estimate where the length of a list is assumed: a shop may
 * have fifty categories where ten were assumed, and lists in lists multiply the difference.
 */
export const enforceRowBudget = (schema: GraphQLSchema): GraphQLSchema => {
  for (const { field, coordinate } of objectFieldsOf(schema)) {
    const { resolve } = field;
    const isSized = isSliced(field) || assumedSizeOf(field) !== undefined;
    if (!isSized || !isObjectList(field) || !resolve) continue;
    field.resolve = (source, args, context: OperationContext, info) => {
      const spend = (items: readonly unknown[]): readonly unknown[] => {
        context.rowBudget.spend(items.length, coordinate);
        return items;
      };
      const items: unknown = resolve(source, args, context, info);
      return isPromise(items)
        ? (items as PromiseLike<readonly unknown[]>).then(spend)
        : spend(items as readonly unknown[]);
    };
  }
  return schema;
};
