import { hash } from 'node:crypto';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGateway } from '../../../src/index.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type Asked, openStream, readStream } from '../../support/events.ts';
import { createTestGateway, PATIENT } from '../../support/gateway.ts';
import { insertNotice } from '../../support/rows.ts';
import { parseMetrics, scrape } from '../../support/scrape.ts';
import { shared } from '../../support/shared.ts';
import { listen } from '../../support/socket.ts';

const TOKEN = 'a-token-0123456789';
const SUBSCRIPTION = 'subscription { notices { title } }';
const DATA = { notices: [{ title: 'First' }] };
const EVENTS = 'text/event-stream';

const database = await shared(createTestDatabase());
await insertNotice(database, { title: 'First' });
const gateway = await shared(
  createTestGateway(database, { ...PATIENT, CORS_ORIGINS: 'https://shop.example', PREVIEW_TOKENS: TOKEN }),
);
const restricted = await shared(createTestGateway(database, { ...PATIENT, ACCESS_TOKENS: TOKEN }));
const server = await shared(listen(gateway));

const target = (query: string): string => `/graphql?${new URLSearchParams({ query })}`;

const post = (query: string, accept: string): RequestInit => ({
  method: 'POST',
  headers: { accept, 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
});

describe('a subscription', () => {
  test.for<[how: string, path: string, request: RequestInit]>([
    ['GET', target(SUBSCRIPTION), { headers: { accept: EVENTS } }],
    ['POST', '/graphql', post(SUBSCRIPTION, EVENTS)],
    ['POST that would take JSON too', '/graphql', post(SUBSCRIPTION, `application/json, ${EVENTS}, multipart/mixed`)],
  ])('is answered over HTTP by events that nothing holds back: %s', async ([, path, request]) => {
    const response = await fetch(server.url + path, {
      ...request,
      headers: { ...request.headers, origin: 'https://shop.example', 'accept-encoding': 'gzip, br' },
    });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      vary: 'accept, origin',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': 'https://shop.example',
    });
    expect(response.headers.get('content-encoding')).toBeNull();
    const stream = readStream(response);
    await expect.poll(() => stream.text()).toBe(`event: next\ndata: ${JSON.stringify({ data: DATA })}\n\n`);
    await stream.leave();
    await expect.poll(async () => (await scrape(gateway)).sum('vitrine_subscriptions')).toBe(0);
  });

  test.for([undefined, '*/*', 'application/json', 'application/json, text/event-stream;q=0'])(
    'is refused with 406 to a client that sends "accept: %s"',
    async (accept) => {
      for (const answer of [
        await gateway.post({ query: SUBSCRIPTION }, accept ? { accept } : {}),
        await gateway.get(target(SUBSCRIPTION), accept ? { accept } : {}),
      ]) {
        expect({ ...answer, json: answer.json }).toMatchObject({
          status: 406,
          headers: { 'cache-control': 'no-store', vary: expect.stringContaining('accept') },
          json: {
            errors: [
              {
                message: 'A subscription is answered by events: Accept: text/event-stream.',
                extensions: { code: 'NOT_ACCEPTABLE' },
              },
            ],
          },
        });
      }
    },
  );

  test('is answered by events however their type is spelt', async () => {
    const stream = await openStream(gateway, SUBSCRIPTION, { headers: { accept: 'Text/Event-Stream' } });
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    stream.leave();
    const once = await gateway.get(target('{ __typename }'), { accept: 'TEXT/EVENT-STREAM' });
    expect([once.status, once.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });

  test('opens nothing for HEAD', async () => {
    const { status, headers, text } = await gateway.request('HEAD', target(SUBSCRIPTION), { accept: EVENTS });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(text).toContain('event: complete');
  });

  test('of a preview is answered once', async () => {
    const stream = await openStream(gateway, SUBSCRIPTION, {
      headers: { 'x-preview-at': '2030-01-01T00:00:00Z', authorization: `Bearer ${TOKEN}` },
    });
    expect(stream.headers['cache-control']).toBe('private, no-store');
    expect(stream.results).toEqual([{ data: DATA }]);
    expect(stream.isComplete()).toBe(true);
  });

  test('may be a persisted document', async () => {
    const query = 'subscription Persisted { notices { title } }';
    const sha256Hash = hash('sha256', query);
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const unknown = await openStream(gateway, undefined, { extensions });
    expect(unknown.results).toMatchObject([{ errors: [{ message: 'PersistedQueryNotFound' }] }]);
    for (const text of [query, undefined]) {
      const stream = await openStream(gateway, text, { extensions });
      expect(stream.results).toEqual([{ data: DATA }]);
      stream.leave();
    }
  });

  test('needs a token where queries do', async () => {
    const refused = await openStream(restricted, SUBSCRIPTION);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer realm="vitrine"']);
    const admitted = await openStream(restricted, SUBSCRIPTION, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(admitted.results).toEqual([{ data: DATA }]);
    admitted.leave();
  });
});

test('subscriptions that one connection asks for, one right after the other, are all over once the client has gone', async () => {
  const { hostname, port } = new URL(server.url);
  const requests = `GET ${target(SUBSCRIPTION)} HTTP/1.1\r\nhost: x\r\naccept: ${EVENTS}\r\n\r\n`.repeat(20);
  const open = async (): Promise<number> => (await scrape(gateway)).sum('vitrine_subscriptions');
  const warnings: Error[] = [];
  // What other files have left running may warn of something else.
  const warn = (warning: Error): void => {
    if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning);
  };
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  // One leaves while it listens, the other while the last of its requests are being read.
  for (const isListening of [true, false]) {
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(requests);
    await expect.poll(open).toBeGreaterThan(isListening ? 19 : 0);
    socket.resetAndDestroy();
    await expect.poll(open).toBe(0);
  }
  expect(warnings).toEqual([]);
});

describe('a client that takes events', () => {
  test('gets one for a query, and the end', async () => {
    const stream = await openStream(gateway, '{ notices { title } }');
    expect(stream.text()).toBe(`event: next\ndata: ${JSON.stringify({ data: DATA })}\n\nevent: complete\ndata:\n\n`);
  });

  test('counts a view by a query', async () => {
    const id = await insertNotice(database, { title: 'Viewed — “é”', status: 'PUBLISHED', ends_at: '2020-01-02' });
    const view = `{ notice(id: ${id}) { title viewCount } }`;
    for (const viewCount of [1, 2]) {
      expect((await openStream(gateway, view)).results).toEqual([
        { data: { notice: { title: 'Viewed — “é”', viewCount } } },
      ]);
    }
  });

  test('gets JSON for a query if it takes that too', async () => {
    const accept = 'text/event-stream, application/graphql-response+json;q=0.5';
    const answer = await gateway.get(target('{ notices { title } }'), { accept });
    expect(answer.headers['content-type']).toBe('application/graphql-response+json; charset=utf-8');
  });

  test.for<[what: string, code: string, query: string, asked?: Asked]>([
    ['syntax', 'GRAPHQL_PARSE_FAILED', 'subscription {'],
    ['a field', 'GRAPHQL_VALIDATION_FAILED', 'subscription { nothing }'],
    ['which one is meant', 'BAD_USER_INPUT', 'subscription A { notices { id } } subscription B { notices { id } }'],
    ['two fields', 'GRAPHQL_VALIDATION_FAILED', 'subscription { notices { id } product(id: 1) { id } }'],
    ['a variable', 'BAD_USER_INPUT', 'subscription($id: Int!) { product(id: $id) { id } }', { variables: { id: 'x' } }],
    [
      'the cost',
      'QUERY_TOO_COMPLEX',
      'subscription { product(id: 1) { category { children { products(limit: 100) { category { products(limit: 100) { id } } } } } } }',
    ],
  ])('learns as an event what is wrong with its operation: %s', async ([, code, query, asked]) => {
    const stream = await openStream(gateway, query, asked);
    expect([stream.status, stream.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(stream.results).toMatchObject([{ errors: [{ extensions: { code } }] }]);
    expect(stream.isComplete()).toBe(true);
  });

  test('learns by the status what is wrong with its request', async () => {
    const ask = async (contentType: string, body: string) => {
      const answer = await gateway.post(body, { accept: EVENTS, 'content-type': contentType });
      return [answer.status, answer.headers['content-type']];
    };
    expect(await ask('text/plain', '{}')).toEqual([415, 'application/json; charset=utf-8']);
    expect(await ask('application/json', '[]')).toEqual([400, 'application/json; charset=utf-8']);
  });
});

test('in the library, the stream is the body of the response: its reader may leave, and it ends when the gateway closes', async () => {
  const opened = await createGateway({ databaseUrl: database.url, metrics: true, log: { write: () => {} } });
  const ask = (path: string) => opened.fetch(new Request(`http://localhost${path}`, { headers: { accept: EVENTS } }));
  const streams = [readStream(await ask(target(SUBSCRIPTION))), readStream(await ask(target(SUBSCRIPTION)))] as const;
  for (const { results } of streams) await expect.poll(() => results).toEqual([{ data: DATA }]);
  const [stream, leaving] = streams;
  await leaving.leave();
  const open = async () => parseMetrics(await (await ask('/metrics')).text()).sum('vitrine_subscriptions');
  await expect.poll(open).toBe(1);
  await insertNotice(database, { title: 'Second' });
  await expect.poll(() => stream.results.length).toBe(2);
  await opened.close();
  await expect.poll(stream.isOver).toBe(true);
  expect(stream.isComplete()).toBe(true);
});

test.for<[when: string, until: string]>([
  ['at the first event', 'event: next'],
  ['when it has read the end', 'event: complete'],
])('in the library, a reader that leaves %s takes nothing else along', async ([, until]) => {
  const opened = await createGateway({ databaseUrl: database.url, metrics: true, log: { write: () => {} } });
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const { body } = await opened.fetch(
    new Request(`http://localhost${target(SUBSCRIPTION)}`, { headers: { accept: EVENTS } }),
  );
  const closing = until === 'event: complete' ? opened.close() : undefined;
  let text = '';
  // Leaving the loop cancels the stream.
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString();
    if (text.includes(until)) break;
  }
  expect(text).toContain(until);
  await (closing ?? opened.close());
  // Rejections that nobody handles are told after the microtasks of a turn.
  await new Promise(setImmediate);
  expect(rejections).toEqual([]);
});
