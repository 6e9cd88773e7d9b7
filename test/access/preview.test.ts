import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type GraphqlResult, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, momentFromNow } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const TOKEN = 'a-preview-token';
const DAY_MS = 86_400_000;

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { PREVIEW_TOKENS: TOKEN }));
const closed = await shared(createTestGateway(database, { PREVIEW_TOKENS: TOKEN, ACCESS_TOKENS: 'an-access-token' }));

/** A point in time by the database's clock, in whole milliseconds. */
const inDays = async (days: number): Promise<string> =>
  new Date(Date.parse(await momentFromNow(database, days * DAY_MS))).toISOString();

const category_id = await insertCategory(database);
const present = await insertProduct(database, { category_id, sales: 1 });
const coming = await insertProduct(database, { category_id, sales: 2, published_at: await inDays(2) });
const [tomorrow, inThreeDays] = [await inDays(1), await inDays(3)];
const ending = await insertNotice(database, { title: 'ending', ends_at: tomorrow });
const starting = await insertNotice(database, { title: 'starting', starts_at: inThreeDays });

const at = (time: string, token = TOKEN): Record<string, string> => ({
  'x-preview-at': time,
  authorization: `Bearer ${token}`,
});

const idsOf = (json: unknown): number[] => (json as { id: number }[]).map(({ id }) => id);

const LISTS = '{ hotProducts { id } notices { id inEffect } nextNoticeChangeAt }';
const listsOf = async (target: TestGateway, headers: Record<string, string> = {}) => {
  const { data } = await target.graphql(LISTS, {}, headers);
  return { products: idsOf(data.hotProducts), notices: idsOf(data.notices), next: data.nextNoticeChangeAt };
};

test('lists are answered as they will be, by GraphQL and by REST, and nothing of it is kept for others', async () => {
  const now = { products: [present], notices: [ending], next: tomorrow };
  expect(await listsOf(gateway)).toEqual(now);
  for (const each of [gateway, closed]) {
    expect(await listsOf(each, at(await inDays(4)))).toEqual({
      products: [coming, present],
      notices: [starting],
      next: null,
    });
    expect(await listsOf(each, at(await inDays(2.5)))).toMatchObject({ notices: [], next: inThreeDays });
    const hot = await each.get('/api/product/hot', at(await inDays(4)));
    expect(idsOf(hot.json)).toEqual([coming, present]);
    expect(hot.headers).toMatchObject({ 'cache-control': 'private, no-store' });
    expect(hot.headers).not.toHaveProperty('etag');
    expect(hot.headers).not.toHaveProperty('x-accel-expires');
    expect(idsOf((await each.get('/api/notice/list', at(await inDays(4)))).json)).toEqual([starting]);
  }
  expect(await listsOf(gateway)).toEqual(now);
  expect(idsOf((await gateway.get('/api/product/hot')).json)).toEqual([present]);
});

test('what a path allows is said to everyone, also with a header of a preview that is none', async () => {
  expect(await gateway.request('OPTIONS', '/api/product/hot', at('yesterday', 'no-token'))).toMatchObject({
    status: 204,
    headers: { allow: expect.stringContaining('GET') },
  });
});

test('a time between two milliseconds, and one with another offset, are understood', async () => {
  const { headers } = await gateway.get('/api/notice/list', at(tomorrow.replace('Z', '999+00:00')));
  expect(headers).toMatchObject({ 'cache-control': 'private, no-store' });
  expect(idsOf((await gateway.get('/api/notice/list', at('2000-01-01T00:00-05:00'))).json)).toEqual([]);
});

test('the detail of a notice is shown as it will be, and counts no view', async () => {
  const path = `/api/notice/${starting}`;
  expect((await gateway.get(path)).status).toBe(404);
  for (const _ of ['once', 'again']) {
    expect((await gateway.get(path, at(await inDays(4)))).json).toMatchObject({ viewCount: 0, inEffect: true });
    const { data } = await gateway.graphql(`{ notice(id: ${starting}) { viewCount } }`, {}, at(await inDays(4)));
    expect(data).toEqual({ notice: { viewCount: 0 } });
  }
  expect((await gateway.get(`/api/notice/${ending}`, at(await inDays(2)))).json).toMatchObject({ inEffect: false });
});

test('a response says that it depends on the header, where there are previews', async () => {
  expect((await gateway.get('/api/product/hot')).headers.vary).toContain('x-preview-at');
});

describe('is refused', () => {
  const refusal = async (target: TestGateway, headers: Record<string, string>) => {
    const rest = await target.get('/api/product/hot', headers);
    const { errors } = (await target.graphql('{ hotProducts { id } }', {}, headers)) as GraphqlResult;
    expect(errors?.[0]?.extensions.code).toBe((rest.json as { code: string }).code);
    expect(rest.headers).toMatchObject({ 'cache-control': 'private, no-store' });
    return [rest.status, (rest.json as { code: string }).code];
  };

  test('without a token, with a wrong one, with an access token, and where no preview token is configured', async () => {
    const time = await inDays(1);
    for (const headers of [{ 'x-preview-at': time }, at(time, 'another-token'), at(time, 'an-access-token')]) {
      for (const each of [gateway, closed]) expect(await refusal(each, headers)).toEqual([401, 'UNAUTHENTICATED']);
    }
    await using plain = await createTestGateway(database);
    expect(await refusal(plain, at(time))).toEqual([401, 'UNAUTHENTICATED']);
    expect((await plain.get('/api/product/hot')).headers.vary).not.toContain('x-preview-at');
  });

  test.for([
    '',
    'tomorrow',
    '2026-12-24',
    '2026-12-24T00:00:00',
    '2026-13-24T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '1790000000',
  ])('the time %j', async (time) => {
    expect(await refusal(gateway, at(time))).toEqual([400, 'BAD_USER_INPUT']);
  });
});
