import { afterEach, expect, test, vi } from 'vitest';
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

afterEach(() => {
  vi.useRealTimers();
});

/** A database that answers when it is told to, by a clock that the test sets. */
const heldDatabase = () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const held: (() => void)[] = [];
  const engine = createSqlEngine({
    rows: <Row>() => new Promise<Row[]>((resolve) => held.push(() => resolve([ROW as Row]))),
  });
  /** Answers so many statements, each of which takes so long. */
  const answer = async (count: number, ms: number): Promise<void> => {
    for (let answered = 0; answered < count; answered += 1) {
      await expect.poll(() => held.length, { interval: 1 }).toBeGreaterThan(0);
      vi.advanceTimersByTime(ms);
      held.shift()?.();
    }
  };
  return { engine, held, answer };
};

test('no more than two searches for a letter run at once, and the others wait', async () => {
  const { engine, held, answer } = heldDatabase();
  const broad = Array.from({ length: 60 }, () => engine.search(search('a')));
  const others = Array.from({ length: 5 }, () => engine.search(search('teapot')));
  await expect.poll(() => held.length).toBe(2 + 5);
  await answer(60 + 5, 1);
  await Promise.all([...broad, ...others]);
});

test.each([{ attributes: [{ name: 'Weight', min: '1' }] }, { options: [{ name: 'Size', values: ['M'] }] }])(
  'no more than two lists filtered by %j run at once',
  async (filter) => {
    const { engine, held, answer } = heldDatabase();
    const lists = Array.from({ length: 6 }, () => engine.search({ ...search(''), order: 'NEWEST', filter }));
    const others = engine.search({ ...search(''), order: 'NEWEST', filter: { brands: ['Lumo'] } });
    await expect.poll(() => held.length).toBe(2 + 1);
    await answer(6 + 1, 1);
    await Promise.all([...lists, others]);
  },
);

test('those that have waited for more than two seconds are refused, and never run', async () => {
  const { engine, held, answer } = heldDatabase();
  const outcomes = Promise.allSettled(Array.from({ length: 13 }, () => engine.search(search('a'))));
  await answer(11, 201);
  const refused = (await outcomes).filter(({ status }) => status === 'rejected');
  expect(refused.map((each) => 'reason' in each && each.reason)).toEqual([
    expect.any(Overloaded),
    expect.any(Overloaded),
  ]);
  expect(held).toEqual([]);
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
