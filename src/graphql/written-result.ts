import type { ExecutionResult } from 'graphql';

/**
 * A result whose text is written already: who reads a member gets it parsed, who only passes the result on pays nothing. Yoga calls `stringify` to write a
 * result; one that was made of this one, with other members, is written anew.
 */
export interface WrittenResult extends ExecutionResult {
  readonly stringify: (result: ExecutionResult) => string;
  /** Whether a plugin has changed it in its place. */
  readonly isChanged: () => boolean;
}

const MEMBERS = ['data', 'extensions'] as const;

/**
 * @param read the result as it stands in the text
 * @param hasExtensions where it has none, who reads them, as Yoga does, gets nothing parsed
 */
export const writtenResult = (
  text: () => string,
  read: (text: string) => ExecutionResult,
  hasExtensions: boolean,
): WrittenResult => {
  let parsed: ExecutionResult | undefined;
  const members = (): ExecutionResult => {
    parsed ??= read(text());
    return parsed;
  };
  const result = {
    stringify: (given: ExecutionResult): string =>
      given === result && !result.isChanged() ? text() : JSON.stringify(given),
    // What nobody has read is as it was.
    isChanged: () => parsed !== undefined && JSON.stringify(result) !== JSON.stringify(read(text())),
  } as WrittenResult;
  for (const name of MEMBERS) {
    Object.defineProperty(result, name, {
      get: () => (parsed || name === 'data' || hasExtensions ? members()[name] : undefined),
      set: (value: never) => {
        members()[name] = value;
      },
      enumerable: true,
    });
  }
  return result;
};
