import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { openSession } from '../support/session.ts';

// The real program, asked for more than it can do.

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.sql(`insert into category (name, slug) values ('Pans', 'pans')`);
  await database.sql(`insert into product (category_id, name, slug, price) values (1, 'Pan', 'pan', 9.9)`);
  await database.sql(`insert into notice (title, content) values ('Read me', '…'), ('Read me too', '…')`);
  return () => database[Symbol.asyncDispose]();
});

const start = (environment: Record<string, string>): Promise<ServingProcess> =>
  startGatewayProcess({ DATABASE_URL: database.url, DATABASE_TIMEOUT_MS: '5000', ...environment });

interface CachedResponse {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | null;
  readonly cache: string | null;
  readonly text: string;
}

const ask = async ({ url }: ServingProcess, target: string, init?: RequestInit): Promise<CachedResponse> => {
  const startMs = performance.now();
  const { status, headers, ...response } = await fetch(url + target, init).then(async (answered) => ({
    status: answered.status,
    headers: answered.headers,
    text: await answered.text(),
  }));
  const ms = performance.now() - startMs;
  return { status, ms, retryAfter: headers.get('retry-after'), cache: headers.get('cache-status'), ...response };
};

const askGraphql = (gateway: ServingProcess, query: string, variables = {}): Promise<CachedResponse> =>
  ask(gateway, '/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });

const KNOWN = '/api/notice/list';
const KNOWN_QUERY = '{ notices { id title } }';

/** What goes on whatever is refused. */
const expectTheRestToGoOn = async (gateway: ServingProcess): Promise<void> => {
  const [known, knownQuery, live] = await Promise.all([
    ask(gateway, KNOWN),
    askGraphql(gateway, KNOWN_QUERY),
    ask(gateway, '/livez'),
  ]);
  expect(known).toMatchObject({ status: 200, cache: 'vitrine; hit' });
  expect(knownQuery).toMatchObject({ status: 200, cache: 'vitrine; hit' });
  expect(live.status).toBe(200);
};

const REFUSED = { status: 503, retryAfter: '1', text: expect.stringContaining('"SERVICE_UNAVAILABLE"') };

/** Nothing that reads products is finished as long as it is held. */
const holdProducts = async () => {
  const backOffice = await openSession(database);
  await backOffice.query('begin');
  await backOffice.query('lock table product in access exclusive mode');
  return backOffice;
};

describe('while products cannot be read', () => {
  test.for<[string, Record<string, string>]>([
    ['executions under way', { MAX_IN_FLIGHT: '40', MAX_WAIT_MS: '60000' }],
    ['the time that they wait', { DATABASE_POOL_SIZE: '4', MAX_WAIT_MS: '100' }],
  ])('what is past the bound of %s is refused, and the rest goes on', async ([, environment]) => {
    await using gateway = await start(environment);
    await ask(gateway, KNOWN);
    await askGraphql(gateway, KNOWN_QUERY);

    await using backOffice = await holdProducts();
    const first = Array.from({ length: 150 }, (_, id) => ask(gateway, `/api/product/list?categoryIds=${id}`));
    // They have all come before the next do.
    await ask(gateway, '/livez');
    await delay(200);
    const [byRest, byGraphql] = await Promise.all([
      ask(gateway, '/api/product/hot?limit=7'),
      askGraphql(gateway, '{ hotProducts(limit: 8) { id } }'),
    ]);
    expect(byRest).toMatchObject(REFUSED);
    expect(byGraphql).toMatchObject(REFUSED);
    await expectTheRestToGoOn(gateway);
    await backOffice.query('commit');

    const answers = await Promise.all(first);
    const accepted = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(accepted.length).toBeGreaterThan(0);
    for (const answer of refused) expect(answer).toMatchObject(REFUSED);
    for (const { ms } of [byRest, byGraphql]) expect(ms).toBeLessThan(1000);
    expect(await (await fetch(`${gateway.url}/metrics`)).text()).toMatch(/^vitrine_requests_rejected_total [1-9]/m);
    expect(gateway.command.output()).toContain('overload: requests are rejected');
    expect(gateway.command.output(), 'a refusal has no line of its own').not.toMatch(/"status":503/);
    // It is over when it is over.
    await expect.poll(async () => (await ask(gateway, '/api/product/hot?limit=7')).status).toBe(200);
  });
});

test('overload is no outage: what is too old to be given is refused, and not given as stale', async () => {
  await using gateway = await start({
    MAX_IN_FLIGHT: '40',
    MAX_WAIT_MS: '60000',
    DATABASE_POOL_SIZE: '42',
    DATABASE_TIMEOUT_MS: '20000',
  });
  await ask(gateway, KNOWN);
  await using backOffice = await holdProducts();
  const waiting = Array.from({ length: 40 }, (_, id) => ask(gateway, `/api/product/list?categoryIds=${id}`));
  // The counts in the list may lag by 3 s.
  const seen = async (): Promise<CachedResponse> => ask(gateway, KNOWN);
  await expect.poll(seen, { interval: 50 }).not.toMatchObject({ cache: 'vitrine; hit' });
  expect(await seen()).toMatchObject({ ...REFUSED, cache: null });
  await backOffice.query('rollback');
  await Promise.all(waiting);
  expect(await seen()).toMatchObject({ status: 200 });
});

test('a connection that sends requests without waiting for responses stops nobody else, and gets each response', async () => {
  await using gateway = await start({ DATABASE_POOL_SIZE: '1', MAX_WAIT_MS: '60000', DATABASE_TIMEOUT_MS: '60000' });
  await ask(gateway, KNOWN);
  await askGraphql(gateway, KNOWN_QUERY);
  await using backOffice = await holdProducts();
  const { hostname, port } = new URL(gateway.url);
  const client = net.connect(Number(port), hostname);
  const count = 6000;
  for (let id = 1; id <= count; id += 1) client.write(`GET /api/product/${id} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const inFlight = async (): Promise<number> => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    return Number(/^vitrine_executions_in_flight (\d+)/m.exec(metrics)?.[1]);
  };
  await expect.poll(inFlight).toBeGreaterThan(100);
  await expectTheRestToGoOn(gateway);
  let responses = 0;
  client.on('data', (chunk) => {
    responses += chunk.toString().split('HTTP/1.1 ').length - 1;
  });
  await backOffice.query('rollback');
  await expect.poll(() => responses, { timeout: 60_000 }).toBeGreaterThan(count - 100);
  client.destroy();
});
