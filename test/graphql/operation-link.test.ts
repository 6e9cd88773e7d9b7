import { describe, expect, test } from 'vitest';
import { createTestGateway } from '../support/gateway.ts';
import { createDocumentFolder } from '../support/rest-documents.ts';
import { createRestShop } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());

const linkOf = (id: string, variables?: object) =>
  `<../../graphql?operation=${id}${variables ? `&variables=${encodeURIComponent(JSON.stringify(variables))}` : ''}>; ` +
  `rel="alternate"; type="text/html"; title="GraphQL ${id}"`;

describe('the Link of a REST answer', () => {
  test.for([
    ['/api/product/4', 'Product', { id: 4 }],
    ['/api/product/hot', 'HotProducts', undefined],
    ['/api/product/new?limit=2', 'NewProducts', { limit: 2 }],
    [
      '/api/product/list?orderBy=price_asc&categoryIds=1,2',
      'ProductList',
      { categoryIds: [1, 2], orderBy: 'PRICE_ASC' },
    ],
    ['/api/notice/list?unknown=1', 'NoticeList', undefined],
    ['/api/notice/page?keyword=%E2%82%AC%22%3E&pageSize=3', 'NoticePage', { pageSize: 3, keyword: '€">' }],
    ['/api/notice/4', 'Notice', { id: 4 }],
  ] as const)('to %s names the operation and its variables, from memory as well', async ([target, id, variables]) => {
    const first = await shop.gateway.get(target);
    expect(first).toMatchObject({ status: 200, headers: { link: linkOf(id, variables) } });
    const again = await shop.gateway.get(target);
    expect(again.headers.link).toBe(first.headers.link);
    expect((await shop.gateway.request('HEAD', target)).headers.link).toBe(first.headers.link);
    if (first.headers.etag === undefined) return;
    expect(again.headers['cache-status']).toBe('vitrine; hit');
    expect(await shop.gateway.get(target, { 'if-none-match': first.headers.etag })).toMatchObject({
      status: 304,
      headers: { link: first.headers.link },
    });
  });

  test('gives the same result when it is followed', async () => {
    const target = '/api/product/list?orderBy=name_asc&limit=3';
    const { headers, json } = await shop.gateway.get(target);
    const search = new URL(/<(.+)>/.exec(headers.link ?? '')?.[1] ?? '', 'http://x').searchParams;
    const page = (await shop.gateway.get('/graphql', { accept: 'text/html' })).text;
    const { operations } = JSON.parse(
      /<script type="application\/json" id="config">(.+)<\/script>/.exec(page)?.[1] ?? '',
    );
    const { data } = await shop.gateway.graphql(
      operations[search.get('operation') ?? ''],
      JSON.parse(search.get('variables') ?? ''),
    );
    expect(data.products).toEqual(json);
  });

  test('leaves variables out that would make it too long for proxies', async () => {
    const { headers } = await shop.gateway.get(`/api/notice/page?keyword=${'%20a'.repeat(1000)}`);
    expect(headers.link).toBe(linkOf('NoticePage'));
  });

  test('is on errors of the path too, without variables where these are at fault', async () => {
    expect((await shop.gateway.get('/api/product/99999')).headers.link).toBe(linkOf('Product', { id: 99999 }));
    for (const [target, id] of [
      ['/api/product/hot?limit=0', 'HotProducts'],
      ['/api/notice/page?pageNum=x', 'NoticePage'],
    ] as const) {
      expect((await shop.gateway.get(target)).headers.link, target).toBe(linkOf(id));
    }
    expect((await shop.gateway.get('/api/nothing')).headers).not.toHaveProperty('link');
  });

  test("names the operations of an operator's documents", async () => {
    await using folder = await createDocumentFolder({
      'product-hot.graphql': 'query Old($size: Int! = 3) { hotProducts(limit: $size) { id } }',
      'product-new.graphql': 'query Old { newProducts { id } }',
      'notice-list.graphql': '{ notices { id } }',
    });
    await using gateway = await createTestGateway(shop.database, { REST_DOCUMENTS: folder.path });
    expect((await gateway.get('/api/product/hot?size=1')).headers.link).toBe(linkOf('Old', { size: 1 }));
    expect((await gateway.get('/api/product/new')).headers.link).toBe(linkOf('product-new'));
    expect((await gateway.get('/api/notice/list')).headers.link).toBe(linkOf('notice-list'));
  });

  test('is missing where there is no GraphiQL to open', async () => {
    await using gateway = await createTestGateway(shop.database, { GRAPHIQL: 'off' });
    for (const _ of ['made', 'from memory']) {
      expect((await gateway.get('/api/product/hot')).headers).not.toHaveProperty('link');
    }
  });
});
