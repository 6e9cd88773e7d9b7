import { AppError } from '../errors.ts';

/** The most items that one list returns: `limit` and `pageSize` go from 1 to here. */
export const MAX_LIST_SIZE = 100;

/**
 * An argument that its type allows and its meaning does not.
 * @param problem what is wrong, as a sentence's end: "must be between 1 and 100, but is 0"
 */
export const badArgument = (argument: string, problem: string): AppError =>
  new AppError('BAD_USER_INPUT', `Argument "${argument}" ${problem}.`, { argument, problem });

/** @throws AppError BAD_USER_INPUT naming the argument and the range */
export const checkRange = (argument: string, value: number, min: number, max?: number): void => {
  if (value >= min && (max === undefined || value <= max)) return;
  const range = max === undefined ? `${min} or more` : `between ${min} and ${max}`;
  throw badArgument(argument, `must be ${range}, but is ${value}`);
};

/** @throws AppError BAD_USER_INPUT when a list's size is not 1 to {@link MAX_LIST_SIZE} */
export const checkListSize = (argument: string, value: number): void => checkRange(argument, value, 1, MAX_LIST_SIZE);
