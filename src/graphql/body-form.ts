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
  /** The result that a body was made of. */
  readonly toResult: (body: string, status: 200 | 404) => ExecutionResult;
  /** Whether the result has extensions. */
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
