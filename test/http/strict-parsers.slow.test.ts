import net from 'node:net';
import fc from 'fast-check';
import { Client } from 'undici';
import { expect, test } from 'vitest';
import { createRestShop } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';
import { stored } from '../support/views.ts';

// Whatever a request says of media types, encodings, its connection and its version, strict parsers accept the response of either protocol: undici's,
// and the rules of RFC 9112 as they are written down here.

const shop = await shared(createRestShop());
const listening = await shared(listen(shop.gateway));
// A thread makes the page for the first who wants it: on a busy machine that takes longer than any answer may, further down.
await (await fetch(`${listening.url}/graphql`, { headers: { accept: 'text/html' } })).text();

const NOTICE = 1;

interface Question {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly target: string;
  readonly body?: string;
}

const QUERIES = [
  `{ notice(id: ${NOTICE}) { viewCount } }`,
  '{ hotProducts(limit: 30) { name description slug } }',
  '{ product(id: 999) { name } }',
  '{ products(limit: 0) { name } }',
  '{ nothing }',
  'mutation { buy }',
  '{',
];

const QUESTIONS: readonly Question[] = [
  ...[
    `/api/notice/${NOTICE}`,
    '/api/product/list?limit=30',
    '/api/product/1',
    '/api/product/999',
    '/api/product/hot?limit=0',
    '/api/nothing',
    '/graphql',
    ...QUERIES.map((query) => `/graphql?query=${encodeURIComponent(query)}`),
  ].flatMap((target) => [{ method: 'GET', target } as const, { method: 'HEAD', target } as const]),
  { method: 'POST', target: '/api/product/1', body: '{}' },
  ...['{', '[]', ...QUERIES.map((query) => JSON.stringify({ query }))].map(
    (body) => ({ method: 'POST', target: '/graphql', body }) as const,
  ),
];

/** A media range and its weight, of which the empty one is 1. */
type Accepted = readonly [range: string, weight: string];

const EVENTS = 'text/event-stream';
const JSON_TYPES = ['application/json', 'application/graphql-response+json'];
const RANGES = [...JSON_TYPES, '*/*', 'application/*', 'multipart/mixed', EVENTS, 'text/plain', 'text/html'];

const accept = fc.option(
  fc.uniqueArray(fc.tuple(fc.constantFrom(...RANGES), fc.constantFrom('', '1', '0.5', '0.001', '0', '0.000')), {
    minLength: 1,
    maxLength: 4,
    selector: ([range]) => range,
  }),
);

/** Weight of the most specific range that matches: https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 */
const weightOf = (type: string, accepted: readonly Accepted[] | null): number => {
  if (!accepted) return 1;
  const [major] = type.split('/');
  for (const range of [type, `${major}/*`, '*/*']) {
    const found = accepted.find(([each]) => each === range);
    if (found) return Number(found[1] || 1);
  }
  return 0;
};

const CODINGS = [
  'gzip',
  'br',
  'gzip, br;q=0.5',
  'gzip;q=0',
  'identity',
  'identity;q=0',
  '*',
  '*;q=0',
  'deflate',
  ',',
  '',
];
const CONNECTIONS = [
  'close',
  'keep-alive',
  'Keep-Alive, TE',
  'TE',
  'upgrade',
  'close, keep-alive',
  'x-hop',
  'content-length',
];
const TRANSFER_CODINGS = ['trailers', 'chunked', 'gzip;q=0.5', 'trailers, deflate', 'chunked;q=0', ''];

interface Case extends Question {
  readonly version: '1.0' | '1.1';
  readonly accepted: readonly Accepted[] | null;
  readonly headers: readonly (readonly [string, string])[];
}

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    question: fc.constantFrom(...QUESTIONS),
    version: fc.constantFrom('1.0', '1.1'),
    accepted: accept,
    'accept-encoding': fc.option(fc.constantFrom(...CODINGS)),
    connection: fc.option(fc.constantFrom(...CONNECTIONS)),
    te: fc.option(fc.constantFrom(...TRANSFER_CODINGS)),
    upgrade: fc.option(fc.constantFrom('h2c', 'websocket'), { freq: 5 }),
    'if-none-match': fc.option(fc.constantFrom('*', '"x"'), { freq: 5 }),
  })
  .map(({ question, version, accepted, ...others }) => {
    const range = ([name, weight]: Accepted): string => (weight === '' ? name : `${name};q=${weight}`);
    return {
      ...question,
      version,
      accepted,
      headers: [
        ...(accepted ? [['accept', accepted.map(range).join(', ')] as const] : []),
        ...Object.entries(others).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
        ...(question.body === undefined ? [] : [['content-type', 'application/json'] as const]),
      ],
    };
  });

