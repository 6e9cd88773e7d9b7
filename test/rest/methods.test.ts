import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { expectNotFound, expectProblem } from '../support/rest-problem.ts';
import { createRestShop, TARGETS } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';
import { stored } from '../support/views.ts';

const shop = await shared(createRestShop({ CACHE_MAX_MB: '0', FRESHNESS_MS: '0' }));
const server = await shared(listen(shop.gateway));

describe.for(TARGETS)('%s', (path) => {
  test.for(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'get'])('does not take %s', async (method) => {
    const answer = await shop.gateway.request(method, path, { 'content-type': 'application/json' }, '{}');
    expectProblem(answer, { status: 405, code: 'METHOD_NOT_ALLOWED', detail: 'This path takes GET, HEAD, OPTIONS.' });
    expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test('answers OPTIONS with what it takes, and to a stranger nothing more', async () => {
    const { status, headers, text } = await shop.gateway.request('OPTIONS', path, {
      origin: 'https://shop.example',
      'access-control-request-method': 'GET',
    });
    expect({ status, text, allow: headers.allow }).toEqual({ status: 204, text: '', allow: 'GET, HEAD, OPTIONS' });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

// The client closes its connection after HEAD, and the answer's time is another each time, as is the second for nginx.
const NOT_OF_THE_ANSWER = ['connection', 'keep-alive', 'date', 'x-accel-expires'];

const fetchRaw = async (method: string, path: string) => {
  const response = await fetch(server.url + path, {
    method,
    headers: { 'x-request-id': 'the-same', 'accept-encoding': 'identity' },
  });
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !NOT_OF_THE_ANSWER.includes(name)));
  return { status: response.status, headers, text: await response.text() };
};

const ERRORS = ['/api/product/999', '/api/notice/102', '/api/product/hot?limit=0', '/api/x', '/api/product/%zz'];

test.for([...TARGETS, ...ERRORS])('HEAD %s answers as GET does, with no body and no view counted', async (path) => {
  const views = await stored(shop.database, 4);
  const head = await fetchRaw('HEAD', path);
  expect(await stored(shop.database, 4)).toBe(views);
  const get = await fetchRaw('GET', path);
  expect(get.text).not.toBe('');
  const type = get.status === 200 ? 'application/json' : 'application/problem+json';
  expect(get.headers['content-type']).toBe(`${type}; charset=utf-8`);
  expect(get.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
  expect(head).toEqual({ ...get, text: '' });
});

test.for([
  ['application/json', '{"limit":1}'],
  ['application/x-www-form-urlencoded', 'limit=1'],
  ['application/octet-stream', '\0'.repeat(20_000)],
] as const)('GET with a body of %s is answered as without', async ([type, body]) => {
  const expected = await fetchRaw('GET', '/api/product/hot');
  const headers = { 'content-type': type, 'content-length': body.length };
  const request = http.request(`${server.url}/api/product/hot`, { method: 'GET', headers });
  request.on('error', () => {}); // The server may hang up on what it does not read.
  request.end(body);
  const [response] = await once(request, 'response');
  expect({ status: response.statusCode, text: await text(response) }).toEqual({ status: 200, text: expected.text });
});

test.for(['POST', 'OPTIONS', 'HEAD', 'DELETE'])('a path that is none says so to %s', async (method) => {
  for (const path of ['/api/product/abc', '/api/nothing']) expectNotFound(await shop.gateway.request(method, path));
});
