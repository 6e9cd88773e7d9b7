import { usePrometheus } from '@graphql-yoga/plugin-prometheus';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createGateway } from '../../src/index.ts';
import { createTestDatabase } from '../support/database.ts';

test('the plugin for Prometheus, as it is published, counts each operation, because memory answers none', async () => {
  await using database = await createTestDatabase();
  const registry = new Registry();
  const plugins = [usePrometheus({ registry, endpoint: false })];
  await using gateway = await createGateway({ databaseUrl: database.url, logLevel: 'silent', plugins });
  const url = `http://localhost/graphql?${new URLSearchParams({ query: 'query Hot { hotProducts { name } }' })}`;
  for (let asked = 0; asked < 3; asked += 1) {
    const response = await gateway.fetch(new Request(url));
    expect(await response.json()).toEqual({ data: { hotProducts: [] } });
  }
  const counted = await registry.getSingleMetricAsString('graphql_envelop_request');
  expect(counted).toMatch(/operationName="Hot",operationType="query"\} 3$/m);
});
