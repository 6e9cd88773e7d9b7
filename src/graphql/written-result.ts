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

/**
 * @param read the result as it stands in the text
 * @param hasExtensions whether there are any in the text: Yoga asks each result for them, so that it would be parsed each time
 */
export const writtenResult = (
  text: () => string,
  read: (text: string) => ExecutionResult,
  hasExtensions = false,
): WrittenResult => {
  let parsed: ExecutionResult | undefined;
  const member = <Name extends 'data' | 'extensions'>(name: Name): PropertyDescriptor => {
    const members = (): ExecutionResult => {
      parsed ??= read(text());
      return parsed;
    };
    return {
      get: () => members()[name],
      set: (value: ExecutionResult[Name]) => {
        members()[name] = value;
      },
      enumerable: true,
    };
  };
  const result = {
    stringify: (given: ExecutionResult): string =>
      given === result && !result.isChanged() ? text() : JSON.stringify(given),
    // What nobody has read is as it was.
    isChanged: () =>
      (parsed !== undefined || (!hasExtensions && result.extensions !== undefined)) &&
      JSON.stringify(result) !== JSON.stringify(read(text())),
  } as WrittenResult;
  return Object.defineProperties(result, {
    data: member('data'),
    extensions: hasExtensions ? member('extensions') : { value: undefined, writable: true, enumerable: true },
  });
};
