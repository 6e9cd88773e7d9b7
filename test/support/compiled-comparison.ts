import fc from 'fast-check';
import { execute, parse, validate } from 'graphql';
import { expect } from 'vitest';
import type { OperationContext } from '../../src/graphql/context.ts';
import { executeCompiled } from '../../src/graphql/executor/compiled-execution.ts';
import { ExecutionFailed } from '../../src/graphql/failures.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';
import { randomQuery } from './random-query.ts';
import { randomSchema } from './random-schema.ts';

/** How many operations were executed in which way. */
export interface Shares {
  readonly all: number;
  /** By compiled code alone. */
  readonly compiled: number;
  readonly withErrors: number;
}

/** Holds compiled execution against graphql-js: random operations on random schemas have the same data, keys in the same order, and the same errors. */
export const compareExecutions = async (numRuns: number): Promise<Shares> => {
  let all = 0;
  let withErrors = 0;
  let fallBacks = 0;
  const fallBack = (): void => {
    fallBacks += 1;
  };
  const context = { rowCount: { rows: 0, maximum: Number.MAX_SAFE_INTEGER }, dependencies: { late: new Map() } };

  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const faults = g(fc.constantFrom, 0, 0, 1, 4);
      const schema = randomSchema(g, faults);
      const directives = g(fc.constantFrom, 0, 0, 10);
      const { text, variables } = randomQuery(schema, g, { faults: 0, directives });
      const document = parse(text);
      expect(validate(schema, document), text).toEqual([]);
      const operation = prepareOperation(schema, document);
      const coerced = operation?.coerce({ ...variables }).variableValues;
      if (!operation || !coerced) throw new Error(`it cannot run: ${text}`);
      const given = { ...context } as unknown as OperationContext;
      const { text: json, failure } = await settled(() =>
        executeCompiled({ operation, variables: coerced, context: given, isLast: true }, { fallBack }),
      );
      const expected = await execute({ schema, document, variableValues: variables });
      expect(JSON.stringify(failure?.errors), text).toBe(JSON.stringify(expected.errors));
      expect(failure ? JSON.stringify(failure.data) : json, text).toBe(JSON.stringify(expected.data));
      all += 1;
      if (expected.errors) withErrors += 1;
    }),
    { numRuns, endOnFailure: true },
  );
  return { all, compiled: all - fallBacks, withErrors };
};

const settled = async (run: () => string | Promise<string>): Promise<{ text?: string; failure?: ExecutionFailed }> => {
  try {
    return { text: await run() };
  } catch (error) {
    if (error instanceof ExecutionFailed) return { failure: error };
    throw error;
  }
};
