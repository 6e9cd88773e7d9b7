import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CachedResponse } from '../support/gateway.ts';
import { expectProblem } from '../support/rest-problem.ts';
import { createRestShop, words } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());

const CODES: Readonly<Record<number, string>> = { 400: 'BAD_USER_INPUT', 404: 'NOT_FOUND', 414: 'URI_TOO_LONG' };

/** Whatever was asked: JSON, or a problem of the client's making. */
const expectSound = (answer: CachedResponse): void => {
  const { status, headers } = answer;
  if (status === 200) {
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json).toBeTypeOf('object');
    return;
  }
  expect(CODES, answer.text).toHaveProperty(String(status));
  const { parameter } = answer.json as { parameter?: string };
  expectProblem(answer, { status, code: CODES[status] ?? '', parameter });
};

const QUERY_PATHS = ['product/hot', 'product/new', 'product/list', 'notice/list', 'notice/page', 'product/4'];
const NAMES = ['limit', 'categoryIds', 'orderBy', 'pageNum', 'pageSize', 'keyword', 'type', 'id', 'Limit', ''];

/** Any text, and many like those that a parameter takes. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'0123456789+-.,eE x%_&=\0\\\'"'), maxLength: 30 }),
  fc.bigInt().map(String),
  fc.integer({ min: -1, max: 102 }).map(String),
  fc.double().map(String),
  fc.array(fc.integer(), { maxLength: 50 }).map(String),
  fc.constantFrom('price_asc', 'PROMOTION', 'İ', 'null', '__proto__', '%', 'x'.repeat(9000), '9'.repeat(5000)),
);

const encoded = (name: string, value: string): string => new URLSearchParams({ [name]: value }).toString();

test('any text as any parameter, encoded or raw, is answered soundly', async () => {
  const pair = fc.tuple(fc.constantFrom(...NAMES), text, fc.boolean());
  const query = fc
    .array(pair, { minLength: 1, maxLength: 4 })
    .map((pairs) => pairs.map(([name, value, isRaw]) => (isRaw ? `${name}=${value}` : encoded(name, value))).join('&'));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...QUERY_PATHS), query, async (path, each) => {
      expectSound(await shop.gateway.get(`/api/${path}?${each}`));
    }),
    { numRuns: 600 },
  );
});

test('any path under /api is answered soundly', async () => {
  const segment = fc.oneof(
    text,
    text.map((value) => encoded('', value).slice(1)),
    fc.constantFrom('product', 'notice', 'hot', 'list', 'page', '4', '', '.', '..', '%2F', '%00', 'PRODUCT'),
  );
  const path = fc.oneof(
    fc.array(segment, { maxLength: 4 }).map((segments) => segments.join('/')),
    segment.map((value) => `product/${value}`),
    segment.map((value) => `notice/${value}`),
  );
  await fc.assert(
    fc.asyncProperty(path, fc.constantFrom('GET', 'HEAD'), async (each, method) => {
      expectSound(await shop.gateway.request(method, `/api/${each}`));
    }),
    { numRuns: 600 },
  );
});

test('any keyword finds through REST what it finds through GraphQL', async () => {
  const short = text.filter((value) => value.length < 1000 && value.isWellFormed());
  await fc.assert(
    fc.asyncProperty(short, async (keyword) => {
      const { json } = await shop.gateway.get(`/api/notice/page?pageSize=100&${encoded('keyword', keyword)}`);
      const { data } = await shop.gateway.graphql(
        'query ($keyword: String) { noticePage(pageSize: 100, keyword: $keyword) { total items { id } } }',
        { keyword },
      );
      const { total, items } = data.noticePage;
      expect(json).toMatchObject({ total, list: items });
    }),
    { numRuns: 250 },
  );
});

test('any headers are answered soundly', async () => {
  const name = fc.constantFrom(
    ...words('accept authorization origin if-none-match x-request-id accept-encoding content-type'),
  );
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, fc.string({ unit: 'grapheme-ascii' })), async (headers) => {
      const { status } = await shop.gateway.get('/api/product/list', headers);
      expect([200, 304]).toContain(status);
    }),
    { numRuns: 150 },
  );
});
