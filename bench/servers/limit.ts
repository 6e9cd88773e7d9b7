// The limit: the bytes of every answer from memory, on a bare `node:http` server. What it does for a request is what any server must do on
// it: look the answer up by target or body, write the head, write the body.

import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { deserialize } from 'node:v8';
import type { KnownAnswer } from './known-answers.ts';

interface Ready {
  readonly head: readonly string[];
  readonly body: Buffer | string;
}

const known: KnownAnswer[] = deserialize(readFileSync(process.env.ANSWERS ?? ''));

/** Node writes a latin1 string together with the head, in one piece, and a buffer beside it: which is faster depends on the size. */
type BodyForm = 'latin1' | 'buffer';

let byTarget = new Map<string, Ready>();
let byBody = new Map<string, Ready>();

const prepare = (form: BodyForm): void => {
  byTarget = new Map();
  byBody = new Map();
  for (const { call, contentType, body } of known) {
    const ready: Ready = {
      head: ['content-type', contentType, 'content-length', String(body.byteLength)],
      body: form === 'latin1' ? body.toString('latin1') : body,
    };
    if (call.method === 'GET') byTarget.set(call.target, ready);
    else byBody.set(call.body, ready);
  }
};

prepare('buffer');

const send = (response: ServerResponse, answer: Ready | undefined): void => {
  if (answer === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, answer.head as string[]);
  response.end(answer.body, 'latin1');
};

// A request without a body gets no stream made for it, which saves up to a tenth: https://nodejs.org/api/http.html#httpcreateserveroptions-requestlistener
const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
  if (request.method === 'GET') {
    send(response, byTarget.get(request.url ?? ''));
    return;
  }
  let body = '';
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString('latin1');
  });
  request.on('end', () => send(response, byBody.get(body)));
});

server.listen(Number(process.env.PORT), process.env.HOST, () => {
  console.log(`listening on http://${process.env.HOST}:${(server.address() as AddressInfo).port}`);
});

// The benchmark tries both forms on each workload, and says which one to keep.
createInterface({ input: process.stdin }).on('line', (form) => prepare(form as BodyForm));
