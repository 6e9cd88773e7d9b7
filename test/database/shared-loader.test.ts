import { expect, test } from 'vitest';
import { createSharedLoader } from '../../src/database/sql.ts';

/** A loader whose statements are answered by hand. */
const scene = () => {
  const statements: { keys: number[]; answer: () => void }[] = [];
  const loader = createSharedLoader<number, { id: number }>({
    read: (keys) =>
      new Promise((resolve) => {
        statements.push({ keys, answer: () => resolve(keys.filter((id) => id < 100).map((id) => ({ id }))) });
      }),
    keyOf: ({ id }) => id,
  });
  return { loader, statements };
};

test('lookups at the same time share a statement, which names each key once; a key without a row is null', async () => {
  const { loader, statements } = scene();
  const rows = Promise.all([1, 2, 1, 100].map((key) => loader.load(key)));
  await expect.poll(() => statements.map(({ keys }) => keys)).toEqual([[1, 2, 100]]);
  statements[0]?.answer();
  expect(await rows).toEqual([{ id: 1 }, { id: 2 }, { id: 1 }, null]);
});

test('two statements are under way at most', async () => {
  const { loader, statements } = scene();
  for (const key of [1, 2, 3]) {
    void loader.load(key);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  expect(statements.map(({ keys }) => keys)).toEqual([[1], [2]]);
  statements[0]?.answer();
  await expect.poll(() => statements.map(({ keys }) => keys)).toEqual([[1], [2], [3]]);
});

test('nothing is kept: the same key is read again', async () => {
  const { loader, statements } = scene();
  for (const count of [1, 2]) {
    const row = loader.load(1);
    await expect.poll(() => statements.length).toBe(count);
    statements.at(-1)?.answer();
    expect(await row).toEqual({ id: 1 });
  }
});
