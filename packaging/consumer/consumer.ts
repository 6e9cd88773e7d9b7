// A program of somebody who has installed the package: compiled against its types and run by `.ci/package`.

import assert from 'node:assert/strict';
import { createGateway, type Gateway, type GatewayOptions, OperatorError } from 'vitrine';

const options: GatewayOptions = { dataDir: process.env.DATA_DIR, freshnessMs: 0, demo: false };
const gateway: Gateway = await createGateway(options);

const rest = await gateway.fetch(new Request('http://shop.example/api/product/hot?limit=3'));
assert.equal(rest.status, 200);
const post = (body: object): Promise<Response> =>
  gateway.fetch(
    new Request('http://shop.example/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
const graphql = await post({ query: '{ hotProducts(limit: 3) { id } }' });
const ids = ((await rest.json()) as { id: number }[]).map(({ id }) => ({ id }));
assert.equal(ids.length, 3);
assert.deepEqual(await graphql.json(), { data: { hotProducts: ids } });
const faulty = await post({});
assert.match(await faulty.text(), /Must provide query string/);
for (const [path, status] of [
  ['/graphql', 200],
  ['/docs', 200],
  ['/demo', 404],
] as const) {
  const page = await gateway.fetch(new Request(`http://shop.example${path}`, { headers: { accept: 'text/html' } }));
  assert.equal(page.status, status, path);
}
await gateway.close();
// Nothing of it keeps the process.
setTimeout(() => process.exit(3), 5000).unref();

// @ts-expect-error an option is a name that there is
await assert.rejects(createGateway({ freshMs: 1 }), OperatorError);
// @ts-expect-error and a value of its type
await assert.rejects(createGateway({ freshnessMs: 'soon' }), /freshnessMs must be a whole number/);
console.log('the library answers GraphQL and REST, and its types hold');
