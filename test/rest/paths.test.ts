import { describe, expect, test } from 'vitest';
import { expectNotFound, expectProblem } from '../support/rest-problem.ts';
import { createRestShop, words } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop({ FRESHNESS_MS: '0' }));

describe.for(['/api/product/', '/api/notice/'])('an id at %s', (parent) => {
  test.for(['4', '004', `${'0'.repeat(100)}4`, '%34', '%30%34', '4?', '4?x=1', '4?id=5'])(
    'is digits: %s',
    async (text) => {
      const { status, json } = await shop.gateway.get(parent + text);
      expect({ status, json }).toMatchObject({ status: 200, json: { id: 4 } });
    },
  );

  test.for([
    '0',
    '00',
    '999',
    '2147483647',
    '2147483648',
    '4294967300',
    '9007199254740993',
    '18446744073709551620',
    '4'.repeat(40),
    '4'.repeat(4000),
  ])('that no row has is nothing: %s', async (text) => {
    expectNotFound(await shop.gateway.get(parent + text));
  });

  test.for([
    '',
    ...words(`
      4.0 4. 4e0 -4 -1 +4 %2B4 0x4 abc 4a NaN null %D9%A4 %EF%BC%94 %204 4%20 4+ 4%00 4%0A 4;x=1 4,5
      4&x=1 {id} %7Bid%7D :id * 4/ /4 4/5 4%2F 4%2f5 %2F4 ..%2F4 ./4 ../product/4 4.json 4#x
    `),
  ])('is nothing else: "%s"', async (text) => {
    expectNotFound(await shop.gateway.get(parent + text));
  });
});

describe('a name is a path of its own, never an id', () => {
  test.for(['/api/product/hot', '/api/product/new', '/api/product/list', '/api/notice/list'])('%s', async (path) => {
    expect((await shop.gateway.get(path)).json).toBeInstanceOf(Array);
    expect((await shop.gateway.get(`${path}?id=4`)).json).toBeInstanceOf(Array);
    const encoded = path.replace(/.$/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    expect((await shop.gateway.get(encoded)).json).toBeInstanceOf(Array);
  });

  test('/api/notice/page', async () => {
    expect((await shop.gateway.get('/api/notice/page')).json).toHaveProperty('list');
  });
});

test.for(
  words(String.raw`
  /api /api/ /api?x=1 /api/product /api/product?id=4 /api/product/ /api/notice /api/notice/ /api/brand/1
  /api/product/page /api/notice/hot /api/products/hot /api/product/hot/ /api/product/hot/4 /api/product/hot.json
  /api/product/hot%2F /api/product/hot%20 /api/product/hot%3Flimit=1 /api/product%2Fhot /api/product%2F4
  /api/product/%68ot%00 /api/product//hot /api//product/hot //api/product/hot //api/product/4 /api/./product/hot
  /api/product/../product/hot /API/product/hot /Api/product/hot /api/Product/hot /api/product/Hot
  /api/product/HOT /api/v1/product/hot /v1/api/product/hot /product/hot /api\product\hot /api/__proto__
  /api/constructor /api/product/__proto__ /api/notice/toString
  `),
)('there is nothing at %s', async (target) => {
  expectNotFound(await shop.gateway.get(target));
});

test('a target that is no path is refused', async () => {
  for (const target of ['api/product/hot', '*', '', '?limit=1', 'http://shop.example/api/product/hot']) {
    expectProblem(await shop.gateway.get(target), { status: 400, code: 'BAD_USER_INPUT' });
  }
});

test('a target may be 8192 characters long and no longer', async () => {
  const target = '/api/product/hot?x='.padEnd(8192, 'x');
  expect((await shop.gateway.get(target)).status).toBe(200);
  expectProblem(await shop.gateway.get(`${target}x`), { status: 414, code: 'URI_TOO_LONG' });
});
