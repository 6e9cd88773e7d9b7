import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/rest/routes.ts';
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/rest-documents.ts';
import { lintAnswers, lintOpenapi, type Openapi, readOpenapi } from '../support/rest-openapi.ts';
import { createRestShop, ENDED_ID } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop({ FRESHNESS_MS: '0' }));
let openapi: Openapi;
beforeAll(async () => {
  await shop.database.sql(
    `update product set subtitle = 'S', brand = 'B', tags = '{a,b}', list_price = 9, image_url = '/i.svg' where id = 4`,
  );
  await shop.database.sql(`update notice set view_count = 9007199254700000 where id = 4`);
  openapi = await readOpenapi(shop.gateway);
});

const PATHS = ROUTES.map(({ path }) => path);

const operationAt = (path: string) => {
  const operation = openapi.paths[path]?.get;
  if (!operation) throw new Error(`${path} is not described`);
  return operation;
};

describe('/openapi.json', () => {
  test('is JSON that is asked for again each time and sent only when it has changed', async () => {
    const { status, headers, text } = await shop.gateway.get('/openapi.json');
    expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      cache: 'no-cache',
    });
    const { etag = '' } = headers;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect(await shop.gateway.get('/openapi.json', { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
    expect(await shop.gateway.get('/openapi.json', { 'if-none-match': '"other"' })).toMatchObject({
      status: 200,
      text,
    });
  });

  test('has the tag of its content: the same for the same, another for another', async () => {
    const { etag } = (await shop.gateway.get('/openapi.json')).headers;
    await using again = await createTestGateway(shop.database);
    expect((await again.get('/openapi.json')).headers.etag).toBe(etag);
    await using folder = await createDocumentFolder({ 'notice-list.graphql': '{ notices { id } }' });
    await using other = await createTestGateway(shop.database, { REST_DOCUMENTS: folder.path });
    expect((await other.get('/openapi.json')).headers.etag).not.toBe(etag);
  });

  test('is what an independent linter finds no fault with', async () => {
    expect(await lintOpenapi(openapi)).toEqual([]);
    expect(await lintOpenapi({ ...openapi, info: {} })).not.toEqual([]);
  });

  test('asks for a token only where one is needed', async () => {
    expect(openapi).toMatchObject({ security: [] });
    const authorization = 'Bearer a-token-0123456789';
    await using restricted = await createTestGateway(shop.database, { ACCESS_TOKENS: 'a-token-0123456789' });
    const closed = (await restricted.get('/openapi.json', { authorization })).json as Openapi;
    expect(await lintOpenapi(closed)).toEqual([]);
    expect(closed).toMatchObject({ security: [{ accessToken: [] }] });
    const requirements = Object.entries(closed.paths).map(([path, { get }]) => [path, 'security' in get]);
    expect(requirements.filter(([, hasOwn]) => hasOwn)).toEqual([['/api/notice/{id}', true]]);
  });

  test('bears the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(openapi.info).toMatchObject({ title: 'Vitrine', version });
  });

  test('describes every path, each by a summary, a tag and an id of its own', () => {
    const described = Object.entries(openapi.paths).map(([path, { get }]) => [
      path,
      get.operationId,
      get.summary,
      get.tags,
    ]);
    expect(described.map(([path, , summary]) => ({ path, summary }))).toEqual(
      ROUTES.map(({ path, summary }) => ({ path, summary })),
    );
    expect(new Set(described.map(([, id]) => id)).size).toBe(ROUTES.length);
    expect(described).toEqual(
      expect.arrayContaining([
        ['/api/product/{id}', 'Product', 'Product detail', ['product']],
        ['/api/product/hot', 'HotProducts', 'Hot products', ['product']],
        ['/api/product/new', 'NewProducts', 'New products', ['product']],
        ['/api/product/list', 'ProductList', 'Products by category', ['product']],
        ['/api/notice/list', 'NoticeList', 'Notice list', ['notice']],
        ['/api/notice/page', 'NoticePage', 'Notice page', ['notice']],
        ['/api/notice/{id}', 'Notice', 'Notice detail', ['notice']],
      ]),
    );
    expect(openapi.tags.map(({ name }) => name)).toEqual([...new Set(ROUTES.map(({ path }) => path.split('/')[2]))]);
  });
});

