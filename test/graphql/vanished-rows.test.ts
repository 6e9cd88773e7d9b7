import { buildSchema, parse } from 'graphql';
import { expect, test } from 'vitest';
import { ReadAgain } from '../../src/database/failures.ts';
import type { OperationContext } from '../../src/graphql/context.ts';
import { executeCompiled } from '../../src/graphql/executor/compiled-execution.ts';
import { prepareOperation } from '../../src/graphql/operation.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { openSession, untilBlocked } from '../support/session.ts';

test('an operation is run again where a row that it refers to has vanished between two statements', async () => {
  await using database = await createTestDatabase();
  await using gateway = await createTestGateway(database, { ...PATIENT, CACHE_MAX_MB: '0' });
  const old = await insertCategory(database, { name: 'Old' });
  const next = await insertCategory(database, { name: 'New' });
  await insertProduct(database, { category_id: old });
  // Loads what the first request loads, so that the second one comes to its second statement.
  await gateway.graphql('{ hotProducts { category { name } } }');

  await using session = await openSession(database);
  await session.query('begin; lock table category in access exclusive mode');
  const answer = gateway.graphql('{ hotProducts { category { name } } }');
  await untilBlocked(database);
  await session.query(`update product set category_id = ${next}; delete from category where id = ${old}; commit`);
  expect(await answer).toEqual({ data: { hotProducts: [{ category: { name: 'New' } }] } });
});

test('the row that refers to it is then read anew, also where it is known and no change of it was notified yet', async () => {
  await using database = await createTestDatabase();
  await using gateway = await createTestGateway(database, PATIENT);
  const old = await insertCategory(database, { name: 'Old' });
  const next = await insertCategory(database, { name: 'New' });
  const product = await insertProduct(database, { category_id: old });
  await gateway.graphql('query Known($id: Int!) { product(id: $id) { name } }', { id: product });

  await using session = await openSession(database);
  // Without triggers there are no notifications.
  await session.query(
    `begin; set local session_replication_role = replica; lock table category in access exclusive mode`,
  );
  const answer = gateway.graphql('query Shown($id: Int!) { product(id: $id) { category { name } } }', { id: product });
  await untilBlocked(database);
  await session.query(`update product set category_id = ${next}; delete from category where id = ${old}; commit`);
  expect(await answer).toEqual({ data: { product: { category: { name: 'New' } } } });
});

test('a list shows no product as it was before it moved to another category, also where no change of it was notified yet', async () => {
  await using database = await createTestDatabase();
  await using gateway = await createTestGateway(database, PATIENT);
  const old = await insertCategory(database, { name: 'Old' });
  const next = await insertCategory(database, { name: 'New' });
  for (let count = 0; count < 4; count += 1) await insertProduct(database, { category_id: old });
  // The rows are known from the first list. After the second, of which most are known, lists read ids alone.
  for (const limit of [10, 11]) await gateway.graphql(`{ products(categoryIds: [${old}], limit: ${limit}) { slug } }`);

  await using session = await openSession(database);
  await session.query(
    `begin; set local session_replication_role = replica; update product set category_id = ${next} where id < 3; commit`,
  );
  const { data } = await gateway.graphql(`{ products(categoryIds: [${next}]) { id category { name } } }`);
  expect(data.products).toEqual([2, 1].map((id) => ({ id, category: { name: 'New' } })));
});

test.for([
  ['what has vanished', new ReadAgain('a row vanished')],
  ['a read that PostgreSQL gave up', Object.assign(new Error('deadlock detected'), { code: '40P01' })],
] as const)('a compiled operation that fails by %s is not tried by the reference executor first', async ([, error]) => {
  const schema = buildSchema('type Query { name: String }');
  let reads = 0;
  const root = schema.getQueryType()?.getFields().name;
  if (!root) throw new Error('the field is missing');
  root.resolve = () => {
    reads += 1;
    throw error;
  };
  const operation = prepareOperation(schema, parse('{ name }'));
  const { variableValues: variables } = operation?.coerce({}) ?? {};
  if (!operation?.compiled || !variables) throw new Error('it is not compiled');
  const context = {
    rowCount: { rows: 0, maximum: 1 },
    dependencies: { late: new Map() },
  } as unknown as OperationContext;
  const observer = { fallBack: () => {} };
  await expect(executeCompiled({ operation, variables, context, isLast: false }, observer)).rejects.toThrow(ReadAgain);
  expect(reads).toBe(1);
  // The last time it is reported.
  await expect(executeCompiled({ operation, variables, context, isLast: true }, observer)).rejects.toThrow(
    error.message,
  );
  expect(reads).toBe(3);
});
