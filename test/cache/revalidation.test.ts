import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { type CachedResponse, createTestGateway } from '../support/gateway.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { insertCategory, insertNotice, insertProduct, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';

const shop = await shared(createRestShop());

/** By how much the contract allows the gateway's clock to differ from the database's. */
const CLOCK_TOLERANCE_MS = 50;

const TARGETS = [
  '/api/product/1',
  '/api/product/list?limit=30',
  '/api/notice/page',
  '/graphql?query={hotProducts{name}}',
];

const ask = (target: string, ifNoneMatch?: string, method = 'GET'): Promise<CachedResponse> =>
  shop.gateway.request(method, target, ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch });

/** The last second in which nginx may show a copy. */
const lastSecondOf = ({ headers }: CachedResponse): number | undefined => {
  const { 'x-accel-expires': value } = headers;
  if (value === undefined) return undefined;
  expect(value).toMatch(/^@\d{10}$/);
  return Number(value.slice(1));
};

const etagOf = async (target: string): Promise<string> => String((await ask(target)).headers.etag);

describe.each(TARGETS)('%s', (target) => {
  test('has a weak entity tag that stays while the answer does', async () => {
    const etag = await etagOf(target);
    expect(etag).toMatch(/^W\/"[0-9a-z]{8,13}"$/);
    for (const method of ['GET', 'HEAD', 'GET']) expect((await ask(target, undefined, method)).headers.etag).toBe(etag);
  });

  test.for<[string, (etag: string) => string]>([
    ['as it came', (etag) => etag],
    ['without its weakness', (etag) => etag.replace('W/', '')],
    ['among others', (etag) => `"a", W/"b" ,${etag},"c"`],
    ['*', () => '*'],
  ])('known to the client, %s, is a 304 without a body', async ([, ifNoneMatch]) => {
    const full = await ask(target);
    const etag = String(full.headers.etag);
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(target, ifNoneMatch(etag), method);
      expect(answer).toMatchObject({ status: 304, text: '', headers: { etag, vary: full.headers.vary } });
      expect(answer.headers['cache-control']).toMatch(
        /^public, max-age=[01], must-revalidate, stale-while-revalidate=0$/,
      );
      expect(lastSecondOf(answer) !== undefined).toBe(answer.headers['cache-control']?.includes('max-age=1'));
      expect(answer.headers).not.toHaveProperty('content-length');
      expect(answer.headers).not.toHaveProperty('content-encoding');
    }
  });

  test.for(['"other"', 'W/"other"', '', '""', 'W/', '"*"'])(
    'with if-none-match: %s is answered whole',
    async (ifNoneMatch) => {
      const etag = await etagOf(target);
      for (const value of [ifNoneMatch, etag.slice(0, -2), etag.replaceAll('"', ''), etag.toUpperCase()]) {
        expect(await ask(target, value)).toMatchObject({ status: 200, headers: { etag } });
      }
    },
  );
});

test('answers that differ in the name of a field alone have different tags', async () => {
  const tags = ['name', 'title: name', 'label: name'].map((field) => etagOf(`/graphql?query={hotProducts{${field}}}`));
  expect(new Set(await Promise.all(tags)).size).toBe(3);
});

test('a tag of before a change is answered whole, with another', async () => {
  const etag = await etagOf('/api/product/2');
  await shop.database.sql('update product set price = 99 where id = 2');
  await expect
    .poll(() => ask('/api/product/2', etag), { interval: 5 })
    .toMatchObject({ status: 200, json: { price: { amount: '99.00' } } });
  expect(await etagOf('/api/product/2')).not.toBe(etag);
  await shop.database.sql('update product set price = 22 where id = 2');
  await expect.poll(() => etagOf('/api/product/2'), { interval: 5 }).toBe(etag);
});

test('what is not kept is never a 304, whatever the client says', async () => {
  for (const target of ['/api/notice/1', '/graphql?query={notice(id:1){id}}']) {
    expect(await ask(target, '*')).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
  }
  expect((await ask('/api/product/0', '*')).status).toBe(404);
  expect((await ask('/api/product/hot?limit=0', '*')).status).toBe(400);
});

