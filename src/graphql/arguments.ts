import { type GraphQLArgument, type GraphQLSchema, isObjectType } from 'graphql';
import { AppError } from '../errors.ts';

/** What an integer argument may be, both ends included, beyond what its type says. */
export interface Range {
  readonly minimum: number;
  readonly maximum?: number;
}

/** The size of one list: `limit` and `pageSize`. */
export const LIST_SIZE: Range = { minimum: 1, maximum: 100 };

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

export const rangeOf = ({ extensions }: GraphQLArgument): Range | undefined => extensions.range as Range | undefined;

/** Makes every field of a schema check its arguments' ranges before it resolves. */
export const enforceRanges = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const ranges = field.args.flatMap((argument) => {
        const range = rangeOf(argument);
        return range ? [[argument.name, range] as const] : [];
      });
      const { resolve } = field;
      if (ranges.length === 0 || !resolve) continue;
      field.resolve = (source, args, context, info) => {
        for (const [name, range] of ranges) checkRange(name, args[name], range);
        return resolve(source, args, context, info);
      };
    }
  }
  return schema;
};

const checkRange = (argument: string, value: number, { minimum, maximum }: Range): void => {
  if (value >= minimum && (maximum === undefined || value <= maximum)) return;
  const range = maximum === undefined ? `${minimum} or more` : `between ${minimum} and ${maximum}`;
  const problem = `must be ${range}, but is ${value}`;
  throw new AppError('BAD_USER_INPUT', `Argument "${argument}" ${problem}.`, { argument, problem });
};
