import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Collector, type ReceivedSpan, startCollector } from '../support/otlp.ts';
import { type ServingProcess, startGatewayProcess } from '../support/process.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { postTo } from '../support/socket.ts';

// Where traces go is read by the exporter from the environment of its process, so each test runs the real program.

const PARENT_ID = '00f067aa0ba902b7';
const newTraceId = (): string => randomBytes(16).toString('hex');
const traceparent = (traceId: string, flags: '00' | '01' = '01'): string => `00-${traceId}-${PARENT_ID}-${flags}`;

const startTraced = (
  database: TestDatabase,
  { url }: Collector,
  environment: Record<string, string> = {},
): Promise<ServingProcess> =>
  startGatewayProcess({
    DATABASE_URL: database.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...environment,
  });

/** A span with those under it. */
const tree = (spans: readonly ReceivedSpan[], { spanId, name }: ReceivedSpan): unknown => {
  const children = spans.filter(({ parentId }) => parentId === spanId);
  return children.length === 0 ? name : { [name]: children.map((child) => tree(spans, child)) };
};

const roots = ({ spans }: Collector): ReceivedSpan[] => spans.filter(({ kind }) => kind === 2);

const database = await shared(createTestDatabase());
const collector = await shared(startCollector());
const gateway = await shared(
  startTraced(database, collector, {
    FRESHNESS_MS: '1000',
    OTEL_SERVICE_NAME: 'shop-window',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=storefront',
  }),
);

describe('with OTEL_EXPORTER_OTLP_ENDPOINT', () => {
  /** Asks as part of a trace. */
  const get = async (target: string, traceId: string, flags: '00' | '01' = '01'): Promise<number> =>
    (await fetch(gateway.url + target, { headers: { traceparent: traceparent(traceId, flags) } })).status;

  /** The spans of a trace, once so many requests of it have come. */
  const spansOf = async (traceId: string, requests = 1): Promise<ReceivedSpan[]> => {
    const own = (): ReceivedSpan[] => collector.spans.filter((span) => span.traceId === traceId);
    await expect.poll(() => own().filter(({ kind }) => kind === 2).length).toBe(requests);
    return own();
  };

  test('a request is a trace of HTTP, operation and statements', async () => {
    const category_id = await insertCategory(database);
    for (const name of ['Pan', 'Pot']) await insertProduct(database, { category_id, name });
    const query = 'query Shelf { products(limit: 2) { name category { name } } }';
    expect((await postTo(gateway, { query })).status).toBe(200);
    await expect.poll(() => roots(collector).length).toBe(1);

    const spans = [...collector.spans];
    const [root] = roots(collector);
    expect(root && tree(spans, root)).toEqual({
      'POST /graphql': [{ query: [expect.stringMatching(/^product_list/), expect.stringMatching(/^prisma_/)] }],
    });
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(root).toMatchObject({
      parentId: '',
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/graphql',
        'http.response.status_code': 200,
        'vitrine.operation': 'Shelf',
        'vitrine.cache': 'miss',
      },
    });
    expect(spans.find(({ name }) => name === 'query')?.attributes).toEqual({
      'graphql.operation.type': 'query',
      'graphql.operation.name': 'Shelf',
    });
    for (const span of spans) expect(span.durationMs).toBeLessThanOrEqual((root?.durationMs ?? 0) + 1);
    const statement = spans.find(({ name }) => name.startsWith('prisma_'));
    expect(statement).toMatchObject({ kind: 3, attributes: { 'db.system.name': 'postgresql' } });
    expect(statement?.attributes['db.query.text']).toMatch(/^SELECT .*"category".*\$1/s);
    expect(collector.resource).toMatchObject({
      'service.name': 'shop-window',
      'deployment.environment.name': 'test',
      'service.version': expect.any(String),
    });
    expect(collector.headers['x-team']).toBe('storefront');
  });

  test('goes on with the trace of the caller, whose id stands in every line of the log', async () => {
    const id = await insertNotice(database);
    const traceId = newTraceId();
    expect(await get(`/api/notice/${id}`, traceId)).toBe(200);
    const spans = await spansOf(traceId);
    expect(spans.find(({ kind }) => kind === 2)).toMatchObject({
      name: 'GET /api/notice/{id}',
      parentId: PARENT_ID,
      attributes: { 'url.path': `/api/notice/${id}` },
    });
    expect(spans.map(({ name }) => name)).toContain('count_views_of_one');
    await gateway.command.printed(new RegExp(`"traceId":"${traceId}"`));
  });

  test('records nothing of what the caller does not sample', async () => {
    const [unsampled, sampled] = [newTraceId(), newTraceId()];
    await get('/api/product/hot?limit=3', unsampled, '00');
    await get('/api/product/hot?limit=4', sampled);
    await spansOf(sampled);
    expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([]);
  });

  test('a response from memory is no span', async () => {
    const target = '/api/product/hot?limit=5';
    const askOnce = async () => (await fetch(gateway.url + target)).headers.get('cache-status');
    await expect.poll(askOnce).toMatch('; hit');
    const hits = (): ReceivedSpan[] =>
      roots(collector).filter(({ attributes }) => attributes['vitrine.cache'] === 'hit');
    const before = hits().length;
    for (const _ of Array(20)) expect(await askOnce()).toMatch('; hit');
    // One that waited for a heartbeat has a trace: that is one in half a second.
    expect(hits().length - before).toBeLessThan(10);
  });

  test('tells a fault of ours from one of the client', async () => {
    const traceId = newTraceId();
    await get('/api/notice/page?pageSize=0', traceId);
    await database.sql('alter table notice rename to notes');
    await get('/api/notice/page?keyword=x', traceId);
    const spans = await spansOf(traceId, 2);
    expect(spans.filter(({ kind }) => kind === 2)).toMatchObject([
      { status: 0, attributes: { 'error.type': 'BAD_USER_INPUT' } },
      { status: 2, attributes: { 'error.type': 'INTERNAL_SERVER_ERROR' } },
    ]);
    expect(spans.find(({ kind }) => kind === 3)).toMatchObject({ status: 2, attributes: { 'error.type': '42P01' } });
  });
});

