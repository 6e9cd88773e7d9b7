import { expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { pipeline } from '../support/pipeline.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertNotice } from '../support/rows.ts';
import { openSession, type Session, untilViewsWait } from '../support/session.ts';
import { expectHonest, numbers, startLoad, stored, view } from '../support/views.ts';

/** A transaction of the back office that holds these notices until it ends. */
const lock = async (database: TestDatabase, ids: readonly number[]): Promise<Session> => {
  const session = await openSession(database);
  await session.query('begin');
  await session.query('select from notice where id = any($1) for update', [ids]);
  return session;
};

const insertNotices = (database: TestDatabase, count: number): Promise<number[]> =>
  Promise.all(numbers(1, count).map(() => insertNotice(database)));

test.for([1, 40])('with %i notices locked the others are viewed without delay, by two instances', async (count) => {
  await using database = await createTestDatabase();
  await using one = await startGatewayProcess({ DATABASE_URL: database.url });
  await using two = await startGatewayProcess({ DATABASE_URL: database.url });
  const lockedIds = await insertNotices(database, count);
  const freeIds = await insertNotices(database, 5);
  const loads = (ids: readonly number[], clients: number) =>
    [one, two].map(({ url }) => startLoad({ url: () => url, ids, clients }));

  await using backOffice = await lock(database, lockedIds);
  const onLocked = loads(lockedIds, 20);
  await untilViewsWait(database, 2);
  const onFree = loads(freeIds, 10);
  await Promise.all(onFree.map((load) => load.answered(1000)));
  // So long that views which had waited with the locked ones would have been refused with them.
  for (const load of onLocked) await expect.poll(() => load.count(503)).toBeGreaterThan(20);
  await Promise.all(onFree.map((load) => load.answered(100)));
  expect(onLocked.map((load) => load.count(200))).toEqual([0, 0]);

  await backOffice.query('rollback');
  await Promise.all(onLocked.map((load) => load.answered(100)));
  await Promise.all([...onLocked, ...onFree].map((load) => load.stop()));
  expect(onFree.map((load) => load.count(503))).toEqual([0, 0]);
  for (const [first, second] of [onLocked, onFree]) {
    for (const id of first?.tally.keys() ?? []) {
      const [a, b] = [first, second].map((load) => load?.tally.get(id));
      const views = [...(a?.views ?? []), ...(b?.views ?? [])];
      await expectHonest(database, new Map([[id, { sent: (a?.sent ?? 0) + (b?.sent ?? 0), views }]]));
    }
  }
});

test('thousands of views of a locked notice end in time, uncounted and in bounded memory', async () => {
  await using database = await createTestDatabase();
  // A process that kept what is refused would run out of it.
  const NODE_OPTIONS = '--max-old-space-size=100';
  await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, NODE_OPTIONS });
  const [id = 0] = await insertNotices(database, 1);
  await using backOffice = await lock(database, [id]);

  for (const _ of numbers(1, 6)) {
    const answers = await Promise.all(numbers(1, 10).map(() => pipeline(gateway.url, `/api/notice/${id}`, 100)));
    for (const { status, head, ms } of answers.flat()) {
      expect(status).toBe(503);
      expect(head).toMatch(/^retry-after: 1$/im);
      expect(ms).toBeLessThan(5000);
    }
  }
  // Beside the line that every request has.
  const warnings = gateway.command.output().match(/"level":[456]0/g) ?? [];
  expect(warnings.length, 'a warning for each view that is refused would be a fault of its own').toBeLessThan(100);

  expect(await stored(database, id)).toBe(0);
  await backOffice.query('rollback');
  expect(await view(gateway.url, id)).toMatchObject({ status: 200, number: 1 });
});

test('two instances that hammer one notice both get their turns', async () => {
  await using database = await createTestDatabase();
  // A commit takes its time, as on a slow disk: a client that comes back at once finds the notice locked.
  await database.sql(`create function slow() returns trigger language plpgsql as $$ begin
    perform pg_sleep(0.01); return null; end $$`);
  await database.sql('create trigger slow after update on notice for each statement execute function slow()');
  await using one = await startGatewayProcess({ DATABASE_URL: database.url });
  await using two = await startGatewayProcess({ DATABASE_URL: database.url });
  const ids = await insertNotices(database, 1);
  const loads = [one, two].map(({ url }) => startLoad({ url: () => url, ids, clients: 10 }));

  await Promise.race(loads.map((load) => load.answered(500)));
  const counts = loads.map((load) => load.count(200));
  await Promise.all(loads.map((load) => load.stop()));

  // Whoever is quicker has 500 by then. PostgreSQL gives the row to whoever asks next; one that got none for long would have a dozen.
  expect(Math.min(...counts)).toBeGreaterThan(50);
  expect(loads.map((load) => load.count(503))).toEqual([0, 0]);
});
