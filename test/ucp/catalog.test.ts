import { isAsyncIterable, type Plugin } from 'graphql-yoga';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway, JSON_HEADERS, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct, insertVariant } from '../support/rows.ts';

let database: TestDatabase;
let gateway: TestGateway;

/** A shop with a mug, and a shirt in two colours and sizes. */
beforeAll(async () => {
  database = await createTestDatabase();
  const home = await insertCategory(database, { name: 'Home', slug: 'home' });
  const cups = await insertCategory(database, { name: 'Cups', slug: 'cups', parent_id: home });
  const tops = await insertCategory(database, { name: 'Tops', slug: 'tops' });
  await insertProduct(database, {
    category_id: cups,
    name: 'Blue mug',
    slug: 'blue-mug',
    price: '9.90',
    list_price: '12.00',
    stock: 3,
    sku: 'MUG-1',
    brand: 'Acme',
    image_url: '/mug one.png',
    attributes: { Volume: '0.3 l' },
  });
  const shirt = await insertProduct(database, {
    category_id: tops,
    name: 'Shirt',
    slug: 'shirt',
    option_names: ['Colour', 'Size'],
  });
  const of = { product_id: shirt };
  await insertVariant(database, { ...of, price: '20.00', option_values: ['Blue', 'S'], sku: 'S-BS', position: 1 });
  await insertVariant(database, {
    ...of,
    price: '21.00',
    option_values: ['Blue', 'M'],
    stock: 2,
    barcode: '4006381333931',
    position: 2,
  });
  await insertVariant(database, { ...of, price: '22.00', option_values: ['Red', 'M'], stock: 1, position: 3 });
  await insertProduct(database, { category_id: tops, name: 'Secret shirt', slug: 'secret', status: 'DRAFT' });
  gateway = await createTestGateway(database, {
    UCP: 'on',
    PUBLIC_URL: 'https://api.example',
    PRODUCT_URL: 'https://shop.example/p/{slug}',
  });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asked for
type Answer = { status: number; json: any; headers: Readonly<Record<string, string>> };

const ask = async (operation: string, body: unknown, headers = {}): Promise<Answer> => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (await gateway.request('POST', `/ucp/catalog/${operation}`, { ...JSON_HEADERS, ...headers }, text)) as Answer;
};

const titlesOf = ({ json }: Answer): string[] => json.products.map(({ title }: { title: string }) => title);

describe('search_catalog', () => {
  test('a product has its texts, its prices in minor units and absolute addresses', async () => {
    const { json } = await ask('search', { query: 'mug' });
    const price = { amount: 990, currency: 'USD' };
    const list = { amount: 1200, currency: 'USD' };
    const media = [{ type: 'image', url: 'https://api.example/mug%20one.png', alt_text: 'Blue mug' }];
    expect(json).toEqual({
      ucp: { version: '2026-08-25', capabilities: { 'dev.ucp.shopping.catalog.search': [{ version: '2026-08-25' }] } },
      products: [
        {
          id: 'product/1',
          handle: 'blue-mug',
          title: 'Blue mug',
          description: { plain: 'Blue mug' },
          url: 'https://shop.example/p/blue-mug',
          categories: [{ value: 'Home > Cups', taxonomy: 'merchant' }],
          price_range: { min: price, max: price },
          list_price_range: { min: list, max: list },
          media,
          variants: [
            {
              id: 'product/1/variant',
              sku: 'MUG-1',
              title: 'Blue mug',
              description: { plain: 'Blue mug' },
              price,
              list_price: list,
              availability: { available: true },
              media,
            },
          ],
          tags: [],
          metadata: { brand: 'Acme', attributes: { Volume: ['0.3 l'] } },
        },
      ],
      pagination: { has_next_page: false, total_count: 1 },
    });
  });

  test('categories are named by path, slug or name, with those below them', async () => {
    for (const name of ['Home', 'home', 'Cups', 'Home > Cups']) {
      expect(titlesOf(await ask('search', { filters: { categories: [name] } }))).toEqual(['Blue mug']);
    }
    expect(titlesOf(await ask('search', { filters: { categories: ['Cups > Home'] } }))).toEqual([]);
    const both = await ask('search', { filters: { categories: ['cups', 'tops', 'none'] } });
    expect(titlesOf(both).toSorted()).toEqual(['Blue mug', 'Shirt']);
  });

  test('a price filter holds in the currency of the shop, and is said to be ignored in another one', async () => {
    const filters = { price: { max: 990 } };
    expect(titlesOf(await ask('search', { filters, context: { currency: 'USD' } }))).toEqual(['Blue mug']);
    const other = await ask('search', { filters, context: { currency: 'EUR' } });
    expect(titlesOf(other).toSorted()).toEqual(['Blue mug', 'Shirt']);
    expect(other.json.messages).toEqual([expect.objectContaining({ type: 'warning', code: 'price_filter_ignored' })]);
  });

  test('pages are asked for by the cursor of the one before', async () => {
    const filters = { categories: ['home', 'tops'] };
    const first = await ask('search', { filters, pagination: { limit: 1 } });
    expect(first.json.pagination).toMatchObject({ has_next_page: true, total_count: 2 });
    const second = await ask('search', { filters, pagination: { limit: 1, cursor: first.json.pagination.cursor } });
    expect(second.json.pagination.has_next_page).toBe(false);
    expect([...titlesOf(first), ...titlesOf(second)].toSorted()).toEqual(['Blue mug', 'Shirt']);
    const elsewhere = await ask('search', { query: 'mug', pagination: { cursor: first.json.pagination.cursor } });
    expect(elsewhere).toMatchObject({ status: 400, json: { code: 'invalid_request' } });
    expect(elsewhere.json.content).toContain('pagination.cursor');
  });

  test('a correction of the query is said', async () => {
    const { json } = await ask('search', { query: 'shirtt' });
    expect(json.messages).toEqual([expect.objectContaining({ type: 'info', code: 'query_corrected' })]);
  });

  test('a request is known by all of it that decides the answer, and by nothing else', async () => {
    const body = { filters: { price: { max: 990 } }, pagination: { limit: 9 } };
    const of = async (context: unknown) => {
      const { status, json } = await ask('search', { ...body, context });
      return status === 200 ? json.products.length : status;
    };
    for (let round = 0; round < 2; round += 1) {
      expect(await of({ currency: 'USD', address_country: 'US' })).toBe(1);
      expect(await of({ currency: 'USD', address_postal_code: String(round) })).toBe(1);
      expect(await of({ currency: 'EUR' })).toBe(2);
      expect(await of({})).toBe(2);
      for (const faulty of ['USD', ['USD'], { currency: 7 }, null]) expect(await of(faulty)).toBe(400);
    }
    const spelt = JSON.stringify({ ...body, context: { currency: 'USD' } });
    expect(titlesOf(await ask('search', spelt.replace('context', 'c\\u006fntext')))).toEqual(['Blue mug']);
    const named = await ask('search', spelt.replace('"currency"', '"address_country": "FR", "currency"'));
    expect(named.headers['cache-status']).toContain('hit');
  });

  test('an equal search is answered from memory, and what a buyer says of himself is part of no key', async () => {
    const body = { query: 'shirt', pagination: { limit: 7 } };
    expect((await ask('search', body)).headers['cache-status']).toBe('vitrine; fwd=miss');
    expect((await ask('search', body)).headers['cache-status']).toContain('hit');
    const buyer = { ...body, signals: { 'dev.ucp.buyer_ip': '203.0.113.7' }, context: { address_country: 'US' } };
    expect((await ask('search', buyer)).headers['cache-status']).toContain('hit');
    expect(JSON.stringify(gateway.logged)).not.toContain('203.0.113.7');
  });
});

describe('lookup_catalog', () => {
  test('each identifier is told with the variant that it has led to', async () => {
    const ids = [
      'shirt',
      'S-BS',
      '4006381333931',
      'variant/3',
      'product/1',
      'MUG-1',
      'product/1',
      'product/3',
      'secret',
      'x',
    ];
    const { json } = await ask('lookup', { ids });
    type Variants = { id: string; variants: { id: string; inputs: unknown }[] };
    const inputs = json.products.flatMap(({ id, variants }: Variants) =>
      variants.map((variant) => [id, variant.id, variant.inputs]),
    );
    expect(inputs.toSorted()).toEqual(
      [
        [
          'product/1',
          'product/1/variant',
          [
            { id: 'product/1', match: 'featured' },
            { id: 'MUG-1', match: 'exact' },
          ],
        ],
        ['product/2', 'variant/1', [{ id: 'S-BS', match: 'exact' }]],
        [
          'product/2',
          'variant/2',
          [
            { id: 'shirt', match: 'featured' },
            { id: '4006381333931', match: 'exact' },
          ],
        ],
        ['product/2', 'variant/3', [{ id: 'variant/3', match: 'exact' }]],
      ].toSorted(),
    );
    expect(json.messages).toEqual(
      ['product/3', 'secret', 'x'].map((content) => ({ type: 'info', code: 'not_found', content })),
    );
  });

  test('a filter leaves out variants, and products without any', async () => {
    const context = { currency: 'USD' };
    const ids = ['product/1', 'variant/1', 'variant/3'];
    const { json } = await ask('lookup', { ids, context, filters: { price: { min: 2100 } } });
    expect(json.products).toHaveLength(1);
    expect(json.products[0].variants.map(({ id }: { id: string }) => id)).toEqual(['variant/3']);
    expect(titlesOf(await ask('lookup', { ids, filters: { categories: ['Home'] } }))).toEqual(['Blue mug']);
  });

  test('more than a hundred different identifiers are too many', async () => {
    const ids = Array.from({ length: 101 }, (_, place) => `product/${place}`);
    expect(await ask('lookup', { ids })).toMatchObject({ status: 400, json: { code: 'request_too_large' } });
    expect((await ask('lookup', { ids: [...ids.slice(1), ...ids.slice(1)] })).status).toBe(200);
  });
});

describe('get_product', () => {
  test('a product shows its featured variant, and what exists beside its options', async () => {
    const { json } = await ask('product', { id: 'product/2' });
    expect(json.product.variants.map(({ id }: { id: string }) => id)).toEqual(['variant/2']);
    expect(json.product.selected).toEqual([
      { name: 'Colour', label: 'Blue' },
      { name: 'Size', label: 'M' },
    ]);
    expect(json.product.options).toEqual([
      {
        name: 'Colour',
        values: [
          { label: 'Blue', available: true, exists: true },
          { label: 'Red', available: true, exists: true },
        ],
      },
      {
        name: 'Size',
        values: [
          { label: 'S', available: false, exists: true },
          { label: 'M', available: true, exists: true },
        ],
      },
    ]);
  });

  test('a selection is narrowed, and relaxed from the end of the preferences', async () => {
    const selected = [
      { name: 'Colour', label: 'Red' },
      { name: 'Size', label: 'S' },
    ];
    const { json } = await ask('product', { id: 'product/2', selected, preferences: ['Colour', 'Size'] });
    expect(json.product.selected).toEqual([{ name: 'Colour', label: 'Red' }]);
    expect(json.product.variants.map(({ id }: { id: string }) => id)).toEqual(['variant/3']);
  });

  test('the id of a variant decides the selection', async () => {
    const selected = [{ name: 'Colour', label: 'Red' }];
    const { json } = await ask('product', { id: 'variant/1', selected });
    expect(json.product.selected).toEqual([
      { name: 'Colour', label: 'Blue' },
      { name: 'Size', label: 'S' },
    ]);
    expect(json.product.variants.map(({ id }: { id: string }) => id)).toEqual(['variant/1']);
  });

  test('a product that does not exist for a client is an outcome, not a failure', async () => {
    for (const id of ['product/3', 'variant/99', 'product/0', 'product/99999999999', '']) {
      const { status, json } = await ask('product', { id });
      expect([status, json.ucp.status, json.messages[0].code]).toEqual([200, 'error', 'not_found']);
    }
  });

  test('an option may be selected once', async () => {
    const selected = [
      { name: 'Size', label: 'S' },
      { name: 'Size', label: 'M' },
    ];
    expect(await ask('product', { id: 'product/2', selected })).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    });
  });
});

