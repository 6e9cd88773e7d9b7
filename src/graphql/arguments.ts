import type { GraphQLArgument } from 'graphql';
import { badArgument } from '../errors.ts';

/** The values that an integer argument may have, or how many items a list may, both ends included. */
export interface Range {
  readonly minimum: number;
  readonly maximum?: number;
  /** Whether the argument is the length of a list that the field gives. */
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
 * Declared here once, the range is checked before the field resolves (limits/list-size.ts) and stands in the SDL and in OpenAPI.
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
export const atMost = (maximum: number, note: string) =>
  ({ description: `${note} At most ${maximum}.`, extensions: { range: { minimum: 0, maximum } } }) as const;

export const rangeOf = ({ extensions }: Pick<GraphQLArgument, 'extensions'>): Range | undefined =>
  extensions.range as Range | undefined;

/** @throws AppError BAD_USER_INPUT for a value of the argument's type that is out of its bounds; an absent value or null is in them */
export const checkBounds = (argument: GraphQLArgument, value: unknown): void => {
  const range = rangeOf(argument);
  const count: unknown = Array.isArray(value) ? value.length : value;
  if (!range || typeof count !== 'number' || isWithin(count, range)) return;
  const problem = Array.isArray(value)
    ? `${itemsText(range)}, but has ${count}`
    : `must be ${betweenText(range)}, but is ${count}`;
  throw badArgument(argument.name, problem);
};

const isWithin = (value: number, { minimum, maximum }: Range): boolean =>
  value >= minimum && (maximum === undefined || value <= maximum);

const betweenText = ({ minimum, maximum }: Range): string =>
  maximum === undefined ? `${minimum} or more` : `between ${minimum} and ${maximum}`;

const itemsText = (range: Range): string =>
  range.minimum === 0 ? `may have at most ${range.maximum} items` : `must have ${betweenText(range)} items`;
