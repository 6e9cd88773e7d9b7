import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { GatewayResponse } from '../../src/http/message.ts';
import { handle } from '../support/gateway.ts';
import { startGatewayProcess } from '../support/process.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';

// A slow heartbeat on a busy machine is no reason to execute again.
const shop = await shared(createRestShop({ FRESHNESS_MS: '1000' }));
// More than latin1 holds, and more than is kept as a string.
await shop.database.sql(`update product set description = repeat('Größe 🍵 ', 40 * id)`);

const LARGE = '/api/product/list?limit=30';

const bytesOf = ({ body, encoding }: GatewayResponse): Buffer =>
  typeof body === 'string' ? Buffer.from(body, encoding) : Buffer.from(body ?? '');

const get = async (target: string, acceptEnencoding?: string): Promise<GatewayResponse> =>
  handle(shop.gateway.app, {
    method: 'GET',
    target,
    headers: acceptEnencoding === undefined ? {} : { 'accept-encoding': acceptEnencoding },
  });

/** Repeats a request until the response is compressed. */
const encoded = async (target: string, acceptEnencoding: string, encoding: string): Promise<GatewayResponse> => {
  let response = await get(target, acceptEnencoding);
  await expect
    .poll(
      async () => {
        response = await get(target, acceptEnencoding);
        return response.headers['content-encoding'];
      },
      { interval: 5 },
    )
    .toBe(encoding);
  return response;
};

const DECODE: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { gzip: gunzipSync, br: brotliDecompressSync };

describe('a hot answer comes', () => {
  test.for([
    ['gzip', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['deflate, gzip;q=0.5', 'gzip'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['br;q=0.000 , gzip', 'gzip'],
    ['gzip, br;Q=0', 'gzip'],
    ['GZIP', 'gzip'],
    ['zebra, gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['identity;q=0, br;q=0.001', 'br'],
    ['gzip;q=0,br', 'br'],
    ['Br;q=0.5', 'br'],
    ['*', 'br'],
    ['br;q=0, *;q=0.1', 'gzip'],
  ] as const)(
    'to "accept-encoding: %s" in %s, which decodes to the same bytes',
    async ([acceptEnencoding, encoding]) => {
      for (const target of [LARGE, '/graphql?query={hotProducts(limit:30){description}}']) {
        const response = await encoded(target, acceptEnencoding, encoding);
        const plain = await get(target);
        expect(response.status).toBe(200);
        expect(DECODE[encoding]?.(bytesOf(response)).equals(bytesOf(plain))).toBe(true);
        expect(bytesOf(response).byteLength).toBeLessThan(bytesOf(plain).byteLength / 4);
        // The encoding is the only difference: the weak tag is the same, and `vary` keeps caches from mixing them up.
        const { 'content-encoding': _, 'x-request-id': __, 'x-accel-expires': _a, ...headers } = response.headers;
        const { 'x-request-id': ___, 'x-accel-expires': _b, ...plainHeaders } = plain.headers;
        expect(headers).toEqual(plainHeaders);
        expect(headers.vary).toContain('accept-encoding');
        expect(headers.etag).toMatch(/^W\/"/);
      }
    },
  );

  test.for([
    undefined,
    '',
    'identity',
    'deflate, zstd',
    'gzip;q=0',
    'gzip;q=0.0, br ; q=0',
    'gzip; Q=0.000',
    'x-brotli, gzipped',
    '*;q=0',
  ])('to "accept-encoding: %s" plain', async (acceptEnencoding) => {
    await encoded(LARGE, 'br', 'br');
    await encoded(LARGE, 'gzip', 'gzip');
    for (let round = 0; round < 3; round += 1) {
      const { headers, body } = await get(LARGE, acceptEnencoding);
      expect(headers).not.toHaveProperty('content-encoding');
      expect(headers.vary).toContain('accept-encoding');
      expect(JSON.parse(String(body))).toHaveLength(30);
    }
  });
});

test('a compressed answer costs no statement, and no compression for each', async () => {
  await encoded(LARGE, 'gzip', 'gzip');
  const bodies = new Set<unknown>();
  const statements = await shop.gateway.countStatements(async () => {
    for (let round = 0; round < 50; round += 1) bodies.add((await get(LARGE, 'gzip')).body);
  });
  expect(statements).toBe(0);
  // The very same buffer.
  expect(bodies.size).toBe(1);
});

test('a small answer and an answer that is asked for once come plain', async () => {
  for (let round = 0; round < 5; round += 1) {
    expect((await get('/graphql?query={categories{name}}', 'gzip')).headers).not.toHaveProperty('content-encoding');
  }
  const { headers, body } = await get('/api/product/list?limit=29', 'gzip, br');
  expect(headers).not.toHaveProperty('content-encoding');
  expect(JSON.parse(String(body))).toHaveLength(29);
});

test('after a change the compressed answer is another', async () => {
  const old = await encoded(LARGE, 'gzip', 'gzip');
  await shop.database.sql(`update product set name = 'Changed' where id = 1`);
  await expect.poll(async () => (await get(LARGE, 'gzip')).headers.etag, { interval: 5 }).not.toBe(old.headers.etag);
  const changed = await encoded(LARGE, 'gzip', 'gzip');
  expect(gunzipSync(bytesOf(changed)).toString()).toContain('"Changed"');
});

test('over a socket the length is that of the compressed body, to HEAD as well', async () => {
  const { length } = bytesOf(await encoded(LARGE, 'gzip', 'gzip'));
  await using server = await listen(shop.gateway);
  for (const method of ['HEAD', 'GET']) {
    const response = await fetch(server.url + LARGE, { method, headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('content-length')).toBe(String(length));
    if (method === 'GET') expect(await response.json()).toHaveLength(30);
  }
});

test('where compression fails, answers go out as they are, and the process goes on', async () => {
  const script = `
    import zlib from 'node:zlib';
    import { syncBuiltinESMExports } from 'node:module';
    zlib.gzip = zlib.brotliCompress = (...args) => setImmediate(args.at(-1), new Error('no memory'));
    syncBuiltinESMExports();`;
  await using gateway = await startGatewayProcess({
    DATABASE_URL: shop.database.url,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
  });
  for (const encoding of ['gzip', 'br']) {
    for (let turn = 0; turn < 5; turn += 1) {
      const response = await fetch(gateway.url + LARGE, { headers: { 'accept-encoding': encoding } });
      expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
      expect(await response.json()).toHaveLength(30);
    }
  }
  expect(gateway.command.output()).toContain('no memory');
});

test('bytes that are kept take no memory beside their own', async () => {
  const bodies = [
    (await encoded('/api/product/8', 'br', 'br')).body,
    (await encoded('/api/product/9', 'gzip', 'gzip')).body,
    (await get('/api/product/new?limit=2')).body,
  ];
  for (const body of bodies) {
    if (!Buffer.isBuffer(body)) throw new Error('it is a string');
    expect(body.byteLength).toBeLessThan(Buffer.poolSize / 2);
    expect(body.buffer.byteLength).toBe(body.byteLength);
  }
});
