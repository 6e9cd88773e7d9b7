import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

// docs/observability.md lists them.

const database = await shared(createTestDatabase());

const CHANNELS = [
  'parse',
  'validate',
  'execute',
  'execute:variableCoercion',
  'execute:rootSelectionSet',
  'resolve',
  'subscribe',
];

/** Notes the channels of graphql-js on which something begins. */
const listen = () => {
  const begun: string[] = [];
  for (const name of CHANNELS) {
    const channel = tracingChannel(`graphql:${name}`);
    const subscribers = { start: () => void begun.push(name) } as unknown as TracingChannelSubscribers<object>;
    channel.subscribe(subscribers);
    onTestFinished(() => channel.unsubscribe(subscribers));
  }
  return { take: () => [...new Set(begun.splice(0))].sort() };
};

test('graphql-js tells of each document once, and of executions that are its own', async () => {
  await using gateway = await createTestGateway(database, { CACHE_MAX_MB: '0' });
  const { take } = listen();
  const compiled = 'query Compiled { hotProducts { name } }';
  await gateway.graphql(compiled);
  expect(take()).toEqual(['parse', 'validate']);
  await gateway.graphql(compiled);
  expect(take()).toEqual([]);

  const executed = '{ __schema { queryType { name } } }';
  await gateway.graphql(executed);
  expect(take()).toEqual(['execute:rootSelectionSet', 'execute:variableCoercion', 'parse', 'resolve', 'validate']);
  await gateway.graphql(executed);
  expect(take()).toEqual(['execute:rootSelectionSet', 'execute:variableCoercion', 'resolve']);
});
