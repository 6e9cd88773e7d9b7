import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

// Each reads by a statement of its own.
const FIELDS = [
  'noticePage(keyword: "tea") { total items { id } }',
  'nextNoticeChangeAt',
  'searchSuggestions(prefix: "tea") { text }',
  'productSearch(search: "tea") { totalCount }',
  'products(limit: 3) { id }',
  'notices { id }',
];

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { CACHE_MAX_MB: '0' }));

test.for(FIELDS)('an operation that asks twice reads once: %s', async (field) => {
  const once = await gateway.countStatements(() => gateway.graphql(`{ a: ${field} }`));
  const twice = await gateway.countStatements(async () => {
    const { data, errors } = await gateway.graphql(`{ a: ${field} b: ${field} }`);
    expect([errors, data.b]).toEqual([undefined, data.a]);
  });
  expect([once > 0, twice]).toEqual([true, once]);
});

test.for(FIELDS)('a read that fails is not tried again by the reference executor: %s', async (field) => {
  await database.sql('alter table product rename to away; alter table notice rename to gone');
  try {
    const statements = await gateway.countStatements(async () => {
      const { errors } = await gateway.graphql(`{ ${field} }`);
      expect(errors?.[0]?.extensions.code).toBe('INTERNAL_SERVER_ERROR');
    });
    expect(statements).toBe(1);
  } finally {
    await database.sql('alter table away rename to product; alter table gone rename to notice');
  }
});
