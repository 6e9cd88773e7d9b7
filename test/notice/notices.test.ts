import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertNotice, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { stored } from '../support/views.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' }));

const FIELDS = 'id type level title summary content pinned startsAt endsAt inEffect viewCount createdAt updatedAt';

const HOUR_MS = 3_600_000;

/** Whether each way to the notices in effect shows this one. Counts no view. */
const sightings = async (id: number): Promise<boolean[]> => {
  const { data, errors } = await gateway.graphql('{ notices { id } noticePage(pageSize: 100) { items { id } } }');
  expect(errors).toBeUndefined();
  const list = (await gateway.get('/api/notice/list')).json as { id: number }[];
  const page = (await gateway.get('/api/notice/page?pageSize=100')).json as { list: { id: number }[] };
  return [data.notices, data.noticePage.items, list, page.list].map((notices: { id: number }[]) =>
    notices.some((notice) => notice.id === id),
  );
};

const readNotice = async (id: number): Promise<Record<string, unknown> | null> => {
  const { data, errors } = await gateway.graphql(`query ($id: Int!) { notice(id: $id) { ${FIELDS} } }`, { id });
  expect(errors).toBeUndefined();
  return data.notice;
};

describe('a notice', () => {
  test('has every field as the back office wrote it, whichever query shows it and by either protocol', async () => {
    const id = await insertNotice(database, {
      type: 'PROMOTION',
      level: 'URGENT',
      title: 'Ausverkauf „Ω“ 🎉',
      summary: 'line 1\nline 2',
      content: '<b>שלום</b> & \\ {}',
      pinned: true,
      starts_at: '2026-01-02T03:04:05.678901+05:30',
      ends_at: '9999-12-31T23:59:59.999999Z',
      view_count: '5000000000',
      created_at: '2025-12-31T23:59:59.999999Z',
      updated_at: '2026-06-30T12:00:00Z',
    });
    const expected = {
      id,
      type: 'PROMOTION',
      level: 'URGENT',
      title: 'Ausverkauf „Ω“ 🎉',
      summary: 'line 1\nline 2',
      content: '<b>שלום</b> & \\ {}',
      pinned: true,
      startsAt: '2026-01-01T21:34:05.678Z',
      endsAt: '9999-12-31T23:59:59.999Z',
      inEffect: true,
      viewCount: 5_000_000_000,
      createdAt: '2025-12-31T23:59:59.999Z',
      updatedAt: '2026-06-30T12:00:00.000Z',
    };
    const { data } = await gateway.graphql(`{ notices { ${FIELDS} } noticePage { items { ${FIELDS} } } }`);
    expect(data.notices).toContainEqual(expected);
    expect(data.noticePage.items).toContainEqual(expected);
    expect((await gateway.get('/api/notice/list')).json).toContainEqual(expected);
    expect(await readNotice(id)).toEqual({ ...expected, viewCount: 5_000_000_001 });
    expect((await gateway.get(`/api/notice/${id}`)).json).toEqual({ ...expected, viewCount: 5_000_000_002 });
  });

  test('that says nothing beyond what it must has the defaults, and null where there is none', async () => {
    const id = await insertNotice(database);
    expect(await readNotice(id)).toMatchObject({
      type: 'ANNOUNCEMENT',
      level: 'NORMAL',
      summary: null,
      pinned: false,
      startsAt: '2020-01-01T00:00:00.000Z',
      endsAt: null,
      inEffect: true,
      viewCount: 1,
    });
  });
});

