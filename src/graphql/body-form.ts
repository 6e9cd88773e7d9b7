import type { ExecutionResult } from 'graphql';
import type { CostReport } from './limits/cost.ts';

/** What a protocol makes of the JSON text of `data`. */
export interface BodyForm {
  /** Part of the cache key: bodies of different forms are different responses. */
  readonly name: string;
  /** @param cost of the operation, measured when it is called */
  readonly toBody: (data: string, cost: () => CostReport) => string;
  /** The body of a response with status 404, where the data says that there is nothing; undefined elsewhere. */
  readonly toAbsence?: (data: string) => string | undefined;
  readonly toResult: (body: string, status: 200 | 404) => ExecutionResult;
  readonly hasExtensions: boolean;
  /** Whether a response with errors has the data beside them. */
  readonly givesPartialData: boolean;
}

export const GRAPHQL_BODY: BodyForm = {
  name: 'graphql',
  toBody: (data) => `{"data":${data}}`,
  toResult: (body) => JSON.parse(body),
  hasExtensions: false,
  givesPartialData: true,
};

/** With the cost of the operation among the extensions. */
export const GRAPHQL_BODY_WITH_COST: BodyForm = {
  ...GRAPHQL_BODY,
  name: 'graphql+cost',
  hasExtensions: true,
  toBody: (data, cost) => `{"data":${data},"extensions":${JSON.stringify({ cost: cost() })}}`,
};

/**
 * A result whose text is written already: who reads a member gets it parsed, who only passes the result on pays nothing. Yoga calls `stringify` to write a
 * result; one that was made of this one, with other members, is written again.
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
