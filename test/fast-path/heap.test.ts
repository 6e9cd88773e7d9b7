import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { releaseGarbage } from '../../src/fast-path/heap.ts';

test('the garbage of a thread is collected when it asks for that', async () => {
  const garbage = new WeakRef({});
  const kept = {};
  const known = new WeakRef(kept);
  // V8 keeps what a weak reference gave, or was made with, until the end of the turn.
  await turn();
  releaseGarbage();
  expect(garbage.deref()).toBe(undefined);
  expect(known.deref()).toBe(kept);
});
