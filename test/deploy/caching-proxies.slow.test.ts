import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasApache, startApache } from '../support/apache.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway, JSON_HEADERS, PATIENT, startTestServer } from '../support/gateway.ts';
import { hasHaproxy, startHaproxy } from '../support/haproxy.ts';
import { hasNginx, startNginx } from '../support/nginx.ts';
import type { ProxyProcess } from '../support/proxy-process.ts';
import { insertNotice, millisecondsSince, momentFromNow } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { listen, sendRaw } from '../support/socket.ts';
import { hasSquid, startSquid } from '../support/squid.ts';
import { hasVarnish, startVarnish } from '../support/varnish.ts';
import { stored } from '../support/views.ts';

// Caches of others, as deploy/ and docs/ set them up, between a client and the gateway.

/** A gateway that has one notice to show, and its database. */
const startShop = async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  await insertNotice(database, { title: 'Stays' });
  const gateway = stack.use(await createTestGateway(database, PATIENT));
  const { host } = new URL(stack.use(await listen(gateway)).url);
  const running = stack.move();
  return { database, host, [Symbol.asyncDispose]: () => running.disposeAsync() };
};

const PROXIES = [
  {
    name: 'nginx',
    isThere: hasNginx,
    startBefore: (address: string) => startNginx([address, address], { CACHE: 'answers' }),
  },
  { name: 'Varnish', isThere: hasVarnish, startBefore: (address: string) => startVarnish(address) },
  { name: 'Squid', isThere: hasSquid, startBefore: startSquid },
  { name: 'Apache', isThere: hasApache, startBefore: (address: string) => startApache(address) },
].filter(({ isThere }) => isThere);

const PURGED = path.join(import.meta.dirname, '../../examples/clients/purge/cache.vcl');

const TARGETS = ['/api/notice/list', `/graphql?${new URLSearchParams({ query: '{ notices { title } }' })}`];

/** What a cache, and then a browser, may add to the age of an answer. */
const MAX_AGE_MS = 1000;
/** By how much the gateway may be late by itself (its bound of freshness), and a busy machine. */
const LATE_MS = 500;

/** Between two requests of whoever asks all the time: without it the loops of this file would keep the processors busy. */
const PAUSE_MS = 30;

/** For how long a browser keeps a response. */
const keptMs = ({ headers }: Response): number => {
  const maxAgeS = Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1]);
  return Math.max(0, maxAgeS - Number(headers.get('age') ?? 0)) * 1000;
};

/** The caches side by side, because most of it is waiting; what is asked of one, in turn. */
const IN_TURN = { concurrent: false };

