import { expect, test } from 'vitest';
import { compareExecutions } from '../support/compiled-comparison.ts';

test('5,000 random operations on random schemas have the same data and the same errors, compiled or not', async () => {
  const { all, compiled, withErrors } = await compareExecutions(5000);
  expect(compiled / all).toBeGreaterThan(0.25);
  expect(withErrors / all).toBeGreaterThan(0.1);
}, 300_000);
