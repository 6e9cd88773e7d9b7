import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, lasting } from '../support/gateway.ts';
import { insertNotice } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { stored } from '../support/views.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database));

// biome-ignore lint/suspicious/noExplicitAny: the body of either protocol
const noticeOf = ({ json }: { readonly json: any }) => json.data?.notice ?? json;

describe('a notice that was read a moment ago is counted without being read again', () => {
  test.for([
    ['REST', (id: number) => gateway.get(`/api/notice/${id}`)],
    ['GraphQL by GET', (id: number) => gateway.get(`/graphql?query={notice(id:${id}){title,viewCount}}`)],
    ['GraphQL by POST', (id: number) => gateway.post({ query: `{ notice(id: ${id}) { title viewCount } }` })],
  ] as const)('%s: one statement, and the same answer but for its number', async ([, view]) => {
    const id = await insertNotice(database, { title: 'Störung: 1 “Zeile”', view_count: 41 });
    const first = await view(id);
    expect(noticeOf(first).viewCount).toBe(42);
    let last = first;
    // Until the gateway is notified of the new notice.
    const viewAgain = async (): Promise<void> => {
      last = await view(id);
    };
    await expect.poll(() => gateway.countStatements(viewAgain)).toBe(1);
    const { viewCount } = noticeOf(last);
    expect(noticeOf(last)).toEqual({ ...noticeOf(first), viewCount });
    expect(viewCount).toBe(await stored(database, id));
    expect(lasting(last).headers).toEqual({
      ...lasting(first).headers,
      'cache-control': 'no-store',
      'content-length': last.headers['content-length'],
    });
  });

  test('a change by the back office shows all the same', async () => {
    const id = await insertNotice(database, { title: 'Old' });
    await gateway.get(`/api/notice/${id}`);
    await database.sql(`update notice set title = 'New' where id = $1`, [id]);
    await expect.poll(async () => (await gateway.get(`/api/notice/${id}`)).json).toMatchObject({ title: 'New' });
  });

  test('and once it is withdrawn, there is nothing at once, and nothing is counted', async () => {
    const id = await insertNotice(database, { view_count: 7 });
    await gateway.get(`/api/notice/${id}`);
    await database.sql(`update notice set status = 'WITHDRAWN' where id = $1`, [id]);
    expect(await gateway.get(`/api/notice/${id}`)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
    expect(await stored(database, id)).toBe(8);
  });
});

test('a number is put wherever the operation names it, and nowhere else', async () => {
  const id = await insertNotice(database, { view_count: 100, content: `0 ${String.raw`\u0000`}1`, pinned: true });
  const query = `{
    notice(id: ${id}) { viewCount content again: viewCount }
    noticePage(pageSize: 1) { items { id viewCount } }
  }`;
  for (const number of [101, 102]) {
    const { data } = await gateway.graphql(query);
    expect(data.notice).toEqual({ viewCount: number, content: `0 ${String.raw`\u0000`}1`, again: number });
    expect(data.noticePage.items).toEqual([{ id, viewCount: expect.any(Number) }]);
  }
  expect(await stored(database, id)).toBe(102);
});

test('an operation that is not compiled counts its views too', async () => {
  const id = await insertNotice(database);
  const query = 'query ($id: Int!, $more: Boolean!) { notice(id: $id) { viewCount title @include(if: $more) } }';
  expect((await gateway.graphql(query, { id, more: false })).data).toEqual({ notice: { viewCount: 1 } });
  expect((await gateway.graphql(query, { id, more: false })).data).toEqual({ notice: { viewCount: 2 } });
  expect(await stored(database, id)).toBe(2);
});

test('a view of no notice is one statement at most, and counts nothing', async () => {
  const statements = await gateway.countStatements(async () => {
    expect((await gateway.get('/api/notice/987654')).status).toBe(404);
  });
  expect(statements).toBe(1);
});