describe('only a notice in effect is listed:', () => {
  test.for<[string, { from: number; to?: number; status?: string }, boolean]>([
    ['one that has begun and has no end is', { from: -HOUR_MS }, true],
    ['one that has begun and has not ended is', { from: -HOUR_MS, to: HOUR_MS }, true],
    ['one that begins later is not', { from: HOUR_MS }, false],
    ['one that has ended is not', { from: -2 * HOUR_MS, to: -HOUR_MS }, false],
    ['a draft is not', { from: -HOUR_MS, status: 'DRAFT' }, false],
    ['a withdrawn one is not', { from: -HOUR_MS, to: HOUR_MS, status: 'WITHDRAWN' }, false],
  ])('%s', async ([, { from, to, status = 'PUBLISHED' }, isListed]) => {
    const starts_at = await momentFromNow(database, from);
    const ends_at = to === undefined ? null : await momentFromNow(database, to);
    const id = await insertNotice(database, { starts_at, ends_at, status });
    expect(await sightings(id)).toEqual(Array(4).fill(isListed));
  });

  test('one arrives and one leaves when the database says so, and never 50 ms before or after', async () => {
    const polls = { before: 0, after: 0 };
    // On a busy machine the moment may come before there was time to look: then another is watched, which is further away.
    for (let leadMs = 800; leadMs < 10_000 && polls.before === 0; leadMs *= 2) {
      const moment = await momentFromNow(database, leadMs);
      const arriving = await insertNotice(database, { starts_at: moment });
      const leaving = await insertNotice(database, { ends_at: moment });
      for (let beforeMs = -Infinity; beforeMs < 150; ) {
        beforeMs = await millisecondsSince(database, moment);
        const seen = [await sightings(arriving), await sightings(leaving), (await readNotice(leaving))?.inEffect];
        const isReadable = (await readNotice(arriving)) !== null;
        const afterMs = await millisecondsSince(database, moment);
        if (beforeMs > 50) {
          polls.after += 1;
          expect([...seen, isReadable]).toEqual([Array(4).fill(true), Array(4).fill(false), false, true]);
        } else if (afterMs < -50) {
          polls.before += 1;
          expect([...seen, isReadable]).toEqual([Array(4).fill(false), Array(4).fill(true), true, false]);
        }
      }
    }
    expect(Math.min(polls.before, polls.after)).toBeGreaterThan(0);
  });
});

describe('notice detail', () => {
  test.for([
    ['a draft', { status: 'DRAFT' }],
    ['a withdrawn notice', { status: 'WITHDRAWN' }],
    ['a notice that begins later', { starts_at: '9000-01-01T00:00:00Z' }],
  ] as const)('of %s is null, 404 over REST, and counts nothing', async ([, values]) => {
    const id = await insertNotice(database, values);
    expect(await readNotice(id)).toBeNull();
    expect((await gateway.get(`/api/notice/${id}`)).status).toBe(404);
    expect(await stored(database, id)).toBe(0);
  });

  test('of one that has ended can still be read, says so, and counts', async () => {
    const id = await insertNotice(database, { ends_at: '2020-01-01T00:00:00.000001Z' });
    expect(await readNotice(id)).toMatchObject({
      id,
      inEffect: false,
      viewCount: 1,
      endsAt: '2020-01-01T00:00:00.000Z',
    });
    expect(await sightings(id)).toEqual(Array(4).fill(false));
    expect(await stored(database, id)).toBe(1);
  });

  test.for([0, -1, 999_999, 2_147_483_647, -2_147_483_648])('of id %i that nobody knows is null', async (id) => {
    expect(await readNotice(id)).toBeNull();
  });
});

test('notices come pinned first, then latest start to the microsecond, then highest id', async () => {
  await using ownDatabase = await createTestDatabase();
  await ownDatabase.sql(`
    insert into notice (title, content, pinned, starts_at)
    select 'N' || n, '', n % 5 = 0, timestamptz '2026-01-01T00:00:00Z' + n * 7 % 11 % 4 * interval '1 microsecond'
    from generate_series(1, 60) n`);
  // The planner then sorts, and no index gives the order away.
  await ownDatabase.sql('analyze notice');
  await using own = await createTestGateway(ownDatabase);
  const expected = await ownDatabase.sql<{ id: number }>(
    'select id from notice order by pinned desc, starts_at desc, id desc',
  );
  expect(
    await own.countStatements(async () => {
      const { data } = await own.graphql('{ notices { id } again: notices { id } }');
      expect(data.notices).toEqual(expected);
      expect(data.again).toEqual(expected);
    }),
  ).toBe(1);
  const { data } = await own.graphql('{ noticePage(pageSize: 60) { items { id } } }');
  expect(data.noticePage.items).toEqual(expected);
});
