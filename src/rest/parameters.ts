import {
  GraphQLBoolean,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { AppError } from '../errors.ts';

/** A variable of a document, as a parameter of its path. */
export interface Parameter {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly isRequired: boolean;
  /** The texts that a request gave, at least one and none empty, as the variable's value. @throws AppError BAD_USER_INPUT */
  readonly coerce: (texts: readonly string[]) => unknown;
}

const badParameter = (name: string, problem: string): AppError =>
  new AppError('BAD_USER_INPUT', `Parameter "${name}" ${problem}.`, { argument: name, problem });

const INT_MIN = -(2 ** 31);
const INT_MAX = 2 ** 31 - 1;
const MAX_ECHO = 40;

const quoted = (text: string): string => JSON.stringify(text.length > MAX_ECHO ? `${text.slice(0, MAX_ECHO)}…` : text);

/**
 * The parameters of a path are the variables of its document, read by their own GraphQL types.
 * @throws Error for a variable of a type that no query string can carry
 */
export const parametersOf = (operation: OperationDefinitionNode, schema: GraphQLSchema): Parameter[] =>
  (operation.variableDefinitions ?? []).map(({ variable, type: typeNode, defaultValue }) => {
    const name = variable.name.value;
    const type = typeFromAST(schema, typeNode);
    if (!isInputType(type)) throw new Error(`variable "$${name}" has no input type`);
    return { name, type, isRequired: isNonNullType(type) && !defaultValue, coerce: coercion(name, type) };
  });

const coercion = (name: string, type: GraphQLInputType): Parameter['coerce'] => {
  const nullable = getNullableType(type);
  if (isListType(nullable)) {
    const item = itemCoercion(name, nullable.ofType);
    return (texts) => texts.flatMap((text) => text.split(',')).map(item);
  }
  const single = itemCoercion(name, nullable);
  return ([text = '', ...more]) => {
    if (more.length > 0) throw badParameter(name, 'may be given only once');
    return single(text);
  };
};

const itemCoercion = (name: string, type: GraphQLInputType): ((text: string) => unknown) => {
  const nullable = getNullableType(type);
  if (nullable === GraphQLInt) return (text) => integer(name, text);
  if (nullable === GraphQLBoolean)
    return (text) =>
      oneOf(
        name,
        text,
        new Map([
          ['true', true],
          ['false', false],
        ]),
      );
  if (isEnumType(nullable)) {
    const byName = new Map(nullable.getValues().map((value) => [value.name, value.name]));
    return (text) => oneOf(name, text, byName);
  }
  if (isScalarType(nullable)) return (text) => text;
  throw new Error(`variable "$${name}" is of type ${type}, which no query string can carry`);
};

const integer = (name: string, text: string): number => {
  if (!/^[+-]?[0-9]+$/.test(text)) throw badParameter(name, `must be a whole number, but is ${quoted(text)}`);
  const value = Number(text);
  if (value < INT_MIN || value > INT_MAX) {
    throw badParameter(name, `must be a number between ${INT_MIN} and ${INT_MAX}, but is ${quoted(text)}`);
  }
  // "-0" is zero; Number would keep the sign.
  return value + 0;
};

const oneOf = <Value>(name: string, text: string, values: ReadonlyMap<string, Value>): Value => {
  const wanted = text.toLowerCase();
  for (const [key, value] of values) if (key.toLowerCase() === wanted) return value;
  throw badParameter(name, `must be one of ${[...values.keys()].join(', ')}, but is ${quoted(text)}`);
};
