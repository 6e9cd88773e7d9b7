import { describe, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { PATIENT } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { insertCategory, insertNotice, insertProduct, momentFromNow } from '../support/rows.ts';

/** Moments that some calendar does not have, has twice, or writes with half an hour. */
const MOMENTS = [
  // New York skips an hour; and has the next one twice.
  '2024-03-10T06:59:59.999Z',
  '2024-03-10T07:00:00.000Z',
  '2024-11-03T05:30:00.000Z',
  '2024-11-03T06:30:00.000Z',
  // Lord Howe changes by half an hour.
  '2024-04-06T15:00:00.000Z',
  '2024-04-06T15:15:00.000Z',
  // A new year here, the old one there.
  '2023-12-31T18:30:00.000Z',
  '2024-01-01T00:00:00.123Z',
];

describe.concurrent('a process in one time zone on a database in another shows the same moments, in UTC:', () => {
  test.for<[string, string]>([
    ['Asia/Kolkata', 'America/New_York'],
    ['America/New_York', 'Australia/Lord_Howe'],
    ['Australia/Lord_Howe', 'Asia/Kathmandu'],
    ['Pacific/Chatham', 'UTC'],
  ])('%s on %s', async ([processZone, databaseZone], { expect }) => {
    await using database = await createTestDatabase();
    await database.sql(`alter database ${new URL(database.url).pathname.slice(1)} set timezone = '${databaseZone}'`);
    const url = new URL(database.url);
    // The back office speaks in the zone of the database: its literals have no other.
    url.searchParams.set('options', `-c TimeZone=${databaseZone}`);
    await using gateway = await startGatewayProcess({ DATABASE_URL: url.href, TZ: processZone, ...PATIENT });
    const category_id = await insertCategory(database);
    for (const [index, moment] of MOMENTS.entries()) {
      await insertNotice(database, {
        id: index + 1,
        starts_at: moment,
        created_at: moment,
        ends_at: '9000-06-01T00:00:00Z',
      });
      await insertProduct(database, { id: index + 1, category_id, published_at: moment, updated_at: moment });
    }
    const json = async (target: string) => (await fetch(gateway.url + target)).json();
    for (const [index, moment] of MOMENTS.entries()) {
      expect(await json(`/api/notice/${index + 1}`)).toMatchObject({
        startsAt: moment,
        createdAt: moment,
        endsAt: '9000-06-01T00:00:00.000Z',
      });
      expect(await json(`/api/product/${index + 1}`)).toMatchObject({ publishedAt: moment, updatedAt: moment });
    }
    const { data } = (await json('/graphql?query={newProducts{publishedAt}notices{startsAt}}')) as {
      data: { newProducts: { publishedAt: string }[]; notices: { startsAt: string }[] };
    };
    const latestFirst = MOMENTS.toSorted().reverse();
    expect(data.newProducts.map(({ publishedAt }) => publishedAt)).toEqual(latestFirst);
    expect(data.notices.map(({ startsAt }) => startsAt)).toEqual(latestFirst);

    // Ten minutes before and after now: the calendars of any two zones differ by more.
    const list = async (): Promise<string> => JSON.stringify(await json('/api/notice/list'));
    const past = await momentFromNow(database, -600_000);
    const future = await momentFromNow(database, 600_000);
    await insertNotice(database, { id: 101, title: 'Has begun', starts_at: past });
    await insertNotice(database, { id: 102, title: 'Has ended', ends_at: past });
    await insertNotice(database, { id: 103, title: 'Is to begin', starts_at: future });
    await insertNotice(database, { id: 104, title: 'Is to end', ends_at: future });
    await expect.poll(list).toContain('"Is to end"');
    const now = await list();
    expect(now).toContain('"Has begun"');
    expect(now).not.toContain('"Has ended"');
    expect(now).not.toContain('"Is to begin"');

    // What is kept ends at the moment too; how exactly, planned-changes.test.ts says.
    const moment = await momentFromNow(database, 1000);
    await insertNotice(database, { id: 105, title: 'Begins', starts_at: moment });
    await database.sql(`update notice set ends_at = '${moment}' where id = 104`);
    await expect.poll(list).toContain('"Begins"');
    await expect.poll(list).not.toContain('"Is to end"');
    expect(Math.abs(Date.now() - Date.parse(moment))).toBeLessThan(20_000);
  });
});
