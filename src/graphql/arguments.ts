import { type GraphQLArgument, type GraphQLSchema, isObjectType } from 'graphql';
import { AppError } from '../errors.ts';

/** What an integer argument may be, both ends included, beyond what its type says. */
export interface Range {
  readonly minimum: number;
  readonly maximum?: number;
}

/** The size of one list: `limit` and `pageSize`. What it is of is counted by the cost of an operation (limits/list-size.ts). */
export const LIST_SIZE = { minimum: 1, maximum: 100 } as const satisfies Range;

/** How many ids one list may be filtered by: far more than a shop has categories. */
export const MAX_IDS = 1000;

export const PAGE_NUMBER: Range = { minimum: 1 };

/**
 * The options of a required integer argument within a range: `limit: t.arg.int(within(LIST_SIZE, 10))`.
 * Declared here once, the range is checked by {@link enforceRanges} and told by the SDL and by OpenAPI.
 * @param note follows the range in the description
 */
export const within = (range: Range, defaultValue: number, note = '') => {
  const { minimum, maximum } = range;
  const description = `${maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`}${note}.`;
  return { required: true, defaultValue, description, extensions: { range } } as const;
};

/**
 * The options of a list argument of bounded length: `ids: t.arg.intList(atMost(MAX_IDS, 'Absent: every one.'))`.
 * @param note precedes the bound in the description
 */
export const atMost = (maxItems: number, note: string) =>
  ({ description: `${note} At most ${maxItems}.`, extensions: { maxItems } }) as const;

export const rangeOf = ({ extensions }: GraphQLArgument): Range | undefined => extensions.range as Range | undefined;

export const maxItemsOf = ({ extensions }: GraphQLArgument): number | undefined =>
  extensions.maxItems as number | undefined;

/** Whether the argument says how long a list is. */
export const isListSize = (argument: GraphQLArgument): boolean => rangeOf(argument) === LIST_SIZE;

/** Makes every field of a schema check its arguments' bounds before it resolves. */
export const enforceBounds = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const bounded = field.args.filter((argument) => rangeOf(argument) ?? maxItemsOf(argument));
      const { resolve } = field;
      if (bounded.length === 0 || !resolve) continue;
      field.resolve = (source, args, context, info) => {
        for (const argument of bounded) checkBounds(argument, args[argument.name]);
        return resolve(source, args, context, info);
      };
    }
  }
  return schema;
};

/** @throws AppError BAD_USER_INPUT for a value of the argument's type that is out of its bounds */
export const checkBounds = (argument: GraphQLArgument, value: unknown): void => {
  const range = rangeOf(argument);
  if (range) checkRange(argument.name, value as number, range);
  const maxItems = maxItemsOf(argument);
  if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems) {
    throw outOfBounds(argument.name, `may have at most ${maxItems} items, but has ${value.length}`);
  }
};

const checkRange = (argument: string, value: number, { minimum, maximum }: Range): void => {
  if (value >= minimum && (maximum === undefined || value <= maximum)) return;
  const range = maximum === undefined ? `${minimum} or more` : `between ${minimum} and ${maximum}`;
  throw outOfBounds(argument, `must be ${range}, but is ${value}`);
};

const outOfBounds = (argument: string, problem: string): AppError =>
  new AppError('BAD_USER_INPUT', `Argument "${argument}" ${problem}.`, { argument, problem });
