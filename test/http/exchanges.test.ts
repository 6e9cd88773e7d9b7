import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createTurnBatch } from '../../src/http/exchanges.ts';

const createNumbers = () => {
  const handled: number[] = [];
  return { handled, batch: createTurnBatch<number>((number) => handled.push(number)) };
};

// Where the clock stands, no pause of a busy machine counts as waiting.
const stopClock = () => vi.spyOn(performance, 'now').mockReturnValue(1000);

test('items of a turn of the event loop are handled at its end, in their order', async () => {
  using _ = stopClock();
  const { handled, batch } = createNumbers();
  batch.add(1);
  await Promise.resolve();
  batch.add(2);
  expect(handled).toEqual([]);
  await turn();
  expect(handled).toEqual([1, 2]);
  batch.add(3);
  await turn();
  expect(handled).toEqual([1, 2, 3]);
});

test('items wait no longer than a millisecond for others of a long turn', () => {
  using clock = stopClock();
  const { handled, batch } = createNumbers();
  batch.add(1);
  clock.mockReturnValue(1001.5);
  batch.add(2);
  expect(handled).toEqual([1, 2]);
});

test('an item that comes while others are handled is handled in the next turn', async () => {
  const handled: number[] = [];
  const batch = createTurnBatch<number>((number) => {
    handled.push(number);
    if (number < 3) batch.add(number + 1);
  });
  batch.add(1);
  batch.flush();
  expect(handled).toEqual([1]);
  await turn();
  expect(handled).toEqual([1, 2]);
  await turn();
  expect(handled).toEqual([1, 2, 3]);
});

test('what ends a batch is done once for all that waited, and not again in the turn after a flush', async () => {
  const done: (number | 'end')[] = [];
  const batch = createTurnBatch<number>(
    (number) => done.push(number),
    () => done.push('end'),
  );
  batch.add(1);
  batch.add(2);
  await turn();
  expect(done).toEqual([1, 2, 'end']);
  batch.add(3);
  batch.flush();
  await turn();
  expect(done).toEqual([1, 2, 'end', 3, 'end']);
});
