import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { Exchanges } from '../../src/http/exchanges.ts';
import { createFetchHandler } from '../../src/http/fetch.ts';
import { urlOf } from '../../src/http/listeners.ts';
import { type GatewayResponse, WrittenResponse, writeLines } from '../../src/http/message.ts';
import type { App } from '../../src/http/serve-request.ts';
import { startHttpServer } from '../../src/http/server.ts';
import { listen, sendRaw } from '../support/socket.ts';

// Defects that no known request causes: an app that has them, behind the real server.

/** Has no response in memory. */
const appOf = (handle: App['handle']): App => ({ handle, lookUp: (request) => () => handle(request) });

const fine = (): GatewayResponse => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'fine' });

test.for<[string, () => GatewayResponse | Promise<GatewayResponse>]>([
  [
    'an exception at once',
    () => {
      throw new Error('a secret');
    },
  ],
  ['an exception later', () => Promise.reject(new Error('a secret'))],
  ['a header that cannot be sent', () => ({ ...fine(), headers: { 'x-broken': 'a\r\nb' } })],
  ['a header that cannot be sent, later', async () => ({ ...fine(), headers: { 'x-broken': 'a\r\nb' } })],
])('%s is a 500 that says nothing of its cause, and the end of that request alone', async ([, fault]) => {
  const later = async () => fault();
  const logged: string[] = [];
  const app = appOf(({ target }) => (target === '/later' ? later() : target === '/fine' ? fine() : fault()));
  const config = readConfig({ PORT: '0', HOST: '127.0.0.1' });
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const server = await startHttpServer(app, config, log);
  try {
    for (const init of [{ path: '/later' }, { path: '/at-once' }, { path: '/graphql', method: 'POST', body: 'x' }]) {
      const response = await fetch(server.url + init.path, { ...init, signal: AbortSignal.timeout(5000) });
      expect(response.status).toBe(500);
      const text = await response.text();
      expect(text).toContain('"INTERNAL_SERVER_ERROR"');
      expect(text).not.toMatch(/secret|broken/);
      expect(await (await fetch(`${server.url}/fine`)).text()).toBe('fine');
    }
    expect(logged).toHaveLength(3);
  } finally {
    await server.drain(0);
  }
});

test('an error of the rate limit is a fault of its request, which the app answers', async () => {
  const faults: (string | undefined)[] = [];
  const app = appOf(({ fault }) => {
    faults.push(fault?.code);
    return fine();
  });
  let asked = 0;
  const rateLimit = () => {
    asked += 1;
    if (asked === 1) throw new Error('a secret');
    return { headers: new Headers(), refusal: undefined };
  };
  const exchanges = new Exchanges({ app, log: pino({ level: 'silent' }), rateLimit });
  const server = createServer((request, response) => exchanges.serve({ request, response })).listen(0);
  try {
    await once(server, 'listening');
    for (const _ of ['once', 'again']) expect(await (await fetch(urlOf(server))).text()).toBe('fine');
    expect(faults).toEqual(['INTERNAL_SERVER_ERROR', undefined]);
  } finally {
    server.close();
  }
});

test('no response sets headers of its connection, whatever made the response', async () => {
  const OF_THE_CONNECTION = {
    connection: 'x-other',
    'content-length': 3,
    'keep-alive': 'timeout=99',
    'proxy-connection': 'keep-alive',
    te: 'trailers',
    trailer: 'x-sum',
    'transfer-encoding': 'chunked',
    upgrade: 'h2c',
  };
  const answered = (target: string): GatewayResponse => {
    const status = Number(target.slice(1)) || 200;
    const headers = { 'content-type': 'text/plain', ...OF_THE_CONNECTION };
    if (target === '/written') return new WrittenResponse(writeLines(headers), 'fine');
    return { status, headers, body: status === 200 ? 'fine' : null };
  };
  const app = appOf(async ({ target }) => answered(target));
  await using server = await listen({ app });
  const { fetch: respond } = createFetchHandler(app);
  for (const method of ['GET', 'HEAD']) {
    for (const target of ['/200', '/written', '/204', '/304']) {
      const close = `${method} ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      const [head = '', body] = (await sendRaw(server.url, close)).split('\r\n\r\n');
      const lines = head.split('\r\n').slice(1);
      const isEmpty = target === '/204' || target === '/304';
      expect(lines.filter((line) => !/^date: /i.test(line)).sort(), `${method} ${target}`).toEqual([
        'Connection: close',
        ...(isEmpty ? [] : ['content-length: 4']),
        'content-type: text/plain',
      ]);
      expect(body).toBe(isEmpty || method === 'HEAD' ? '' : 'fine');

      const response = await respond(new Request(`http://x${target}`, { method }));
      expect(Object.fromEntries(response.headers), `${method} ${target}`).toEqual({
        'content-type': 'text/plain',
        ...(isEmpty ? {} : { 'content-length': '4' }),
      });
    }
  }
});

test('of requests that come together, none finds the asynchronous context of another', async () => {
  const working = new AsyncLocalStorage<string>();
  const found: (string | undefined)[] = [];
  const app = appOf(({ target }) => {
    found.push(working.getStore());
    working.enterWith(target);
    return fine();
  });
  await using server = await listen({ app });
  const ask = (target: string, more = '') => `GET ${target} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  await sendRaw(server.url, ask('/first') + ask('/second') + ask('/third', 'connection: close\r\n'));
  expect(found).toEqual([undefined, undefined, undefined]);
});
