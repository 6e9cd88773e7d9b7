import { expect, test } from 'vitest';
import { createTestGateway } from '../support/gateway.ts';
import { askAll, createSmallShop, KNOWN, type Request, STALE, untilKnown } from '../support/known-answers.ts';
import { OUTAGES } from '../support/outages.ts';
import { insertCategory, insertNotice, insertProduct, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { openSession } from '../support/session.ts';

const createOutage = OUTAGES['that refuses connections'];

/** Asks while the database is away, until after a moment so far ahead, and gives in how many rounds it was certainly before or after it. */
const askAround = async (leadMs: number) => {
  await using database = await createSmallShop();
  await insertNotice(database, { title: 'Stays', pinned: true });
  const category = await insertCategory(database);
  await using outage = await createOutage(database);
  await using gateway = await createTestGateway(outage);
  const get = (target: string): Request => ['GET', target];
  const ENDING = ['/api/notice/list', '/api/notice/page', '/graphql?query={noticePage(pageSize:5){items{id}}}'].map(
    get,
  );
  const STAYING = ['/api/notice/page?pageSize=1', '/api/product/hot', '/graphql?query={categories{products{id}}}'].map(
    get,
  );
  await untilKnown(gateway, [...ENDING, ...STAYING]);

  const moment = await momentFromNow(database, leadMs);
  await insertNotice(database, { title: 'Begins', starts_at: moment });
  await insertProduct(database, { category_id: category, published_at: moment });
  await insertNotice(database, { title: 'Ends', ends_at: moment });
  await expect.poll(async () => (await askAll(gateway, ENDING))[0]?.text, { interval: 5 }).toContain('"Ends"');
  await untilKnown(gateway, ENDING);
  const texts = (await untilKnown(gateway, STAYING)).map(({ text }) => text);
  await outage.begin();

  const seen = { before: 0, after: 0 };
  // For longer than counts may lag otherwise.
  for (let sentMs = -Infinity; sentMs < 2600; ) {
    sentMs = await millisecondsSince(database, moment);
    const [ending, staying] = [await askAll(gateway, ENDING), await askAll(gateway, STAYING)];
    const receivedMs = await millisecondsSince(database, moment);
    expect(staying.map(({ text }) => text)).toEqual(texts);
    const statuses = ending.map(({ status }) => status);
    if (sentMs > 50) {
      seen.after += 1;
      expect(statuses).toEqual([503, 503, 503]);
    } else if (receivedMs < -50) {
      seen.before += 1;
      expect(statuses).toEqual([200, 200, 200]);
    }
  }
  return seen;
};

test('while the database is away no notice is shown past its end; what shows none of that stays, whatever begins or may lag', async () => {
  // On a busy machine the moment may come before there was time to look: then another is waited for, which is further away.
  let seen = { before: 0, after: 0 };
  for (let leadMs = 1500; leadMs < 10_000 && seen.before <= 2; leadMs *= 2) seen = await askAround(leadMs);
  expect(Math.min(seen.before, seen.after)).toBeGreaterThan(2);
});

test('a client that has the response already gets a 304 while the database is away, by either protocol', async ({
  expect,
}) => {
  await using database = await createSmallShop();
  await using outage = await createOutage(database);
  await using gateway = await createTestGateway(outage);
  const known = await untilKnown(gateway);
  await outage.begin();
  await expect.poll(async () => (await askAll(gateway))[0]?.headers['cache-status'], { interval: 5 }).toBe(STALE);
  for (const [index, request] of KNOWN.entries()) {
    const etag = String(known[index]?.headers.etag);
    const [answer] = await askAll(gateway, [request], { 'if-none-match': etag });
    expect(answer).toMatchObject({
      status: request[0] === 'POST' ? 200 : 304,
      headers: {
        etag,
        'cache-status': STALE,
        'cache-control': 'public, max-age=0, must-revalidate, stale-while-revalidate=0',
      },
    });
  }
});

test('what is known to have changed before the database went away is not answered as it was', async ({ expect }) => {
  await using database = await createSmallShop();
  await using outage = await createOutage(database);
  await using gateway = await createTestGateway(outage);
  await untilKnown(gateway, [...KNOWN, ['GET', '/api/product/2']]);
  await database.sql('update product set price = 9');
  await expect.poll(async () => (await askAll(gateway))[1]?.text, { interval: 5 }).toContain('"9.00"');
  await outage.begin();
  // A list may have read the row again: then its new price is known.
  const seen = async () => {
    const { status, text } = await gateway.get('/api/product/2');
    expect(status === 503 || text.includes('"9.00"'), text).toBe(true);
    return (await gateway.get('/api/notice/list')).headers['cache-status'];
  };
  await expect.poll(seen, { interval: 5 }).toBe(STALE);
  await seen();
});

test('the detail of a notice is read again or refused, never stale', async () => {
  await using database = await createSmallShop();
  await using heartbeatLink = await createOutage(database);
  await using gateway = await createTestGateway(database, {
    DATABASE_URL: database.url,
    DATABASE_DIRECT_URL: heartbeatLink.url,
    DATABASE_TIMEOUT_MS: '300',
  });
  await untilKnown(gateway);
  expect((await gateway.get('/api/notice/1')).text).toContain('"title":"Notice"');
  // Only the heartbeat is cut off, so that views can still be counted.
  await heartbeatLink.begin();
  await using backOffice = await openSession(database);
  await backOffice.query('begin');
  await backOffice.query('lock table product in access exclusive mode');
  await expect
    .poll(async () => (await gateway.get('/api/product/1')).headers['cache-status'], { interval: 5 })
    .toBe(STALE);
  await database.sql(`update notice set title = 'Changed' where id = 1`);
  expect((await gateway.get('/api/notice/1')).text).toContain('"title":"Changed"');
});

test('nobody gets without a token what needs one, the database being away or not', async () => {
  await using database = await createSmallShop();
  await using outage = await createOutage(database);
  await using gateway = await createTestGateway(outage, { ACCESS_TOKENS: 'a-token-0123456789' });
  const granted = { authorization: 'Bearer a-token-0123456789' };
  await untilKnown(gateway, KNOWN, granted);
  await outage.begin();
  await expect
    .poll(async () => (await askAll(gateway, KNOWN, granted))[0]?.headers, { interval: 5 })
    .toMatchObject({ 'cache-status': STALE, 'cache-control': 'private, max-age=0, must-revalidate' });
  for (const { status } of await askAll(gateway)) expect(status).toBe(401);
});

test('a gateway that keeps nothing has nothing to answer', async () => {
  await using database = await createSmallShop();
  await using outage = await createOutage(database);
  await using gateway = await createTestGateway(outage, { CACHE_MAX_MB: '0' });
  for (const { status } of await askAll(gateway)) expect(status).toBe(200);
  await outage.begin();
  for (const { status } of await askAll(gateway)) expect(status).toBe(503);
  await outage.end();
  await expect
    .poll(async () => (await askAll(gateway)).map(({ status }) => status), { interval: 5 })
    .toEqual(KNOWN.map(() => 200));
});
