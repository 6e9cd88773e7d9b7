import path from 'node:path';
import { GraphQLError, type GraphQLSchema, type ValidationContext } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createGateway } from '../../src/index.ts';
import { createTestDatabase } from '../support/database.ts';
import { openStream, untilShown } from '../support/events.ts';
import { createTestGateway, handle, JSON_HEADERS } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { scrape } from '../support/scrape.ts';
import { shared } from '../support/shared.ts';
import { listen } from '../support/socket.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { stored } from '../support/views.ts';

const database = await shared(createTestDatabase());
await insertProduct(database, { id: 1, category_id: await insertCategory(database), name: 'Pan' });
await insertNotice(database, { id: 1, title: 'Open' });

const QUERY = 'query Pan { product(id: 1) { name } }';

const SHARED = { PLUGINS_SHARE_ANSWERS: 'true' };

const open = (plugins: Plugin[], environment: Record<string, string> = SHARED) =>
  createTestGateway(database, environment, plugins);

/** Notes the hooks that are called. */
const witness = () => {
  const called: string[] = [];
  const note = (hook: string) => () => void called.push(hook);
  const plugin: Plugin = {
    onRequest: note('onRequest'),
    onRequestParse: note('onRequestParse'),
    onParams: note('onParams'),
    onParse: note('onParse'),
    onValidate: note('onValidate'),
    onContextBuilding: note('onContextBuilding'),
    onExecute: note('onExecute'),
    onSubscribe: note('onSubscribe'),
    onExecutionResult: note('onExecutionResult'),
    onResultProcess: note('onResultProcess'),
    onResponse: note('onResponse'),
  };
  return { plugin, take: () => called.splice(0) };
};

const OF_ENVELOP = ['onParse', 'onValidate', 'onContextBuilding', 'onExecute'];
const OF_YOGA = [
  'onRequest',
  'onRequestParse',
  'onParams',
  ...OF_ENVELOP,
  'onExecutionResult',
  'onResultProcess',
  'onResponse',
];

describe('the hooks of a plugin whose answers all callers share', () => {
  test('run for an operation that memory does not answer, and for none that it answers', async () => {
    const { plugin, take } = witness();
    await using gateway = await open([plugin]);
    await gateway.graphql(QUERY);
    expect(take()).toEqual(OF_YOGA);
    await expect.poll(() => gateway.graphql(QUERY).then(take)).toEqual([]);
  });

  test('of Envelop run for a REST path too', async () => {
    const { plugin, take } = witness();
    await using gateway = await open([plugin]);
    expect((await gateway.get('/api/product/1')).json).toMatchObject({ name: 'Pan' });
    expect(take()).toEqual(OF_ENVELOP);
    await expect.poll(() => gateway.get('/api/product/1').then(take)).toEqual([]);
  });

  test('run for every operation with CACHE_MAX_MB=0', async () => {
    const { plugin, take } = witness();
    await using gateway = await open([plugin], { ...SHARED, CACHE_MAX_MB: '0' });
    for (let time = 0; time < 2; time += 1) {
      await gateway.graphql(QUERY);
      expect(take()).toEqual(OF_YOGA);
    }
  });

  test('run for a subscription as Yoga runs them', async () => {
    const { plugin, take } = witness();
    await using gateway = await open([plugin]);
    const stream = await openStream(gateway, 'subscription { notices { title } }');
    await untilShown(stream, { notices: [{ title: 'Open' }] });
    expect(take().filter((hook) => hook === 'onSubscribe' || hook === 'onExecute')).toEqual(['onSubscribe']);
    stream.leave();
  });

  test('count a view once, whatever they do', async () => {
    const { plugin } = witness();
    await using gateway = await open([plugin]);
    const before = await stored(database, 1);
    await gateway.graphql('{ notice(id: 1) { viewCount } }');
    expect(await stored(database, 1)).toBe(before + 1);
  });
});

