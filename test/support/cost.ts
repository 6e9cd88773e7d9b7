import { parse, validate } from 'graphql';
import { expect } from 'vitest';
import type { Cost } from '../../src/graphql/limits/cost.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';
import { schema } from './schema.ts';

/** @param variables undefined: the most that any could make it cost */
export const costOf = (text: string, variables?: Record<string, unknown>, of = schema): Cost => {
  const document = parse(text);
  expect(validate(of, document), text).toEqual([]);
  const operation = prepareOperation(of, document);
  const coerced = variables && operation?.coerce(variables).variableValues;
  if (!operation || (variables && !coerced)) throw new Error(`it cannot run: ${text}`);
  return operation.costOf(coerced);
};
