import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFreePort } from '../../src/database/embedded/postmaster.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hasVarnish, startVarnish } from '../support/varnish.ts';

// The examples that drop from caches of others what the change feed names, as programs of their own.

const CLIENTS = path.join(import.meta.dirname, '../../examples/clients');

const database = await shared(createTestDatabase());
const category = await insertCategory(database);
const product = await insertProduct(database, { category_id: category, name: 'First' });
const gateway = await shared(createTestGateway(database, PATIENT));
const { url } = await shared(listen(gateway));

const rename = (name: string) => database.sql('update product set name = $1 where id = $2', [name, product]);

const run = (file: string, environment: Record<string, string>) => {
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, VITRINE_URL: url, ...environment },
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return {
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill();
      await closed;
    },
  };
};

/** Next.js, as far as the example needs it: a route, and a function that prints what is revalidated. */
const NEXT = {
  'node_modules/next/package.json': '{"type":"module","exports":{"./cache":"./cache.js"}}',
  'node_modules/next/cache.js': 'export const revalidateTag = (tag) => console.log(tag);',
  'server.ts': `
    import { createServer } from 'node:http';
    import { POST } from './route.ts';

    createServer(async (request, response) => {
      const { method, headers, url } = request;
      const body = request.setEncoding('utf8').reduce((text, part) => text + part, '');
      const { status } = await POST(new Request('http://localhost' + url, { method, headers, body: await body }));
      response.writeHead(status).end();
    }).listen(process.env.PORT);`,
};

describe('the example of Next.js', () => {
  test('revalidates the tags of what has changed, and everything when it begins and after Next.js was away', async () => {
    await using folder = await temporaryFolder();
    await mkdir(path.join(folder.path, 'node_modules/next'), { recursive: true });
    for (const [name, text] of Object.entries(NEXT)) await writeFile(path.join(folder.path, name), text);
    await cp(path.join(CLIENTS, 'next/route.ts'), path.join(folder.path, 'route.ts'));
    const port = String(await findFreePort());
    const startServer = () => run(path.join(folder.path, 'server.ts'), { PORT: port, REVALIDATE_TOKEN: 'secret' });
    const revalidated = (server: ReturnType<typeof run>) => server.output().split('\n').slice(0, -1);

    await using program = run(path.join(CLIENTS, 'next/revalidate.ts'), {
      NEXT_URL: `http://127.0.0.1:${port}`,
      REVALIDATE_TOKEN: 'secret',
    });
    // Next.js starts later.
    await expect.poll(program.output).toContain('Not dropped');
    await using server = startServer();
    await expect.poll(() => revalidated(server)).toEqual(['vitrine']);
    await rename('Second');
    await expect.poll(() => revalidated(server)).toEqual(['vitrine', `product-${product}`, 'products']);
    await insertNotice(database, { title: 'New' });
    await expect.poll(() => revalidated(server).at(-1)).toBe('notices');
    await database.sql('truncate notice');
    await expect.poll(() => revalidated(server).at(-1)).toBe('vitrine');
    const stranger = await fetch(`http://127.0.0.1:${port}/revalidate`, { method: 'POST', body: '["vitrine"]' });
    expect(stranger.status).toBe(401);
  });
});

test.skipIf(!hasVarnish)('the example of Varnish keeps an answer until what it shows has changed', async () => {
  await using varnish = await startVarnish(new URL(url).host, path.join(CLIENTS, 'purge/cache.vcl'));
  const other = await insertProduct(database, { category_id: category, name: 'Other' });
  const ask = async (target: string) => {
    const response = await fetch(varnish.url + target);
    // https://varnish-cache.org/docs/trunk/reference/http_headers.html: two ids where it was kept.
    return { text: await response.text(), isKept: response.headers.get('x-varnish')?.includes(' ') === true };
  };
  const [OF_PRODUCT, OF_OTHER] = [`/api/product/${product}`, `/api/product/${other}`];
  const LIST = '/api/product/list';
  const GRAPHQL = `/graphql?${new URLSearchParams({ query: '{ hotProducts { name } }' })}`;
  const areKept = async () => {
    const answers = [];
    for (const target of [OF_PRODUCT, OF_OTHER, LIST, GRAPHQL]) answers.push((await ask(target)).isKept);
    return answers.every(Boolean);
  };
  await expect.poll(areKept).toBe(true);
  await using program = run(path.join(CLIENTS, 'purge/purge.ts'), { CACHE_URL: varnish.url });
  // What was kept before it listened may be out of date.
  await expect.poll(async () => (await ask(OF_OTHER)).isKept).toBe(false);
  for (const name of ['Third', 'Fourth']) {
    await expect.poll(areKept).toBe(true);
    await rename(name);
    for (const target of [OF_PRODUCT, LIST, GRAPHQL]) {
      await expect.poll(async () => (await ask(target)).text).toContain(name);
    }
    expect((await ask(OF_OTHER)).isKept).toBe(true);
  }
  await database.sql('update category set name = $1', ['Renamed']);
  await expect.poll(async () => (await ask(OF_OTHER)).text).toContain('Renamed');
  expect(program.output()).toBe('');
});
