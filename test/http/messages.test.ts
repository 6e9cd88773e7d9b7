import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { startGatewayProcess } from '../support/process.ts';
import { shared } from '../support/shared.ts';
import { sendRaw } from '../support/socket.ts';

// The real program, and the very bytes.

const database = await shared(createTestDatabase());
const gateway = await shared(startGatewayProcess({ DATABASE_URL: database.url }));

const CLOSE = 'connection: close\r\n';
const get = (target: string, headers = 'host: x\r\n'): string => `GET ${target} HTTP/1.1\r\n${headers}${CLOSE}\r\n`;
const post = (headers: string, body: string): string =>
  `POST /graphql HTTP/1.1\r\nhost: x\r\n${CLOSE}content-type: application/json\r\n${headers}\r\n${body}`;

const statusesOf = (answer: string): number[] =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const exchange = async (bytes: string | Uint8Array): Promise<{ statuses: number[]; text: string }> => {
  const text = await sendRaw(gateway.url, typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return { statuses: statusesOf(text), text };
};

const isServing = async (): Promise<void> => {
  expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
  expect(gateway.command.output()).not.toMatch(/unexpected error|nobody caught/);
};

const OPERATION = '{"query":"{ __typename }"}';
const LENGTH = `content-length: ${OPERATION.length}\r\n`;
const CHUNKED = 'transfer-encoding: chunked\r\n';
const HIDDEN = 'GET /api/notice/1 HTTP/1.1\r\nhost: x\r\n\r\n';

describe('is answered once, with an error of the client', () => {
  test.concurrent.for<[number, string, string | Uint8Array]>([
    [400, 'a request without a host', get('/livez', '')],
    [400, 'two hosts', get('/livez', 'host: x\r\nhost: y\r\n')],
    [400, 'one host twice', get('/livez', 'host: x\r\nhost: x\r\n')],
    [400, 'a host with a space', get('/livez', 'host: x y\r\n')],
    [400, 'a host with a path', get('/livez', 'host: x/y\r\n')],
    [400, 'a host with a user', get('/livez', 'host: u@x\r\n')],
    [400, 'a host with a tag', get('/livez', 'host: <x>\r\n')],
    [400, 'an absolute URI', get('http://x/api/notice/list')],
    [400, 'an absolute URI of another host', get('http://evil.example/graphql')],
    [400, 'an asterisk', get('*')],
    [400, 'OPTIONS of an asterisk', get('*').replace('GET', 'OPTIONS')],
    [400, 'a target that is no path', get('api/notice/list')],
    [404, 'two slashes and a host', get('//x/api/notice/list')],
    [404, 'dots', get('/api/../livez')],
    [404, 'dots that are encoded', get('/api/%2e%2e/livez')],
    [404, 'dots above the root', get('/../../etc/passwd')],
    [404, 'dots behind a name', get('/graphiql/../../package.json')],
    [404, 'a backslash', get('/api\\notice\\list')],
    [400, 'a byte beyond ASCII', get('/api/notice/list?x=\xff')],
    [400, 'a control character', get('/api/notice/\x01')],
    [400, 'a space in the target', get('/api/notice/list x')],
    [400, 'a broken percent in a path', get('/api/product/%zz')],
    [400, 'a cut percent in a path', get('/api/product/%4')],
    [400, 'a percent that is no UTF-8 in a path', get('/api/product/%ff')],
    [400, 'a broken percent in a query', get('/api/product/hot?limit=%zz')],
    [400, 'a percent that is no UTF-8 in a query', get('/api/product/hot?x=%c3%28')],
    [400, 'a surrogate in a query', get('/api/product/hot?x=%ed%a0%80')],
    [400, 'a broken percent in GraphQL', get('/graphql?query={__typename}%23%zz')],
    [400, 'a percent that is no UTF-8 in GraphQL', get('/graphql?query={__typename}%23%ff')],
    [400, 'two queries', get('/graphql?query={__typename}&query={hotProducts{id}}')],
    [414, 'a target past 8192 characters', get(`/${'x'.repeat(8192)}`)],
    [431, 'a target past the bound of all headers', get(`/${'x'.repeat(40_000)}`)],
    [431, 'a header past 32 KiB', get('/livez', `host: x\r\nx: ${'x'.repeat(40_000)}\r\n`)],
    [431, 'headers past 32 KiB together', get('/livez', `host: x\r\n${'x: yyyyyyyyyy\r\n'.repeat(3000)}`)],
    [431, 'endless headers', get('/livez', `host: x\r\n${'x: yyyyyyyyyy\r\n'.repeat(100_000)}`)],
    [405, 'TRACE', get('/api/notice/list').replace('GET', 'TRACE')],
    [405, 'DELETE', get('/api/notice/list').replace('GET', 'DELETE')],
    [405, 'PUT on GraphQL', get('/graphql').replace('GET', 'PUT')],
    [400, 'a method in lower case', get('/livez').replace('GET', 'get')],
    [400, 'a method that nobody knows', get('/livez').replace('GET', 'BREW')],
    [400, 'a method only', 'GET\r\n\r\n'],
    [400, 'HTTP/0.9', 'GET /livez\r\n\r\n'],
    [400, 'HTTP/1.2', get('/livez').replace('1.1', '1.2')],
    [400, 'HTTP/2.0', get('/livez').replace('1.1', '2.0')],
    [400, 'the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    [400, 'the hello of TLS', Buffer.from('16030100f5010000f10303', 'hex')],
    [400, 'zeros', new Uint8Array(100)],
    [400, 'lengths that differ', post(`content-length: 5\r\n${LENGTH}`, OPERATION + HIDDEN)],
    [400, 'a length twice', post(LENGTH + LENGTH, OPERATION + HIDDEN)],
    [400, 'a list of lengths', post('content-length: 26, 26\r\n', OPERATION + HIDDEN)],
    [400, 'a length with a sign', post('content-length: +26\r\n', OPERATION + HIDDEN)],
    [400, 'a length below zero', post('content-length: -1\r\n', OPERATION + HIDDEN)],
    [400, 'a length in hexadecimal', post('content-length: 0x1a\r\n', OPERATION + HIDDEN)],
    [400, 'a length of nothing', post('content-length:\r\n', OPERATION + HIDDEN)],
    [400, 'a length past 64 bits', post('content-length: 99999999999999999999\r\n', OPERATION)],
    [413, 'a length past 1 MiB', post('content-length: 1048577\r\n', OPERATION)],
    [400, 'a length and chunks', post(LENGTH + CHUNKED, `0\r\n\r\n${HIDDEN}`)],
    [400, 'chunks and a length', post(CHUNKED + LENGTH, `0\r\n\r\n${HIDDEN}`)],
    [400, 'chunks that are not last', post('transfer-encoding: chunked, identity\r\n', `0\r\n\r\n${HIDDEN}`)],
    [400, 'an unknown transfer coding', post('transfer-encoding: xchunked\r\n', `0\r\n\r\n${HIDDEN}`)],
    [400, 'chunks twice', post(`transfer-encoding: x\r\n${CHUNKED}`, `0\r\n\r\n${HIDDEN}`).replace(': x', ': cow')],
    [
      400,
      'two hosts and an unknown transfer coding',
      get('/livez', 'host: x\r\nhost: y\r\ntransfer-encoding: cow\r\n'),
    ],
    [400, 'a space before the colon', post('content-length : 26\r\n', OPERATION + HIDDEN)],
    [400, 'a folded header', get('/livez', 'host: x\r\nx: a\r\n b\r\n')],
    [400, 'a header that begins with a space', get('/livez', ' host: x\r\n')],
    [400, 'a header without a colon', get('/livez', 'host: x\r\nnonsense\r\n')],
    [400, 'a header without a name', get('/livez', 'host: x\r\n: y\r\n')],
    [400, 'lines that end in LF', get('/livez').replaceAll('\r\n', '\n')],
    [400, 'a line that ends in CR', get('/livez', 'host: x\rx: y\r\n')],
    [400, 'a NUL in a header', get('/livez', 'host: x\r\nx: a\0b\r\n')],
    [400, 'a length behind the chunks', post(CHUNKED, `1a\r\n${OPERATION}\r\n0\r\ncontent-length: 7\r\n\r\n`)],
    [400, 'a chunk whose size is no number', post(CHUNKED, `xyz\r\n${HIDDEN}`)],
    [400, 'a chunk whose size is below zero', post(CHUNKED, `-1\r\n${HIDDEN}`)],
    [400, 'a chunk whose size is past 64 bits', post(CHUNKED, `fffffffffffffffff\r\n${HIDDEN}`)],
    [400, 'a chunk that is longer than it says', post(CHUNKED, `2\r\n${OPERATION}\r\n0\r\n\r\n`)],
    [400, 'a chunk that ends in LF', post(CHUNKED, `1a\n${OPERATION}\n0\n\n`)],
    [
      413,
      'an extension of a chunk past 16 KiB',
      post(CHUNKED, `1a;x=${'y'.repeat(20_000)}\r\n${OPERATION}\r\n0\r\n\r\n`),
    ],
    [413, 'chunks past 1 MiB', post(CHUNKED, `200000\r\n${'x'.repeat(0x200000)}\r\n0\r\n\r\n`)],
    [415, 'a form', post('content-length: 7\r\n', 'query=x').replace('json', 'x-www-form-urlencoded')],
    [415, 'a body of no type', `POST /graphql HTTP/1.1\r\nhost: x\r\n${CLOSE}${LENGTH}\r\n${OPERATION}`],
    [415, 'two types', post(`content-type: text/plain\r\n${LENGTH}`, OPERATION)],
    [400, 'a batch', post(`content-length: ${OPERATION.length + 2}\r\n`, `[${OPERATION}]`)],
  ])('%i: %s', async ([status, , bytes]) => {
    const { statuses, text } = await exchange(bytes);
    expect(statuses, text.slice(0, 500)).toEqual([status]);
    expect(text).toMatch(/^connection: close\r$/im);
    expect(text).toMatch(/^content-type: application\/(problem\+)?json/im);
    if (status === 405) expect(text).toMatch(/^allow: GET, HEAD/im);
    await isServing();
  });
});

describe('is answered as if it were not there', () => {
  test.for<[string, string]>([
    [
      'the wish for a web socket',
      get('/livez', 'host: x\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: eA==\r\n'),
    ],
    [
      'the wish for HTTP/2',
      get('/livez', 'host: x\r\nupgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AA\r\n'),
    ],
    ['an empty host', get('/livez', 'host:\r\n')],
    ['a host with a port', get('/livez', 'host: [::1]:4000\r\n')],
    ['no host in HTTP/1.0', 'GET /livez HTTP/1.0\r\n\r\n'],
    ['an empty line before a request', `\r\n${get('/livez')}`],
    ['extensions of chunks', post(CHUNKED, `1a;a=b;c="d"\r\n${OPERATION}\r\n0;e\r\n\r\n`)],
    ['trailers', post(CHUNKED, `1a\r\n${OPERATION}\r\n0\r\nhost: y\r\nx: y\r\n\r\n`)],
    [
      'a body in chunks of one byte',
      post(CHUNKED, `${[...OPERATION].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`),
    ],
  ])('%s', async ([, bytes]) => {
    expect((await exchange(bytes)).statuses).toEqual([200]);
  });
});

test('a client that waits for leave to send its body gets it', async () => {
  const { statuses, text } = await exchange(post(`${LENGTH}expect: 100-continue\r\n`, OPERATION));
  expect(statuses).toEqual([100, 200]);
  expect(text).toContain('{"data":{"__typename":"Query"}}');
});

test('requests on one connection are answered in their order, and before what is wrong behind them', async () => {
  const keep = (target: string): string => `GET ${target} HTTP/1.1\r\nhost: x\r\n\r\n`;
  const { statuses, text } = await exchange(
    `${keep('/api/notice/page?pageSize=99')}${keep('/api/product/abc')}${keep('/livez')}nonsense\r\n\r\n${keep('/livez')}`,
  );
  expect(statuses, text).toEqual([200, 404, 200, 400]);
  await isServing();
});

test('Node itself closes the connection of who asks for a proxy, and refuses an expectation that it does not know', async () => {
  expect((await exchange('CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n')).statuses).toEqual([]);
  expect((await exchange(get('/livez', 'host: x\r\nexpect: the-unexpected\r\n'))).statuses).toEqual([417]);
  const tooMuch = post('content-length: 2000000\r\nexpect: 100-continue\r\n', '');
  expect((await exchange(tooMuch)).statuses).toEqual([100, 413]);
  await isServing();
});

test('what a client says of hosts is never repeated', async () => {
  const forged = ['host', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for', 'forwarded', 'x-original-url']
    .map((name) => `${name}: forged.example\r\n`)
    .join('');
  for (const target of ['/', '/graphql', '/openapi.json', '/api/notice/list', '/api/nothing', '/api/product/hot']) {
    expect((await exchange(get(target, forged))).text, target).not.toContain('forged');
  }
  // The answer to all those is the same, so that none can be put into a cache for others.
  const [, mine] = (await exchange(get('/api/notice/list', forged))).text.split('\r\n\r\n');
  const [, others] = (await exchange(get('/api/notice/list'))).text.split('\r\n\r\n');
  expect(mine).toBe(others);
});