test('with the parameters of the examples, every path has something of the demo catalogue', async () => {
  await using database = await createDemoDatabase();
  await using gateway = await createTestGateway(database);
  for (const path of PATHS) {
    const { parameters } = operationAt(path);
    const given = parameters.flatMap(({ name, in: place, example }) =>
      place === 'query' && example !== undefined ? [`${name}=${example}`] : [],
    );
    const id = parameters.find(({ in: place }) => place === 'path')?.example;
    const { status, json } = await gateway.get(`${path.replace('{id}', String(id))}?${given.join('&')}`);
    expect(status, path).toBe(200);
    const { total } = json as { total?: number };
    expect(total ?? Object.keys(json as object).length, path).toBeGreaterThan(0);
  }
});

describe('the parameters', () => {
  const id = (example: number) => ({
    name: 'id',
    in: 'path',
    required: true,
    description: 'Digits only; an id that no row has is a 404.',
    schema: { type: 'integer', format: 'int32' },
    example,
  });
  const size = (name: string, byDefault: number) => ({
    name,
    in: 'query',
    required: false,
    description: '1 to 100.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: byDefault },
  });
  const described = expect.any(String);

  test.for([
    ['/api/product/{id}', [id(1)]],
    ['/api/product/hot', [size('limit', 10)]],
    ['/api/product/new', [size('limit', 10)]],
    [
      '/api/product/list',
      [
        {
          name: 'categoryIds',
          in: 'query',
          required: false,
          description: described,
          style: 'form',
          explode: false,
          schema: { type: 'array', items: { type: 'integer', format: 'int32' }, maxItems: 1000 },
          example: [4, 5],
        },
        {
          name: 'orderBy',
          in: 'query',
          required: false,
          description: expect.stringContaining('- `NEWEST`: Latest published first.'),
          schema: {
            type: 'string',
            enum: ['BEST_SELLING', 'DEFAULT', 'NAME_ASC', 'NEWEST', 'PRICE_ASC', 'PRICE_DESC'],
            default: 'DEFAULT',
          },
          example: 'PRICE_ASC',
        },
        size('limit', 20),
      ],
    ],
    ['/api/notice/list', []],
    [
      '/api/notice/page',
      [
        {
          name: 'pageNum',
          in: 'query',
          required: false,
          description: '1 or more.',
          schema: { type: 'integer', format: 'int32', minimum: 1, default: 1 },
        },
        size('pageSize', 10),
        {
          name: 'keyword',
          in: 'query',
          required: false,
          description: described,
          schema: { type: 'string' },
          example: 'linen',
        },
        {
          name: 'type',
          in: 'query',
          required: false,
          description: described,
          schema: { type: 'string', enum: ['ANNOUNCEMENT', 'MAINTENANCE', 'PROMOTION'] },
          example: 'PROMOTION',
        },
      ],
    ],
    ['/api/notice/{id}', [id(2)]],
  ] as const)('of %s are described', ([path, expected]) => {
    expect(operationAt(path).parameters).toEqual(expected);
  });

  test('have the ranges, the defaults and the values that the paths keep to', async () => {
    for (const path of PATHS) {
      const statusOf = async (name: string, value: unknown) =>
        (await shop.gateway.get(`${path}?${name}=${value}`)).status;
      for (const { name, in: place, schema } of operationAt(path).parameters) {
        if (place === 'path') continue;
        const { minimum, maximum, enum: values = [] } = schema;
        const last = maximum ?? 2 ** 31 - 1;
        if (minimum !== undefined) {
          const statuses = [minimum - 1, minimum, last, last + 1].map((value) => statusOf(name, value));
          expect(await Promise.all(statuses), `${path} ${name}`).toEqual([400, 200, 200, 400]);
        }
        for (const value of values) expect(await statusOf(name, value)).toBe(200);
        if (values.length > 0) expect(await statusOf(name, 'OTHER')).toBe(400);
        if (schema.default === undefined) continue;
        const { text } = await shop.gateway.get(`${path}?${name}=${schema.default}`);
        expect(text, `${path} ${name}`).toBe((await shop.gateway.get(path)).text);
      }
    }
  });
});