test('texts, addresses and prices that are odd are shown as the protocol can say them', async () => {
  await using odd = await createTestDatabase();
  const category_id = await insertCategory(odd);
  const product = { category_id, name: 'Lamp', price: '5.00' };
  await insertProduct(odd, {
    ...product,
    slug: 'läm p',
    subtitle: 'Bright',
    list_price: '5.00',
    image_urls: ['javascript:alert(1)', '/a.png'],
  });
  await using shop = await createTestGateway(odd, { UCP: 'on', PRODUCT_URL: 'https://shop.example/p/{slug}' });
  const search = async (host: string, price: object) => {
    const body = JSON.stringify({ filters: { price }, context: { currency: 'USD' } });
    const answer = await shop.request('POST', '/ucp/catalog/search', { ...JSON_HEADERS, host }, body);
    return (answer as Answer).json.products;
  };
  const [shown] = await search('a.example', { min: 500, max: 500 });
  expect(shown).toMatchObject({
    description: { plain: 'Bright' },
    url: 'https://shop.example/p/l%C3%A4m%20p',
    media: [{ url: 'http://a.example/a.png' }],
    variants: [{ availability: { available: false } }],
  });
  expect([shown, ...shown.variants].some((each) => 'list_price' in each || 'list_price_range' in each)).toBe(false);
  const lookup = async (price: object) => {
    const body = JSON.stringify({ ids: ['product/1'], filters: { price }, context: { currency: 'USD' } });
    return ((await shop.request('POST', '/ucp/catalog/lookup', JSON_HEADERS, body)) as Answer).json.products.length;
  };
  expect([await lookup({ min: 500, max: 500 }), await lookup({ min: 501 }), await lookup({ max: 499 })]).toEqual([
    1, 0, 0,
  ]);
  const [elsewhere] = await search('b.example', { min: 500, max: 500 });
  expect(elsewhere.media).toMatchObject([{ url: 'http://b.example/a.png' }]);
});

