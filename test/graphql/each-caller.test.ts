import {
  type DocumentNode,
  GraphQLError,
  type GraphQLField,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  isObjectType,
  type ValidationContext,
  visit,
} from 'graphql';
import type { Plugin, YogaInitialContext } from 'graphql-yoga';
import { describe, expect, test } from 'vitest';
import { createGateway } from '../../src/index.ts';
import { createTestDatabase } from '../support/database.ts';
import { openStream } from '../support/events.ts';
import { createTestGateway, handle, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { scrape } from '../support/scrape.ts';
import { shared } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { stored } from '../support/views.ts';

const database = await shared(createTestDatabase());
const category_id = await insertCategory(database, { name: 'Kitchen' });
await insertProduct(database, { id: 1, category_id, name: 'Pan', stock: 7 });
await insertNotice(database, { id: 1, title: 'Open' });

const QUERY = 'query Pan { product(id: 1) { name stock } }';

const open = (plugins: Plugin[], environment?: Record<string, string>) =>
  createTestGateway(database, environment, plugins);

interface Caller {
  readonly request?: Request;
  readonly call?: { readonly request: { readonly headers: Readonly<Record<string, unknown>> } };
}

const userOf = (context: unknown): string | undefined =>
  (context as Caller).call?.request.headers['x-user'] as string | undefined;

const withoutStock = (document: DocumentNode): DocumentNode =>
  visit(document, { Field: ({ name }) => (name.value === 'stock' ? null : undefined) });

/** As `@envelop/generic-auth` does it with `rejectUnauthenticated: false`: strangers get a document without the fields that are not theirs. */
const usePrivateStock: Plugin = {
  onValidate: ({ context, params, setResult, validateFn }) => {
    setResult(validateFn(params.schema, params.documentAST, params.rules, params.typeInfo, params.options));
    void context;
  },
  onExecute: ({ args }) => {
    if (!userOf(args.contextValue)) args.document = withoutStock(args.document);
  },
  onSubscribe: ({ args }) => {
    if (!userOf(args.contextValue)) args.document = withoutStock(args.document);
  },
};

/** Replaces the document where it is parsed. */
const useParsedWithoutStock: Plugin = {
  onParse:
    ({ context }) =>
    ({ result, replaceParseResult }) => {
      if (!userOf(context) && result && !(result instanceof Error)) replaceParseResult(withoutStock(result));
    },
};

/** Wraps a resolver of the schema. */
const wrap = (field: string, around: (resolve: GraphQLField<unknown, unknown>['resolve']) => unknown): Plugin => ({
  onSchemaChange: ({ schema }: { schema: GraphQLSchema }) => {
    const [type = '', name = ''] = field.split('.');
    const parent = schema.getType(type);
    const found = isObjectType(parent) ? parent.getFields()[name] : undefined;
    if (found) found.resolve = around(found.resolve) as typeof found.resolve;
  },
});

describe.for([undefined, '0'])('with plugins, and CACHE_MAX_MB=%s,', (cacheMaxMb) => {
  const environment: Record<string, string> = cacheMaxMb === undefined ? {} : { CACHE_MAX_MB: cacheMaxMb };

  test.for([
    ['before it is executed', usePrivateStock],
    ['where it is parsed', useParsedWithoutStock],
  ] as const)('a document that is rewritten for one caller %s is that of no other', async ([, plugin]) => {
    await using gateway = await open([plugin], environment);
    for (const user of ['me', undefined, 'me', undefined]) {
      const headers: Record<string, string> = user ? { 'x-user': user } : {};
      const product = user ? { name: 'Pan', stock: 7 } : { name: 'Pan' };
      expect(await gateway.graphql(QUERY, {}, headers)).toEqual({ data: { product } });
      expect((await gateway.get(`/graphql?query=${QUERY}`, headers)).json).toEqual({ data: { product } });
      expect('stock' in ((await gateway.get('/api/product/1', headers)).json as object)).toBe(user !== undefined);
    }
  });

  test('equal operations at the same time are executed each for its caller, by either door', async () => {
    const plugin = wrap('Product.name', () => async (_: unknown, __: unknown, context: unknown) => {
      await new Promise(setImmediate);
      return userOf(context);
    });
    await using gateway = await open([plugin], environment);
    const users = ['a', 'b', 'c', 'a'];
    const results = await Promise.all(users.map((user) => gateway.graphql(QUERY, {}, { 'x-user': user })));
    expect(results.map(({ data }) => data.product.name)).toEqual(users);
    const products = await Promise.all(users.map((user) => gateway.get('/api/product/1', { 'x-user': user })));
    expect(products.map(({ json }) => (json as { name: string }).name)).toEqual(users);
    for (const { headers } of products) expect(headers['cache-control']).toBe('private, no-store');
  });

  test('subscribers of one operation get what is theirs, at once and at each change', async () => {
    await using gateway = await open([usePrivateStock], environment);
    const text = 'subscription { product(id: 1) { name stock } }';
    const mine = await openStream(gateway, text, { headers: { 'x-user': 'me' } });
    const others = await openStream(gateway, text);
    expect(mine.results).toEqual([{ data: { product: { name: 'Pan', stock: 7 } } }]);
    expect(others.results).toEqual([{ data: { product: { name: 'Pan' } } }]);
    await database.sql(`update product set name = 'Wok' where id = 1`);
    await expect.poll(() => mine.results.at(-1)).toEqual({ data: { product: { name: 'Wok', stock: 7 } } });
    await expect.poll(() => others.results.at(-1)).toEqual({ data: { product: { name: 'Wok' } } });
    await database.sql(`update product set name = 'Pan' where id = 1`);
    await expect.poll(() => mine.results.at(-1)).toEqual({ data: { product: { name: 'Pan', stock: 7 } } });
    mine.leave();
    others.leave();
    expect((await scrape(gateway)).sum('vitrine_subscriptions')).toBe(0);
  });
});

const noFields = (context: ValidationContext) => ({
  Field: () => context.reportError(new GraphQLError('No fields here.')),
});

test('a rule of validation without a name runs for those whom a plugin gives it to, also on trusted documents and by REST', async () => {
  const rules = [
    // Two functions without a name: they are told apart by nothing but themselves.
    (
      () => (context: ValidationContext) =>
        noFields(context)
    )(),
  ];
  await using folder = await temporaryFolder();
  const file = await folder.write('documents.json', JSON.stringify({ pan: QUERY }));
  const plugin: Plugin = {
    onValidate: ({ addValidationRule, context }) => {
      if (userOf(context) !== 'strict') return;
      for (const rule of rules) addValidationRule(rule);
    },
  };
  await using gateway = await open([plugin], { TRUSTED_DOCUMENTS: String(file ?? `${folder.path}/documents.json`) });
  for (const user of ['me', 'strict', 'me', 'strict']) {
    const headers = { 'x-user': user };
    const isStrict = user === 'strict';
    expect((await gateway.graphql(QUERY, {}, headers)).errors !== undefined, user).toBe(isStrict);
    const trusted = await gateway.post({ documentId: 'pan' }, headers);
    expect(trusted.text.includes('No fields here.'), user).toBe(isStrict);
    expect((await gateway.get('/api/product/1', headers)).status, user).toBe(isStrict ? 400 : 200);
  }
});

const MINE = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: { product: { type: GraphQLString, args: {}, resolve: () => 'of another schema' } },
  }),
});

