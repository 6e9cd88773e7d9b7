import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import { badArgument } from '../errors.ts';

/** The values that an integer argument, or the length of a list, may have, both ends included. */
export interface Range {
  readonly minimum: number;
  readonly maximum?: number;
  /** Whether the argument is the length of a list. */
  readonly isListSize?: boolean;
}

/**
 * The length of one list: `limit` and `pageSize`. The cost of an operation depends on it (limits/list-size.ts).
 * Another maximum: `within({ ...LIST_SIZE, maximum: 50 }, 10)`.
 */
export const LIST_SIZE = { minimum: 1, maximum: 100, isListSize: true } as const satisfies Range;

/** How long a list is assumed to be that declares nothing, such as one of `t.relation`; also the length of a page of a connection that says none. */
export const DEFAULT_PAGE_SIZE = 20;

/** How many ids one list may be filtered by: far more than a shop has categories. */
export const MAX_IDS = 1000;

const ranged = (range: Range, note: string) => {
  const { minimum, maximum } = range;
  const text = maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`;
  return { description: `${text}${note}.`, extensions: { range } } as const;
};

/**
 * The options of a required list argument of keys, for each of which the field has one item: `ids: t.arg.intList(lookedUp)`. The range and
 * the cost of the field are those of the list's length.
 */
export const lookedUp = {
  required: true,
  ...ranged(LIST_SIZE, ' of them, also several times the same'),
} as const;

export const PAGE_NUMBER: Range = { minimum: 1 };

/**
 * The options of a required integer argument within a range: `limit: t.arg.int(within(LIST_SIZE, 10))`.
 * Declared here once, the range is checked by {@link enforceBounds} and stands in the SDL and in OpenAPI.
 * @param note follows the range in the description
 */
export const within = (range: Range, defaultValue: number, note = '') =>
  ({ required: true, defaultValue, ...ranged(range, note) }) as const;

/** The same for an argument that may be left out or null: `first: t.arg.int(withinIfGiven(LIST_SIZE))`. */
export const withinIfGiven = (range: Range, note = '') => ({ required: false, ...ranged(range, note) }) as const;

/**
 * The options of a list of bounded length: `ids: t.arg.intList(atMost(MAX_IDS, 'Absent: every one.'))`. In an input object the resolver checks it.
 * @param note precedes the bound in the description
 */
export const atMost = (maxItems: number, note: string) =>
  ({ description: `${note} At most ${maxItems}.`, extensions: { maxItems } }) as const;

export const rangeOf = ({ extensions }: Pick<GraphQLArgument, 'extensions'>): Range | undefined =>
  extensions.range as Range | undefined;

export const maxItemsOf = ({ extensions }: Pick<GraphQLArgument, 'extensions'>): number | undefined =>
  extensions.maxItems as number | undefined;

export const isListSize = (argument: GraphQLArgument): boolean => rangeOf(argument)?.isListSize === true;

type Resolver = GraphQLFieldResolver<unknown, unknown>;

type Field = GraphQLField<unknown, unknown>;

/**
 * Puts a wrapper around the resolver of each field that it finds one for, introspection excepted. It has as many parameters as the resolver: an
 * operation is compiled only where no resolver takes the fourth, `info`.
 * @param wrapperOf is given the field's coordinate, too: `Query.products`
 */
export const wrapResolvers = (
  schema: GraphQLSchema,
  wrapperOf: (field: Field, resolve: Resolver, coordinate: string) => GraphQLFieldResolver<unknown, never> | undefined,
): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field;
      const wrapper = resolve && wrapperOf(field, resolve, `${type.name}.${field.name}`);
      if (wrapper) field.resolve = Object.defineProperty(wrapper as Resolver, 'length', { value: resolve.length });
    }
  }
  return schema;
};

/** Makes every field of the schema check its arguments before it resolves. */
export const enforceBounds = (schema: GraphQLSchema): GraphQLSchema =>
  wrapResolvers(schema, (field, resolve) => {
    const bounded = field.args.filter((argument) => rangeOf(argument) ?? maxItemsOf(argument));
    if (bounded.length === 0) return undefined;
    return (source, args, context, info) => {
      for (const argument of bounded) checkBounds(argument, args[argument.name]);
      return resolve(source, args, context, info);
    };
  });

/** @throws AppError BAD_USER_INPUT for a value of the argument's type that is out of its bounds; an absent value or null is in them */
export const checkBounds = (argument: GraphQLArgument, value: unknown): void => {
  const range = rangeOf(argument);
  if (range && typeof value === 'number' && !isWithin(value, range)) {
    throw badArgument(argument.name, `must be ${betweenText(range)}, but is ${value}`);
  }
  if (range && Array.isArray(value) && !isWithin(value.length, range)) {
    throw badArgument(argument.name, `must have ${betweenText(range)} items, but has ${value.length}`);
  }
  const maxItems = maxItemsOf(argument);
  if (maxItems !== undefined && Array.isArray(value) && value.length > maxItems) {
    throw badArgument(argument.name, `may have at most ${maxItems} items, but has ${value.length}`);
  }
};

const isWithin = (value: number, { minimum, maximum }: Range): boolean =>
  value >= minimum && (maximum === undefined || value <= maximum);

const betweenText = ({ minimum, maximum }: Range): string =>
  maximum === undefined ? `${minimum} or more` : `between ${minimum} and ${maximum}`;