/** Sent behind each request, so that a byte too many or too few before it shows. */
const NEXT = 'GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

const bytesOf = ({ method, target, version, headers, body }: Case): string =>
  [
    `${method} ${target} HTTP/${version}`,
    'host: x',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${body.length}`]),
    '',
    body ?? '',
  ].join('\r\n');

/**
 * Sends a request and, behind it, the next one; gives every byte that comes back until the server closes the connection. Behind an upgrade that is
 * offered, the next one is sent when the answer has begun: Node throws away what came in one packet with it.
 */
const exchange = (each: Case): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(listening.url);
    const socket = net.connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    const isUpgrade = each.headers.some(([, value]) => value === 'upgrade');
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isUpgrade && chunks.length === 1 && !/\r\nconnection: close\r\n/i.test(chunk.toString('latin1'))) {
        socket.write(NEXT);
      }
    });
    socket.on('error', reject);
    socket.setTimeout(5000, () => socket.destroy(new Error(`no end after ${Buffer.concat(chunks)}`)));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
    socket.write(bytesOf(each) + (isUpgrade ? '' : NEXT));
  });

interface Message {
  readonly status: number;
  /** Names as they came. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** What came behind it. */
  readonly rest: Buffer;
}

const OF_THE_CONNECTION = ['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];

/** Reads the first response by its own account of its length. Chunks are never sent by this gateway. */
const read = (bytes: Buffer, method: string): Message => {
  const end = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(/^HTTP\/1\.1 ([2-5]\d\d) [ -~]*$/.exec(statusLine)?.[1]);
  expect(status, statusLine).toBeGreaterThan(0);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+): ([!-~](?:[ -~]*[!-~])?)$/.exec(line) ?? [];
    expect(name, `the line ${JSON.stringify(line)}`).not.toBe('');
    expect(headers.has(name.toLowerCase()), `${name} comes once`).toBe(false);
    headers.set(name.toLowerCase(), value);
  }
  for (const name of OF_THE_CONNECTION) expect(headers.has(name), name).toBe(false);
  const length = headers.get('content-length');
  if (status === 204 || status === 304) expect(length).toBeUndefined();
  else expect(length).toMatch(/^(?:0|[1-9]\d*)$/);
  const start = end + 4;
  const bodyEnd = start + (method === 'HEAD' ? 0 : Number(length ?? 0));
  expect(bytes.length, 'the whole body has come').toBeGreaterThanOrEqual(bodyEnd);
  return { status, headers, body: bytes.subarray(start, bodyEnd), rest: bytes.subarray(bodyEnd) };
};

const isGraphql = ({ target }: Question): boolean => target.startsWith('/graphql');

const expectedTypes = (each: Case, status: number): readonly string[] => {
  if (!isGraphql(each)) return [status < 300 ? 'application/json' : 'application/problem+json'];
  const { accepted, method } = each;
  // A page only for those who name it.
  const mayBePage = method !== 'POST' && accepted?.some(([range]) => range === 'text/html');
  const offered = mayBePage ? [...JSON_TYPES, 'text/html'] : JSON_TYPES;
  const weights = offered.map((type) => weightOf(type, accepted));
  const best = Math.max(...weights);
  // Events only for those who name them, and take nothing else. Errors of a request have no events.
  const takesEvents = accepted?.some(([range, weight]) => range === EVENTS && Number(weight || 1) > 0);
  if (best === 0 && takesEvents) return [status === 200 ? EVENTS : 'application/json'];
  if (best === 0) expect(status).toBe(406);
  if (status !== 406) return offered.filter((_, index) => weights[index] === best);
  expect(best).toBe(0);
  return ['application/json'];
};

const viewsIn = ({ method, target, body = '' }: Question, status: number, contentType = ''): number =>
  status === 200 && method !== 'HEAD' && /json|event-stream/.test(contentType) && /notice/.test(target + body) ? 1 : 0;

/** They say when or to whom, or what the cache had. */
const PASSING = ['date', 'x-request-id', 'cache-status', 'cache-control', 'x-accel-expires'];
/** They depend on the body, which a view changes, and which is compressed only after some requests. */
const OF_THE_BODY = ['content-length', 'content-encoding'];

const lasting = ({ headers }: Message, without: readonly string[]): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !PASSING.includes(name) && !without.includes(name)));

/** Gives the recorded bytes to a client: the first response to the first request, the rest to the second. */
const replay = async (first: Buffer, rest: Buffer): Promise<AsyncDisposable & { readonly url: string }> => {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const left = [first, rest];
    socket.on('data', () => {
      const bytes = left.shift() ?? '';
      if (left.length > 0 && rest.length > 0) socket.write(bytes);
      else socket.end(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

/** Has undici read the recorded responses, on one connection where both sides leave it open: undici closes it after each HEAD. */
const readByUndici = async (method: Question['method'], first: Buffer, rest: Buffer) => {
  await using server = await replay(first, rest);
  const client = new Client(server.url, { headersTimeout: 5000, bodyTimeout: 5000 });
  try {
    const ask = async (path: string, asked: Question['method']) => {
      const { statusCode, body } = await client.request({ method: asked, path });
      return { status: statusCode, body: Buffer.from(await body.arrayBuffer()) };
    };
    const answer = await ask('/', method);
    return { answer, next: rest.length > 0 && method !== 'HEAD' ? await ask('/next', 'GET') : undefined };
  } finally {
    await client.destroy();
  }
};

test('every answer is read alike by undici and by the rules of HTTP, and leaves nothing before the next one', async () => {
  let views = 0;
  const check = async (each: Case): Promise<void> => {
    const bytes = await exchange(each);
    const answer = read(bytes, each.method);
    const { status, headers, body, rest } = answer;
    views += viewsIn(each, status, headers.get('content-type'));

    const isLast = /close/i.test(headers.get('connection') ?? '');
    expect(headers.get('connection')).toMatch(/^(?:close|keep-alive)$/i);
    if (isLast) expect(rest).toHaveLength(0);
    const next = isLast ? undefined : read(rest, 'GET');
    if (next) {
      expect({ status: next.status, rest: next.rest.length }).toEqual({ status: 200, rest: 0 });
      expect(JSON.parse(next.body.toString())).toEqual({ status: 'ok' });
    }
    if (each.version === '1.0' && !each.headers.some(([, value]) => /keep-alive/i.test(value)))
      expect(isLast).toBe(true);

    expect(status).toBeLessThan(500);
    if (status !== 304) {
      const [type, charset] = headers.get('content-type')?.split('; ') ?? [];
      expect(expectedTypes(each, status)).toContain(type);
      expect(charset).toBe('charset=utf-8');
    }
    if (each.method === 'HEAD') {
      const get = read(await exchange({ ...each, method: 'GET' }), 'GET');
      views += viewsIn({ ...each, method: 'GET' }, get.status, get.headers.get('content-type'));
      expect(get.status).toBe(status);
      const isSettled =
        !/notice/.test(each.target) && get.headers.get('content-encoding') === headers.get('content-encoding');
      expect(lasting(answer, isSettled ? [] : OF_THE_BODY)).toEqual(lasting(get, isSettled ? [] : OF_THE_BODY));
    }

    const byUndici = await readByUndici(each.method, bytes.subarray(0, bytes.length - rest.length), rest);
    expect(byUndici).toEqual({
      answer: { status, body },
      next: next && each.method !== 'HEAD' ? { status: 200, body: next.body } : undefined,
    });
  };
  await fc.assert(fc.asyncProperty(anyCase, check), { numRuns: 600, endOnFailure: true });
  expect(await stored(shop.database, NOTICE)).toBe(views);
});
