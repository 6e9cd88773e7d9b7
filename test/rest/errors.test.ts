import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestGateway } from '../support/gateway.ts';
import { type DatabaseLink, linkTo } from '../support/rest-database-link.ts';
import { expectNotFound, expectProblem } from '../support/rest-problem.ts';
import { type RestShop, TARGETS, useRestShop } from '../support/rest-shop.ts';

// What an answer was before a failure is of no use here.
const UNCACHED = { CACHE_MAX_MB: '0', FRESHNESS_MS: '0' };
const shop = useRestShop(UNCACHED);

describe('a failure of ours', () => {
  const broken = useRestShop(UNCACHED);
  beforeAll(async () => {
    await broken.database.sql('alter table product rename column subtitle to gone');
    await broken.database.sql('alter table notice rename column summary to gone');
  });

  test.for(TARGETS)('at %s is a problem that tells nothing of its cause', async (path) => {
    const answer = await broken.gateway.get(path);
    expectProblem(answer, {
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      detail: 'Something went wrong on our side.',
    });
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

describe('with the database away', () => {
  let link: DatabaseLink;
  let gateway: RestShop['gateway'];
  beforeEach(async () => {
    link = await linkTo(shop.database.url);
    gateway = await createTestGateway({ url: link.url }, UNCACHED);
    return async () => {
      await gateway[Symbol.asyncDispose]();
      await link[Symbol.asyncDispose]();
    };
  });
  afterEach(() => expect(gateway.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]));

  const expectUnavailable = async (path: string): Promise<void> => {
    const startedMs = performance.now();
    const answer = await gateway.get(path);
    expect(performance.now() - startedMs).toBeLessThan(2000);
    expectProblem(answer, {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      detail: 'The database cannot answer at the moment. Try again shortly.',
    });
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  };

  test.for([
    ['that refuses connections', { silent: false }],
    ['that says nothing', { silent: true }],
  ] as const)('as one %s, each path says within 2 seconds when to come back, and then serves', async ([, how]) => {
    await link.cut(how);
    await Promise.all(TARGETS.map(expectUnavailable));
    await link.restore();
    for (const path of TARGETS) await expect.poll(async () => (await gateway.get(path)).status).toBe(200);
  });

  test('a request that needs no database is answered as ever', async () => {
    await link.cut();
    for (const path of ['/api/product/4.0', '/api/x', '/api/product/99999999999'])
      expectNotFound(await gateway.get(path));
    expectProblem(await gateway.get('/api/product/hot?limit=0'), {
      status: 400,
      code: 'BAD_USER_INPUT',
      parameter: 'limit',
    });
    expect((await gateway.request('POST', '/api/notice/4')).status).toBe(405);
    expect((await gateway.request('OPTIONS', '/api/notice/4')).status).toBe(204);
  });

  test('a view that was not counted is not answered', async () => {
    await link.cut();
    for (let tries = 0; tries < 3; tries += 1) await expectUnavailable('/api/notice/5');
    await link.restore();
    await expect.poll(async () => (await gateway.get('/api/notice/5')).json).toMatchObject({ id: 5, viewCount: 1 });
  });
});

describe('with ACCESS_TOKENS', () => {
  const TOKEN = 'token-of-a-legacy-client';

  test.for(TARGETS)('%s is for those who have one, except notice detail', async (path) => {
    await using gateway = await createTestGateway(shop.database, { ...UNCACHED, ACCESS_TOKENS: TOKEN });
    const granted = await gateway.get(path, { authorization: `Bearer ${TOKEN}` });
    expect(granted.status).toBe(200);
    for (const headers of [{}, { authorization: 'Bearer token-of-another' }, { authorization: `Basic ${TOKEN}` }]) {
      const answer = await gateway.get(path, headers);
      if (path === '/api/notice/4') {
        expect(answer.status).toBe(200);
        continue;
      }
      expectProblem(answer, { status: 401, code: 'UNAUTHENTICATED' });
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
    }
  });
});
