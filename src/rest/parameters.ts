import {
  type ArgumentNode,
  type ConstValueNode,
  type DocumentNode,
  type GraphQLArgument,
  GraphQLBoolean,
  GraphQLError,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  getNullableType,
  isEnumType,
  isInputType,
  isListType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  type ValueNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { AppError } from '../errors.ts';

export interface GivenArgument {
  readonly argument: GraphQLArgument;
  readonly value: ValueNode;
}

/** A variable of a document, as a parameter of its path. */
export interface Parameter {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly isList: boolean;
  readonly isRequired: boolean;
  readonly defaultValue: ConstValueNode | undefined;
  /** The arguments that have its value. */
  readonly arguments: readonly GraphQLArgument[];
}

export const badParameter = (name: string, problem: string): AppError =>
  new AppError('BAD_USER_INPUT', `Parameter "${name}" ${problem}.`, { argument: name, problem });

/** The parameter of every path that names the language of its answer. */
export const LANGUAGE_PARAMETER = 'language';

const INT_MIN = -(2 ** 31);
const INT_MAX = 2 ** 31 - 1;
const MAX_ECHO = 40;

const quoted = (text: string): string => JSON.stringify(text.length > MAX_ECHO ? `${text.slice(0, MAX_ECHO)}…` : text);

/** The arguments of all fields in a document that is valid. */
export const argumentsOf = (document: DocumentNode, schema: GraphQLSchema): GivenArgument[] => {
  const given: GivenArgument[] = [];
  const typeInfo = new TypeInfo(schema);
  const add = ({ value }: ArgumentNode): void => {
    const argument = typeInfo.getArgument();
    if (argument) given.push({ argument, value });
  };
  visit(document, visitWithTypeInfo(typeInfo, { Argument: add, Directive: () => false }));
  return given;
};

/** The variables of a document. @throws GraphQLError for one of a type that no query string can carry */
export const parametersOf = (
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: readonly GivenArgument[],
  schema: GraphQLSchema,
): Parameter[] =>
  variableDefinitions.map((definition) => {
    const { variable, defaultValue } = definition;
    const name = variable.name.value;
    const type = typeFromAST(schema, definition.type);
    if (!isInputType(type) || !isCarried(itemType(type))) {
      throw new GraphQLError(`Variable "$${name}" is of type ${type}, which no query string can carry.`, {
        nodes: definition,
      });
    }
    return {
      name,
      type,
      isList: isListType(getNullableType(type)),
      isRequired: isNonNullType(type) && !defaultValue,
      defaultValue,
      arguments: given
        .filter(({ value }) => value.kind === Kind.VARIABLE && value.name.value === name)
        .map(({ argument }) => argument),
    };
  });

const CARRIED: ReadonlySet<GraphQLInputType> = new Set([GraphQLInt, GraphQLBoolean, GraphQLString, GraphQLID]);

const isCarried = (type: GraphQLInputType): boolean => CARRIED.has(type) || isEnumType(type);

/** The type of a parameter, or of its items. */
const itemType = (type: GraphQLInputType): GraphQLInputType => {
  const nullable = getNullableType(type);
  return isListType(nullable) ? getNullableType(nullable.ofType) : nullable;
};

/** The texts of a request, at least one and none empty, as the variable's value. @throws AppError BAD_USER_INPUT */
export const coerceTexts = ({ name, type, isList }: Parameter, texts: readonly string[]): unknown => {
  const item = itemType(type);
  if (isList) return texts.flatMap((text) => text.split(',')).map((text) => coerceItem(name, item, text));
  const [text = '', ...more] = texts;
  if (more.length > 0) throw badParameter(name, 'may be given only once');
  return coerceItem(name, item, text);
};

const coerceItem = (name: string, type: GraphQLInputType, text: string): unknown => {
  if (type === GraphQLInt) return integer(name, text);
  if (type === GraphQLBoolean) return oneOf(name, text, ['true', 'false']) === 'true';
  if (!isEnumType(type)) return text;
  const names = type.getValues().map((value) => value.name);
  return oneOf(name, text, names);
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

const oneOf = (name: string, text: string, values: readonly string[]): string => {
  const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw badParameter(name, `must be one of ${values.join(', ')}, but is ${quoted(text)}`);
  return found;
};
