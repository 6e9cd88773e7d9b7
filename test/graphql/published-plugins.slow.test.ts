import { usePrometheus } from '@graphql-yoga/plugin-prometheus';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createGateway } from '../../src/index.ts';
import { createTestDatabase } from '../support/database.ts';

test('the plugin for Prometheus, as it is published, counts the operations that memory does not answer', async () => {
  await using database = await createTestDatabase();
  const registry = new Registry();
  const plugins = [usePrometheus({ registry, endpoint: false })];
  await using gateway = await createGateway({ databaseUrl: database.url, logLevel: 'silent', plugins });
  const url = `http://localhost/graphql?${new URLSearchParams({ query: 'query Hot { hotProducts { name } }' })}`;
  // The second comes from memory, unless the machine is so busy that a heartbeat is late.
  let executed = 0;
  for (let isHit = false; !isHit; executed += Number(!isHit)) {
    const response = await gateway.fetch(new Request(url));
    expect(await response.json()).toEqual({ data: { hotProducts: [] } });
    isHit = response.headers.get('cache-status') === 'vitrine; hit';
  }
  const counted = await registry.getSingleMetricAsString('graphql_envelop_request');
  expect(counted).toMatch(new RegExp(`operationName="Hot",operationType="query"\\} ${executed}$`, 'm'));
});
