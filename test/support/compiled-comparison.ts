import fc from 'fast-check';
import { type ExecutionArgs, execute, parse, validate } from 'graphql';
import { expect } from 'vitest';
import type { OperationContext } from '../../src/graphql/context.ts';
import { noteParameters } from '../../src/graphql/executor/compile.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';
import { createCompiledExecution, type ExecutionContext } from '../../src/graphql/use-compiled-execution.ts';
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
  const { execute: executeCompiled, fallBacks } = createCompiledExecution();
  let all = 0;
  let withErrors = 0;
  const context = { rowCount: { rows: 0, maximum: Number.MAX_SAFE_INTEGER }, hints: { views: [] } };

  await fc.assert(
    fc.asyncProperty(fc.gen(), async (g) => {
      const faults = g(fc.constantFrom, 0, 0, 1, 4);
      const schema = noteParameters(randomSchema(g, faults));
      const directives = g(fc.constantFrom, 0, 0, 10);
      const { text, variables } = randomQuery(schema, g, { faults: 0, directives });
      const document = parse(text);
      expect(validate(schema, document), text).toEqual([]);
      const operation = prepareOperation(schema, document);
      const coerced = operation?.coerce({ ...variables }).variableValues;
      if (!operation || !coerced) throw new Error(`it cannot run: ${text}`);
      const execution = { operation, variables: coerced, isLast: true, log: () => ({ debug() {}, warn() {} }) };
      const contextValue = { ...(context as unknown as OperationContext), execution } as unknown as ExecutionContext;
      const result = await executeCompiled({ contextValue } as unknown as ExecutionArgs);
      const expected = await execute({ schema, document, variableValues: variables });
      const { data, errors } = 'json' in result ? { data: undefined, errors: undefined } : result;
      expect(JSON.stringify(errors), text).toBe(JSON.stringify(expected.errors));
      expect('json' in result ? result.json : JSON.stringify(data), text).toBe(JSON.stringify(expected.data));
      all += 1;
      if (expected.errors) withErrors += 1;
    }),
    { numRuns, endOnFailure: true },
  );
  const { notCompiled, failed, answered } = fallBacks;
  return { all, compiled: all - notCompiled - failed - answered, withErrors };
};
