import { serverAudits } from 'graphql-http';
import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';

const database = await shared(createTestDatabase());
const server = await shared(listen(await shared(createTestGateway(database))));

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