describe('requests', () => {
  test('faulty ones are refused with what is wrong', async () => {
    const faults: [string, unknown, string][] = [
      ['search', '{', 'not valid JSON'],
      ['search', {}, 'needs a query'],
      ['search', { query: ' ' }, 'needs a query'],
      ['search', { query: 7 }, 'query must be string'],
      ['search', { query: 'a', pagination: { limit: 0 } }, 'pagination/limit must be >= 1'],
      ['search', { filters: { price: { max: -1 } } }, 'filters/price/max must be >= 0'],
      ['search', { query: 'x'.repeat(201) }, 'query'],
      ['lookup', { ids: [] }, 'ids must NOT have fewer than 1 items'],
      ['lookup', { ids: [7] }, 'ids/0 must be string'],
      ['product', {}, "must have required property 'id'"],
      ['product', [], 'The request (by MCP, the argument "catalog") must be object.'],
      ['product', {}, 'The request (by MCP, the argument "catalog") must have required'],
    ];
    for (const [operation, body, part] of faults) {
      const { status, json } = await ask(operation, body);
      expect([status, json.code]).toEqual([400, 'invalid_request']);
      expect(json.content).toContain(part);
    }
  });

  test('of many faults the first is told', async () => {
    const { json } = await ask('lookup', { ids: [1, 2, 3] });
    expect(json.content).toBe('ids/0 must be string.');
  });

  test('they come by POST, as JSON', async () => {
    expect((await gateway.get('/ucp/catalog/search')).status).toBe(405);
    expect((await ask('search', 'query=mug', { 'content-type': 'text/plain' })).status).toBe(415);
  });

  test('members that are not known are ignored', async () => {
    expect(
      titlesOf(await ask('search', { query: 'mug', visual: 'x', filters: { rating: 5 }, context: { intent: 'gift' } })),
    ).toEqual(['Blue mug']);
  });
});

