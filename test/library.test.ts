import { describe, expect, test } from 'vitest';
import { createGateway, type GatewayOptions, OperatorError } from '../src/index.ts';
import { createTestDatabase } from './support/database.ts';

const open = (options: GatewayOptions) => createGateway({ logLevel: 'silent', ...options });

const to = (target: string, init?: RequestInit) => new Request(`https://shop.example${target}`, init);

const post = (body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  to('/graphql', { method: 'POST', headers, body, duplex: 'half' } as RequestInit);

const PAN = `insert into category (name, slug) values ('Pans', 'pans');
  insert into product (category_id, name, slug, price) values (1, 'Pän', 'pan', 9.9);
  insert into notice (title, content) values ('Open', 'Come in')`;

test('the library answers both APIs and the pages without a port, from memory the second time', async () => {
  await using database = await createTestDatabase();
  await database.sql(PAN);
  await using gateway = await open({ databaseUrl: database.url });
  const { fetch } = gateway;
  expect(gateway.databaseUrl).toBe(database.url);

  const rest = await fetch(to('/api/product/1'));
  expect(rest.status).toBe(200);
  expect(Object.fromEntries(rest.headers)).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-status': 'vitrine; fwd=miss',
    'x-content-type-options': 'nosniff',
  });
  const bytes = await rest.clone().bytes();
  expect(rest.headers.get('content-length')).toBe(String(bytes.length));
  expect(await rest.json()).toMatchObject({ name: 'Pän', price: { amount: '9.90' } });
  const again = await fetch(to('/api/product/1'));
  expect(again.headers.get('cache-status')).toMatch(/^vitrine; hit/);
  expect(await again.bytes()).toEqual(bytes);

  const query = JSON.stringify({ query: '{ hotProducts { name } }' });
  for (const outcome of [/fwd=miss/, /hit/]) {
    const answer = await fetch(post(query));
    expect(answer.headers.get('cache-status')).toMatch(outcome);
    expect(await answer.json()).toEqual({ data: { hotProducts: [{ name: 'Pän' }] } });
  }

  const head = await fetch(to('/api/product/1', { method: 'HEAD' }));
  expect([head.status, head.body, head.headers.get('content-length')]).toEqual([200, null, String(bytes.length)]);
  const same = await fetch(to('/api/product/1', { headers: { 'if-none-match': again.headers.get('etag') ?? '' } }));
  expect([same.status, same.body]).toEqual([304, null]);
  const views = await Promise.all([1, 2].map(async () => (await fetch(to('/api/notice/1'))).json()));
  expect(views.map((notice) => (notice as { viewCount: number }).viewCount).toSorted()).toEqual([1, 2]);
  for (const page of ['/', '/docs', '/demo', '/graphql']) {
    const { status, headers } = await fetch(to(page, { headers: { accept: 'text/html' } }));
    expect([page, status, headers.get('content-type')]).toEqual([page, 200, 'text/html; charset=utf-8']);
  }
});

test('the library negotiates as the server does: a client that takes no JSON gets a 406, and counts no view', async () => {
  await using database = await createTestDatabase();
  await database.sql(PAN);
  await using gateway = await open({ databaseUrl: database.url });
  const headers = { accept: 'multipart/mixed', 'content-type': 'application/json' };
  for (const query of ['{ notice(id: 1) { viewCount } }', '{']) {
    const response = await gateway.fetch(post(JSON.stringify({ query }), headers));
    expect(response.status).toBe(406);
    expect(response.headers.get('transfer-encoding')).toBeNull();
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'NOT_ACCEPTABLE' } }] });
  }
  expect(await (await gateway.fetch(to('/api/notice/1'))).json()).toMatchObject({ viewCount: 1 });
});