describe('the answers', () => {
  const answersFor = async (productId: number, noticeId: number): Promise<Record<string, unknown>> => {
    const get = async (path: string) => {
      const target = path.replace('{id}', String(path.includes('product') ? productId : noticeId));
      const { status, json } = await shop.gateway.get(target);
      expect(status).toBe(200);
      return [path, json] as const;
    };
    return Object.fromEntries(await Promise.all(PATHS.map(get)));
  };

  test('fit their schemas, with every optional value and without any', async () => {
    expect(await lintAnswers(openapi, await answersFor(4, 4))).toEqual([]);
    expect(await lintAnswers(openapi, await answersFor(5, ENDED_ID))).toEqual([]);
  });

  test.for([
    ['/api/product/{id}', { id: '4' }],
    ['/api/product/{id}', { id: null }],
    ['/api/product/{id}', { extra: 1 }],
    ['/api/product/{id}', { price: { amount: 9.5, currencyCode: 'USD' } }],
    ['/api/product/{id}', { price: { amount: '9.5', currencyCode: 'USD' } }],
    ['/api/product/{id}', { price: null }],
    ['/api/product/{id}', { publishedAt: 'yesterday' }],
    ['/api/product/{id}', { tags: [null] }],
    ['/api/product/{id}', { category: { id: 1, name: 'Cups' } }],
    ['/api/notice/{id}', { viewCount: 2 ** 53 }],
    ['/api/notice/{id}', { type: 'OTHER' }],
    ['/api/notice/{id}', { endsAt: 0 }],
    ['/api/notice/page', { list: {} }],
    ['/api/notice/page', { list: undefined }],
    ['/api/notice/page', { pages: undefined }],
  ] as const)('at %s would not fit with %j', async ([path, wrong]) => {
    const answers = await answersFor(4, 4);
    expect(await lintAnswers(openapi, { [path]: { ...(answers[path] as object), ...wrong } })).not.toEqual([]);
  });

  test('that are errors are problems, 404 only where there may be nothing', () => {
    const always = [400, 401, 405, 414, 429, 431, 500, 503];
    for (const path of PATHS) {
      const statuses = Object.keys(operationAt(path).responses).map(Number);
      const expected = [
        200,
        ...always,
        ...(path.includes('{') ? [404] : []),
        ...(path.includes('notice/{') ? [] : [304]),
      ];
      expect(statuses, path).toEqual(expected.toSorted((a, b) => a - b));
    }
    const { NotModified, ...problems } = openapi.components.responses;
    expect(NotModified).not.toHaveProperty('content');
    for (const [code, { content }] of Object.entries(problems)) {
      expect(content).toMatchObject({ 'application/problem+json': { example: { code, status: expect.any(Number) } } });
    }
    expect(openapi.components.responses).toMatchObject({
      UNAUTHENTICATED: { headers: { 'WWW-Authenticate': {} } },
      METHOD_NOT_ALLOWED: { headers: { Allow: {} } },
      SERVICE_UNAVAILABLE: { headers: { 'Retry-After': {} } },
    });
  });

  test('that are errors are as the examples, bodies and headers', async () => {
    await using restricted = await createTestGateway(shop.database, { ACCESS_TOKENS: 'a-token-0123456789' });
    const answers = [
      await shop.gateway.get('/api/product/hot?limit=ten'),
      await restricted.get('/api/product/hot'),
      await shop.gateway.get('/api/product/999999'),
      await shop.gateway.request('DELETE', '/api/product/hot'),
      await shop.gateway.get(`/api/product/hot?${'x'.repeat(8192)}`),
    ];
    for (const { json, headers } of answers) {
      const { code } = json as { code: string };
      const { content, headers: documented = {} } = openapi.components.responses[code] as {
        readonly content: Readonly<Record<string, unknown>>;
        readonly headers?: Readonly<Record<string, { readonly example: string }>>;
      };
      expect(content).toMatchObject({ 'application/problem+json': { example: json } });
      for (const [name, { example }] of Object.entries(documented)) {
        expect(headers[name.toLowerCase()], `${code} ${name}`).toBe(example);
      }
    }
  });
});
