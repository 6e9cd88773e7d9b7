import { describe, expect, test } from 'vitest';
import { createTestDatabase } from './support/database.ts';
import { startGatewayProcess } from './support/process.ts';
import { insertCategory, insertNotice, insertProduct, momentFromNow } from './support/rows.ts';

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

describe('a process whose own clock is', () => {
  test.for([
    ['an hour fast', HOUR_MS],
    ['an hour slow', -HOUR_MS],
  ] as const)('%s answers by that of the database', async ([, shiftMs]) => {
    await using database = await createTestDatabase();
    await using gateway = await startGatewayProcess({
      DATABASE_URL: database.url,
      NODE_OPTIONS: clockShift(shiftMs),
    });
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
      await expect.poll(() => textOf(target), { timeout: 1000 }).toContain('Shown');
      expect(await textOf(target)).not.toContain('Hidden');
    }
    expect((await fetch(`${gateway.url}/api/notice/${hidden}`)).status).toBe(404);
    expect(JSON.parse(await textOf(`/api/notice/${ended}`))).toMatchObject({ inEffect: false });

    // On the moment, and from memory until then.
    const moment = await momentFromNow(database, 500);
    await insertNotice(database, { title: 'Moment', starts_at: moment });
    await expect.poll(() => textOf('/api/notice/list'), { interval: 5, timeout: 2000 }).toContain('Moment');
    expect(Math.abs(Date.now() - Date.parse(moment))).toBeLessThan(200);
  });
});