describe.for(['true', 'false'])('a plugin, with PLUGINS_SHARE_ANSWERS=%s,', (PLUGINS_SHARE_ANSWERS) => {
  const open = (plugins: Plugin[], environment?: Record<string, string>) =>
    createTestGateway(database, { PLUGINS_SHARE_ANSWERS, ...environment }, plugins);

  const etag = PLUGINS_SHARE_ANSWERS === 'true' ? expect.any(String) : undefined;

  test('may extend a result, by either API', async () => {
    const plugin: Plugin = {
      onExecute: () => ({
        onExecuteDone: ({ result, setResult }) => {
          if ('data' in result)
            setResult({ ...result, data: { product: { name: 'Other' } }, extensions: { by: 'me' } });
        },
      }),
    };
    await using gateway = await open([plugin]);
    expect((await gateway.post({ query: QUERY })).json).toEqual({
      data: { product: { name: 'Other' } },
      extensions: { by: 'me' },
    });
    expect((await gateway.get('/api/product/1')).json).toEqual({ name: 'Other' });
  });

  test('reads the data of a result that was written before', async () => {
    const seen: unknown[] = [];
    const plugin: Plugin = {
      onExecute: () => ({ onExecuteDone: ({ result }) => void seen.push('data' in result ? result.data : undefined) }),
    };
    await using gateway = await open([plugin]);
    await gateway.graphql(QUERY);
    expect(seen).toEqual([{ product: { name: 'Pan' } }]);
  });

  test('may add a header to the response, and answer in its place', async () => {
    const plugin: Plugin = {
      onRequest: ({ request, endResponse, fetchAPI }) => {
        if (request.headers.get('x-closed')) endResponse(new fetchAPI.Response('closed', { status: 451 }));
      },
      onResponse: ({ response }) => response.headers.set('x-plugin', 'seen'),
    };
    await using gateway = await open([plugin]);
    const answer = await gateway.post({ query: QUERY });
    expect([answer.status, answer.headers['x-plugin'], answer.headers.etag]).toEqual([200, 'seen', etag]);
    const closed = await gateway.post({ query: QUERY.replace('Pan', 'Closed') }, { 'x-closed': '1' });
    expect([closed.status, closed.text]).toEqual([451, 'closed']);
  });

  test('may change a result in its place, by either API', async () => {
    const plugin: Plugin = {
      onExecute: () => ({
        onExecuteDone: ({ result }) => {
          if (!('data' in result)) return;
          (result.data as { product: { name: string } }).product.name = 'Other';
          result.extensions = { by: 'me' };
        },
      }),
    };
    await using gateway = await open([plugin], { CACHE_MAX_MB: '0' });
    expect((await gateway.post({ query: QUERY })).json).toEqual({
      data: { product: { name: 'Other' } },
      extensions: { by: 'me' },
    });
    expect((await gateway.get('/api/product/1')).json).toMatchObject({ name: 'Other' });
  });

  const JSON_TYPE = 'application/json; charset=utf-8';

  test.for<[point: string, Plugin, type: string, text: string]>([
    [
      'result, when it is processed',
      { onResultProcess: ({ setResult }) => setResult({ data: { mine: 1 } }) },
      JSON_TYPE,
      '{"data":{"mine":1}}',
    ],
    [
      'way to write it',
      {
        onResultProcess: ({ setResultProcessor }) =>
          setResultProcessor((_, fetchAPI) => new fetchAPI.Response('mine'), 'text/plain'),
      },
      'text/plain;charset=UTF-8',
      'mine',
    ],
    [
      'response',
      { onResponse: ({ setResponse, fetchAPI }) => setResponse(new fetchAPI.Response('mine')) },
      'text/plain;charset=UTF-8',
      'mine',
    ],
    [
      'content type',
      { onResponse: ({ response }) => response.headers.set('content-type', 'application/mine') },
      'application/mine',
      '{"data":{"product":{"name":"Pan"}}}',
    ],
  ])('may put another %s in its place', async ([, plugin, type, text]) => {
    await using gateway = await open([plugin], { CACHE_MAX_MB: '0' });
    const answer = await gateway.post({ query: QUERY });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, type, text]);
  });

  test('that only reads a result leaves the response as it was', async () => {
    let seen: unknown;
    const plugin: Plugin = {
      onResultProcess: ({ result }) => {
        seen = 'data' in result ? result.data : undefined;
      },
    };
    await using gateway = await open([plugin]);
    const answer = await gateway.post({ query: QUERY });
    expect([seen, answer.headers.etag]).toEqual([{ product: { name: 'Pan' } }, etag]);
  });

  test('that throws a GraphQLError decides about the message, the status, the headers and the extensions', async () => {
    const plugin: Plugin = {
      onExecute: () => {
        const http = { status: 402, headers: { 'x-price': '1' } };
        throw new GraphQLError('Pay first.', { extensions: { code: 'PAYMENT_REQUIRED', amount: 1, http } });
      },
    };
    await using gateway = await open([plugin]);
    for (const accept of ['application/graphql-response+json', 'application/json']) {
      const answer = await gateway.post({ query: QUERY }, { accept });
      expect([answer.status, answer.headers['x-price'], answer.json]).toEqual([
        402,
        '1',
        { errors: [{ message: 'Pay first.', extensions: { code: 'PAYMENT_REQUIRED', amount: 1 } }] },
      ]);
    }
  });

  const refuse = (): never => {
    const http = { status: 403, headers: { 'X-Reason': 'closed' } };
    throw new GraphQLError('Not here.', { extensions: { code: 'FORBIDDEN', http } });
  };

  test.for<[hook: string, Plugin]>([
    ['onParse', { onParse: refuse }],
    ['onValidate', { onValidate: refuse }],
    ['onContextBuilding', { onContextBuilding: refuse }],
    ['onExecute', { onExecute: refuse }],
    ['onExecuteDone', { onExecute: () => ({ onExecuteDone: refuse }) }],
    ['a resolver', { onExecute: ({ setExecuteFn }) => setExecuteFn(refuse) }],
  ])('that throws a GraphQLError in %s decides about status, code and headers by REST too', async ([, plugin]) => {
    await using gateway = await open([plugin]);
    const answer = await gateway.get('/api/product/1');
    expect(answer.json).toEqual({
      type: 'urn:vitrine:error:FORBIDDEN',
      title: 'Forbidden',
      status: 403,
      detail: 'Not here.',
      code: 'FORBIDDEN',
    });
    expect([answer.status, answer.headers['x-reason'], answer.headers['cache-control']]).toEqual([
      403,
      'closed',
      'no-store',
    ]);
    expect((await gateway.post({ query: QUERY })).status).toBe(403);
  });

  test('may give a field an error with a status of its own, which is that of the response', async () => {
    const extensions = { code: 'TEAPOT', http: { status: 418 } };
    const error = new GraphQLError('No coffee.', { path: ['product'], extensions });
    await using gateway = await open([
      { onExecute: ({ setExecuteFn }) => setExecuteFn(() => ({ data: { product: null }, errors: [error] })) },
    ]);
    const answer = await gateway.post({ query: QUERY });
    expect([answer.status, answer.json]).toEqual([
      418,
      {
        errors: [{ message: 'No coffee.', path: ['product'], extensions: { code: 'TEAPOT' } }],
        data: { product: null },
      },
    ]);
    expect(await gateway.get('/api/product/1')).toMatchObject({ status: 418, json: { code: 'TEAPOT' } });
  });

  test('may give an error headers alone: the status stays that of its kind', async () => {
    const extensions = { code: 'SLOW', http: { headers: { 'x-hint': 'ask less' } } };
    let path: string[] | undefined;
    const plugin: Plugin = {
      onExecute: ({ setExecuteFn }) =>
        setExecuteFn(() => ({ errors: [new GraphQLError('Slow.', path ? { path, extensions } : { extensions })] })),
    };
    await using gateway = await open([plugin]);
    const statusBy = async (accept: string): Promise<number> => {
      const { status, headers } = await gateway.post({ query: QUERY }, { accept });
      expect(headers['x-hint']).toBe('ask less');
      return status;
    };
    for (path of [undefined, ['product']]) {
      expect(await statusBy('application/json')).toBe(200);
      expect(await statusBy('application/graphql-response+json')).toBe(path ? 200 : 400);
    }
  });

  test.for<[hook: string, Plugin]>([
    ['onRequest', { onRequest: refuse }],
    ['onRequestParse', { onRequestParse: refuse }],
    ['onParams', { onParams: refuse }],
    ['onExecutionResult', { onExecutionResult: refuse }],
    ['onResultProcess', { onResultProcess: refuse }],
    ['onResponse', { onResponse: refuse }],
  ])('that throws a GraphQLError in %s is answered by it, as in any other hook', async ([, plugin]) => {
    await using gateway = await open([plugin]);
    for (const accept of ['application/graphql-response+json', 'application/json']) {
      const { status, headers, json } = await gateway.post({ query: QUERY }, { accept });
      expect([status, headers['x-reason'], headers['content-type'], json]).toEqual([
        403,
        'closed',
        `${accept}; charset=utf-8`,
        { errors: [{ message: 'Not here.', extensions: { code: 'FORBIDDEN' } }] },
      ]);
    }
    expect(gateway.logged.some(({ code, status }) => code === 'FORBIDDEN' && status === 403)).toBe(true);
  });

  test('may set several cookies, and then no cache may keep the response: by the server and by the library', async () => {
    const cookies = ['a=1; Path=/', 'b=2; Expires=Fri, 27 Nov 2026 00:00:00 GMT'];
    const plugin: Plugin = {
      onResponse: ({ response: { headers } }) => {
        for (const cookie of cookies) headers.append('set-cookie', cookie);
      },
    };
    await using gateway = await open([plugin]);
    await using server = await listen(gateway);
    await using library = await createGateway({ logLevel: 'silent', databaseUrl: database.url, plugins: [plugin] });
    for (const query of [QUERY, '{ nothing }']) {
      const target = `/graphql?${new URLSearchParams({ query })}`;
      for (const { headers } of [
        await fetch(server.url + target),
        await library.fetch(new Request(`https://shop.example${target}`)),
      ]) {
        expect(headers.getSetCookie()).toEqual(cookies);
        expect(headers.get('cache-control')).toContain('no-store');
        expect(headers.get('x-accel-expires')).toBeNull();
      }
    }
  });

  test('may put another body in the place of that of a subscription', async () => {
    const inCapitals: Plugin = {
      onResponse: ({ response, setResponse, fetchAPI }) => {
        const toCapitals = new TransformStream<Uint8Array, Uint8Array>({
          transform: (bytes, controller) =>
            controller.enqueue(Buffer.from(Buffer.from(bytes).toString().replace('Open', 'OPEN'))),
        });
        const { headers } = response;
        setResponse(new fetchAPI.Response(response.body?.pipeThrough(toCapitals) ?? null, { headers }));
      },
    };
    await using gateway = await open([inCapitals]);
    const stream = await openStream(gateway, 'subscription { notices { title } }');
    expect(stream.results).toEqual([{ data: { notices: [{ title: 'OPEN' }] } }]);
    stream.leave();
    await expect.poll(async () => (await scrape(gateway)).sum('vitrine_subscriptions')).toBe(0);
  });

  let isFaulty = true;
  const fail = (): void => {
    if (isFaulty) throw new Error('secret');
  };
  const answerOtherwise: Plugin = {
    onResponse: ({ setResponse, fetchAPI }) => {
      if (isFaulty) setResponse(new fetchAPI.Response('mine'));
    },
  };

  const answerPlainly: Plugin = {
    onSubscribe: () => ({
      onSubscribeResult: ({ setResult }) => {
        if (isFaulty) setResult({ data: { product: null } });
      },
    }),
  };

  test.for<[what: string, Plugin]>([
    ['fails in onSubscribeResult', { onSubscribe: () => ({ onSubscribeResult: fail }) }],
    ['fails in onResultProcess', { onResultProcess: fail }],
    ['fails in onResponse', { onResponse: fail }],
    ['answers otherwise', answerOtherwise],
    ['answers by a plain result', answerPlainly],
    ['fails when it ends', { onSubscribe: () => ({ onSubscribeResult: () => ({ onEnd: fail }) }) }],
  ])('that %s leaves the place of a subscription free', async ([, plugin]) => {
    await using gateway = await open([plugin], { MAX_SUBSCRIPTIONS: '1' });
    const subscribe = async (): Promise<number> => {
      const { status, stream } = await handle(gateway.app, {
        method: 'POST',
        target: '/graphql',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'subscription { product(id: 1) { name } }' }),
      });
      stream?.({ write: () => true, hasUnread: () => false, end: () => {} })();
      return status;
    };
    const taken = async () => (await scrape(gateway)).sum('vitrine_subscriptions');
    isFaulty = true;
    await subscribe();
    await expect.poll(taken).toBe(0);
    isFaulty = false;
    expect(await subscribe()).toBe(200);
    await expect.poll(taken).toBe(0);
  });

  test('may add a rule of validation', async () => {
    const noAliases = (context: ValidationContext) => ({
      Field: (node: { alias?: unknown }) => {
        if (node.alias) context.reportError(new GraphQLError('No aliases here.'));
      },
    });
    await using gateway = await open([{ onValidate: ({ addValidationRule }) => addValidationRule(noAliases) }]);
    expect((await gateway.graphql('{ product(id: 1) { name } }')).errors).toBeUndefined();
    expect((await gateway.graphql('{ product(id: 1) { a: name } }')).errors).toMatchObject([
      { message: 'No aliases here.', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
  });

  test('may add a rule of validation for some requests, whichever come first', async () => {
    const noFields = (context: ValidationContext) => ({
      Field: () => context.reportError(new GraphQLError('No fields here.')),
    });
    await using gateway = await open(
      [
        {
          onValidate: ({ addValidationRule, context }) => {
            const { request } = context as { request?: Request };
            if (request?.headers.get('x-strict')) addValidationRule(noFields);
          },
        },
      ],
      { CACHE_MAX_MB: '0' },
    );
    for (const strict of [false, true, false, true]) {
      const { errors } = await gateway.graphql(QUERY, {}, strict ? { 'x-strict': '1' } : {});
      expect(errors !== undefined).toBe(strict);
    }
  });

  test('puts into the context what resolvers find there, by either API', async () => {
    const found: unknown[] = [];
    const plugin: Plugin = {
      onContextBuilding: ({ extendContext }) => extendContext({ shop: 'mine' } as object),
      onSchemaChange: ({ schema }: { schema: GraphQLSchema }) => {
        const field = schema.getQueryType()?.getFields().product;
        const resolve = field?.resolve;
        if (!resolve) return;
        field.resolve = (source, args, context: { shop?: string }, info) => {
          found.push(context.shop);
          return resolve(source, args, context, info);
        };
      },
    };
    await using gateway = await open([plugin]);
    await gateway.graphql(QUERY);
    await gateway.get('/api/product/1');
    expect(found).toEqual(['mine', 'mine']);
  });

  test("may put another request in the place of the client's", async () => {
    const body = JSON.stringify({ query: '{ other: __typename }' });
    await using gateway = await open([
      {
        onRequest: ({ request, setRequest, fetchAPI }) =>
          setRequest(new fetchAPI.Request(request.url, { method: 'POST', headers: { ...JSON_HEADERS }, body })),
      },
    ]);
    expect((await gateway.post({ query: QUERY })).json).toEqual({ data: { other: 'Query' } });
    expect((await gateway.get(`/graphql?query=${QUERY}`)).json).toEqual({ data: { other: 'Query' } });
  });

  test('that fails is masked, by either API', async () => {
    const fail = (): never => {
      throw new Error('secret');
    };
    await using gateway = await open([{ onExecute: fail }]);
    for (const answer of [await gateway.post({ query: QUERY }), await gateway.get('/api/product/1')]) {
      expect([answer.status, answer.text.includes('INTERNAL_SERVER_ERROR'), answer.text.includes('secret')]).toEqual([
        500,
        true,
        false,
      ]);
    }
  });

  test('may say of a field what clients see, by an error with a code', async () => {
    const closed = new GraphQLError('The shop is closed.', { path: ['product'], extensions: { code: 'CLOSED' } });
    await using gateway = await open([
      { onExecute: ({ setExecuteFn }) => setExecuteFn(() => ({ data: null, errors: [closed] })) },
    ]);
    const { errors } = (await gateway.post({ query: QUERY })).json as { errors: unknown };
    expect(errors).toEqual([{ message: 'The shop is closed.', path: ['product'], extensions: { code: 'CLOSED' } }]);
  });
});

describe('GRAPHQL_PLUGINS', () => {
  test('names a module whose default export is a list of plugins: that of the examples logs names', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    // From the working directory.
    const file = path.relative('.', path.join(import.meta.dirname, '../../examples/plugins/plugins.js'));
    await using gateway = await createTestGateway(database, { GRAPHQL_PLUGINS: file });
    await gateway.graphql(QUERY);
    expect(log.mock.calls.filter(([line]) => /^executes/.test(line))).toEqual([['executes Pan']]);
  });

  test.for([
    ['none.js', undefined, 'cannot be loaded'],
    ['broken.js', 'export default [;', 'cannot be loaded'],
    ['nothing.js', 'export const plugins = [];', 'must be a list of plugins'],
    ['other.js', 'export default ["useLogger"];', 'must be a list of plugins'],
  ] as const)('that is %s stops the start', async ([name, text, message]) => {
    await using folder = await temporaryFolder();
    if (text !== undefined) await folder.write(name, text);
    const file = path.join(folder.path, name);
    await expect(createTestGateway(database, { GRAPHQL_PLUGINS: file })).rejects.toThrow(message);
  });
});