test('the profile names both transports and both capabilities', async () => {
  const { json, headers } = (await gateway.get('/.well-known/ucp')) as Answer;
  expect(json.ucp.services['dev.ucp.shopping'].map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual([
    'https://api.example/ucp',
    'https://api.example/ucp/mcp',
  ]);
  expect(Object.keys(json.ucp.capabilities)).toEqual([
    'dev.ucp.shopping.catalog.search',
    'dev.ucp.shopping.catalog.lookup',
  ]);
  expect(json.ucp.payment_handlers).toEqual({});
  expect(headers['cache-control']).toBe('public, max-age=300');
});

test('addresses are below the public one, else below that of the request, which proxies say that are trusted', async () => {
  const endpointOf = async (environment: Record<string, string>) => {
    await using shop = await createTestGateway(database, { UCP: 'on', ...environment });
    const headers = { host: 'own.example', 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' };
    const { json } = (await shop.request('GET', '/.well-known/ucp', headers)) as Answer;
    return json.ucp.services['dev.ucp.shopping'][0].endpoint;
  };
  expect(await endpointOf({ PUBLIC_URL: 'https://api.example/' })).toBe('https://api.example/ucp');
  expect(await endpointOf({})).toBe('http://own.example/ucp');
  expect(await endpointOf({ TRUST_PROXY: '1' })).toBe('https://shop.example/ucp');
});

test('without UCP there is nothing at its paths', async () => {
  await using closed = await createTestGateway(database);
  expect((await closed.get('/.well-known/ucp')).status).toBe(404);
  expect((await closed.request('POST', '/ucp/catalog/search', JSON_HEADERS, '{"query":"mug"}')).status).toBe(404);
});

test('with access tokens each operation wants one', async () => {
  await using restricted = await createTestGateway(database, { UCP: 'token', ACCESS_TOKENS: 'secret-token-1234' });
  const search = (headers = {}) =>
    restricted.request('POST', '/ucp/catalog/search', { ...JSON_HEADERS, ...headers }, '{"query":"mug"}');
  expect(await search()).toMatchObject({ status: 401, json: { code: 'unauthenticated' } });
  expect((await search({ authorization: 'Bearer secret-token-1234' })).status).toBe(200);
  expect((await restricted.get('/.well-known/ucp')).status).toBe(401);
});

describe('MCP', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  const call = async (method: string, params: object, headers = {}): Promise<Answer> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } });
    const named = 'name' in params ? { 'mcp-name': String(params.name) } : {};
    const all = { ...JSON_HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named, ...headers };
    return (await gateway.request('POST', '/ucp/mcp', all, body)) as Answer;
  };

  test('tools are listed with their schemas, and may be kept', async () => {
    const { json } = await call('tools/list', {});
    expect(json.result).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'public' });
    expect(json.result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'search_catalog',
      'lookup_catalog',
      'get_product',
    ]);
    for (const { inputSchema, outputSchema } of json.result.tools)
      expect([inputSchema.type, outputSchema.type]).toEqual(['object', 'object']);
    const discovered = (await call('server/discover', {})).json.result;
    expect(discovered).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'public' });
    expect(Object.values(discovered._meta)).toContainEqual(
      expect.objectContaining({ name: 'vitrine', version: packageJson.version }),
    );
  });

  test('a tool gives the answer of its path, as structured content and as text', async () => {
    const { json } = await call('tools/call', { name: 'search_catalog', arguments: { catalog: { query: 'mug' } } });
    expect(json.result.structuredContent).toEqual((await ask('search', { query: 'mug' })).json);
    expect(JSON.parse(json.result.content[0].text)).toEqual(json.result.structuredContent);
  });

  test('clients of 2025 are answered without a session', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/call',
      params: { name: 'get_product', arguments: { catalog: { id: 'product/1' } } },
    });
    for (const version of ['2025-06-18', '2025-11-25']) {
      const answer = await gateway.request(
        'POST',
        '/ucp/mcp',
        { ...JSON_HEADERS, accept: '*/*', 'mcp-protocol-version': version },
        body,
      );
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('"handle":"blue-mug"');
    }
  });

  test('faulty calls are invalid parameters, and say what is wrong', async () => {
    const ids = Array.from({ length: 101 }, (_, place) => `product/${place}`);
    const faults: [string, unknown, string][] = [
      ['lookup_catalog', { catalog: { ids } }, 'request_too_large'],
      ['search_catalog', { catalog: {} }, 'invalid_request'],
      ['search_catalog', {}, 'invalid_request'],
    ];
    for (const [name, given, code] of faults) {
      expect((await call('tools/call', { name, arguments: given })).json.error).toMatchObject({
        code: -32602,
        data: { code },
      });
    }
    expect((await call('tools/call', { name: 'buy', arguments: {} })).json.error.code).toBe(-32602);
    const sent = async (body: string): Promise<unknown> => {
      const { status, json } = await gateway.request('POST', '/ucp/mcp', JSON_HEADERS, body);
      return [status, (json as Answer['json']).error.code];
    };
    expect(await sent('{')).toEqual([400, -32700]);
    // One body would be as many calls as fit into it.
    expect(await sent('[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]')).toEqual([400, -32600]);
    expect(await sent('[]')).toEqual([400, -32600]);
  });

  test('a page of another site is refused', async () => {
    expect((await call('tools/list', {}, { origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await call('tools/list', {}, { origin: 'https://api.example' })).status).toBe(200);
    // Whatever address a page has led its browser to (DNS rebinding).
    await using local = await createTestGateway(database, { UCP: 'on' });
    const from = async (origin: string, host: string) => {
      const headers = { ...JSON_HEADERS, accept: '*/*', origin, host };
      return (await local.request('POST', '/ucp/mcp', headers, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'))
        .status;
    };
    expect(await from('http://evil.example', 'evil.example')).toBe(403);
    expect(await from('http://localhost:4000', 'localhost:4000')).toBe(200);
  });
});

test('a plugin that all callers share changes an answer for its request alone', async () => {
  const plugin: Plugin = {
    onExecute: () => ({
      onExecuteDone: ({ result, setResult }) => {
        if (isAsyncIterable(result)) return;
        setResult({ data: { ...result.data, ucp: { version: 'of the plugin' } } });
      },
    }),
  };
  await using shared = await createTestGateway(database, { UCP: 'on', PLUGINS_SHARE_ANSWERS: 'true' }, [plugin]);
  const body = JSON.stringify({ id: 'product/1' });
  const { status, json } = (await shared.request('POST', '/ucp/catalog/product', JSON_HEADERS, body)) as Answer;
  expect([status, json.ucp, json.product.title]).toEqual([200, { version: 'of the plugin' }, 'Blue mug']);
});
