import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createGateway } from '../../src/index.ts';
import { createTestDatabase } from '../support/database.ts';
import { readStream, untilShown } from '../support/events.ts';
import { createTestGateway, JSON_HEADERS } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { listen, postTo, sendRaw } from '../support/socket.ts';
import { stored } from '../support/views.ts';

// https://www.rfc-editor.org/rfc/rfc10008

const SHOP = 'https://shop.example';

const database = await shared(createTestDatabase());
await insertProduct(database, { category_id: await insertCategory(database), name: 'Bowl' });
await insertNotice(database, { id: 1 });
const gateway = await shared(createTestGateway(database, { CORS_ORIGINS: SHOP }));
const server = await shared(listen(gateway));

const ask = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/graphql`, {
    method: 'QUERY',
    headers: { ...JSON_HEADERS, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const get = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${server.url}/graphql?${new URLSearchParams({ query })}`, { headers });

const METHODS = 'GET, HEAD, POST, QUERY, OPTIONS';

describe('a QUERY', () => {
  test.for(['application/json', 'application/graphql-response+json'])(
    'has the answer of a GET as %s, with its ETag and Cache-Control, and is a 304 where the client has it',
    async (accept) => {
      const query = '{ products { name } }';
      const [asked, got] = [await ask({ query }, { accept }), await get(query, { accept })];
      expect([asked.status, await asked.json()]).toEqual([200, { data: { products: [{ name: 'Bowl' }] } }]);
      for (const name of ['content-type', 'etag', 'cache-control', 'vary']) {
        expect(got.headers.get(name), name).not.toBeNull();
        expect(asked.headers.get(name), name).toBe(got.headers.get(name));
      }
      const same = await ask({ query }, { accept, 'if-none-match': asked.headers.get('etag') ?? '' });
      expect([same.status, same.headers.get('etag'), await same.text()]).toEqual([304, got.headers.get('etag'), '']);
    },
  );

  test('takes variables and a name, and asks by its body alone', async () => {
    const query = 'query A { __typename } query B($id: Int!) { product(id: $id) { name } }';
    const response = await fetch(`${server.url}/graphql?query={`, {
      method: 'QUERY',
      headers: JSON_HEADERS,
      body: JSON.stringify({ query, variables: { id: 1 }, operationName: 'B' }),
    });
    expect(await response.json()).toEqual({ data: { product: { name: 'Bowl' } } });
  });

  test('that was asked for before is answered at once from memory, by whichever method', async () => {
    const asBody = (text: string) => ({
      target: '/graphql',
      headers: JSON_HEADERS,
      body: JSON.stringify({ query: text }),
    });
    for (const [first, second] of [
      ['QUERY', 'QUERY'],
      ['POST', 'QUERY'],
      ['QUERY', 'POST'],
    ] as const) {
      const { target, headers, body } = asBody(`{ products { ${first}${second}: name } }`);
      const answer = await gateway.request(first, target, headers, body);
      expect(answer.status).toBe(200);
      const request = { method: second, target, headers, body: Buffer.from(body), fault: undefined };
      // Makes nothing: what it finds, the first request has left there.
      await expect
        .poll(() => gateway.app.lookUp(request))
        .toMatchObject({
          status: 200,
          headers: { 'cache-status': expect.stringMatching(/hit/), etag: answer.headers.etag },
          body: answer.text,
        });
    }
  });

  test('counts the view of a notice as a GET does, also where it is asked again', async () => {
    const before = await stored(database, 1);
    for (const viewCount of [1, 2].map((more) => before + more)) {
      const response = await ask({ query: '{ notice(id: 1) { viewCount } }' });
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(await response.json()).toEqual({ data: { notice: { viewCount } } });
    }
    expect(await stored(database, 1)).toBe(before + 2);
  });

  test('that is a mutation is refused with 405, as by GET', async () => {
    const [asked, got] = [await ask({ query: 'mutation { buy }' }), await get('mutation { buy }')];
    expect([asked.status, asked.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await asked.text()).toBe(await got.text());
  });

  test('that is a subscription is answered by events, and by 406 to a client that takes none', async () => {
    const query = 'subscription { notices { id } }';
    const events = readStream(await ask({ query }, { accept: 'text/event-stream' }));
    await untilShown(events, { notices: [{ id: 1 }] });
    await events.leave();
    expect((await ask({ query })).status).toBe((await get(query)).status);
  });

  test('may name a document that was learnt', async () => {
    const query = '{ learnt: __typename }';
    const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', query) } };
    expect(await (await ask({ extensions })).json()).toMatchObject({
      errors: [{ extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
    });
    await postTo(server, { query, extensions });
    expect(await (await ask({ extensions })).json()).toEqual({ data: { learnt: 'Query' } });
  });

  test('that takes a page is answered in JSON: it has asked something', async () => {
    const response = await ask({ query: '{ __typename }' }, { accept: 'text/html,*/*;q=0.8' });
    expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
  });

  test.for([
    [415, 'UNSUPPORTED_MEDIA_TYPE', { 'content-type': 'application/graphql' }, '{ __typename }'],
    [415, 'UNSUPPORTED_MEDIA_TYPE', { 'content-encoding': 'gzip' }, '{}'],
    [413, 'PAYLOAD_TOO_LARGE', {}, ' '.repeat(1_048_577)],
    [400, 'BAD_USER_INPUT', {}, '{'],
    [400, 'BAD_USER_INPUT', {}, '[]'],
    [400, 'BAD_USER_INPUT', {}, ''],
    [400, 'GRAPHQL_VALIDATION_FAILED', { accept: 'application/graphql-response+json' }, '{"query":"{ nothing }"}'],
  ] as const)('is refused as a POST is: %i %s, with %j', async ([status, code, headers, body]) => {
    const posted = await postTo(server, body, headers);
    const asked = await ask(body, headers);
    const json = (await asked.json()) as { errors: [{ extensions: object }] };
    expect([asked.status, json.errors[0].extensions]).toMatchObject([status, { code }]);
    expect(asked.headers.get('cache-control')).toBe('no-store');
    for (const { headers: sent } of [asked, posted]) {
      expect(sent.get('accept-query')).toBe(status === 415 ? 'application/json' : null);
    }
    expect(posted.status).toBe(status);
  });

  test('may wait for "100 Continue" before it sends its body', async () => {
    const body = '{"query":"{ __typename }"}';
    const head = `host: x\r\ncontent-type: application/json\r\nconnection: close\r\nexpect: 100-continue\r\n`;
    const text = await sendRaw(
      server.url,
      `QUERY /graphql HTTP/1.1\r\n${head}content-length: ${body.length}\r\n\r\n${body}`,
    );
    expect(text.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
  });

  test('is logged by its method and its operation, and counted by its operation', async () => {
    await using own = await createTestGateway(database);
    await own.request('QUERY', '/graphql', JSON_HEADERS, '{"query":"query Logged { products { id } }"}');
    expect(own.logged.filter(({ method }) => method === 'QUERY')).toMatchObject([
      { operation: 'Logged', path: '/graphql', status: 200 },
    ]);
  });

  test('is answered by the library as by the server', async () => {
    await using library = await createGateway({ logLevel: 'silent', databaseUrl: database.url });
    const body = '{"query":"{ product(id: 1) { name } }"}';
    const query = (headers: Record<string, string>): Promise<Response> =>
      library.fetch(new Request(`${SHOP}/graphql`, { method: 'QUERY', headers, body }));
    const first = await query(JSON_HEADERS);
    expect(await first.json()).toEqual({ data: { product: { name: 'Bowl' } } });
    expect((await query({ ...JSON_HEADERS, 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304);
    const refused = await query({ 'content-type': 'text/plain' });
    expect([refused.status, refused.headers.get('accept-query')]).toEqual([415, 'application/json']);
  });
});

describe('that /graphql takes QUERY', () => {
  test('is said by OPTIONS, with the type of its body, to a browser as well', async () => {
    for (const accept of ['*/*', 'text/html']) {
      const { status, headers } = await fetch(`${server.url}/graphql`, { method: 'OPTIONS', headers: { accept } });
      expect([status, headers.get('allow'), headers.get('accept-query')]).toEqual([204, METHODS, 'application/json']);
    }
  });

  test('is said to a preflight', async () => {
    const { headers } = await fetch(`${server.url}/graphql`, {
      method: 'OPTIONS',
      headers: { origin: SHOP, 'access-control-request-method': 'QUERY' },
    });
    expect(headers.get('access-control-allow-methods')).toBe(METHODS);
  });

  test('is true of no other path', async () => {
    for (const path of ['/api/product/1', '/livez']) {
      const response = await fetch(server.url + path, { method: 'QUERY', headers: JSON_HEADERS, body: '{}' });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      const options = await fetch(server.url + path, { method: 'OPTIONS' });
      expect(options.headers.get('accept-query')).toBeNull();
    }
  });
});