test('a schema that a plugin puts in the place of ours is the one that is executed, for all or for some', async () => {
  await using always = await open([
    { onPluginInit: ({ setSchema }: { setSchema: (schema: GraphQLSchema) => void }) => setSchema(MINE) } as Plugin,
  ]);
  expect(await always.graphql('{ product }')).toEqual({ data: { product: 'of another schema' } });
  let ours: GraphQLSchema | undefined;
  const byContext: Plugin = {
    onSchemaChange: ({ schema }: { schema: GraphQLSchema }) => {
      ours ??= schema;
    },
    onEnveloped: ({ context, setSchema }) => {
      if (ours) setSchema(userOf(context) === 'other' ? MINE : ours);
    },
  };
  await using gateway = await open([byContext]);
  for (let time = 0; time < 2; time += 1) {
    expect((await gateway.graphql('{ product }', {}, { 'x-user': 'other' })).data).toEqual({
      product: 'of another schema',
    });
    expect((await gateway.graphql('{ product }')).errors?.[0]).toMatchObject({
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
    expect((await gateway.graphql(QUERY)).data).toEqual({ product: { name: 'Pan', stock: 7 } });
  }
});

test('resolvers get the four parameters of graphql-js, and each runs once', async () => {
  const seen: unknown[] = [];
  const plugin = wrap(
    'Query.product',
    (resolve) =>
      (source: unknown, args: object, context: unknown, info: { fieldName: string; path: { key: string } }) => {
        seen.push([info.fieldName, info.path.key]);
        return resolve?.(source, args as never, context, info as never);
      },
  );
  await using gateway = await open([plugin]);
  await gateway.graphql('{ pan: product(id: 1) { name } }');
  await gateway.get('/api/product/1');
  expect(seen).toEqual([
    ['product', 'pan'],
    ['product', 'product'],
  ]);
  const { sum } = await scrape(gateway);
  expect(sum('vitrine_executions_not_compiled_total')).toBe(0);
});

test('the context is one object, from onContextBuilding to the resolver', async () => {
  const contexts: unknown[] = [];
  const plugin: Plugin = {
    ...wrap('Query.product', (resolve) => (source: unknown, args: object, context: unknown, info: unknown) => {
      contexts.push(context);
      return resolve?.(source, args as never, context, info as never);
    }),
    onContextBuilding: ({ context, extendContext }) => {
      contexts.push(context);
      expect(Object.keys(context)).toContain('loaders');
      extendContext({ shop: 'mine' } as object);
    },
    onExecute: ({ args }) => void contexts.push(args.contextValue),
  };
  await using gateway = await open([plugin]);
  const actions = [() => gateway.graphql(QUERY), () => gateway.get('/api/product/1')];
  for (const action of actions) {
    await action();
    const [first, ...others] = contexts.splice(0);
    expect(others).toHaveLength(2);
    for (const each of others) expect(each).toBe(first);
    expect(first).toMatchObject({ shop: 'mine' });
  }
});

test('a plugin reads the headers and the parameters of a request by either door', async () => {
  const seen: unknown[] = [];
  const reader: Plugin = {
    onContextBuilding: ({ context }) => {
      const { request, params } = context as YogaInitialContext;
      seen.push([request.method, request.headers.get('x-shop'), params.variables?.limit]);
    },
  };
  await using gateway = await createTestGateway(database, {}, [reader]);
  const headers = { 'x-shop': 'north' };
  expect((await gateway.get('/api/product/hot?limit=3', headers)).status).toBe(200);
  const query = 'query ($limit: Int!) { hotProducts(limit: $limit) { id } }';
  expect((await gateway.post({ query, variables: { limit: 4 } }, headers)).status).toBe(200);
  expect(seen).toEqual([
    ['GET', 'north', 3],
    ['POST', 'north', 4],
  ]);
});

test('hooks run each time, for equal requests at the same time and one after the other', async () => {
  let executed = 0;
  const onExecute = (): void => {
    executed += 1;
  };
  await using gateway = await open([{ onExecute }]);
  for (let time = 0; time < 3; time += 1) await Promise.all([gateway.graphql(QUERY), gateway.get('/api/product/1')]);
  await Promise.all([gateway.graphql(QUERY), gateway.graphql(QUERY), gateway.graphql(QUERY)]);
  expect(executed).toBe(9);
});

test('an answer is kept by nobody, unless a plugin says more; a header that it appends is added to ours', async () => {
  const plugin: Plugin = {
    onResponse: ({ request, response }) => {
      response.headers.append('vary', 'x-user');
      if (request.headers.get('x-user') === 'kept') response.headers.set('cache-control', 'private, max-age=5');
    },
  };
  await using gateway = await open([plugin]);
  const { headers } = await gateway.post({ query: QUERY });
  expect(headers).toMatchObject({ 'cache-control': 'private, no-store', vary: 'accept, x-user' });
  expect(headers).not.toHaveProperty('etag');
  expect((await gateway.post({ query: QUERY }, { 'x-user': 'kept' })).headers['cache-control']).toBe(
    'private, max-age=5',
  );
  await using sharing = await open([plugin], { PLUGINS_SHARE_ANSWERS: 'true' });
  const answer = await sharing.post({ query: QUERY });
  expect(answer.headers.vary).toBe('accept, accept-encoding, x-user');
  expect(answer.headers.etag).toBeDefined();
});

describe('views', () => {
  const plugin: Plugin = { onExecute: () => {} };

  test('are counted once for each operation, also where it fails in part, and the number is in the answer', async () => {
    await using gateway = await open([plugin]);
    const before = await stored(database, 1);
    const { data } = await gateway.graphql('{ a: notice(id: 1) { viewCount } b: notice(id: 1) { viewCount title } }');
    expect(data).toEqual({ a: { viewCount: before + 1 }, b: { viewCount: before + 1, title: 'Open' } });
    expect((await gateway.get('/api/notice/1')).json).toMatchObject({ viewCount: before + 2 });
    expect((await gateway.request('HEAD', '/api/notice/1')).status).toBe(200);
    const failed = await gateway.graphql('{ notice(id: 1) { title } hotProducts(limit: 0) { id } }');
    expect(failed.errors).toBeDefined();
    const partly = await gateway.graphql(
      '{ notice(id: 1) { viewCount } category(id: 1) { products(limit: 0) { id } } }',
    );
    expect([partly.errors?.length, partly.data?.notice]).toEqual([1, { viewCount: before + 3 }]);
    expect((await gateway.get('/api/notice/2')).status).toBe(404);
    expect(await stored(database, 1)).toBe(before + 3);
  });

  test('are counted for a notice that is selected without its number, and by an executor of a plugin', async () => {
    const { execute } = await import('graphql');
    await using gateway = await open([{ onExecute: ({ setExecuteFn }) => setExecuteFn(execute as never) }]);
    const before = await stored(database, 1);
    expect((await gateway.graphql('{ notice(id: 1) { title } }')).data).toEqual({ notice: { title: 'Open' } });
    expect((await gateway.graphql('{ notice(id: 1) { viewCount } }')).data).toEqual({
      notice: { viewCount: before + 2 },
    });
    expect(await stored(database, 1)).toBe(before + 2);
  });

  test('are not counted by a preview, which is of its time', async () => {
    await using gateway = await open([plugin], { PREVIEW_TOKENS: 'a-preview-token' });
    const before = await stored(database, 1);
    const headers = { 'x-preview-at': '2019-01-01T00:00:00Z', authorization: 'Bearer a-preview-token' };
    expect((await gateway.graphql('{ notices { id } notice(id: 1) { title } }', {}, headers)).data).toEqual({
      notices: [],
      notice: null,
    });
    expect((await gateway.get('/api/notice/1', headers)).status).toBe(404);
    expect(await stored(database, 1)).toBe(before);
  });
});

describe('before the plugins of the operator', () => {
  const answersAll: Plugin = {
    onExecute: ({ setResultAndStopExecution }) => setResultAndStopExecution({ data: { product: { name: 'secret' } } }),
  };

  test.for(['false', 'true'])(
    'come access tokens, cost and variables, with PLUGINS_SHARE_ANSWERS=%s',
    async (isShared) => {
      await using gateway = await open([answersAll], {
        ACCESS_TOKENS: 'a-long-token',
        PLUGINS_SHARE_ANSWERS: isShared,
      });
      const known = { authorization: 'Bearer a-long-token' };
      const stranger = await gateway.post({ query: QUERY });
      expect([stranger.status, stranger.text.includes('secret')]).toEqual([401, false]);
      expect((await gateway.get('/api/product/1')).status).toBe(401);
      expect((await gateway.post({ query: QUERY }, known)).json).toEqual({ data: { product: { name: 'secret' } } });
      const dear = `{ categories { products(limit: 100) { category { products(limit: 100) { id } } } } }`;
      expect((await gateway.graphql(dear, {}, known)).errors).toMatchObject([
        { extensions: { code: 'QUERY_TOO_COMPLEX' } },
      ]);
      const wrong = await gateway.graphql('query ($id: Int!) { product(id: $id) { name } }', { id: 'x' }, known);
      expect(wrong.errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    },
  );
});

describe('what a plugin answers oddly is no failure of the gateway:', () => {
  test('a body that is a stream', async () => {
    const plugin: Plugin = {
      onResponse: ({ setResponse, fetchAPI }) => {
        const stream = new ReadableStream({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode('of a '));
            controller.enqueue(new TextEncoder().encode('stream'));
            controller.close();
          },
        });
        setResponse(new fetchAPI.Response(stream as never));
      },
    };
    await using gateway = await open([plugin]);
    const { status, text } = await gateway.post({ query: QUERY });
    expect([status, text]).toEqual([200, 'of a stream']);
    await using other = await open([
      { onResponse: ({ setResponse }) => setResponse(new Response(new Blob(['of ', 'a blob']).stream())) },
    ]);
    expect((await other.post({ query: QUERY })).text).toBe('of a blob');
  });

  test('a result without its data', async () => {
    const plugin: Plugin = {
      onExecute: () => ({
        onExecuteDone: ({ result }) => {
          delete (result as { data?: unknown }).data;
        },
      }),
    };
    for (const PLUGINS_SHARE_ANSWERS of ['false', 'true']) {
      await using gateway = await open([plugin], { PLUGINS_SHARE_ANSWERS });
      expect(await gateway.post({ query: QUERY })).toMatchObject({ status: 200, text: '{}' });
      expect((await gateway.get('/api/product/1')).status).toBe(404);
    }
  });

  const failWith = (http: object): Plugin => ({
    onExecute: () => {
      throw new GraphQLError('Closed.', { extensions: { code: 'CLOSED', http } });
    },
  });

  test.for([700, 99, 204, 'much', 3.5])(
    'the status %s of an error, which is answered as one without',
    async (status) => {
      await using gateway = await open([failWith({ status, headers: { 'x-why': 'late' } })]);
      await using library = await createGateway({
        logLevel: 'silent',
        databaseUrl: database.url,
        plugins: [failWith({ status })],
      });
      const query = { query: QUERY };
      const expected = { errors: [{ message: 'Closed.', extensions: { code: 'CLOSED' } }] };
      expect(await gateway.post(query)).toMatchObject({ status: 200, json: expected, headers: { 'x-why': 'late' } });
      expect(await gateway.post(query, { accept: 'application/graphql-response+json' })).toMatchObject({ status: 400 });
      expect(await gateway.get('/api/product/1')).toMatchObject({
        status: 400,
        json: { code: 'CLOSED', detail: 'Closed.' },
      });
      const response = await library.fetch(new Request(`https://shop.example/graphql?query=${QUERY}`));
      expect(await response.json()).toEqual(expected);
    },
  );

  test('the status 700 of a result', async () => {
    const plugin: Plugin = {
      onExecute: () => ({
        onExecuteDone: ({ result, setResult }) =>
          setResult({ ...result, extensions: { http: { status: 700 } } } as never),
      }),
    };
    await using gateway = await open([plugin]);
    expect(await gateway.post({ query: QUERY })).toMatchObject({ status: 200, json: { data: { product: {} } } });
  });

  test('a header outside of Latin-1, which is sent as its bytes in UTF-8', async () => {
    const plugins: Plugin[] = [
      failWith({ status: 403, headers: { 'x-shop': '店', 'x-broken': 'a\r\nset-cookie: b', 'not a name': 'c' } }),
    ];
    await using gateway = await open(plugins);
    await using library = await createGateway({ logLevel: 'silent', databaseUrl: database.url, plugins });
    for (const target of [`/graphql?query=${QUERY}`, '/api/product/1']) {
      const response = await library.fetch(new Request(`https://shop.example${target}`));
      expect(response.status).toBe(403);
      expect(Buffer.from(response.headers.get('x-shop') ?? '', 'latin1').toString()).toBe('店');
      expect([response.headers.get('x-broken'), response.headers.get('set-cookie')]).toEqual([null, null]);
      const { status, headers } = await gateway.get(target);
      expect([status, Buffer.from(headers['x-shop'] ?? '', 'latin1').toString()]).toEqual([403, '店']);
    }
  });
});

test('an error of another copy of graphql is known by its name', async () => {
  class OtherGraphQLError extends Error {
    override readonly name = 'GraphQLError';
    readonly extensions = { code: 'TOO_DEEP', http: { status: 403 } };
    readonly locations = [{ line: 1, column: 1 }];
  }
  const refuse = (): never => {
    throw new OtherGraphQLError('Too deep.') as Error;
  };
  const rule = (context: ValidationContext) => ({
    Document: () => context.reportError(new OtherGraphQLError('Too deep.') as never),
  });
  const plugins: Plugin[] = [
    { onExecute: refuse },
    { onParse: refuse },
    { onRequest: refuse },
    { onResponse: refuse },
    { onValidate: ({ addValidationRule }) => addValidationRule(rule as never) },
  ];
  for (const plugin of plugins) {
    await using gateway = await open([plugin]);
    // An error of validation is one of GraphQL, which application/json answers with 200.
    const { status, json } = await gateway.post({ query: QUERY }, { accept: 'application/graphql-response+json' });
    expect([status, json]).toMatchObject([
      403,
      { errors: [{ message: 'Too deep.', extensions: { code: 'TOO_DEEP' } }] },
    ]);
    if ('onRequest' in plugin || 'onResponse' in plugin) continue;
    expect(await gateway.get('/api/product/1')).toMatchObject({ status: 403, json: { code: 'TOO_DEEP' } });
  }
});

test('a subscription that a plugin answers by a plain result gives its place back', async () => {
  const plugin: Plugin = {
    onSubscribe: () => ({
      onSubscribeResult: ({ setResult }) => setResult({ data: { product: { name: 'mine' } } } as never),
    }),
  };
  await using gateway = await open([plugin], { MAX_SUBSCRIPTIONS: '1' });
  for (let time = 0; time < 3; time += 1) {
    const { status, body } = await handle(gateway.app, {
      method: 'POST',
      target: '/graphql',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'subscription { product(id: 1) { name } }' }),
    });
    expect([status, String(body)]).toEqual([
      200,
      'event: next\ndata: {"data":{"product":{"name":"mine"}}}\n\nevent: complete\ndata:\n\n',
    ]);
  }
});

