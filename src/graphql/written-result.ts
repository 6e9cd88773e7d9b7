import type { ExecutionResult } from 'graphql';

/**
 * A result whose text is written already: who reads a member gets it parsed, who only passes the result on pays nothing. Yoga calls `stringify` to write a
 * result; one that was made of this one, with other members, is written anew.
 */
export interface WrittenResult extends ExecutionResult {
  readonly stringify: (result: ExecutionResult) => string;
}

/** @param read the result as it stands in the text */
export const writtenResult = (text: () => string, read: (text: string) => ExecutionResult): WrittenResult => {
  let parsed: ExecutionResult | undefined;
  const members = (): ExecutionResult => {
    parsed ??= read(text());
    return parsed;
  };
  const result = {
    get data() {
      return members().data;
    },
    get extensions() {
      return members().extensions;
    },
    stringify: (given: ExecutionResult): string => (given === result ? text() : JSON.stringify(given)),
  } as WrittenResult;
  return result;
};
