import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { ascending, numbers, stored, untilGatewaysHaveGone, view } from '../support/views.ts';

test('two instances that view 25 notices in opposite orders count each exactly, with no error or deadlock', async () => {
  await using database = await createTestDatabase();
  const ids = await Promise.all(numbers(1, 25).map(() => insertNotice(database)));
  // Among many others, so that the planner looks each one up, in the order that they are named.
  await database.sql(`insert into notice (title, content) select 'Other', '' from generate_series(1, 30000)`);
  await database.sql('analyze notice');
  const answered = new Map<number, number[]>(ids.map((id) => [id, []]));

  const client = async (url: string, order: readonly number[]): Promise<void> => {
    const query = `{ ${order.map((id) => `n${id}: notice(id: ${id}) { id viewCount }`).join(' ')} }`;
    for (let round = 0; round < 15; round += 1) {
      // All in one operation, and then one by itself.
      const response = await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`);
      const { data, errors } = (await response.json()) as { data: Record<string, Counted>; errors?: unknown };
      expect(errors).toBeUndefined();
      for (const { id, viewCount } of Object.values(data)) answered.get(id)?.push(viewCount);
      const id = order[round] ?? 0;
      const { status, number } = await view(url, id);
      expect(status).toBe(200);
      answered.get(id)?.push(number ?? 0);
    }
  };
  {
    await using one = await startGatewayProcess({ DATABASE_URL: database.url });
    await using two = await startGatewayProcess({ DATABASE_URL: database.url });
    const orders: readonly [string, number[]][] = [
      [one.url, ids],
      [two.url, ids.toReversed()],
    ];
    await Promise.all(orders.flatMap(([url, order]) => numbers(1, 8).map(() => client(url, order))));
  }
  await untilGatewaysHaveGone(database);

  for (const [id, seen] of answered) {
    expect(ascending(seen)).toEqual(numbers(1, seen.length));
    expect(await stored(database, id)).toBe(seen.length);
  }
  const total = [...answered.values()].reduce((sum, { length }) => sum + length, 0);
  expect(total).toBe(2 * 8 * 15 * 26);
  // One would be tried again unseen. The connections have reported their statistics when they closed.
  const [row] = await database.sql('select deadlocks::int from pg_stat_database where datname = current_database()');
  expect(row).toEqual({ deadlocks: 0 });
});

interface Counted {
  readonly id: number;
  readonly viewCount: number;
}
