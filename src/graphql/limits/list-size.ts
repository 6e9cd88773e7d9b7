import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isLeafType,
  isListType,
  Kind,
  type VariableValues,
} from 'graphql';
import {
  argumentValue,
  around,
  DEFAULT_PAGE_SIZE,
  isListSize,
  LIST_SIZE,
  MAX_IDS,
  maxItemsOf,
  objectFieldsOf,
  rangeOf,
} from '../arguments.ts';
import type { OperationContext, RowCount } from '../context.ts';
import { isPromise } from '../executor/output.ts';
import { hasNode } from '../selection.ts';
import { refuseExcess } from './document-size.ts';

/*
 * How long a list may be, in the terms of https://ibm.github.io/graphql-specs/cost-spec.html, is declared at the field:
 * - a slicing argument is one of `within(LIST_SIZE, …)`, or `lookedUp`, of which the field has an item for each;
 * - `extensions: { assumedSize: 50 }` for a list without one, or 20 are assumed;
 * - `extensions: { sizedFields: ['items'] }` on a field whose slicing argument sizes a list one level below (a page). Where it has several slicing
 *   arguments that may be left out, `assumedSize` is the length without any;
 * - of a connection as Pothos makes it, `first` and `last` size `edges` and `nodes`.
 */

type Field = GraphQLField<unknown, unknown>;

/** https://relay.dev/graphql/connections.htm */
const isConnection = ({ type }: Field): boolean => getNamedType(type).name.endsWith('Connection');

const slicingArgumentsOf = (field: Field): GraphQLArgument[] => {
  const declared = field.args.filter(isListSize);
  if (declared.length > 0 || !isConnection(field)) return declared;
  return field.args.filter(({ name }) => name === 'first' || name === 'last');
};

export const assumedSizeOf = ({ extensions }: Field): number =>
  (extensions.assumedSize as number | undefined) ?? DEFAULT_PAGE_SIZE;

export const sizedFieldsOf = (field: Field): readonly string[] =>
  (field.extensions.sizedFields as readonly string[] | undefined) ?? (isConnection(field) ? ['edges', 'nodes'] : []);

/** Whether the field is a list of anything but leaves. */
export const isObjectList = ({ type }: Field): boolean =>
  isListType(getNullableType(type)) && !isLeafType(getNamedType(type));

/** A size that an argument asks for; without variables, the largest that any could. */
export type SizeReader = (variables?: VariableValues) => number;

/** The list length that the slicing arguments of a field ask for, the greatest of them; undefined for a field without one. */
export const slicedSizeReader = (field: Field, node: FieldNode): SizeReader | undefined => {
  const readers = slicingArgumentsOf(field).map(
    (argument) => listLengthReader(argument, node) ?? listSizeReader(argument, node),
  );
  if (readers.length === 0) return undefined;
  const { assumedSize } = field.extensions as { assumedSize?: number };
  // What is declared has a default or `assumedSize`, and is refused otherwise.
  const without = assumedSize ?? (isConnection(field) ? DEFAULT_PAGE_SIZE : 0);
  return (variables) => Math.max(...readers.map((read) => read(variables))) || without;
};

/** The list length that a slicing argument asks for: 0 where it is out of its range, because the field will refuse it. */
const listSizeReader = (argument: GraphQLArgument, node: FieldNode): SizeReader => {
  const range = rangeOf(argument);
  const maximum = range?.maximum ?? LIST_SIZE.maximum;
  const sizeOf = (value: unknown): number => {
    const size = Number(value ?? 0);
    if (!range) return Math.max(0, Math.min(size, maximum));
    return size > 0 && size <= maximum ? size : 0;
  };
  return reader(argument, node, maximum, sizeOf);
};

/** The length of an argument that is itself a list; undefined for another argument. */
const listLengthReader = (argument: GraphQLArgument, node: FieldNode): SizeReader | undefined =>
  isListType(getNullableType(argument.type)) ? itemsReader(argument, node) : undefined;

/** How many items the lists in an argument have, also those inside its input objects; undefined for an argument that has no lists. */
export const itemsReader = (argument: GraphQLArgument, node: FieldNode): SizeReader | undefined => {
  const most = mostItems(argument);
  if (most === 0) return undefined;
  const cut = longestListOf(argument);
  // A list that is too long will be refused.
  const itemsOf = (value: unknown): number =>
    countItems(argument.type, Array.isArray(value) ? value.slice(0, cut) : value);
  return reader(argument, node, most, itemsOf);
};

const longestListOf = (input: Pick<GraphQLArgument, 'extensions'>): number =>
  maxItemsOf(input) ?? rangeOf(input)?.maximum ?? MAX_IDS;

const countItems = (type: GraphQLInputType, value: unknown): number => {
  const nullable = getNullableType(type);
  if (isListType(nullable) && Array.isArray(value)) {
    return value.reduce((sum: number, item) => sum + countItems(nullable.ofType, item), value.length);
  }
  if (!isInputObjectType(nullable) || typeof value !== 'object' || value === null) return 0;
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.values(nullable.getFields()).reduce((sum, { type: of, name }) => sum + countItems(of, fields[name]), 0);
};

/** Of all that a variable could hold. An input object inside another of its type is taken as empty. */
const mostItems = (
  input: Pick<GraphQLArgument, 'type' | 'extensions'>,
  around: readonly GraphQLInputObjectType[] = [],
): number => {
  const type = getNamedType(input.type);
  const inside =
    isInputObjectType(type) && !around.includes(type)
      ? Object.values(type.getFields()).reduce((sum, field) => sum + mostItems(field, [...around, type]), 0)
      : 0;
  if (!isListType(getNullableType(input.type))) return inside;
  return longestListOf(input) * (1 + inside);
};

/** @param maximum of all that variables could make it */
const reader = (
  argument: GraphQLArgument,
  node: FieldNode,
  maximum: number,
  sizeOf: (value: unknown) => number,
): SizeReader => {
  const given = node.arguments?.find(({ name }) => name.value === argument.name);
  const read = (variables?: VariableValues): number => sizeOf(argumentValue(argument, node, variables));
  if (given && hasNode(given, Kind.VARIABLE)) return (variables) => (variables ? read(variables) : maximum);
  const size = read();
  return () => size;
};

/**
 * Makes every list count the rows that it returns. The cost of an operation is an estimate where the length of a list is assumed: a shop may
 * have fifty categories where ten were assumed, and lists in lists multiply the difference.
 */
export const enforceRowCount = (schema: GraphQLSchema): GraphQLSchema => {
  for (const { field, coordinate } of objectFieldsOf(schema)) {
    const { resolve } = field;
    if (!isObjectList(field) || !resolve) continue;
    field.resolve = around(resolve, (source, args, context: OperationContext, info) => {
      const count = (items: unknown): unknown => {
        if (Array.isArray(items)) countRows(context.rowCount, items.length, coordinate);
        return items;
      };
      const items: unknown = resolve(source, args, context, info);
      return isPromise(items) ? items.then(count) : count(items);
    });
  }
  return schema;
};

/** @throws AppError QUERY_TOO_COMPLEX */
const countRows = (count: RowCount, rows: number, field: string): void => {
  count.rows += rows;
  const { rows: actual, maximum } = count;
  // One list alone is as long as its table: no client has multiplied anything.
  if (actual !== rows) refuseExcess('rows in lists', { limit: 'QUERY_MAX_COST', actual, maximum, field });
};
