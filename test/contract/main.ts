import assert from 'node:assert/strict';
import { ROUTES } from '../../src/rest/routes.ts';
import { runCli, startGatewayProcess } from '../support/process.ts';
import type { Openapi } from '../support/rest-openapi.ts';
import { createRestartableDatabase } from '../support/restartable-database.ts';
import { checkMcp } from './mcp.ts';
import { type Prism, startPrism } from './prism.ts';
import { expectations } from './targets.ts';

// What the OpenAPI document promises, held against a real process by Prism, which is not ours: https://github.com/stoplightio/prism

const TOKEN = 'contract-token';
let count = 0;

/** @throws AssertionError where the answer is another, or Prism has something against it */
const check = async (
  prism: Prism,
  target: string,
  status: number,
  headers?: Record<string, string>,
  isAllowed = true,
) => {
  const answer = await prism.send(target, headers);
  const told = `${target.slice(0, 100)} ${JSON.stringify(headers ?? {})}`;
  assert.equal(answer.status, status, told);
  assert.deepEqual(answer.answerFaults, [], told);
  assert.equal(answer.requestFaults.length === 0, isAllowed, `${told}: ${answer.requestFaults}`);
  count += 1;
  return answer;
};

await using database = await createRestartableDatabase();
const seeded = runCli(['seed'], { DATABASE_URL: database.url });
assert.equal(await seeded.ended, 0, seeded.output());
await using gateway = await startGatewayProcess({ DATABASE_URL: database.url, STALE_IF_ERROR_S: '0', UCP: 'on' });
await using restricted = await startGatewayProcess({ DATABASE_URL: database.url, ACCESS_TOKENS: TOKEN });
const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as Openapi;
const paths = Object.keys(document.paths).map((path) => path.replace('{id}', '2'));
assert.equal(paths.length, ROUTES.length);

{
  // It would notice.
  const wrong = structuredClone(document);
  Object.assign(wrong.paths['/api/product/hot']?.get.responses[200].content['application/json'] ?? {}, {
    schema: { type: 'object' },
  });
  await using strict = await startPrism(wrong, gateway.url);
  assert.notDeepEqual((await strict.send('/api/product/hot')).answerFaults, []);
}

await using prism = await startPrism(document, gateway.url);
for (const { target, status, isAllowed } of expectations(document)) await check(prism, target, status, {}, isAllowed);
for (const path of paths) {
  const { etag } = await check(prism, path, 200);
  if (etag) await check(prism, path, 304, { 'if-none-match': etag });
}

await using closed = await startPrism(document, restricted.url);
for (const path of paths) {
  await check(closed, path, path.startsWith('/api/notice/2') ? 200 : 401);
  await check(closed, path, 200, { authorization: `Bearer ${TOKEN}` });
}

console.log(`MCP: ${await checkMcp(new URL('/ucp/mcp', gateway.url))}`);

await database.stopAtOnce();
for (const path of paths) await check(prism, path, 503);

console.log(`${count} answers of ${paths.length} paths are as the OpenAPI document has them, says Prism`);
