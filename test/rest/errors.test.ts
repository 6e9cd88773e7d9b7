import { beforeAll, describe, expect, test } from 'vitest';
import { createTestGateway } from '../support/gateway.ts';
import { OUTAGES } from '../support/outages.ts';
import { expectNotFound, expectProblem } from '../support/rest-problem.ts';
import { createRestShop, TARGETS } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';
import { Stalls } from '../support/stalls.ts';

// What an answer was before a failure is of no use here.
const UNCACHED = { CACHE_MAX_MB: '0', FRESHNESS_MS: '0' };
const shop = await shared(createRestShop(UNCACHED));
const broken = await shared(createRestShop(UNCACHED));

describe('a failure of ours', () => {
  beforeAll(async () => {
    await broken.database.sql('alter table product rename column subtitle to gone');
    await broken.database.sql('alter table notice rename column summary to gone');
  });

  test.for(TARGETS)('at %s is a problem that tells nothing of its cause', async (path) => {
    const answer = await broken.gateway.get(path);
    expectProblem(answer, { status: 500, code: 'INTERNAL_SERVER_ERROR', detail: 'Something went wrong on our side.' });
  });

  test('is logged with its cause under the request id that the client got', async () => {
    for (const [path, column, given] of [
      ['/api/product/4', 'subtitle', 'a-client/42'],
      ['/api/notice/list', 'summary', undefined],
    ] as const) {
      const { headers } = await broken.gateway.get(path, given ? { 'x-request-id': given } : {});
      const requestId = headers['x-request-id'];
      expect(requestId).toMatch(given ?? /^[\w-]{16}-[0-9a-z]+$/);
      const lines = broken.gateway.logged.filter((line) => line.requestId === requestId && Number(line.level) >= 50);
      expect(lines).toEqual([expect.objectContaining({ msg: 'unexpected error' })]);
      expect(JSON.stringify(lines)).toContain(column);
    }
  });

  test('at HEAD is the same', async () => {
    for (const path of TARGETS) expect((await broken.gateway.request('HEAD', path)).status).toBe(500);
  });

  test('ends with its cause', async () => {
    await broken.database.sql('alter table product add column subtitle text');
    expect((await broken.gateway.get('/api/product/4')).status).toBe(200);
  });
});

test.for(['that refuses connections', 'that takes connections and says nothing'] as const)(
  'with a database %s each path says within 2 s when to come back, and counts no view; without a need for it, all is as ever',
  async (kind) => {
    await using outage = await OUTAGES[kind](shop.database);
    await using gateway = await createTestGateway(outage, { ...UNCACHED, DATABASE_TIMEOUT_MS: '1500' });
    const expectUnavailable = async (path: string): Promise<void> => {
      using stalls = new Stalls();
      const startedMs = performance.now();
      const answer = await gateway.get(path);
      expect(performance.now() - startedMs - stalls.ms()).toBeLessThan(2000);
      expectProblem(answer, {
        status: 503,
        code: 'SERVICE_UNAVAILABLE',
        detail: 'The database cannot answer at the moment. Try again shortly.',
      });
      expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    };
    const [stored] = await shop.database.sql('select view_count::int as views from notice where id = 5');
    await outage.begin();
    await Promise.all([...TARGETS, ...Array(3).fill('/api/notice/5')].map(expectUnavailable));

    for (const path of ['/api/product/4.0', '/api/x', '/api/product/99999999999'])
      expectNotFound(await gateway.get(path));
    expectProblem(await gateway.get('/api/product/hot?limit=0'), {
      status: 400,
      code: 'BAD_USER_INPUT',
      parameter: 'limit',
    });
    expect((await gateway.request('POST', '/api/notice/4')).status).toBe(405);
    expect((await gateway.request('OPTIONS', '/api/notice/4')).status).toBe(204);

    await outage.end();
    for (const path of TARGETS) await expect.poll(async () => (await gateway.get(path)).status).toBe(200);
    const viewCount = stored?.views + 1;
    await expect.poll(async () => (await gateway.get('/api/notice/5')).json).toMatchObject({ id: 5, viewCount });
    expect(gateway.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  },
);
