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
  const ask = async (query: string) => {
    const url = `http://localhost/graphql?${new URLSearchParams({ query })}`;
    return (await gateway.fetch(new Request(url))).json();
  };
  for (let time = 0; time < 2; time += 1) {
    expect(await ask('query Hot { hotProducts { name } }')).toEqual({ data: { hotProducts: [] } });
  }
  const counted = await registry.getSingleMetricAsString('graphql_envelop_request');
  expect(counted).toMatch(/operationName="Hot",operationType="query"\} 1$/m);
});
