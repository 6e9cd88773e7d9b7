import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertNotice, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

// Each operation has a name of its own, so that no response is cached, and heartbeats come seldom, so that rows are known for as long as they may be.

const database = await shared(createTestDatabase());
await database.sql(`
  insert into notice (title, content, type, starts_at)
  select 'Known ' || n, '', (array['ANNOUNCEMENT', 'PROMOTION'])[1 + n % 2]::notice_type, timestamptz '2025-01-01Z' - n * interval '1 hour'
  from generate_series(1, 23) n`);
const gateway = await shared(createTestGateway(database, { FRESHNESS_MS: '1000' }));

let asked = 0;

const ask = async (selection: string) => {
  asked += 1;
  const { data, errors } = await gateway.graphql(`query Q${asked} { ${selection} }`);
  expect(errors).toBeUndefined();
  return data;
};

const titlesOf = async (args: string): Promise<{ titles: string[]; total: number }> => {
  const { noticePage } = await ask(`noticePage(${args}) { items { title } total }`);
  return { titles: noticePage.items.map(({ title }: { title: string }) => title), total: noticePage.total };
};

/** Every change before is notified, and what the first selection reads is known: so is then what the second needs. */
const isKnown = (first: string, second = first): Promise<void> =>
  expect
    .poll(async () => {
      await ask(first);
      return gateway.countStatements(() => ask(second));
    })
    .toBe(0);

test('pages of notices that were read take no statement, however long they are', async () => {
  await isKnown('notices { id }', 'noticePage(page: 3, pageSize: 7) { items { id } total }');
  expect(await titlesOf('page: 3, pageSize: 7')).toEqual({
    titles: Array.from({ length: 7 }, (_, index) => `Known ${15 + index}`),
    total: 23,
  });
  expect(await titlesOf('page: 999')).toEqual({ titles: [], total: 23 });
});

test('one page brings the ids of all, of its type', async () => {
  await isKnown('noticePage(pageSize: 5, type: PROMOTION) { items { id } total }');
  expect(await titlesOf('page: 2, pageSize: 5, type: PROMOTION')).toEqual({
    titles: [11, 13, 15, 17, 19].map((number) => `Known ${number}`),
    total: 12,
  });
});

test('a search is always asked of the database', async () => {
  await isKnown('notices { id }');
  const search = 'noticePage(keyword: "known 2") { items { id } total }';
  expect(await gateway.countStatements(() => ask(search))).toBe(1);
});

test('a notice that is published, renamed or withdrawn is so in every page', async () => {
  await ask('notices { id }');
  const id = await insertNotice(database, { title: 'New', starts_at: '2026-01-01T00:00:00Z' });
  await expect.poll(() => titlesOf('pageSize: 2')).toEqual({ titles: ['New', 'Known 1'], total: 24 });
  await database.sql(`update notice set title = 'Renamed' where id = $1`, [id]);
  await expect.poll(() => titlesOf('pageSize: 2')).toEqual({ titles: ['Renamed', 'Known 1'], total: 24 });
  await database.sql(`update notice set status = 'WITHDRAWN' where id = $1`, [id]);
  await expect.poll(() => titlesOf('pageSize: 2')).toEqual({ titles: ['Known 1', 'Known 2'], total: 23 });
});

test('a notice is in pages that are known from the moment at which it begins', async () => {
  const startsAt = await momentFromNow(database, 1500);
  const id = await insertNotice(database, { title: 'Begins', pinned: true, starts_at: startsAt });
  const page = 'noticePage(pageSize: 1) { items { title } total }';
  await isKnown(page);
  await expect
    .poll(() => ask(page), { timeout: 5000 })
    .toEqual({ noticePage: { items: [{ title: 'Begins' }], total: 24 } });
  await database.sql('delete from notice where id = $1', [id]);
});

test('a notice is in pages that are known until the moment at which it ends', async () => {
  const endsAt = await momentFromNow(database, 1500);
  await insertNotice(database, { title: 'Ends', pinned: true, ends_at: endsAt });
  const page = 'noticePage(pageSize: 1) { items { title } total }';
  await isKnown(page);
  await expect
    .poll(() => ask(page), { timeout: 5000 })
    .toEqual({ noticePage: { items: [{ title: 'Known 1' }], total: 23 } });
  expect(await millisecondsSince(database, endsAt)).toBeGreaterThan(0);
});

test('a view that nobody is notified of is counted in pages that are known, some seconds later at most', async () => {
  const [{ id } = { id: 0 }] = await database.sql<{ id: number }>(`select id from notice where title = 'Known 1'`);
  const views = async () =>
    (await ask('noticePage(pageSize: 1) { items { viewCount } }')).noticePage.items[0].viewCount;
  const before = await views();
  await ask(`notice(id: ${id}) { id }`);
  await expect.poll(views, { timeout: 5000 }).toBe(before + 1);
});
