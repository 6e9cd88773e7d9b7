import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  isIntrospectionType,
  isLeafType,
  isListType,
  isObjectType,
  Kind,
  type VariableValues,
} from 'graphql';
import { checkBounds, DEFAULT_PAGE_SIZE, LIST_SIZE, rangeOf } from '../arguments.ts';
import type { OperationContext, RowCount } from '../context.ts';
import { isPromise } from '../executor/compile.ts';
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
  const declared = field.args.filter((argument) => rangeOf(argument)?.isListSize);
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

/** The list length that the slicing arguments of a field ask for, the greatest of them; undefined for a field without one. */
export const slicedSizeOf = (field: Field, node: FieldNode, variables?: VariableValues): number | undefined => {
  const sizes = slicingArgumentsOf(field).map((argument) => {
    const { maximum = LIST_SIZE.maximum } = rangeOf(argument) ?? LIST_SIZE;
    if (isOpen(argument, node, variables)) return maximum;
    const value = argumentValue(argument, node, variables);
    // The field refuses what is out of its range.
    return Math.max(0, Math.min(Array.isArray(value) ? value.length : Number(value ?? 0), maximum));
  });
  if (sizes.length === 0) return undefined;
  const { assumedSize } = field.extensions as { assumedSize?: number };
  // What is declared has a default or `assumedSize`, and is refused otherwise.
  return Math.max(...sizes) || (assumedSize ?? (isConnection(field) ? DEFAULT_PAGE_SIZE : 0));
};

/**
 * How many items the lists have by which a field is filtered, also those inside input objects.
 * @param openItems of an argument without a range where no variables are known
 */
export const filterSizeOf = (
  field: Field,
  node: FieldNode,
  variables: VariableValues | undefined,
  openItems: number,
): number =>
  field.args
    .filter((argument) => !isLeafType(getNullableType(argument.type)))
    .map((argument) => {
      if (isOpen(argument, node, variables)) return rangeOf(argument)?.maximum ?? openItems;
      return countItems(argumentValue(argument, node, variables));
    })
    .reduce((sum, items) => sum + items, 0);

const countItems = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const parts: unknown[] = Object.values(value);
  return parts.reduce((sum: number, part) => sum + countItems(part), Array.isArray(value) ? value.length : 0);
};

/** Whether any value is possible, because no variables are known: then the greatest counts. */
const isOpen = ({ name }: GraphQLArgument, node: FieldNode, variables: VariableValues | undefined): boolean => {
  const given = variables ? undefined : node.arguments?.find((each) => each.name.value === name);
  return given !== undefined && hasNode(given, Kind.VARIABLE);
};

/** The value of one argument, its default included; undefined where the field refuses it. */
const argumentValue = (argument: GraphQLArgument, node: FieldNode, variables: VariableValues | undefined): unknown => {
  try {
    return getArgumentValues({ args: [argument] } as unknown as Field, node, variables)[argument.name];
  } catch {
    return undefined;
  }
};

/**
 * Makes every field check its arguments before it resolves, and every list count the rows that it returns. The cost of an operation is an
 * estimate where the length of a list is assumed: a shop may have fifty categories where ten were assumed, and lists in lists multiply the
 * difference.
 */
export const enforceLimits = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) if (field.resolve) limit(field, field.resolve);
  }
  return schema;
};

const limit = (field: Field, resolve: GraphQLFieldResolver<unknown, unknown>): void => {
  const bounded = field.args.filter(rangeOf);
  const isList = isObjectList(field);
  if (bounded.length === 0 && !isList) return;
  const coordinate = String(field);
  const limited: typeof resolve = (source, args, context, info) => {
    for (const argument of bounded) checkBounds(argument, args[argument.name]);
    const value: unknown = resolve(source, args, context, info);
    if (!isList) return value;
    const count = (items: unknown): unknown => {
      if (Array.isArray(items)) countRows((context as OperationContext).rowCount, items.length, coordinate);
      return items;
    };
    return isPromise(value) ? value.then(count) : count(value);
  };
  // As many parameters as the resolver has: an operation is compiled only where no resolver takes the fourth, `info`.
  field.resolve = Object.defineProperty(limited, 'length', { value: resolve.length });
};

/** @throws AppError QUERY_TOO_COMPLEX */
const countRows = (count: RowCount, rows: number, field: string): void => {
  count.rows += rows;
  const { rows: actual, maximum } = count;
  // One list alone is as long as its table: no client has multiplied anything.
  if (actual !== rows) refuseExcess('rows in lists', { limit: 'QUERY_MAX_COST', actual, maximum, field });
};
