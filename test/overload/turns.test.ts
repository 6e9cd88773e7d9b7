import { expect, test, vi } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, JSON_HEADERS } from '../support/gateway.ts';
import { scrape } from '../support/scrape.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
await database.sql(`insert into notice (title, content) values ('Read me', '…')`);

/** As many as may be executed at the same time. */
const PLACES = 20;

test('HEAD of a notice counts no view, and waits for its turn as all that is executed', async () => {
  await using gateway = await createTestGateway(database, {
    MAX_IN_FLIGHT: String(PLACES),
    DATABASE_POOL_SIZE: String(PLACES + 5),
  });
  await using backOffice = await openSession(database);
  await backOffice.query('begin');
  await backOffice.query('lock table product in access exclusive mode');
  const misses = Promise.all(
    Array.from({ length: PLACES }, (_, id) => gateway.get(`/api/product/list?categoryIds=${id}`)),
  );
  const inFlight = async (): Promise<number> => (await scrape(gateway)).sum('vitrine_executions_in_flight');
  await vi.waitFor(async () => expect(await inFlight()).toBe(PLACES), { timeout: 30_000 });
  expect((await gateway.request('HEAD', '/api/notice/1')).status).toBe(503);
  expect((await gateway.request('GET', '/api/notice/1')).status).toBe(200);
  await backOffice.query('rollback');
  await misses;
  expect((await gateway.request('HEAD', '/api/notice/1')).status).toBe(200);
});

test('of twelve large bodies, no two are read in one turn of the event loop, by whichever path', async () => {
  await using gateway = await createTestGateway(database, { UCP: 'on' });
  const query = 'query($a:[Int!]){products(categoryIds:$a,limit:1){id}}';
  const ids = Array.from({ length: 100_000 }, (_, index) => index % 10);
  const lookup = { name: 'lookup_catalog', arguments: { catalog: { ids } } };
  const bodies = [
    ['/graphql', { query, variables: { a: ids } }],
    ['/ucp/catalog/lookup', { ids }],
    ['/ucp/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: lookup }],
  ] as const;
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn += 1;
    if (isCounting) setImmediate(count);
  };
  setImmediate(count);
  const turns = await Promise.all(
    Array.from({ length: 12 }, async (_, number) => {
      const [path, body] = bodies[number % 3] as (typeof bodies)[number];
      const answer = await gateway.request('POST', path, JSON_HEADERS, JSON.stringify(body));
      expect(answer.text).toMatch(/Too many lists, objects, keys and items|must be string/);
      return turn;
    }),
  );
  isCounting = false;
  expect(new Set(turns).size).toBe(12);
});
