import { registerHooks } from 'node:module';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';

// Its modules take 100 ms and more to load, for which everybody would wait. In a file of its own, because a process loads them once.

test('no request loads Yoga on the main thread', async () => {
  const loaded: string[] = [];
  registerHooks({
    load: (url, context, nextLoad) => {
      loaded.push(url);
      return nextLoad(url, context);
    },
  });
  const isYogaLoaded = (): boolean => loaded.some((url) => url.includes('/node_modules/graphql-yoga/'));

  await using database = await createTestDatabase();
  await insertProduct(database, { category_id: await insertCategory(database), name: 'Bowl' });
  await insertNotice(database, { id: 1 });
  await using gateway = await createTestGateway(database);

  const query = 'query Products($limit: Int!) { products(limit: $limit) { name } }';
  const variables = { limit: 1 };
  const products = [{ name: 'Bowl' }];
  expect(await gateway.graphql(query, variables)).toEqual({ data: { products } });
  expect(await gateway.graphql('{ notice(id: 1) { viewCount } }')).toEqual({ data: { notice: { viewCount: 1 } } });
  expect(await gateway.graphql('{ product(id: 2) { name } }')).toEqual({ data: { product: null } });
  const target = `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(variables), extensions: '{"cost":true}' })}`;
  expect((await gateway.get(target)).json).toMatchObject({ data: { products }, extensions: { cost: { actual: 2 } } });
  expect((await gateway.graphql('{ nothing }')).errors).toHaveLength(1);

  const response = await gateway.request('POST', '/graphql', { 'content-type': 'application/json' }, '[]');
  expect(response.status).toBe(400);
  expect(isYogaLoaded()).toBe(false);

  await import('graphql-yoga');
  expect(isYogaLoaded(), 'this test sees what is loaded').toBe(true);
});
