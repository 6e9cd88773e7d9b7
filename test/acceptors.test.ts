import { createServer } from 'node:http';
import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { listenWithAcceptors } from '../src/http/acceptors.ts';
import { urlOf } from '../src/http/listen.ts';
import { createRestShop, type RestShop } from './support/rest-shop.ts';
import { type Listening, listen, sendRaw } from './support/socket.ts';

let shop: RestShop;
let server: Listening;

beforeAll(async () => {
  shop = await createRestShop();
  server = await listen(shop.gateway);
  return async () => {
    await server[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
  };
});

const CLIENTS = 200;

test('two hundred clients that come at once do not wait for two hundred turns of the event loop', async () => {
  const ask = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
  const answers = Array.from({ length: CLIENTS }, () => sendRaw(server.url, ask));
  let answered = false;
  const all = Promise.all(answers).finally(() => {
    answered = true;
  });
  let turns = 0;
  for (; !answered; turns += 1) await turn();
  expect(await all).toEqual(answers.map(() => expect.stringMatching(/^HTTP\/1\.1 200 /)));
  expect(turns).toBeLessThan(CLIENTS / 2);
});

test('a port that another program listens on is taken', async () => {
  const { port } = new URL(server.url);
  const other = listenWithAcceptors(createServer(), { port: Number(port), host: '127.0.0.1' });
  await expect(other).rejects.toThrow(`Port ${port} is taken by another program.`);
});

test('from the moment of closing on nobody is accepted, by no socket, and the port is free', async () => {
  const http = createServer();
  const acceptors = await listenWithAcceptors(http, { port: 0, host: '127.0.0.1' });
  const { port } = new URL(urlOf(http));
  http.close();
  acceptors.close();
  await acceptors.closed;
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