describe.skipIf(PROXIES.length === 0).concurrent.each(PROXIES)('through $name', ({ startBefore }) => {
  const stack = new AsyncDisposableStack();
  let database: TestDatabase;
  let proxy: ProxyProcess;
  beforeAll(async () => {
    const shop = stack.use(await startShop());
    database = shop.database;
    proxy = stack.use(await startBefore(shop.host));
  });
  afterAll(() => stack.disposeAsync());

  test(
    'no notice is shown more than a second after its end, to whoever asks all the time, in a browser that keeps it too',
    IN_TURN,
    async ({ expect }) => {
      const begin = await momentFromNow(database, 0);
      // Ends in all parts of a second, for caches that go by whole ones.
      const ends = new Map(Array.from({ length: 12 }, (_, index) => [`Ends ${index}`, 2000 + index * 430]));
      const lastMs = Math.max(...ends.values());
      for (const [title, endMs] of ends) {
        await insertNotice(database, { title, ends_at: new Date(Date.parse(begin) + endMs).toISOString() });
      }
      const latest = { shownMs: -Infinity, keptMs: -Infinity };
      const seen = new Set<string>();
      for (let sentMs = 0; sentMs < lastMs + 3 * MAX_AGE_MS; ) {
        for (const target of TARGETS) {
          sentMs = await millisecondsSince(database, begin);
          const response = await fetch(proxy.url + target);
          const text = await response.text();
          for (const [title, endMs] of ends) {
            if (!text.includes(`"${title}"`)) continue;
            seen.add(title);
            latest.shownMs = Math.max(latest.shownMs, sentMs - endMs);
            latest.keptMs = Math.max(latest.keptMs, sentMs + keptMs(response) - endMs);
          }
        }
        await delay(PAUSE_MS);
      }
      expect(seen.size).toBe(ends.size);
      expect(latest.shownMs).toBeLessThan(MAX_AGE_MS);
      expect(latest.keptMs).toBeLessThan(MAX_AGE_MS);
    },
  );

  test('whoever comes after a pause is shown no notice that has ended meanwhile', IN_TURN, async ({ expect }) => {
    // With a copy of long before the end, and with one of just before it, for which a cache may have asked by the entity tag; each under an address of its own.
    const pass = async (isAskedLate: boolean, round: number): Promise<void> => {
      const title = `Ends in a pause, ${round}`;
      // Later than the copy of before may be kept, by a second in which one with the notice may be kept, too; in all parts of a second.
      const end = await momentFromNow(database, 3000 + round * 230);
      await insertNotice(database, { title, ends_at: end });
      const shown = async (): Promise<string> => (await fetch(`${proxy.url}/api/notice/list?round=${round}`)).text();
      await expect.poll(shown).toContain(title);
      if (isAskedLate) {
        await expect.poll(() => millisecondsSince(database, end)).toBeGreaterThan(-500);
        await shown();
      }
      await expect.poll(() => millisecondsSince(database, end)).toBeGreaterThan(MAX_AGE_MS);
      expect(await shown()).not.toContain(title);
    };
    await Promise.all([false, true, false, true].map(pass));
  });

  test('every change shows a second after the gateway shows it', IN_TURN, async ({ expect }) => {
    const id = await insertNotice(database, { title: 'Change 0.' });
    const begin = await momentFromNow(database, 0);
    /** When each title was replaced by the next. */
    const replacedMs: number[] = [];
    let ageMs = -Infinity;
    for (let sentMs = 0; sentMs < 8000; ) {
      await delay(PAUSE_MS);
      sentMs = await millisecondsSince(database, begin);
      const text = await (await fetch(`${proxy.url}/api/notice/list`)).text();
      const shown = Number(/Change (\d+)\./.exec(text)?.[1] ?? Number.NaN);
      ageMs = Math.max(ageMs, sentMs - (replacedMs[shown] ?? Number.POSITIVE_INFINITY));
      if (sentMs < (replacedMs.at(-1) ?? 0) + 130) continue;
      await database.sql('update notice set title = $1 where id = $2', [`Change ${replacedMs.length + 1}.`, id]);
      replacedMs.push(await millisecondsSince(database, begin));
    }
    expect(replacedMs.length).toBeGreaterThan(10);
    expect(ageMs).toBeLessThan(MAX_AGE_MS + LATE_MS);
  });

  test('no answer is given any more a second after the gateway has gone', IN_TURN, async ({ expect }) => {
    const away = await startTestServer(database);
    await using itsProxy = await startBefore(new URL(away.url).host);
    const target = `${itsProxy.url}/api/notice/list`;
    await expect.poll(async () => (await fetch(target)).status).toBe(200);
    await away[Symbol.asyncDispose]();
    const goneMs = performance.now();
    let sentMs = goneMs;
    let shownMs = goneMs;
    while (sentMs < goneMs + 4 * MAX_AGE_MS) {
      await delay(PAUSE_MS);
      sentMs = performance.now();
      if ((await fetch(target)).status === 200) shownMs = sentMs;
    }
    expect(shownMs - goneMs).toBeLessThan(MAX_AGE_MS + LATE_MS);
  });

  test(
    'a copy has the same headers for GET, HEAD and If-None-Match, and says how old it may be',
    IN_TURN,
    async ({ expect }) => {
      // It shows no view counts, and nothing is to be published: no copy is of the last second.
      const target = `${proxy.url}/api/product/hot`;
      const ask = async (init: RequestInit = {}) => {
        const { status, headers } = await fetch(target, init);
        const names = ['cache-control', 'etag', 'vary'] as const;
        return { status, headers: Object.fromEntries(names.map((name) => [name, headers.get(name)])) };
      };
      const full = await ask();
      expect(full.headers).toMatchObject({
        'cache-control': 'public, max-age=1, must-revalidate, stale-while-revalidate=0',
        etag: expect.stringMatching(/^W\//),
        vary: expect.stringContaining('accept'),
      });
      // Without it a browser would add a second to that of the cache.
      await expect.poll(async () => (await fetch(target)).headers.get('age')).toMatch(/^[01]$/);
      for (const _ of ['once', 'again']) {
        expect(await ask({ method: 'HEAD' })).toEqual(full);
        const ifNoneMatch = { 'if-none-match': String(full.headers.etag) };
        for (const method of ['GET', 'HEAD']) {
          const known = await ask({ method, headers: ifNoneMatch });
          expect(known.status).toBe(304);
          expect(known.headers.etag).toBe(full.headers.etag);
        }
      }
    },
  );

  test('each view of a notice is counted, and comes through; HEAD counts none', IN_TURN, async ({ expect }) => {
    const id = await insertNotice(database, { title: 'Viewed' });
    const query = `{ notice(id: ${id}) { viewCount } }`;
    for (const viewCount of [1, 3, 5]) {
      for (const path of [`/api/notice/${id}`, `/graphql?${new URLSearchParams({ query })}`]) {
        expect((await fetch(proxy.url + path, { method: 'HEAD' })).status).toBe(200);
      }
      expect(await (await fetch(`${proxy.url}/api/notice/${id}`)).json()).toMatchObject({ viewCount });
      const operation = await fetch(`${proxy.url}/graphql?${new URLSearchParams({ query })}`);
      expect(await operation.json()).toEqual({ data: { notice: { viewCount: viewCount + 1 } } });
    }
  });
});

const ALL = [
  ...PROXIES,
  { name: 'HAProxy', isThere: hasHaproxy, startBefore: (address: string) => startHaproxy([address, address]) },
].filter(({ isThere }) => isThere);

const { database, host } = await shared(startShop());

test.skipIf(!hasVarnish)(
  'Varnish reads what follows a QUERY on the same connection, by each of our files',
  async () => {
    const body = JSON.stringify({ query: '{ __typename }' });
    const head = `content-type: application/json\r\ncontent-length: ${body.length}`;
    const requests = [
      `QUERY /graphql HTTP/1.1\r\nhost: shop\r\n${head}\r\n\r\n${body}`,
      'GET /api/product/hot HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n',
    ];
    for (const file of [undefined, PURGED]) {
      await using proxy = await startVarnish(host, file);
      const answers = await sendRaw(proxy.url, requests.join(''));
      expect(answers.match(/HTTP\/1.1 200 |^x-varnish/gim)).toHaveLength(4);
    }
  },
);

test.skipIf(!hasApache)(
  'an Apache that compresses leaves entity tags as they are, as deploy/README.md says',
  async () => {
    const ask = async (lines: readonly string[]): Promise<number> => {
      await using proxy = await startApache(host, ['AddOutputFilterByType DEFLATE application/json', ...lines]);
      const target = `${proxy.url}/api/notice/page?pageSize=1`;
      const headers = { 'accept-encoding': 'gzip' };
      const etag = String((await fetch(target, { headers })).headers.get('etag'));
      return (await fetch(target, { headers: { ...headers, 'if-none-match': etag } })).status;
    };
    expect(await ask([])).toBe(200);
    expect(await ask(['DeflateAlterETag NoChange'])).toBe(304);
  },
);

describe.skipIf(ALL.length === 0).each(ALL)('through $name', ({ startBefore }) => {
  test('each QUERY reaches the gateway with its body, and no copy is kept of its answer', async () => {
    await using proxy = await startBefore(host);
    const id = await insertNotice(database);
    const ask = async (query: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${proxy.url}/graphql`, {
        method: 'QUERY',
        headers: { ...JSON_HEADERS, ...headers },
        body: JSON.stringify({ query }),
      });
    for (const name of ['a', 'b', 'a']) {
      expect(await (await ask(`{ ${name}: __typename }`)).json()).toEqual({ data: { [name]: 'Query' } });
    }
    for (const viewCount of [1, 2]) {
      const response = await ask(`{ notice(id: ${id}) { viewCount } }`);
      expect(await response.json()).toEqual({ data: { notice: { viewCount } } });
    }
    expect(await stored(database, id)).toBe(2);
    const etag = (await ask('{ a: __typename }')).headers.get('etag');
    expect((await ask('{ a: __typename }', { 'if-none-match': String(etag) })).status).toBe(304);
    const refused = await ask('{ a: __typename }', { 'content-type': 'text/plain' });
    expect([refused.status, refused.headers.get('accept-query')]).toEqual([415, 'application/json']);
  });
});
