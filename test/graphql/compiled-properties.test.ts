import { buildSchema, parse } from 'graphql';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { OperationContext } from '../../src/graphql/context.ts';
import { compile } from '../../src/graphql/executor/compile.ts';
import { compareExecutions } from '../support/compiled-comparison.ts';

test('150 random operations on random schemas have the same data and the same errors, compiled or not', async () => {
  const { all, compiled, withErrors } = await compareExecutions(150);
  expect(compiled / all).toBeGreaterThan(0.2);
  expect(withErrors / all).toBeGreaterThan(0.05);
});

describe('a promise that is rejected after the operation has failed, or before it is waited for, does not end the process:', () => {
  const reject = (): Promise<never> => Promise.reject(new Error('rejected'));
  const later = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test.for<[string, () => unknown]>([
    ['an item of a list behind one that is null', () => [null, reject()]],
    ['an item of an iterable that is no array', () => new Set([reject()])],
    ['a field of an object behind one that fails', () => [{ bad: 'none', other: reject() }]],
    ['an item of a list that comes before what else is loading', async () => [{ bad: 1 }, reject()]],
    ['a field of an object that comes before what else is loading', async () => [{ bad: 1, other: reject() }]],
    ['an item of a list that comes when the operation has failed', async () => later().then(() => [reject()])],
  ])('%s', async ([, resolve]) => {
    const schema = buildSchema('type Query { list: [Item!] slow: Int failing: Int } type Item { bad: Int other: Int }');
    const fields = schema.getQueryType()?.getFields() ?? {};
    const resolvers = {
      list: resolve,
      slow: () => later().then(later),
      failing: async () => {
        if (String(resolve).includes('later')) throw new Error('failed');
      },
    };
    for (const [name, resolver] of Object.entries(resolvers)) if (fields[name]) fields[name].resolve = resolver;
    const document = parse('{ list { bad other } slow failing }');
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('there is no operation');
    const compiled = compile(schema, document, operation);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const run = async () => compiled?.({ sources: {}, coerced: {} }, {} as OperationContext);
    await expect(run()).rejects.toThrow();
    for (let turn = 0; turn < 5; turn += 1) await later();
    expect(unhandled).toEqual([]);
  });
});
