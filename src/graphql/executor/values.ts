import {
  type ArgumentNode,
  type ASTNode,
  BREAK,
  type FieldNode,
  GraphQLBoolean,
  type GraphQLField,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  getArgumentValues,
  isEnumType,
  isNonNullType,
  Kind,
  type VariableValues,
  visit,
} from 'graphql';
import { defaultOf } from '../arguments.ts';
import { ViewCountPlaceholder } from '../view-count.ts';
import { NotCompiled } from './output.ts';

export type Args = Record<string, unknown>;

/** https://spec.graphql.org/draft/#CoerceArgumentValues(), done once as far as it does not depend on variables. */
export const argsReader = (
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): ((variables: VariableValues) => Args) => {
  const variables = new Map<string, string>();
  const constant: ArgumentNode[] = [];
  for (const argument of node.arguments ?? []) {
    if (argument.value.kind === Kind.VARIABLE) variables.set(argument.name.value, argument.value.name.value);
    else if (hasNode(argument, Kind.VARIABLE)) throw new NotCompiled();
    else constant.push(argument);
  }
  const optional = field.args.filter(({ name }) => !variables.has(name));
  const given = getArgumentValues(Object.assign(Object.create(field), { args: optional }), {
    ...node,
    arguments: constant,
  });
  // A copy has fast properties.
  const fixed = { ...given };
  if (variables.size === 0) return () => fixed;

  // In the order of their definitions, as graphql-js gives them.
  const readers = field.args.flatMap((argument) => {
    const { name, type } = argument;
    const variable = variables.get(name);
    if (variable === undefined && !(name in fixed)) return [];
    const fallback = variable === undefined ? fixed[name] : defaultOf(argument);
    return [{ name, variable, isNonNull: variable !== undefined && isNonNullType(type), fallback }];
  });
  return ({ coerced }) => {
    const args: Args = {};
    for (const { name, variable, isNonNull, fallback } of readers) {
      const value = variable !== undefined && variable in coerced ? coerced[variable] : fallback;
      if (isNonNull && (value === null || value === undefined)) throw new NotCompiled();
      if (value !== undefined) args[name] = value;
    }
    return args;
  };
};

/** Whether a node of this kind stands in another. */
export const hasNode = (node: ASTNode, kind: Kind): boolean => {
  let found = false;
  visit(node, {
    enter: (each) => {
      found ||= each.kind === kind;
      return found ? BREAK : undefined;
    },
  });
  return found;
};

/** The JSON text of one value. @throws what the type throws for a value that it cannot represent */
export type LeafWriter = (value: unknown) => string;

const MAX_INT = 2 ** 31;

/**
 * Result coercion of a scalar or enum, straight to JSON: https://spec.graphql.org/draft/#sec-Scalars.Result-Coercion
 * Values as resolvers normally return them take a shortcut; all others are coerced by the type.
 */
export const leafWriter = (type: GraphQLLeafType): LeafWriter => {
  const coerced: LeafWriter = (value) => {
    // A value that is an error counts as thrown.
    if (value instanceof Error) throw new NotCompiled();
    const result = type.coerceOutputValue(value);
    const text = result === null ? undefined : JSON.stringify(result);
    // No value is an error, and what JSON cannot say leaves out its key.
    if (text === undefined) throw new NotCompiled();
    return text;
  };
  if (isEnumType(type)) {
    const texts = new Map(type.getValues().map(({ name, value }) => [value, JSON.stringify(name)]));
    return (value) => texts.get(value) ?? coerced(value);
  }
  switch (type) {
    case GraphQLInt:
      return (value) =>
        typeof value === 'number' && Number.isInteger(value) && value < MAX_INT && value >= -MAX_INT
          ? `${value}`
          : coerced(value);
    case GraphQLString:
      return (value) => (typeof value === 'string' ? JSON.stringify(value) : coerced(value));
    case GraphQLBoolean:
      return (value) => (value === true ? 'true' : value === false ? 'false' : coerced(value));
    default:
      return (value) => (value instanceof ViewCountPlaceholder ? value.text : coerced(value));
  }
};
