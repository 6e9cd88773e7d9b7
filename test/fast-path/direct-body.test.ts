import { once } from 'node:events';
import { createServer, IncomingMessage, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { DirectRequest } from '../../src/fast-path/direct-body.ts';
import { createBodyReader } from '../../src/http/request-body.ts';

/** What each request of a server was read as, in the parts in which it was sent; undefined for one that broke off. */
const readBodies = async (
  Request: typeof IncomingMessage,
  parts: readonly string[],
  breaksOff = false,
): Promise<{ body: string | undefined; isStream: boolean }> => {
  const readBody = createBodyReader();
  const { promise, resolve } = Promise.withResolvers<{ body: string | undefined; isStream: boolean }>();
  const server = createServer({ IncomingMessage: Request }, (request, response) => {
    const finish = (body: string | undefined) => {
      response.end('read');
      resolve({ body, isStream: request.listenerCount('data') > 0 });
    };
    readBody(
      request,
      (body) => finish(body.toString()),
      () => finish(undefined),
    );
    // Each further part is sent once the server has the one before.
    sendNext();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = startRequest({ port, method: 'POST', host: '127.0.0.1' });
  client.on('error', () => {});
  client.flushHeaders();
  const left = [...parts];
  const sendNext = (): void => {
    const part = left.shift();
    if (part !== undefined) client.write(part, sendNext);
    else if (breaksOff) client.destroy();
    else client.end();
  };
  const read = await promise;
  client.destroy();
  server.close();
  server.closeAllConnections();
  return read;
};

const PARTS = ['{"query":', '"{ ', '__typename', ' }"}'];

test('a body is read without its stream, whatever parts it comes in', async () => {
  expect(await readBodies(DirectRequest, PARTS)).toEqual({ body: PARTS.join(''), isStream: false });
});

test('a body that breaks off is none', async () => {
  expect(await readBodies(DirectRequest, PARTS, true)).toEqual({ body: undefined, isStream: false });
});

test('where Node has no such requests, a body is read by the events of its stream', async () => {
  expect(await readBodies(IncomingMessage, PARTS)).toEqual({ body: PARTS.join(''), isStream: true });
  expect(await readBodies(IncomingMessage, PARTS, true)).toEqual({ body: undefined, isStream: true });
});
