import { expect, test } from 'vitest';
import type { BrowseRequest } from '../../src/browse/browse-engine.ts';
import { createSqlEngine } from '../../src/browse/sql-engine.ts';
import { termsOf } from '../../src/browse/words.ts';
import { Overloaded } from '../../src/errors.ts';

const ROW = { items: [], hasOther: false };

const search = (text: string): BrowseRequest => ({
  terms: termsOf(text),
  filter: {},
  order: 'RELEVANCE',
  page: { from: 'start', size: 20 },
  isCounted: false,
  facets: new Set(),
  now: new Date(),
});

/** A database that answers when it is told to. */
const heldDatabase = () => {
  const held: (() => void)[] = [];
  const engine = createSqlEngine({
    rows: <Row>() => new Promise<Row[]>((resolve) => held.push(() => resolve([ROW as Row]))),
  });
  return { engine, held };
};

test('no more than two searches for a letter run at once, the others wait, and very many are refused', async () => {
  const { engine, held } = heldDatabase();
  const broad = Array.from({ length: 12 }, () => engine.search(search('a')));
  const outcomes = Promise.allSettled(broad);
  const others = Array.from({ length: 5 }, () => engine.search(search('teapot')));
  await expect.poll(() => held.length).toBe(2 + 5);
  let answered = 0;
  while (answered < 10 + 5) {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    held.shift()?.();
    answered += 1;
  }
  await Promise.all(others);
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  expect(refused.map((each) => 'reason' in each && each.reason)).toEqual([
    expect.any(Overloaded),
    expect.any(Overloaded),
  ]);
});

test('a broad search that fails lets the next one run', async () => {
  let asked = 0;
  const engine = createSqlEngine({
    rows: async () => {
      asked += 1;
      throw new Error('away');
    },
  });
  for (let each = 0; each < 4; each += 1) await expect(engine.search(search('a'))).rejects.toThrow('away');
  expect(asked).toBe(4);
});
