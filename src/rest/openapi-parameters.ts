import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isLeafType,
  isListType,
  Kind,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { SAMPLE_ARGUMENTS } from '../catalogue/samples.ts';
import { maxItemsOf, rangeOf } from '../graphql/arguments.ts';
import type { RestOperation } from './documents.ts';
import { describeLeaf, type JsonSchema, leafSchema } from './openapi-schema.ts';

/** The Parameter Objects of a path: each variable of its document, with what the argument that it feeds says of it. */
export const parameterObjects = (operation: RestOperation, schema: GraphQLSchema): JsonSchema[] => {
  const fed = argumentsFed(operation, schema);
  const defaults = new Map(
    operation.operation.variableDefinitions?.map(({ variable, defaultValue }) => [variable.name.value, defaultValue]),
  );
  return operation.parameters.map(({ name, type, isRequired }) => {
    const isInPath = operation.route.path.includes(`{${name}}`);
    const argument = fed.get(name);
    const defaultValue = defaults.get(name);
    const description = describe(argument, type) ?? (isInPath ? PATH_PARAMETER : undefined);
    const example = SAMPLE_ARGUMENTS[String(argument)];
    return {
      name,
      in: isInPath ? 'path' : 'query',
      required: isInPath || isRequired,
      ...(description ? { description } : {}),
      ...(isListType(getNullableType(type)) ? { style: 'form', explode: false } : {}),
      schema: {
        ...inputSchema(type),
        ...(argument ? boundsOf(argument) : {}),
        ...(defaultValue ? { default: valueFromASTUntyped(defaultValue) } : {}),
      },
      ...(example === undefined ? {} : { example }),
    };
  });
};

const PATH_PARAMETER = 'Digits only; one that nothing has is a 404.';

const boundsOf = (argument: GraphQLArgument): JsonSchema => {
  const maxItems = maxItemsOf(argument);
  return { ...rangeOf(argument), ...(maxItems === undefined ? {} : { maxItems }) };
};

/** The schema of a text that the parameter takes; null cannot be sent. */
const inputSchema = (type: GraphQLInputType): JsonSchema => {
  const nullable = getNullableType(type);
  if (isListType(nullable)) return { type: 'array', items: inputSchema(nullable.ofType) };
  if (isLeafType(nullable)) return leafSchema(nullable);
  throw new Error(`no query string can carry ${type}`);
};

const describe = (argument: GraphQLArgument | undefined, type: GraphQLInputType): string | undefined => {
  const nullable = getNullableType(type);
  return argument?.description ?? (isLeafType(nullable) ? describeLeaf(nullable) : undefined);
};

/** The field's argument that each variable is the value of, by the variable's name. */
const argumentsFed = ({ document }: RestOperation, schema: GraphQLSchema): Map<string, GraphQLArgument> => {
  const fed = new Map<string, GraphQLArgument>();
  const typeInfo = new TypeInfo(schema);
  const note = ({ value }: ArgumentNode): void => {
    const argument = typeInfo.getArgument();
    if (argument && value.kind === Kind.VARIABLE) fed.set(value.name.value, argument);
  };
  visit(document, visitWithTypeInfo(typeInfo, { Argument: note, Directive: () => false }));
  return fed;
};
