import { AggregatorRegistry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { scrape } from '../support/scrape.ts';
import { shared } from '../support/shared.ts';

// Each gateway counts by itself.
const database = await shared(createTestDatabase());

const REQUESTS = 'vitrine_requests_total';

describe('/metrics', () => {
  test('counts requests by handler, operation, status and use of the cache', async () => {
    await using gateway = await createTestGateway(database);
    const { headers } = await gateway.get('/api/product/hot');
    await gateway.get('/api/product/hot');
    await gateway.get('/api/product/hot', { 'if-none-match': headers.etag ?? '' });
    await gateway.get('/api/product/list?limit=0');
    await gateway.get('/api/notice/1');
    await gateway.graphql('query Shelf { hotProducts { id } }');
    await gateway.graphql('query Shelf { hotProducts { id } }');
    await gateway.graphql('{ hotProducts { name } }');
    await gateway.get('/livez');
    await gateway.get('/nowhere');

    const { samples, sum } = await scrape(gateway);
    expect(sum('vitrine_requests_in_flight'), 'the scrape alone is under way').toBe(1);
    const counted = samples
      .filter(({ name }) => name === REQUESTS)
      .map(
        ({ labels: { handler, operation, status, cache }, value }) =>
          `${handler} ${operation} ${status} ${cache} ${value}`,
      );
    expect(counted.sort()).toEqual([
      'graphql Shelf 200 hit 1',
      'graphql Shelf 200 miss 1',
      'graphql anonymous 200 miss 1',
      'other health 200 none 1',
      'other page 404 none 1',
      'rest notice 404 miss 1',
      'rest product-hot 200 hit 1',
      'rest product-hot 200 miss 1',
      'rest product-hot 304 hit 1',
      'rest product-list 400 none 1',
    ]);
  });

  test('counts the executions by graphql-js, and none as under way when all are over, however they ended', async () => {
    await using gateway = await createTestGateway(database);
    for (const query of ['{ notices { id } }', '{ notices { id @skip(if: false) } }', '{ __schema { description } }']) {
      await gateway.graphql(query);
    }
    expect((await gateway.graphql('{ hotProducts(limit: 0) { id } }')).errors).toHaveLength(1);
    const { sum } = await scrape(gateway);
    expect(sum('vitrine_executions_not_compiled_total')).toBe(2);
    expect(sum('vitrine_executions_in_flight')).toBe(0);
  });

  test('has a duration for every request', async () => {
    await using gateway = await createTestGateway(database);
    for (const target of ['/api/product/hot', '/api/product/hot', '/api/notice/1', '/livez']) await gateway.get(target);
    const { sum, samples } = await scrape(gateway);
    expect(sum('vitrine_request_duration_seconds_count')).toBe(sum(REQUESTS));
    expect(sum('vitrine_request_duration_seconds_bucket', { le: '+Inf' })).toBe(4);
    // In the ranges from its duration on, and in no other one.
    const hit = samples.filter(({ name, labels }) => name.endsWith('_bucket') && labels.cache === 'hit');
    const seconds = sum('vitrine_request_duration_seconds_sum', { cache: 'hit' });
    expect(hit.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 1 });
    expect(hit.slice(0, -1).map(({ value }) => value)).toEqual(
      hit.slice(0, -1).map(({ labels: { le } }) => Number(seconds <= Number(le))),
    );
    const misses = samples.filter(
      ({ name, labels }) => name.endsWith('_bucket') && labels.cache === 'miss' && labels.operation === 'product-hot',
    );
    expect(misses.map(({ value }) => value)).toEqual(misses.map(({ value }) => value).sort());
  });

  test('counts errors by code, those of GraphQL with status 200 among them', async () => {
    await using gateway = await createTestGateway(database);
    await gateway.graphql('{ nothing }');
    await gateway.graphql('{ products(limit: 0) { id } }');
    await gateway.graphql('{');
    await gateway.get('/api/product/hot?limit=0');
    await gateway.get('/api/product/1');
    await gateway.post('{}', { 'content-type': 'text/plain' });
    const { samples } = await scrape(gateway);
    const counted = samples
      .filter(({ name }) => name === 'vitrine_request_errors_total')
      .map(({ labels: { handler, code }, value }) => `${handler} ${code} ${value}`);
    expect(counted.sort()).toEqual([
      'graphql BAD_USER_INPUT 1',
      'graphql GRAPHQL_PARSE_FAILED 1',
      'graphql GRAPHQL_VALIDATION_FAILED 1',
      'graphql UNSUPPORTED_MEDIA_TYPE 1',
      'rest BAD_USER_INPUT 1',
      'rest NOT_FOUND 1',
    ]);
  });

  test('has a bounded number of series, whatever clients name their operations', async () => {
    await using gateway = await createTestGateway(database);
    const made = Array.from({ length: 150 }, (_, index) => `Made${index}`);
    for (const name of made) await gateway.graphql(`query ${name} { __typename }`);
    await gateway.graphql(`query ${'x'.repeat(500)} { __typename }`);
    for (const name of made.slice(0, 5)) await gateway.get(`/${name}`);
    await gateway.request('PUT', '/api/product/hot');
    const { samples } = await scrape(gateway);
    const operations = new Set(
      samples.filter(({ labels }) => labels.handler === 'graphql').map(({ labels: { operation } }) => operation),
    );
    expect(operations.size).toBeLessThanOrEqual(102);
    expect(samples.filter(({ labels }) => labels.operation === 'other' && labels.status === '200')).toMatchObject([
      { value: 150 + 1 - (operations.size - 1) },
    ]);
    expect(samples.filter(({ labels }) => labels.handler === 'other')).not.toContain('Made');
  });

  test('has the name of an operation as a label up to 64 characters', async () => {
    await using gateway = await createTestGateway(database);
    for (const length of [64, 65, 500]) await gateway.graphql(`query ${'x'.repeat(length)} { __typename }`);
    const { samples } = await scrape(gateway);
    const names = samples.filter(({ name }) => name === REQUESTS).map(({ labels: { operation } }) => operation);
    expect(names.toSorted()).toEqual(['other', 'x'.repeat(64)]);
  });

  test('tells of the cache, the heartbeat, the views, the pool and the statements', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database, { DATABASE_POOL_SIZE: '3', CACHE_MAX_MB: '2' });
    const category_id = await insertCategory(database);
    await insertProduct(database, { category_id });
    const id = await insertNotice(database);
    // The rows are notified.
    await expect.poll(async () => (await gateway.get('/api/product/list')).headers['cache-status']).toMatch('hit');
    const before = await scrape(gateway);
    await Promise.all(['hot', 'new', 'hot'].map((list) => gateway.get(`/api/product/${list}`)));
    await gateway.get('/api/product/hot');
    await Promise.all(Array.from({ length: 20 }, () => gateway.get(`/api/notice/${id}`)));
    const after = await scrape(gateway);
    const grown = (name: string, labels?: Record<string, string>) => after.sum(name, labels) - before.sum(name, labels);

    const lookups = (outcome: string): number => grown('vitrine_cache_lookups_total', { outcome });
    // Those that are equal share one answer, unless time passes in between; so do views, but for their numbers.
    expect(lookups('miss') + lookups('joined') + lookups('hit')).toBe(24);
    expect(lookups('miss')).toBeGreaterThanOrEqual(3);
    expect(lookups('hit')).toBeGreaterThanOrEqual(1);
    expect(grown('vitrine_cache_entries')).toBe(3);
    expect(grown('vitrine_cache_bytes')).toBeGreaterThan(500);
    expect(after.sum('vitrine_cache_max_bytes')).toBe(2 * 1_048_576);
    expect(after.sum('vitrine_freshness_monitor_connected')).toBe(1);
    expect(after.sum('vitrine_heartbeat_age_seconds')).toBeLessThan(30);
    expect(grown('vitrine_view_batch_size_sum')).toBe(20);
    expect(grown('vitrine_view_batch_size_count')).toBeLessThan(20);
    expect(after.sum('vitrine_views_waiting')).toBe(0);
    const counting = ['count_views', 'count_views_of_one'].map((statement) =>
      grown('vitrine_database_statements_total', { statement }),
    );
    expect(counting.reduce((sum, count) => sum + count)).toBe(grown('vitrine_view_batch_size_count'));
    expect(grown('vitrine_database_statement_duration_seconds_count')).toBe(grown('vitrine_database_statements_total'));
    expect(after.sum('vitrine_database_pool_max')).toBe(3);
    expect(after.sum('vitrine_database_pool_connections')).toBeGreaterThan(0);
    expect(after.sum('vitrine_database_pool_connections')).toBe(after.sum('vitrine_database_pool_idle'));
    expect(after.sum('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(after.sum('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(after.sum('vitrine_build_info', { node: process.versions.node })).toBe(1);
  });

  test('counts statements that fail', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    await database.sql('drop table product cascade');
    await gateway.get('/api/product/hot');
    expect((await scrape(gateway)).sum('vitrine_database_statement_failures_total')).toBeGreaterThan(0);
  });

  test('counts apart what two gateways in one process do, and several processes add up', async () => {
    await using one = await createTestGateway(database);
    await using other = await createTestGateway(database);
    for (const gateway of [one, one, other]) await gateway.get('/api/product/hot');
    expect((await scrape(one)).sum(REQUESTS)).toBe(2);
    expect((await scrape(other)).sum(REQUESTS)).toBe(1);

    const registries = await Promise.all([one, other].map(({ metrics }) => metrics.registry()));
    const all = AggregatorRegistry.aggregate(await Promise.all(registries.map((each) => each.getMetricsAsJSON())));
    const [hot] =
      (await all.getSingleMetric('vitrine_request_duration_seconds')?.get())?.values.filter(
        ({ labels }) => labels.cache === 'miss' && labels.le === '+Inf',
      ) ?? [];
    expect(hot?.value).toBe(2);
    expect((await all.getSingleMetric('vitrine_build_info')?.get())?.values).toMatchObject([{ value: 1 }]);
  });

  test('answers in the format of Prometheus, is not kept, and can be switched off', async () => {
    await using gateway = await createTestGateway(database);
    expect((await gateway.get('/metrics')).headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    });
    await using off = await createTestGateway(database, { METRICS: 'off' });
    expect((await off.get('/metrics')).status).toBe(404);
  });
});
