import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createVitrine } from '../../examples/clients/next/vitrine.ts';
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { OUTAGES } from '../support/outages.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';

// Each example is copied out of the repository; its types are generated from a gateway, checked, and its program is run on a gateway.

const ROOT = path.join(import.meta.dirname, '../..');
const CLIENTS = path.join(ROOT, 'examples/clients');
const SHELF = `Coffee & Tea [
  'Cone Filters, Unbleached, Box of 100: 6.50 USD',
  'Bergamot Black Tea, 100 g: 14.20 USD'
]
`;

const CART = `2 × 100% Linen Duvet Cover, Oatmeal, Single: 189.00 USD true
No longer on sale
`;

/** Of the clients that ask in German, too. */
const IN_GERMAN = `Kaffee & Tee [
  'Kegelfilter, ungebleicht, 100 Stück: 6.50 USD',
  'Schwarztee mit Bergamotte, 100 g: 14.20 USD'
]
`;

const LANGUAGES = 'en,de,ja';

const { url: databaseUrl } = await shared(createDemoDatabase());
const gateway = await shared(createTestGateway({ url: databaseUrl }, { ...PATIENT, LANGUAGES }));
const { url } = await shared(listen(gateway));

interface Result {
  readonly code: number;
  readonly output: string;
}

/** A copy of an example in a folder of its own, with the packages of the repository. */
const copyOf = async (name: string) => {
  const root = await mkdtemp(path.join(tmpdir(), 'vitrine-client-'));
  const folder = path.join(root, 'clients', name);
  for (const each of new Set([name, 'live'])) {
    await cp(path.join(CLIENTS, each), path.join(root, 'clients', each), { recursive: true });
  }
  await cp(path.join(CLIENTS, 'package.json'), path.join(root, 'clients/package.json'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  await symlink(path.join(CLIENTS, 'node_modules'), path.join(root, 'clients/node_modules'));
  const node = (args: readonly string[], VITRINE_URL = url): Promise<Result> =>
    promisify(execFile)(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH, VITRINE_URL } }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code: Number(code), output: `${stdout}${stderr}` }),
    );
  const bin = (program: string, ...args: string[]): Promise<Result> => {
    const [file = program] = [CLIENTS, ROOT].map((each) => path.join(each, 'node_modules', program)).filter(existsSync);
    return node([file, ...args]);
  };
  return {
    folder,
    node,
    bin,
    typeCheck: () => bin('typescript/bin/tsc', '-p', '.'),
    /** Asks a gateway that runs no documents but those of the file. */
    runTrusted: async (manifest: string, run: (trustedUrl: string) => Promise<Result>): Promise<Result> => {
      const TRUSTED_DOCUMENTS = path.join(folder, manifest);
      await using strict = await createTestGateway(
        { url: databaseUrl },
        { ...PATIENT, LANGUAGES, TRUSTED_DOCUMENTS, TRUSTED_DOCUMENTS_ONLY: 'true', DEMO: 'off' },
      );
      await using server = await listen(strict);
      return await run(server.url);
    },
    /** Asks such a gateway through a proxy that has lost it at first, while the database is away. @returns the statuses of the answers, too */
    runInTrouble: async (manifest: string, args: readonly string[]): Promise<Result & { readonly seen: number[] }> => {
      const TRUSTED_DOCUMENTS = path.join(folder, manifest);
      await using outage = await OUTAGES['that refuses connections']({ url: databaseUrl });
      await using strict = await createTestGateway(outage, {
        LANGUAGES,
        TRUSTED_DOCUMENTS,
        TRUSTED_DOCUMENTS_ONLY: 'true',
      });
      await using server = await listen(strict);
      await using proxy = await startProxy(server.url);
      await outage.begin();
      const running = node(args, proxy.url);
      await expect.poll(() => proxy.seen, { timeout: 30_000 }).toContain(503);
      await outage.end();
      return { ...(await running), seen: proxy.seen };
    },
    /** Asks for a field that there is not. */
    misspell: async (file: string): Promise<void> => {
      const source = path.join(folder, file);
      await writeFile(source, (await readFile(source, 'utf8')).replace('price.amount', 'price.amout'));
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
};

/** A proxy that answers the first request by a page of its own. */
const startProxy = async (target: string) => {
  const seen: number[] = [];
  const server = createServer(async (request, response) => {
    if (seen.push(502) === 1) {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
      return;
    }
    const answer = await fetch(`${target}${request.url}`, { headers: { accept: String(request.headers.accept) } });
    seen.splice(-1, 1, answer.status);
    const [type, retryAfter] = ['content-type', 'retry-after'].map((name) => answer.headers.get(name));
    response.writeHead(answer.status, {
      'content-type': String(type),
      ...(retryAfter && { 'retry-after': retryAfter }),
    });
    response.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const FINE: Result = { code: 0, output: '' };

describe('GraphQL Code Generator', { timeout: 120_000 }, () => {
  test('types the operations of a client, and writes the trusted documents that it names by their ids', async () => {
    await using client = await copyOf('codegen');
    const generated = await client.bin('@graphql-codegen/cli/cjs/bin.js', '--config', 'codegen.ts');
    expect(generated.code, generated.output).toBe(0);
    expect(await client.typeCheck()).toEqual(FINE);
    const ran = await client.runTrusted('gql/persisted-documents.json', (trusted) => client.node(['main.ts'], trusted));
    expect(ran).toEqual({ code: 0, output: SHELF + IN_GERMAN + CART });
    const troubled = await client.runInTrouble('gql/persisted-documents.json', ['main.ts']);
    expect(troubled).toEqual({
      code: 0,
      output: SHELF + IN_GERMAN + CART,
      seen: [502, 503, ...troubled.seen.slice(2, -1), 200],
    });
    // Without the file, the gateway knows no id.
    expect((await client.node(['main.ts'])).output).toContain('PersistedQueryNotFound');
    await client.misspell('main.ts');
    expect((await client.typeCheck()).output).toMatch(/main\.ts.*Property 'amout' does not exist/);
  });
});

describe('gql.tada, with urql', { timeout: 120_000 }, () => {
  test('types the operations of a client, whose documents are automatic persisted queries', async () => {
    await using client = await copyOf('tada');
    const config = path.join(client.folder, 'tsconfig.json');
    await writeFile(config, (await readFile(config, 'utf8')).replace('http://localhost:4000', url));
    const preload = path.join(import.meta.dirname, 'older-typescript.ts');
    const program = path.join(ROOT, 'node_modules/gql.tada/bin/cli.js');
    const generated = await client.node(['--import', preload, program, 'generate-output']);
    expect(generated.code, generated.output).toBe(0);
    expect(await client.typeCheck()).toEqual(FINE);
    expect(await client.node(['main.ts'])).toEqual({ code: 0, output: SHELF + IN_GERMAN });
    await client.misspell('main.ts');
    expect((await client.typeCheck()).output).toMatch(/main\.ts.*Property 'amout' does not exist/);
  });
});

describe('Apollo Client', { timeout: 120_000 }, () => {
  test('names the documents of its manifest by their ids', async () => {
    await using client = await copyOf('apollo');
    const generated = await client.bin('@apollo/generate-persisted-query-manifest/cli.js');
    expect(generated.code, generated.output).toBe(0);
    expect(await client.typeCheck()).toEqual(FINE);
    const ran = await client.runTrusted('persisted-query-manifest.json', (trusted) =>
      client.node(['main.ts'], trusted),
    );
    expect(ran).toEqual({ code: 0, output: SHELF });
    const troubled = await client.runInTrouble('persisted-query-manifest.json', ['main.ts']);
    expect(troubled).toEqual({ code: 0, output: SHELF, seen: [502, 503, ...troubled.seen.slice(2, -1), 200] });
  });
});

describe('Relay', { timeout: 120_000 }, () => {
  test('names the documents that its compiler has written by their ids, and its store takes ids that are numbers', async () => {
    await using client = await copyOf('relay');
    await cp(path.join(ROOT, 'schema.graphql'), path.join(client.folder, 'schema.graphql'));
    await mkdir(path.join(client.folder, '__generated__'));
    await writeFile(path.join(client.folder, 'persisted-documents.json'), '{}');
    const compiled = await client.bin('relay-compiler/cli.js');
    expect(compiled.code, compiled.output).toBe(0);
    const script = `
      import relay from 'relay-runtime';
      import * as network from './network.ts';
      import query from './__generated__/ShelfQuery.graphql.ts';
      import card from './__generated__/Shelf_card.graphql.ts';
      const environment = new relay.Environment({
        network: relay.Network.create(network.fetchFunction),
        getDataID: network.getDataID,
        store: new relay.Store(new relay.RecordSource()),
      });
      const { category } = await relay.fetchQuery(environment, query, { id: 6 }).toPromise();
      const cards = category.products.map((product) => environment.lookup(relay.getSingularSelector(card, product)).data);
      console.log(category.name, cards.map(({ name, price }) => \`\${name}: \${price.amount} \${price.currencyCode}\`));`;
    const ran = await client.runTrusted('persisted-documents.json', (trusted) =>
      client.node(['--input-type=module', '--eval', script], trusted),
    );
    expect(ran).toEqual({ code: 0, output: SHELF });
  });
});

describe('the fetch of a server component', () => {
  const QUERY = 'query Names($limit: Int!) { hotProducts(limit: $limit) { name } }';

  /** Something between a client and the gateway, that notes what goes through it. */
  const startWitness = async () => {
    const seen: { readonly status: number; readonly ifNoneMatch: string | undefined }[] = [];
    const server = createServer(async (request, response) => {
      const ifNoneMatch = request.headers['if-none-match'];
      const answer = await gateway.get(String(request.url), ifNoneMatch ? { 'if-none-match': ifNoneMatch } : {});
      seen.push({ status: answer.status, ifNoneMatch });
      const { etag = '', 'cache-control': cacheControl = '' } = answer.headers as Record<string, string>;
      response.writeHead(answer.status, { etag, 'cache-control': cacheControl, 'content-type': 'application/json' });
      response.end(answer.status === 304 ? undefined : JSON.stringify(answer.json));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    return {
      seen,
      url: `http://127.0.0.1:${address.port}`,
      [Symbol.asyncDispose]: async () => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  };

  test('asks again after max-age, by the ETag', async () => {
    await using witness = await startWitness();
    const ask = createVitrine(witness.url);
    const first = await ask(QUERY, { limit: 2 });
    expect(first).toMatchObject({ hotProducts: [{ name: expect.any(String) }, {}] });
    // From memory, until the gateway's max-age is over.
    await expect
      .poll(async () => {
        expect(await ask(QUERY, { limit: 2 })).toEqual(first);
        return witness.seen;
      })
      .toEqual([
        { status: 200, ifNoneMatch: undefined },
        { status: 304, ifNoneMatch: expect.any(String) },
      ]);
    expect(await ask(QUERY, { limit: 3 })).toMatchObject({ hotProducts: [{}, {}, {}] });
  });

  test('throws the status of a proxy that answers HTML, and asks again', async () => {
    await using proxy = await startProxy(url);
    const ask = createVitrine(proxy.url);
    await expect(ask(QUERY, { limit: 2 })).rejects.toThrow('502');
    expect(await ask(QUERY, { limit: 2 })).toMatchObject({ hotProducts: [{}, {}] });
  });

  test('throws what the gateway says, and keeps no error', async () => {
    await using witness = await startWitness();
    const ask = createVitrine(witness.url);
    for (const _ of [1, 2]) await expect(ask(QUERY, { limit: 0 })).rejects.toThrow('limit');
    expect(witness.seen).toHaveLength(2);
  });
});

test.for(['clients.md', 'live.md'])('what docs/%s shows is in the examples', async (name) => {
  const page = await readFile(path.join(ROOT, 'docs', name), 'utf8');
  const folders = (await readdir(CLIENTS, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const examples = folders.filter(({ name }) => name !== 'node_modules');
  const files = await Promise.all(
    examples.flatMap(async ({ name }) => {
      const folder = path.join(CLIENTS, name);
      return Promise.all((await readdir(folder)).map((file) => readFile(path.join(folder, file), 'utf8')));
    }),
  );
  const shown = [...page.matchAll(/^```(?:ts|json)\n([\s\S]*?)^```/gm)].map(([, block]) => block ?? '');
  expect(shown).not.toEqual([]);
  for (const block of shown)
    expect(
      files.flat().some((file) => file.includes(block.trimEnd())),
      block,
    ).toBe(true);
});
