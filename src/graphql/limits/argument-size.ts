import {
  type FieldNode,
  type GraphQLArgument,
  getNullableType,
  isListType,
  Kind,
  type ValueNode,
  type VariableValues,
} from 'graphql';
import { MAX_IDS, maxItemsOf, rangeOf } from '../arguments.ts';

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
