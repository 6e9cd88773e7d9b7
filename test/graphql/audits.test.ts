import { serverAudits } from 'graphql-http';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { type Listening, listen } from '../support/socket.ts';

let server: Listening;

beforeAll(async () => {
  const database = await createTestDatabase();
  const gateway = await createTestGateway(database);
  server = await listen(gateway);
  return async () => {
    await server[Symbol.asyncDispose]();
    await gateway[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  };
});

// https://github.com/graphql/graphql-http/tree/main/audits: what the draft of GraphQL over HTTP says must, should and may be.
describe('GraphQL over HTTP', () => {
  const audits = serverAudits({ url: () => `${server.url}/graphql`, fetchFn: fetch });

  test.for(audits.map(({ id, name, fn }) => ({ id, name, fn })))('$id $name', async ({ fn }) => {
    expect(await fn()).toMatchObject({ status: 'ok' });
  });

  test('has 61 audits, of which none is left out', () => {
    expect(audits).toHaveLength(61);
  });
});