test('POST has the tag and is always answered whole', async () => {
  const headers = { 'content-type': 'application/json', 'if-none-match': '*' };
  for (const round of [1, 2, 3]) {
    const answer = await shop.gateway.request('POST', '/graphql', headers, '{"query":"{ hotProducts { id } }"}');
    expect(answer.status, `${round}`).toBe(200);
    expect(answer.headers.etag).toMatch(/^W\//);
  }
});

test('over a socket a 304 ends with its headers, and the connection goes on', async () => {
  await using server = await listen(shop.gateway);
  const url = `${server.url}/api/product/list?limit=30`;
  const etag = (await fetch(url)).headers.get('etag') ?? '';
  for (const round of [1, 2, 3]) {
    const response = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([round, response.status, response.headers.get('etag'), await response.text()]).toEqual([
      round,
      304,
      etag,
      '',
    ]);
  }
});

test('max-age and the second for nginx never reach past a publication, a start or an end, and are not 0 for nothing', async () => {
  await using database = await createTestDatabase();
  const category = await insertCategory(database);
  const id = await insertProduct(database, { category_id: category });
  await using gateway = await createTestGateway(database);
  // The first request loads what is needed for any.
  await gateway.graphql('{ __typename }');

  const CHANGING = ['/api/product/hot', '/api/notice/list', '/graphql?query={notices{title},hotProducts{id}}'];
  const UNCHANGING = [`/api/product/${id}`, '/graphql?query={categories{name}}'];
  const ages = new Map([...CHANGING, ...UNCHANGING].map((target) => [target, new Set<number>()]));
  const areSeen = (): boolean => CHANGING.every((target) => ages.get(target)?.size === 2);
  // On a busy machine the moment may come before there was time to look: then another is waited for, which is further away.
  for (let leadMs = 1800; leadMs < 10_000 && !areSeen(); leadMs *= 2) {
    const moment = await momentFromNow(database, leadMs);
    const momentMs = Date.parse(moment);
    await insertNotice(database, { ends_at: moment });
    await insertProduct(database, { category_id: category, published_at: moment });
    for (let receivedMs = -Infinity; receivedMs < 0; ) {
      for (const [target, seen] of ages) {
        const sentMs = await millisecondsSince(database, moment);
        const method = seen.size > 0 ? 'HEAD' : 'GET';
        const answer = await gateway.request(method, target);
        receivedMs = await millisecondsSince(database, moment);
        const age = Number(
          /^public, max-age=(\d+), must-revalidate, stale-while-revalidate=0$/.exec(
            answer.headers['cache-control'] ?? '',
          )?.[1],
        );
        if (receivedMs >= 0) break;
        seen.add(age);
        // The gateway's clock is the database's but for half of a round trip: a fraction of a millisecond, and more on a busy machine.
        if (CHANGING.includes(target)) expect(sentMs + age * 1000, target).toBeLessThan(CLOCK_TOLERANCE_MS);
        const lastSecond = lastSecondOf(answer);
        expect(lastSecond !== undefined, target).toBe(age === 1);
        if (lastSecond === undefined) continue;
        // nginx shows a copy until this second is over.
        const hiddenMs = (lastSecond + 1) * 1000 - momentMs;
        expect(hiddenMs, target).toBeGreaterThan(sentMs - CLOCK_TOLERANCE_MS);
        expect(hiddenMs, target).toBeLessThan(receivedMs + 1000 + CLOCK_TOLERANCE_MS);
        if (CHANGING.includes(target)) expect(hiddenMs, target).toBeLessThan(CLOCK_TOLERANCE_MS);
      }
    }
  }
  for (const target of CHANGING) expect([...(ages.get(target) ?? [])].sort()).toEqual([0, 1]);
  for (const target of UNCHANGING) expect([...(ages.get(target) ?? [])]).toEqual([1]);
});
