import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { createTestGateway, JSON_HEADERS } from '../support/gateway.ts';
import { askAll, createSmallShop, type Request, STALE, untilKnown } from '../support/known-answers.ts';
import { OUTAGES } from '../support/outages.ts';
import { openSession } from '../support/session.ts';

const UNKNOWN: readonly Request[] = [
  ['GET', '/api/product/2'],
  ['GET', '/api/product/new'],
  ['GET', '/api/notice/page?keyword=other'],
  ['GET', '/api/notice/1'],
  ['HEAD', '/api/notice/1'],
  ['GET', '/graphql?query={notice(id:1){title}}'],
  ['GET', '/graphql?query={product(id:2){name}}'],
  ['POST', '/graphql', JSON_HEADERS, '{"query":"{ newProducts { name } }"}'],
  [
    'POST',
    '/graphql',
    { ...JSON_HEADERS, accept: 'application/graphql-response+json' },
    '{"query":"{ notices { id } }"}',
  ],
];

// One at a time: what makes all well again is new connections, of which several gateways at once would take the second for themselves.
describe.each(Object.entries(OUTAGES))('with a database %s', (_, createOutage) => {
  test('what was cached is answered and marked, the rest is a 503 in under 2 s, and within a second of its return all is well', async ({
    expect,
  }) => {
    await using database = await createSmallShop();
    await using outage = await createOutage(database);
    await using gateway = await createTestGateway(outage, { DATABASE_TIMEOUT_MS: '1500' });
    const known = await untilKnown(gateway);
    await outage.begin();

    // Until the bound has passed nothing need be amiss.
    await expect
      .poll(async () => (await gateway.get('/api/product/1')).headers['cache-status'], { interval: 5, timeout: 3000 })
      .toBe(STALE);
    const askedMs = performance.now();
    // A timer of ours that is due as long after says by how much this process is late.
    const [stale, unknown, lateMs] = await Promise.all([
      askAll(gateway),
      askAll(gateway, UNKNOWN),
      delay(1500).then(() => performance.now() - askedMs - 1500),
    ]);
    expect(performance.now() - askedMs - lateMs).toBeLessThan(2000);

    for (const [index, answer] of stale.entries()) {
      expect(answer).toMatchObject({ status: 200, text: known[index]?.text });
      expect(answer.headers).toMatchObject({
        etag: known[index]?.headers.etag,
        'content-type': known[index]?.headers['content-type'],
        'cache-status': STALE,
        'cache-control': 'public, max-age=0, must-revalidate, stale-while-revalidate=0',
      });
    }
    for (const { status, headers, text, json } of unknown) {
      expect(status, text).toBe(503);
      expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
      expect(headers).not.toHaveProperty('cache-status');
      const problem = headers['content-type']?.startsWith('application/problem+json')
        ? json
        : (json as { errors: { extensions: object }[] }).errors[0]?.extensions;
      expect(problem).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    }

    await outage.end();
    const returnedMs = performance.now();
    // What a connection takes on this machine, which may be busy with others.
    const connecting = openSession(database).then(async (session) => {
      await session.query('select 1');
      const tookMs = performance.now() - returnedMs;
      await session[Symbol.asyncDispose]();
      return tookMs;
    });
    await database.sql('update product set price = 77');
    const outcomes = async (): Promise<unknown[]> =>
      (await askAll(gateway)).map(({ status, headers }) => (status === 200 ? headers['cache-status'] : status));
    await expect
      .poll(outcomes, { interval: 10 })
      .toSatisfy((seen: unknown[]) => seen.every((outcome) => outcome !== STALE && outcome !== 503));
    expect(performance.now() - returnedMs).toBeLessThan(1000 + 5 * (await connecting));
    for (const { text } of await askAll(gateway)) if (text.includes('amount')) expect(text).toContain('"77.00"');
    expect((await gateway.get('/api/notice/1')).status).toBe(200);
    await untilKnown(gateway);
  });
});

test.concurrent('it lasts for STALE_IF_ERROR_S and no longer', async ({ expect }) => {
  await using database = await createSmallShop();
  await using outage = await OUTAGES['that refuses connections'](database);
  await using gateway = await createTestGateway(outage, { STALE_IF_ERROR_S: '1' });
  await untilKnown(gateway);
  await outage.begin();
  const beganMs = performance.now();
  let lastMs = 0;
  const statuses = async (): Promise<number[]> => {
    const sentMs = performance.now();
    const seen = new Set((await askAll(gateway)).map(({ status }) => status));
    if (seen.has(200)) lastMs = sentMs;
    return [...seen];
  };
  await expect.poll(statuses, { interval: 10, timeout: 2500 }).toEqual([503]);
  // It counts from the last heartbeat, which was sent within the bound.
  expect(lastMs - beganMs).toBeGreaterThan(500);
  expect(lastMs - beganMs).toBeLessThan(1050);
});

test.concurrent('one request in a while finds out whether the database is back; the rest do not wait for it', async ({
  expect,
}) => {
  await using database = await createSmallShop();
  await using outage = await OUTAGES['that takes connections and says nothing'](database);
  await using gateway = await createTestGateway(outage, { DATABASE_TIMEOUT_MS: '400' });
  await untilKnown(gateway);
  await outage.begin();
  const timed = async () => {
    const beganMs = performance.now();
    const { headers } = await gateway.get('/api/product/1');
    return { outcome: headers['cache-status'], waitedMs: performance.now() - beganMs };
  };
  await expect.poll(async () => (await timed()).outcome, { interval: 5, timeout: 3000 }).toBe(STALE);
  const asked: ReturnType<typeof timed>[] = [];
  const sinceMs = performance.now();
  for (; asked.length < 120; await delay(10)) asked.push(timed());
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set([STALE]));
  // Who finds it out waits for as long as a statement may take, and half a second passes until the next one.
  const waiting = answers.filter(({ waitedMs }) => waitedMs > 390).length;
  expect(waiting).toBeGreaterThan(0);
  expect(waiting).toBeLessThan(2 + (performance.now() - sinceMs) / 500);
});
