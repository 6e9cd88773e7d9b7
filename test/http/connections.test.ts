import { once } from 'node:events';
import net from 'node:net';
import { setInterval } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/gateway.ts';
import { insertNotice } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

// Clients that take their time.

const database = await shared(createTestDatabase());

const start = (environment: Record<string, string>): Promise<TestServer> => startTestServer(database, environment);

interface Client {
  readonly socket: net.Socket;
  /** What came, and how long after the connection the server ended it. */
  readonly ended: Promise<{ text: string; ms: number }>;
}

const connect = async ({ url }: TestServer): Promise<Client> => {
  const { hostname, port } = new URL(url);
  // Before the server knows of the connection, or it would seem to be ended too early.
  const sinceMs = performance.now();
  const socket = net.connect({ port: Number(port), host: hostname });
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'connect');
  const ended = new Promise<{ text: string; ms: number }>((resolve) => {
    socket.once('close', () => resolve({ text, ms: performance.now() - sinceMs }));
  });
  return { socket, ended };
};

/** Writes a text a few bytes at a time, for ever, until the other end has had enough. */
const drip = async ({ socket }: Client, head: string, more: string): Promise<void> => {
  socket.write(head);
  for await (const _ of setInterval(50)) {
    if (!socket.writable) return;
    socket.write(more);
  }
};

const livez = async ({ url }: TestServer): Promise<number> => (await fetch(`${url}/livez`)).status;

describe('a client that is slow is cut, while others are served', () => {
  const SLOW = { REQUEST_TIMEOUT_MS: '500', SEND_TIMEOUT_MS: '500' };
  /** A second to notice, and the rest for a busy machine: unbounded, these would go on for a minute. */
  const SOON_MS = 20_000;
  let gateway: TestServer;

  beforeAll(async () => {
    gateway = await start({ ...SLOW, KEEP_ALIVE_TIMEOUT_MS: '700' });
    return () => gateway[Symbol.asyncDispose]();
  });

  test.concurrent.for<[string, string, string]>([
    ['whose headers never end', 'GET /livez HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n'],
    ['whose target never ends', 'GET /', 'x'],
    [
      'whose body never ends',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n',
      ' ',
    ],
    [
      'whose chunks never end',
      'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      '1\r\n \r\n',
    ],
  ])('%s', async ([, head, more]) => {
    const clients = await Promise.all(Array.from({ length: 50 }, () => connect(gateway)));
    for (const client of clients) void drip(client, head, more);
    expect(await livez(gateway)).toBe(200);
    for (const { text, ms } of await Promise.all(clients.map(({ ended }) => ended))) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      expect(text).toContain('"code":"REQUEST_TIMEOUT"');
      expect(ms).toBeGreaterThan(400);
      expect(ms).toBeLessThan(SOON_MS);
    }
  });

  test.concurrent('that says nothing, without a word', async () => {
    const { text, ms } = await (await connect(gateway)).ended;
    expect(text).toBe('');
    expect(ms).toBeGreaterThan(400);
    expect(ms).toBeLessThan(SOON_MS);
  });

  test.concurrent('a second request that never ends', async () => {
    const client = await connect(gateway);
    void drip(client, 'GET /livez HTTP/1.1\r\nhost: x\r\n\r\nGET /livez HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n');
    const { text } = await client.ended;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408']);
  });

  test.concurrent('that sends no second request, without a word', async () => {
    const client = await connect(gateway);
    client.socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    const { text, ms } = await client.ended;
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    expect(ms).toBeGreaterThan(600);
    expect(ms).toBeLessThan(SOON_MS);
  });

  test.concurrent.for([
    ['that reads nothing', 0],
    ['that reads a byte now and then', 1],
  ] as const)('%s', async ([, bytes]) => {
    const script = /\/graphiql\/[\w.-]+\.js/.exec(
      await (await fetch(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } })).text(),
    )?.[0];
    const client = await connect(gateway);
    client.socket.removeAllListeners('data');
    client.socket.pause();
    client.socket.write(`GET ${script} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(50));
    // Who does not read learns by writing that the other end is gone.
    void drip(client, '', '\r\n');
    for await (const _ of setInterval(100)) {
      if (client.socket.destroyed) break;
      if (bytes > 0) client.socket.read(bytes);
    }
    expect((await client.ended).ms).toBeLessThan(SOON_MS);
    expect(await livez(gateway)).toBe(200);
  });
});

test('a client that closes its side of the connection gets what it has asked for', async () => {
  await using gateway = await start({});
  const id = await insertNotice(database);
  const ask = async (...targets: string[]): Promise<string> => {
    const client = await connect(gateway);
    client.socket.end(targets.map((target) => `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''));
    return (await client.ended).text;
  };
  for (const target of ['/livez', '/api/notice/list', '/api/notice/list', `/api/notice/${id}`, `/api/notice/${id}`]) {
    expect(await ask(target), target).toMatch(/^HTTP\/1\.1 200 /);
  }
  const both = await ask(`/api/notice/${id}`, '/api/notice/page');
  expect(both.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200']);
  expect(both).toContain('"viewCount":3');
});

test('a connection is kept for longer than a load balancer keeps it', async () => {
  await using gateway = await start({});
  const { headers } = await fetch(`${gateway.url}/livez`);
  expect(headers.get('connection')).toBe('keep-alive');
  expect(headers.get('keep-alive')).toBe('timeout=65');
});

test('more connections than may be are closed, until there is room or an idle one has made it', async () => {
  await using gateway = await start({ MAX_CONNECTIONS: '3', SEND_TIMEOUT_MS: '500' });
  const [idle, silent, listening] = [await connect(gateway), await connect(gateway), await connect(gateway)];
  for (const { socket } of [idle, listening]) {
    const answered = once(socket, 'data');
    socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n');
    await answered;
  }
  const begun = once(listening.socket, 'data');
  const query = encodeURIComponent('subscription { notices { id } }');
  listening.socket.write(`GET /graphql?query=${query} HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n\r\n`);
  await begun;

  expect((await (await connect(gateway)).ended).text).toBe('');
  await idle.ended;
  expect(await livez(gateway)).toBe(200);
  expect([silent, listening].map(({ socket }) => socket.closed)).toEqual([false, false]);
  silent.socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect((await silent.ended).text).toMatch(/^HTTP\/1\.1 200 /);
  listening.socket.destroy();
});