test('what fails is an answer, never a rejection', async () => {
  await using database = await createTestDatabase();
  await using gateway = await open({ databaseUrl: database.url, demo: false, graphiql: false });
  const codeOf = async (request: Request) => {
    const answer = await gateway.fetch(request);
    const body = (await answer.json()) as { code?: string; errors?: { extensions: { code: string } }[] };
    return [answer.status, body.code ?? body.errors?.[0]?.extensions.code];
  };
  expect(await codeOf(to('/api/product/1'))).toEqual([404, 'NOT_FOUND']);
  expect(await codeOf(to('/demo'))).toEqual([404, 'NOT_FOUND']);
  expect(await codeOf(to('/api/product/hot?limit=0'))).toEqual([400, 'BAD_USER_INPUT']);
  expect(await codeOf(to('/api/product/1', { method: 'DELETE' }))).toEqual([405, 'METHOD_NOT_ALLOWED']);
  expect(await codeOf(post('query={a}', { 'content-type': 'text/plain' }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(await codeOf(post(new Uint8Array(1_048_577)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);

  // No more of an endless body is taken than there may be.
  let sent = 0;
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  expect(await codeOf(post(endless))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThan(2 * 1_048_576);

  const broken = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
  expect(await codeOf(post(broken))).toEqual([400, 'BAD_USER_INPUT']);
  const read = post('{}');
  await read.text();
  expect(await codeOf(read)).toEqual([400, 'BAD_USER_INPUT']);
});

test('options are the environment variables, typed; the environment itself counts only where it is handed over', async () => {
  await using database = await createTestDatabase();
  await using gateway = await open({
    databaseUrl: database.url,
    accessTokens: ['first-token-0123456789', 'second-token-0123456789'],
    corsOrigins: ['https://a.example', 'https://b.example'],
    environment: { CORS_ORIGINS: 'https://c.example', INTROSPECTION: 'off' },
  });
  const status = async (target: string, headers: Record<string, string>) =>
    (await gateway.fetch(to(target, { headers }))).status;
  expect(await status('/api/product/hot', {})).toBe(401);
  expect(await status('/docs', {})).toBe(401);
  expect(await status('/api/product/hot', { authorization: 'Bearer second-token-0123456789' })).toBe(200);
  const origins = ['https://a.example', 'https://b.example', 'https://c.example'].map(async (origin) =>
    (await gateway.fetch(to('/livez', { headers: { origin } }))).headers.get('access-control-allow-origin'),
  );
  expect(await Promise.all(origins)).toEqual(['https://a.example', 'https://b.example', null]);
  const authorization = 'Bearer first-token-0123456789';
  const asked = await gateway.fetch(
    post('{"query":"{ __schema { queryType { name } } }"}', { 'content-type': 'application/json', authorization }),
  );
  expect(await asked.text()).toContain('GRAPHQL_VALIDATION_FAILED');
});

test.each<[GatewayOptions, string]>([
  [
    { freshnessMs: -1, graphiql: 'maybe' as never },
    'createGateway was given faults:\n' +
      '  freshnessMs must be a whole number from 0 to 1000, but is "-1"\n  graphiql must be on, off or token, but is "maybe"',
  ],
  [
    { environment: { PORT: 'x' } },
    'createGateway was given a fault:\n  PORT must be a whole number from 0 to 65535, but is "x"',
  ],
  [{ freshMs: 1 } as GatewayOptions, 'createGateway has no option freshMs.'],
  [
    { databaseUrl: 'postgresql://shop:hidden@127.0.0.1:1/shop', databaseWaitMs: 0 },
    'The database cannot be reached: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL.',
  ],
])('%j is refused with what is wrong', async (options, message) => {
  const error = await open(options).catch((refusal: unknown) => refusal);
  expect(error).toBeInstanceOf(OperatorError);
  expect(error).toHaveProperty('message', message);
});

test('an unmigrated database is refused, and migrated where that is asked for', async () => {
  await using database = await createTestDatabase({ migrated: false });
  await expect(open({ databaseUrl: database.url })).rejects.toThrow('npx vitrine migrate');
  await using gateway = await open({ databaseUrl: database.url, migrate: true });
  expect((await gateway.fetch(to('/readyz'))).status).toBe(200);
});

describe('no connection stays open', () => {
  const connections = `select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
  const broken = (): never => {
    throw new Error('broken');
  };

  test('after a start that fails', async () => {
    await using database = await createTestDatabase();
    const plugins = [{ onPluginInit: broken }];
    await expect(open({ databaseUrl: database.url, plugins })).rejects.toThrow('broken');
    await expect.poll(() => database.sql(connections)).toEqual([{ count: 0 }]);
  });

  test('after a close of which one part fails', async () => {
    await using database = await createTestDatabase();
    const gateway = await open({ databaseUrl: database.url, plugins: [{ [Symbol.asyncDispose]: broken }] });
    await expect(gateway.close()).rejects.toThrow('broken');
    await expect.poll(() => database.sql(connections)).toEqual([{ count: 0 }]);
  });
});

test('a close lets what is under way finish and refuses what comes after', async () => {
  await using database = await createTestDatabase();
  await database.sql(PAN);
  const gateway = await open({ databaseUrl: database.url });
  const underWay = [gateway.fetch(to('/api/notice/1')), gateway.fetch(post('{"query":"{ hotProducts { name } }"}'))];
  const closed = Promise.all([gateway.close(), gateway.close()]);
  expect((await gateway.fetch(to('/api/product/1'))).status).toBe(503);
  expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual([200, 200]);
  await closed;
});