describe('with PLUGINS_SHARE_ANSWERS', () => {
  const SHARED = { PLUGINS_SHARE_ANSWERS: 'true' };
  const isHit = ({ headers }: Awaited<ReturnType<TestGateway['get']>>): boolean =>
    headers['cache-status'] === 'vitrine; hit';

  test('memory stands in front, by either door', async () => {
    let executed = 0;
    const onExecute = (): void => {
      executed += 1;
    };
    await using gateway = await open([{ onExecute }], SHARED);
    for (const target of [`/graphql?query=${QUERY}`, '/api/product/1']) {
      await expect.poll(() => gateway.get(target).then(isHit)).toBe(true);
      const before = executed;
      await expect.poll(() => gateway.get(target).then(isHit)).toBe(true);
      expect(executed).toBeLessThanOrEqual(before + 1);
      expect((await gateway.get(target)).headers['cache-control']).toContain('public');
    }
  });

  test('a resolver that a plugin wraps gets the four parameters of graphql-js, and runs once', async () => {
    const seen: string[] = [];
    const plugin = wrap(
      'Query.product',
      (resolve) => (source: unknown, args: object, context: unknown, info: { fieldName: string }) => {
        seen.push(info.fieldName);
        return resolve?.(source, args as never, context, info as never);
      },
    );
    await using gateway = await open([plugin], SHARED);
    expect((await gateway.graphql(QUERY)).data).toEqual({ product: { name: 'Pan', stock: 7 } });
    expect(seen).toEqual(['product']);
  });

  test('a rule without a name runs, also where the text was validated without it before', async () => {
    let isStrict = false;
    const plugin: Plugin = {
      onValidate: ({ addValidationRule }) => {
        if (isStrict) addValidationRule((() => noFields)());
      },
    };
    await using gateway = await open([plugin], { ...SHARED, CACHE_MAX_MB: '0' });
    expect((await gateway.graphql(QUERY)).errors).toBeUndefined();
    isStrict = true;
    expect((await gateway.graphql(QUERY)).errors).toHaveLength(3);
  });

  test('a document that a plugin rewrites for all has an answer of its own', async () => {
    let isOn = false;
    const plugin: Plugin = {
      onParse:
        () =>
        ({ result, replaceParseResult }) => {
          if (isOn && result && !(result instanceof Error)) replaceParseResult(withoutStock(result));
        },
    };
    await using gateway = await open([plugin], SHARED);
    expect((await gateway.graphql(`${QUERY} # 1`)).data).toEqual({ product: { name: 'Pan', stock: 7 } });
    isOn = true;
    expect((await gateway.graphql(`${QUERY} # 1`, { unknown: 1 })).data).toEqual({ product: { name: 'Pan' } });
  });
});
