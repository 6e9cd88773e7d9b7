import { describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertCategory, insertNotice, insertProduct, momentFromNow } from '../support/rows.ts';

const HOUR_MS = 3_600_000;

/** Loaded before the program, it has every clock of the process wrong by so much. */
const clockShift = (ms: number): string =>
  `--import=data:text/javascript,${encodeURIComponent(`
  const RightDate = Date;
  globalThis.Date = class Date extends RightDate {
    constructor(...given) { given.length ? super(...given) : super(RightDate.now() + ${ms}); }
    static now() { return RightDate.now() + ${ms}; }
  };
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ${ms} });
`)}`;

interface ShiftedDatabase extends TestDatabase {
  /** Sets the clock that its sessions see. */
  readonly shiftBy: (ms: number) => Promise<unknown>;
}

/** A database whose clock can be set: functions of its own take the place of the server's. */
const createShiftedDatabase = async (): Promise<ShiftedDatabase> => {
  const database = await createTestDatabase();
  await database.sql('create table clock_shift as select 0::float8 as ms');
  for (const [name, volatility] of [
    ['clock_timestamp', 'volatile'],
    ['now', 'stable'],
  ]) {
    await database.sql(`
      create function public.${name}() returns timestamptz language sql ${volatility} as
      $$ select pg_catalog.${name}() + (select ms from public.clock_shift) * interval '1 millisecond' $$`);
  }
  const name = new URL(database.url).pathname.slice(1);
  await database.sql(`alter database ${name} set search_path = public, pg_catalog`);
  return { ...database, shiftBy: (ms) => database.sql('update clock_shift set ms = $1', [ms]) };
};

describe('a process whose own clock is', () => {
  test.for([
    ['an hour fast', HOUR_MS],
    ['an hour slow', -HOUR_MS],
  ] as const)('%s answers by that of the database', async ([, shiftMs]) => {
    await using database = await createTestDatabase();
    await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, NODE_OPTIONS: clockShift(shiftMs) });
    // The process does go by another clock: its log says so.
    const [, loggedMs] = await gateway.command.printed(/"time":(\d+)/);
    expect(Math.abs(Number(loggedMs) - Date.now() - shiftMs)).toBeLessThan(60_000);

    const [past, future] = [await momentFromNow(database, -HOUR_MS / 2), await momentFromNow(database, HOUR_MS / 2)];
    const category_id = await insertCategory(database);
    await insertProduct(database, { category_id, name: 'Shown', published_at: past });
    await insertProduct(database, { category_id, name: 'Hidden', published_at: future });
    await insertNotice(database, { title: 'Shown', starts_at: past, ends_at: future });
    const hidden = await insertNotice(database, { title: 'Hidden', starts_at: future });
    const ended = await insertNotice(database, { title: 'Hidden', ends_at: past });

    const textOf = async (path: string): Promise<string> => (await fetch(gateway.url + path)).text();
    const TARGETS = [
      '/api/product/new',
      '/api/notice/list',
      '/api/notice/page',
      '/graphql?query={notices{title}hotProducts{name}}',
    ];
    for (const target of TARGETS) {
      await expect.poll(() => textOf(target)).toContain('Shown');
      expect(await textOf(target)).not.toContain('Hidden');
    }
    // An nginx beside the gateway has the gateway's clock, another has the right one: neither may keep an answer for longer.
    const { headers } = await fetch(`${gateway.url}/api/product/new`);
    const lastSecond = Number(/^@(\d+)$/.exec(headers.get('x-accel-expires') ?? '')?.[1]);
    expect(lastSecond * 1000).toBeLessThan(Date.now() + Math.min(0, shiftMs) + 1000);

    expect((await fetch(`${gateway.url}/api/notice/${hidden}`)).status).toBe(404);
    expect(JSON.parse(await textOf(`/api/notice/${ended}`))).toMatchObject({ inEffect: false });

    // On the moment and not an hour off; how exactly, planned-changes.test.ts says.
    const moment = await momentFromNow(database, 500);
    await insertNotice(database, { title: 'Moment', starts_at: moment });
    await expect.poll(() => textOf('/api/notice/list'), { interval: 5 }).toContain('Moment');
    expect(Math.abs(Date.now() - Date.parse(moment))).toBeLessThan(5000);
  });
});

test('a database whose clock is set back hides what has not begun by it', async () => {
  await using database = await createShiftedDatabase();
  await using gateway = await createTestGateway(database);
  const TARGETS = ['/api/notice/list', '/api/notice/page', '/api/product/new', '/graphql?query={notices{title}}'];
  const sightings = async (): Promise<number> => {
    const answers = await Promise.all([...TARGETS, `/api/notice/${notice}`].map((target) => gateway.get(target)));
    return answers.filter(({ text }) => text.includes('Begun')).length;
  };
  const startsAt = await momentFromNow(database, -HOUR_MS / 2);
  const category_id = await insertCategory(database);
  await insertProduct(database, { category_id, name: 'Begun', published_at: startsAt });
  const notice = await insertNotice(database, { title: 'Begun', starts_at: startsAt });
  await expect.poll(sightings, { interval: 5 }).toBe(5);
  // All of it comes from memory.
  await expect.poll(async () => (await gateway.get('/api/notice/list')).headers['cache-status']).toBe('vitrine; hit');

  await database.shiftBy(-HOUR_MS);
  const shiftedMs = performance.now();
  await expect.poll(sightings, { interval: 5 }).toBe(0);
  expect(performance.now() - shiftedMs).toBeLessThan(3000);
  // By the new clock it begins in half an hour; that moment comes at once.
  await database.sql(`update notice set starts_at = public.now() + interval '500 milliseconds'`);
  await expect.poll(async () => (await gateway.get('/api/notice/list')).text, { interval: 5 }).toContain('Begun');
});
