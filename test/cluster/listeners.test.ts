import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { listenOn, stopListening, urlOf } from '../../src/http/listeners.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';

const shop = await shared(createRestShop());
const server = await shared(listen(shop.gateway));

const CLIENTS = 200;

/** Connects in a thread of its own, asks on each connection, and gives what came back; `connected` becomes 1 once the system has made all connections. */
const ASK_FROM_A_THREAD = `
  const net = require('node:net');
  const { parentPort, workerData: { port, clients, connected } } = require('node:worker_threads');
  let left = clients;
  const ask = () => new Promise((resolve) => {
    let answer = '';
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.write('GET /livez HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n');
      left -= 1;
      if (left > 0) return;
      Atomics.store(connected, 0, 1);
      Atomics.notify(connected, 0);
    });
    socket.on('data', (chunk) => { answer += chunk; });
    socket.on('error', (error) => { answer += error.message; });
    socket.on('close', () => resolve(answer));
  });
  Promise.all(Array.from({ length: clients }, ask)).then((answers) => parentPort.postMessage(answers));
`;

/** Connections that wait to be accepted: for a socket that listens, the system tells that as its receive queue. Elsewhere nobody knows. */
const queued = (port: number): number => {
  if (process.platform !== 'linux') return CLIENTS;
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const sockets = rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(address) && state === '0A');
  return sockets.reduce((sum, [, , , , queues]) => sum + Number.parseInt(queues?.split(':')[1] ?? '', 16), 0);
};

test('a shutdown answers the clients that the system has connected and the server has not accepted yet', async () => {
  await using closing = await listen(shop.gateway);
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { port: Number(new URL(closing.url).port), clients: CLIENTS, connected };
  const clients = new Worker(ASK_FROM_A_THREAD, { eval: true, workerData });
  await once(clients, 'online');
  // This thread accepts nobody meanwhile. On a busy machine a client may be connected before its server knows.
  Atomics.wait(connected, 0, 0);
  for (let sinceMs = performance.now(); queued(workerData.port) < CLIENTS; ) {
    if (performance.now() - sinceMs > 60_000) throw new Error('the system has lost connections');
  }
  const drained = closing.drain(60_000);
  const [answers] = await once(clients, 'message');
  expect(answers).toEqual(Array.from({ length: CLIENTS }, () => expect.stringMatching(/^HTTP\/1\.1 200 /)));
  await drained;
});

test('a port that another program listens on is taken', async () => {
  const { port } = new URL(server.url);
  const other = listenOn(createServer(), { port: Number(port), host: '127.0.0.1' });
  await expect(other).rejects.toThrow(`Port ${port} is taken by another program.`);
});

test('from the moment of closing on nobody is accepted, and the port is free', async () => {
  const http = createServer();
  await listenOn(http, { port: 0, host: '127.0.0.1' });
  const { port } = new URL(urlOf(http));
  const closed = once(http, 'close');
  stopListening(http);
  await closed;
  const codes = await Promise.all(
    Array.from(
      { length: 50 },
      () =>
        new Promise<string | undefined>((resolve) => {
          net.connect(Number(port), '127.0.0.1').on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
        }),
    ),
  );
  expect(new Set(codes)).toEqual(new Set(['ECONNREFUSED']));
});