describe('a collector', () => {
  // Windows has no signals: it ends the process at once.
  test.skipIf(process.platform === 'win32')(
    'that is away stops nobody, is told of once, and gets what is left before the exit',
    async () => {
      await using database = await createTestDatabase();
      await using collector = await startCollector();
      collector.status = 400;
      await using gateway = await startTraced(database, collector);
      for (const limit of [1, 2, 3]) {
        expect((await fetch(`${gateway.url}/api/product/hot?limit=${limit}`)).status).toBe(200);
        await gateway.command.printed(/spans cannot be sent/);
      }
      collector.status = 200;
      await fetch(`${gateway.url}/api/product/hot?limit=4`);
      await gateway.command.printed(/spans are sent to the trace collector again/);
      expect(gateway.command.output().match(/spans cannot be sent/g)).toHaveLength(1);

      await fetch(`${gateway.url}/api/notice/list`);
      gateway.command.child.kill('SIGTERM');
      expect(await gateway.command.ended).toBe(0);
      expect(roots(collector).map(({ name }) => name)).toContain('GET /api/notice/list');
    },
  );

  test('gets the share of traces that is asked for, and those of callers', async () => {
    await using database = await createTestDatabase();
    await using collector = await startCollector();
    await using gateway = await startTraced(database, collector, {
      OTEL_TRACES_SAMPLER_ARG: '0',
    });
    const traceId = newTraceId();
    await fetch(`${gateway.url}/api/product/hot`);
    await fetch(`${gateway.url}/api/product/new`, { headers: { traceparent: traceparent(traceId) } });
    await expect.poll(() => roots(collector).length).toBe(1);
    expect(roots(collector)[0]?.traceId).toBe(traceId);
  });
});

describe('the environment', () => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://localhost:4318';

  test.for([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
  ])('asks for no traces with %o', (environment) => {
    expect(readConfig(environment).tracing).toBeUndefined();
  });

  test.for([
    { OTEL_EXPORTER_OTLP_ENDPOINT },
    { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces` },
    { OTEL_TRACES_EXPORTER: 'otlp' },
  ])('asks for all traces with %o', (environment) => {
    expect(readConfig(environment).tracing).toMatchObject({ share: 1 });
  });

  test.for([
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
    { OTEL_TRACES_SAMPLER_ARG: '1.5' },
    { OTEL_BSP_SCHEDULE_DELAY: '0' },
  ])('is refused with %o', (environment) => {
    expect(() => readConfig(environment)).toThrow(`${Object.keys(environment)[0]} must`);
  });
});
