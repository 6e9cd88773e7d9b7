// The limit for requests that fail: a bare `node:http` server that looks the recorded response up by the request, and writes it.

import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deserialize } from 'node:v8';
import type { Recorded } from './failures.ts';

const recorded: Recorded[] = deserialize(readFileSync(process.env.ANSWERS ?? ''));
const known = new Map(recorded.map((each) => [each.key, each]));

const send = (response: ServerResponse, key: string): void => {
  const { status = 500, contentType = 'text/plain', body = '' } = known.get(key) ?? {};
  response.writeHead(status, ['content-type', contentType, 'content-length', String(body.length)]);
  response.end(body, 'latin1');
};

const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
  if (request.method !== 'POST') {
    send(response, `${request.method} ${request.url} ${request.headers.accept ?? ''}`);
    return;
  }
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString('latin1');
  });
  request.on('end', () => send(response, body));
});

server.listen(Number(process.env.PORT), process.env.HOST, () => {
  console.log(`listening on http://${process.env.HOST}:${(server.address() as AddressInfo).port}`);
});
