import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type TestGateway } from '../support/gateway.ts';
import { takeAway } from '../support/outages.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';

const post = (gateway: TestGateway, query: string, headers?: Record<string, string>) =>
  gateway.post({ query }, headers);

/** Everything that was logged of one request, as text. */
const loggedOf = ({ logged }: TestGateway, requestId: string): string =>
  JSON.stringify(logged.filter((line) => line.requestId === requestId));

describe('a fault of ours', () => {
  const DRIVER_WORDS = /relation|prisma|select|42P01|does not exist|postgres|stack|\.ts/i;

  test('is masked for the client, and told to the log under the id of the request', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    await database.sql('drop table product cascade');

    const answer = await post(gateway, '{ notices { id } hotProducts { id } }', { 'x-request-id': 'of-graphql' });
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      data: null,
      errors: [
        {
          message: 'Something went wrong on our side.',
          locations: [{ line: 1, column: 18 }],
          path: ['hotProducts'],
          extensions: { code: 'INTERNAL_SERVER_ERROR' },
        },
      ],
    });
    expect(answer.text).not.toMatch(DRIVER_WORDS);
    expect(answer.headers).toMatchObject({ 'x-request-id': 'of-graphql', 'cache-control': 'no-store' });
    expect(loggedOf(gateway, 'of-graphql')).toContain('relation \\"product\\" does not exist');

    const rest = await gateway.get('/api/product/new', { 'x-request-id': 'of-rest' });
    expect(rest).toMatchObject({ status: 500, json: { code: 'INTERNAL_SERVER_ERROR' } });
    expect(rest.text).not.toMatch(DRIVER_WORDS);
    expect(loggedOf(gateway, 'of-rest')).toContain('relation \\"product\\" does not exist');
  });

  test('leaves what it did not touch', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    const category_id = await insertCategory(database);
    await insertProduct(database, { category_id, name: 'Cup' });
    await database.sql('alter table notice rename column view_count to views');

    const { json } = await post(gateway, '{ products { name } notice(id: 1) { id } again: notice(id: 1) { id } }');
    expect(json).toMatchObject({
      data: { products: [{ name: 'Cup' }], notice: null, again: null },
      errors: [{ path: ['notice'] }, { path: ['again'] }],
    });
  });
});

describe('a database that is away', () => {
  test('makes 503 with Retry-After of every answer that needs it, until it is back', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    const id = await insertNotice(database);
    const query = `{ notice(id: ${id}) { viewCount } }`;
    const giveBack = await takeAway(database);

    for (const accept of ['application/json', 'application/graphql-response+json']) {
      const { status, headers, json } = await post(gateway, query, { accept });
      expect({ status, headers, json }).toEqual({
        status: 503,
        headers: expect.objectContaining({ 'retry-after': '1', 'cache-control': 'no-store' }),
        json: {
          data: { notice: null },
          errors: [
            {
              message: 'The database cannot answer at the moment. Try again shortly.',
              locations: expect.anything(),
              path: ['notice'],
              extensions: { code: 'SERVICE_UNAVAILABLE' },
            },
          ],
        },
      });
    }
    expect(await gateway.get(`/api/notice/${id}`)).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'content-type': 'application/problem+json; charset=utf-8' },
      json: { code: 'SERVICE_UNAVAILABLE' },
    });
    expect(await gateway.get('/readyz')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect((await gateway.get('/livez')).status).toBe(200);
    expect(await post(gateway, '{ __typename }')).toMatchObject({ status: 200 });

    await giveBack();
    await expect.poll(async () => (await gateway.get('/readyz')).status).toBe(200);
    expect(await post(gateway, query)).toMatchObject({ status: 200, json: { data: { notice: { viewCount: 1 } } } });
  });

  test('outweighs a bad argument in the same operation', async () => {
    await using database = await createTestDatabase();
    await using gateway = await createTestGateway(database);
    const giveBack = await takeAway(database);
    const { status, json } = await post(
      gateway,
      '{ notice(id: 1) { id } category(id: 1) { products(limit: 0) { id } } }',
    );
    await giveBack();
    expect(status).toBe(503);
    expect(json).toMatchObject({ data: { notice: null, category: null } });
  });
});
