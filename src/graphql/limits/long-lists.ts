import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { AppError } from '../../errors.ts';
import { maxItemsOf, tooManyItems } from '../arguments.ts';

/** What is wrong with the variables of a request before they are coerced; undefined for nothing. */
export type FindLongList = (variables: Readonly<Record<string, unknown>>) => GraphQLError | undefined;

/**
 * Finds a list in the variables that is longer than any argument of the schema takes. To coerce each of its items first, only to refuse
 * them all, would hold the event loop for as long as a client likes.
 */
export const longListFinder = (
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): FindLongList => {
  if (variableDefinitions.length === 0) return () => undefined;
  const maxItems = largestBound(schema);
  return (variables) => {
    for (const definition of variableDefinitions) {
      const name = definition.variable.name.value;
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      const count = longestList(value, maxItems);
      if (count <= maxItems) continue;
      const argument = Array.isArray(value) && value.length === count ? argumentFedBy(document, name) : undefined;
      const problem = tooManyItems(maxItems, count);
      const error =
        argument === undefined
          ? new AppError('BAD_USER_INPUT', `A list in variable "$${name}" ${problem}.`)
          : new AppError('BAD_USER_INPUT', `Argument "${argument}" ${problem}.`, { argument, problem });
      return new GraphQLError(error.message, { nodes: definition, originalError: error });
    }
    return undefined;
  };
};

/** The most items that any argument takes. */
const largestBound = (schema: GraphQLSchema): number => {
  const bounds = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .flatMap(({ args }) => args.flatMap((argument) => maxItemsOf(argument) ?? []));
  return bounds.length > 0 ? Math.max(...bounds) : Number.POSITIVE_INFINITY;
};

/** The length of the longest list in a value, or of one that is longer than `enough`: no item of that is looked at. */
const longestList = (value: unknown, enough: number): number => {
  let longest = 0;
  // No recursion: JSON may be nested deeper than the stack.
  const left = [value];
  while (left.length > 0 && longest <= enough) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    const parts: unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (Array.isArray(next)) longest = Math.max(longest, next.length);
    if (longest <= enough) for (const part of parts) left.push(part);
  }
  return longest;
};

/** The name of an argument whose value is the variable. */
const argumentFedBy = (document: DocumentNode, variable: string): string | undefined => {
  let found: string | undefined;
  visit(document, {
    Argument: ({ name, value }) => {
      if (value.kind === Kind.VARIABLE && value.name.value === variable) found ??= name.value;
    },
  });
  return found;
};
