import {
  type ArgumentNode,
  type FieldNode,
  type GraphQLField,
  getArgumentValues,
  isNonNullType,
  Kind,
  type VariableValues,
  visit,
} from 'graphql';
import { NotCompiled } from './not-compiled.ts';

export type Args = Record<string, unknown>;

/** https://spec.graphql.org/draft/#CoerceArgumentValues(), with all that does not depend on variables done once. */
export const argsReader = (
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
): ((variables: VariableValues) => Args) => {
  const variables = new Map<string, string>();
  const constant: ArgumentNode[] = [];
  for (const argument of node.arguments ?? []) {
    if (argument.value.kind === Kind.VARIABLE) variables.set(argument.name.value, argument.value.name.value);
    else if (hasVariable(argument)) throw new NotCompiled();
    else constant.push(argument);
  }
  const optional = field.args.filter(({ name }) => !variables.has(name));
  const fixed = getArgumentValues(Object.assign(Object.create(field), { args: optional }), {
    ...node,
    arguments: constant,
  });
  if (variables.size === 0) return () => fixed;

  const readers = field.args.flatMap((argument) => {
    const variable = variables.get(argument.name);
    return variable === undefined
      ? []
      : [{ name: argument.name, variable, isNonNull: isNonNullType(argument.type), fallback: argument.defaultValue }];
  });
  return ({ coerced }) => {
    const args = { ...fixed };
    for (const { name, variable, isNonNull, fallback } of readers) {
      const value = variable in coerced ? coerced[variable] : fallback;
      if (isNonNull && (value === null || value === undefined)) throw new NotCompiled();
      if (value !== undefined) args[name] = value;
    }
    return args;
  };
};

const hasVariable = (argument: ArgumentNode): boolean => {
  let found = false;
  visit(argument, {
    Variable: () => {
      found = true;
    },
  });
  return found;
};
