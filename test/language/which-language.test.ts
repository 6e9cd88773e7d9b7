import { parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGateway } from '../../src/index.ts';
import { createTestDatabase } from '../support/database.ts';
import { openStream } from '../support/events.ts';
import { createTestGateway, startTestServer, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { scrape } from '../support/scrape.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
await insertProduct(database, { id: 1, category_id: await insertCategory(database), name: 'Pan' });
await insertNotice(database, { id: 1, title: 'Open' });

const LANGUAGES = 'en,de,pt-BR';
const QUERY = '{ product(id: 1) { name } }';
const IN_GERMAN = `query @inContext(language: "de") ${QUERY}`;
const BY_VARIABLE = `query ($tag: String) @inContext(language: $tag) ${QUERY}`;

const open = async (environment: Record<string, string> = { LANGUAGES }, plugins: readonly Plugin[] = []) => {
  const gateway = await createTestGateway(database, environment, plugins);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  return gateway;
};

const by = (header: string) => ({ 'accept-language': header });
const target = (query: string, variables?: object) =>
  `/graphql?query=${encodeURIComponent(query)}${variables ? `&variables=${encodeURIComponent(JSON.stringify(variables))}` : ''}`;

type Headers = Readonly<Record<string, string>>;

/** The language of a response, and whether it varies by the header. */
const shown = ({ headers }: { readonly headers: Headers }) => [
  headers['content-language'],
  /\baccept-language\b/.test(headers.vary ?? ''),
];

const OWN: readonly Plugin[] = [{}];

/** Both ways to execute, each with what a second equal request gets. */
const EXECUTIONS: readonly (readonly [string, readonly Plugin[], string | undefined])[] = [
  ['from memory', [], 'vitrine; hit'],
  ['for each caller by plugins', OWN, undefined],
];

describe.for(EXECUTIONS)('what is answered %s', ([, plugins, secondTime]) => {
  const WAYS: readonly (readonly [
    string,
    (gateway: TestGateway, headers: Headers) => ReturnType<TestGateway['get']>,
    string,
    boolean,
  ])[] = [
    ['GET by the header', (gateway, headers) => gateway.get(target(QUERY), headers), 'pt-BR', true],
    ['GET by the document', (gateway, headers) => gateway.get(target(IN_GERMAN), headers), 'de', false],
    [
      'GET by a variable',
      (gateway, headers) => gateway.get(target(BY_VARIABLE, { tag: 'de-AT' }), headers),
      'de',
      false,
    ],
    [
      'GET by a variable that is null',
      (gateway, headers) => gateway.get(target(BY_VARIABLE, { tag: null }), headers),
      'pt-BR',
      true,
    ],
    [
      'GET in a language that there is not',
      (gateway, headers) => gateway.get(target(BY_VARIABLE, { tag: 'fr' }), headers),
      'en',
      false,
    ],
    ['POST by the header', (gateway, headers) => gateway.post({ query: QUERY }, headers), 'pt-BR', true],
    ['POST by the document', (gateway, headers) => gateway.post({ query: IN_GERMAN }, headers), 'de', false],
    [
      'POST by a variable',
      (gateway, headers) => gateway.post({ query: BY_VARIABLE, variables: { tag: 'de' } }, headers),
      'de',
      false,
    ],
    ['HEAD by the header', (gateway, headers) => gateway.request('HEAD', target(QUERY), headers), 'pt-BR', true],
    ['REST by the header', (gateway, headers) => gateway.get('/api/product/1', headers), 'pt-BR', true],
    ['REST by the parameter', (gateway, headers) => gateway.get('/api/product/1?language=de-CH', headers), 'de', false],
    [
      'REST by an empty parameter',
      (gateway, headers) => gateway.get('/api/product/1?language=', headers),
      'pt-BR',
      true,
    ],
    [
      'the detail of a notice by the header',
      (gateway, headers) => gateway.get('/api/notice/1', headers),
      'pt-BR',
      true,
    ],
    [
      'the detail of a notice by the parameter',
      (gateway, headers) => gateway.get('/api/notice/1?language=de', headers),
      'de',
      false,
    ],
  ];

  test.for(WAYS)('%s', async ([name, send, language, varies]) => {
    const gateway = await open({ LANGUAGES }, plugins);
    for (const time of ['first', 'second']) {
      const response = await send(gateway, by('pt-BR, de;q=0.5'));
      expect(response.status).toBe(200);
      expect([time, ...shown(response)]).toEqual([time, language, varies]);
      if (time === 'second' && !name.includes('notice')) expect(response.headers['cache-status']).toBe(secondTime);
    }
  });

  test('is a fault where the tag is none', async () => {
    const gateway = await open({ LANGUAGES }, plugins);
    const fault = 'must be a language tag of BCP 47 such as "de" or "pt-BR", but is "de_DE".';
    const { errors } = await gateway.graphql(BY_VARIABLE, { tag: 'de_DE' });
    expect(errors).toMatchObject([
      { message: `Argument "language" ${fault}`, extensions: { code: 'BAD_USER_INPUT', argument: 'language' } },
    ]);
    const rest = await gateway.get('/api/product/1?language=de_DE');
    expect([rest.status, rest.json]).toMatchObject([
      400,
      { code: 'BAD_USER_INPUT', parameter: 'language', detail: `Parameter "language" ${fault}` },
    ]);
    expect((await gateway.get('/api/product/1?language=de&language=en')).status).toBe(400);
    expect(shown(rest)).toEqual([undefined, false]);
  });

  test('may be a subscription, which keeps the language that it began with', async () => {
    const gateway = await open({ LANGUAGES }, plugins);
    const subscription = `subscription ($tag: String) @inContext(language: $tag) { product(id: 1) { name } }`;
    const streams = [
      await openStream(gateway, subscription, { headers: by('pt-BR') }),
      await openStream(gateway, subscription, { headers: by('pt-BR'), variables: { tag: 'de' } }),
    ];
    expect(streams.map((stream) => shown(stream as unknown as { headers: Headers }))).toEqual([
      ['pt-BR', true],
      ['de', false],
    ]);
    for (const stream of streams) stream.leave();
  });
});

test('memory keeps a response once for each language, however the header is spelt', async () => {
  const gateway = await open();
  const outcome = async (header: string, query = QUERY) => {
    const { headers } = await gateway.get(target(query), by(header));
    return [headers['content-language'], headers['cache-status']];
  };
  expect(await outcome('de')).toEqual(['de', 'vitrine; fwd=miss']);
  expect(await outcome('de-AT, en;q=0.1')).toEqual(['de', 'vitrine; hit']);
  expect(await outcome('fr, de;q=0.5')).toEqual(['de', 'vitrine; hit']);
  expect(await outcome('en')).toEqual(['en', 'vitrine; fwd=miss']);
  expect(await outcome('fr')).toEqual(['en', 'vitrine; hit']);
  // Another text is another document, which has no more than one answer.
  expect(await outcome('en', IN_GERMAN)).toEqual(['de', 'vitrine; fwd=miss']);
  expect(await outcome('pt-BR', IN_GERMAN)).toEqual(['de', 'vitrine; hit']);
});

test('a revalidation varies as the response did', async () => {
  const gateway = await open();
  const { headers } = await gateway.get(target(QUERY), by('de'));
  const again = await gateway.get(target(QUERY), { ...by('de'), 'if-none-match': String(headers.etag) });
  expect([again.status, again.headers.vary]).toEqual([304, headers.vary]);
});

test('an operation whose document names the language is compiled', async () => {
  const gateway = await open();
  await gateway.get(target(IN_GERMAN));
  expect((await scrape(gateway)).sum('vitrine_executions_not_compiled_total')).toBe(0);
});

test('a document that a plugin rewrites decides, also where it names another language', async () => {
  const german = parse(IN_GERMAN);
  const plugin: Plugin = { onExecute: ({ args }) => void Object.assign(args, { document: german }) };
  for (const environment of [{}, { PLUGINS_SHARE_ANSWERS: 'true' }]) {
    const gateway = await open({ LANGUAGES, ...environment }, [plugin]);
    expect(shown(await gateway.get(target(QUERY), by('pt-BR')))).toEqual(['de', false]);
  }
});

test('a trusted document names it as any other', async () => {
  const gateway = await open();
  const register = {
    query: BY_VARIABLE,
    extensions: { persistedQuery: { version: 1, sha256Hash: await sha256(BY_VARIABLE) } },
  };
  const { query: _, ...byHash } = register;
  await gateway.post(register);
  expect(shown(await gateway.post({ ...byHash, variables: { tag: 'de' } }, by('pt-BR')))).toEqual(['de', false]);
  expect(shown(await gateway.post(byHash, by('pt-BR')))).toEqual(['pt-BR', true]);
});

const sha256 = async (text: string) =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex');

test('a preview has a language, too', async () => {
  const token = 'preview-token-0123456789';
  const gateway = await open({ LANGUAGES, PREVIEW_TOKENS: token });
  const preview = { authorization: `Bearer ${token}`, 'x-preview-at': new Date().toISOString() };
  expect(shown(await gateway.get(target(QUERY), { ...preview, ...by('de') }))).toEqual(['de', true]);
});

test('by a port and by fetch it is the same', async () => {
  await using server = await startTestServer(database, { LANGUAGES });
  await using gateway = await createGateway({
    databaseUrl: database.url,
    languages: ['en', 'de', 'pt-BR'],
    log: { write: () => undefined },
  });
  for (const time of [1, 2]) {
    for (const answer of [fetch, gateway.fetch]) {
      const byHeader = await answer(new Request(server.url + target(QUERY), { headers: by('de') }));
      const byParameter = await answer(new Request(`${server.url}/api/product/1?language=pt-br`));
      const heads = [byHeader, byParameter].map(({ headers }) => shown({ headers: Object.fromEntries(headers) }));
      expect([time, ...heads]).toEqual([time, ['de', true], ['pt-BR', false]]);
    }
  }
});

test.for([
  [undefined, [undefined, false]],
  ['de', ['de', false]],
])('with LANGUAGES=%s there is nothing to choose', async ([languages, expected]) => {
  const gateway = await open(languages === undefined ? {} : { LANGUAGES: String(languages) });
  for (const path of [
    target(QUERY),
    '/api/product/1',
    '/api/product/1?language=pt',
    target(`query @inContext(language: "pt") ${QUERY}`),
  ]) {
    for (const header of ['en', 'pt-BR']) expect(shown(await gateway.get(path, by(header)))).toEqual(expected);
  }
});

test('without languages a parameter of this name is one that nobody knows', async () => {
  const gateway = await open({});
  expect((await gateway.get('/api/product/1?language=de_DE')).status).toBe(200);
});

test('the languages are listed with their own names', async () => {
  const query = '{ languages { code name isDefault } }';
  const { data } = await (await open()).graphql(query);
  expect(data.languages).toEqual([
    { code: 'en', name: 'English', isDefault: true },
    { code: 'de', name: 'Deutsch', isDefault: false },
    { code: 'pt-BR', name: 'português (Brasil)', isDefault: false },
  ]);
  expect((await (await open({})).graphql(query)).data.languages).toMatchObject([{ code: 'und', isDefault: true }]);
});

test('the reference of REST has the parameter where languages are configured', async () => {
  const parameters = async (environment: Record<string, string>) => {
    const { json } = await (await open(environment)).get('/openapi.json');
    const paths = Object.values((json as { paths: Record<string, { get: { parameters: { name: string }[] } }> }).paths);
    return paths.map(({ get }) => get.parameters.filter(({ name }) => name === 'language').length);
  };
  expect(await parameters({ LANGUAGES })).toEqual([1, 1, 1, 1, 1, 1, 1]);
  expect(await parameters({})).toEqual([0, 0, 0, 0, 0, 0, 0]);
});
