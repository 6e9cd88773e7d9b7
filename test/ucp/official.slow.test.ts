import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway, JSON_HEADERS, startTestServer, type TestGateway } from '../support/gateway.ts';
import { insertCategory } from '../support/rows.ts';
import { LOOKUP_ANSWER, PRODUCT_ANSWER, SEARCH_ANSWER } from '../support/ucp-schemas.ts';

/** RFC 3986 by its characters: a scheme, and no character that has to be encoded. */
const URI = /^[a-z][a-z0-9+.-]*:(?:[\w\-.~:/?#@!$&'()*+,;=[\]]|%[0-9a-f]{2})+$/i;

const ajv = new Ajv2020({ strict: false, formats: { uri: URI } });
const isSearch = ajv.compile(SEARCH_ANSWER);
const isLookup = ajv.compile(LOOKUP_ANSWER);
const isProduct = ajv.compile(PRODUCT_ANSWER);

const ask = async (gateway: TestGateway, operation: string, body: unknown) => {
  const answer = await gateway.request('POST', `/ucp/catalog/${operation}`, JSON_HEADERS, JSON.stringify(body));
  expect(answer.status, answer.text).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it asked for
  return answer.json as any;
};

/** Asks for each visible product in every way. */
const expectValid = async (database: TestDatabase, gateway: TestGateway): Promise<number> => {
  const products = await database.sql<{ id: number }>(
    `select id from product where status = 'ON_SALE' and published_at <= now() order by id`,
  );
  const found = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const filters = { price: { min: 0 } };
    const page = await ask(gateway, 'search', { filters, pagination: { limit: 100, cursor } });
    expect(isSearch(page), JSON.stringify(isSearch.errors)).toBe(true);
    for (const { id } of page.products) found.add(id);
    cursor = page.pagination.cursor;
    if (!page.pagination.has_next_page) break;
  }
  expect(found).toEqual(new Set(products.map(({ id }) => `product/${id}`)));
  for (const { id } of products) {
    const lookup = await ask(gateway, 'lookup', { ids: [`product/${id}`] });
    expect(isLookup(lookup), JSON.stringify(isLookup.errors)).toBe(true);
    const detail = await ask(gateway, 'product', { id: `product/${id}` });
    expect(isProduct(detail), JSON.stringify(isProduct.errors)).toBe(true);
    expect(detail.product.id).toBe(`product/${id}`);
  }
  return products.length;
};

test('each answer for each product of the demo is valid by the official schemas', async () => {
  await using database = await createDemoDatabase();
  await using gateway = await createTestGateway(database, { UCP: 'on', PRODUCT_URL: 'https://shop.example/{slug}' });
  expect(await expectValid(database, gateway)).toBeGreaterThan(50);
});

test('so is each of a catalogue with everything that rows may have', async () => {
  await using database = await createTestDatabase();
  const categoryId = await insertCategory(database, { name: 'A > B', slug: 'a%b' });
  await database.sql(
    `insert into product (category_id, name, slug, price, list_price, currency, description, image_urls, image_alts, tags, attributes, option_names)
    select $1, 'Ä "' || n || '"', 'ä ' || n || '?%', n * 1.15, case when n % 3 = 0 then n * 2 end,
      (array['USD', 'JPY', 'KWD', 'CLF', 'IQD', 'VED', 'XXX'])[1 + n % 7], case when n % 2 = 0 then '' else '<b>bold</b>' end,
      case n % 4 when 0 then '{}' when 1 then array['/a b|c^.png', 'javascript:alert(1)', 'https://x.example/%zz'] when 2 then array['::', ''] else array['//cdn.example/[1].jpg'] end,
      array['alt'], array['tag' || n % 5], jsonb_build_object('Size', n, 'List', jsonb_build_array('a', 'b'), 'Yes', true),
      case when n % 2 = 0 then array['Colour', 'Size'] else '{}' end
    from generate_series(1, 60) n`,
    [categoryId],
  );
  await database.sql(
    `insert into product_variant (product_id, sku, barcode, option_values, price, list_price, stock, image_url, position)
    select p.id, 'SKU-' || p.id || '-' || v, case when v % 2 = 0 then '4006381333931' else 'no code' end,
      array['Colour ' || v % 25, 'Size ' || v / 25], p.price + v, case when v % 5 = 0 then p.price + v + 1 end, v % 3, case when v % 4 = 0 then '/v ' || v || '.png' end, v
    from product p cross join generate_series(0, case when p.id % 10 = 0 then 249 else 3 end) v
    where p.option_names <> '{}'`,
  );
  await using gateway = await createTestGateway(database, {
    UCP: 'on',
    PUBLIC_URL: 'https://api.example',
    SHOP_CURRENCY: 'USD',
  });
  expect(await expectValid(database, gateway)).toBe(60);
});

test('a page and a look-up of a hundred products with 250 variants each are answered', async () => {
  await using large = await createTestDatabase();
  await large.sql(`
    insert into category (name, slug) values ('All', 'all');
    insert into product (category_id, name, slug, price, option_names)
      select 1, 'P' || n, 'p' || n, 1, '{Size}' from generate_series(1, 100) n;
    insert into product_variant (product_id, sku, option_values, price, list_price, stock, position)
      select n, n || '-' || v, array['S' || v], 10 + v, case when v = 7 then 1000 end, case when v = 100 then 1 else 0 end, v
      from generate_series(1, 100) n, generate_series(1, 250) v`);
  await using shop = await createTestGateway(large, { UCP: 'on' });
  const page = await ask(shop, 'search', { filters: { categories: ['all'] }, pagination: { limit: 100 } });
  expect(page.products).toHaveLength(100);
  const amount = (minor: number) => ({ amount: minor, currency: 'USD' });
  expect(page.products[0]).toMatchObject({
    price_range: { min: amount(1100), max: amount(26_000) },
    list_price_range: { min: amount(1100), max: amount(100_000) },
    variants: [{ title: 'S100', availability: { available: true } }],
  });
  const ids = Array.from({ length: 100 }, (_, place) => `${place + 1}-${200 - place}`);
  const lookup = await ask(shop, 'lookup', { ids });
  expect(
    lookup.products.flatMap(({ variants }: { variants: { sku: string }[] }) => variants.map(({ sku }) => sku)),
  ).toEqual(ids);
});

test('the official client finds the tools and calls them, by the revision of 2026 and by those of 2025', async () => {
  await using database = await createDemoDatabase();
  await using server = await startTestServer(database, { UCP: 'on' });
  const answers: unknown[] = [];
  for (const mode of [{ pin: '2026-07-28' }, 'legacy'] as const) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL('/ucp/mcp', server.url)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_catalog', 'lookup_catalog', 'get_product']);
    // The client checks each answer by the schema of its tool.
    const { structuredContent } = await client.callTool({
      name: 'search_catalog',
      arguments: { meta: { 'ucp-agent': { profile: 'https://agent.example/ucp' } }, catalog: { query: 'lamp' } },
    });
    expect(isSearch(structuredContent), JSON.stringify(isSearch.errors)).toBe(true);
    answers.push(structuredContent);
    const missing = await client.callTool({ name: 'get_product', arguments: { catalog: { id: 'none' } } });
    expect(isProduct(missing.structuredContent), JSON.stringify(isProduct.errors)).toBe(true);
    await client.close();
  }
  expect(answers[0]).toEqual(answers[1]);
});
