import { beforeAll, describe, expect, test } from 'vitest';
import { expectBadParameter, expectProblem } from '../support/rest-problem.ts';
import { createRestShop, words } from '../support/rest-shop.ts';
import { insertNotice } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop({ FRESHNESS_MS: '0' }));

const ORDERS = 'must be one of BEST_SELLING, DEFAULT, NAME_ASC, NEWEST, PRICE_ASC, PRICE_DESC';
const TYPES = 'must be one of ANNOUNCEMENT, MAINTENANCE, PROMOTION';

describe.for([
  ['/api/product/list?limit=100&', 'orderBy', 'PRICE_ASC', ORDERS],
  ['/api/notice/page?pageSize=100&', 'type', 'PROMOTION', TYPES],
] as const)('the name at %s%s=', ([path, name, value, rule]) => {
  const get = (raw: string) => shop.gateway.get(`${path}${name}=${raw}`);
  const [first = '', ...rest] = value;

  test.for([
    value.toLowerCase(),
    first + rest.join('').toLowerCase(),
    [...value].map((letter, index) => (index % 2 ? letter : letter.toLowerCase())).join(''),
    `%${first.charCodeAt(0).toString(16)}${rest.join('')}`,
  ])('may be written %s', async (raw) => {
    const { status, text } = await get(raw);
    expect(status, text).toBe(200);
    expect(text).toBe((await get(value)).text);
    expect(text).not.toBe((await shop.gateway.get(path)).text);
  });

  test.for(['', '&'])('may be empty: "%s"', async (raw) => {
    expect((await get(raw)).text).toBe((await shop.gateway.get(path)).text);
  });

  test.for([
    ...['x', '0', 'null', '__proto__', 'constructor', 'toString', `${value}x`, `x${value}`, `${value} `, ` ${value}`],
    ...[`${value}\0`, `"${value}"`, `${value},${value}`, value.replaceAll('P', 'Ｐ'), `${value.replaceAll('I', 'İ')}İ`],
    ...[`${value.toLowerCase().replaceAll('i', 'ı')}ı`, `${value.replaceAll('_', '-')}-`],
  ])('is none that there is as %s', async (text) => {
    const shown = JSON.stringify(text);
    expectBadParameter(await get(encodeURIComponent(text)), name, `Parameter "${name}" ${rule}, but is ${shown}.`);
  });

  test('is shown cut where it is long', async () => {
    const detail = `Parameter "${name}" ${rule}, but is "${'x'.repeat(40)}…".`;
    expectBadParameter(await get('x'.repeat(5000)), name, detail);
  });

  test('is given once', async () => {
    expectBadParameter(await get(`${value}&${name}=${value}`), name, `Parameter "${name}" may be given only once.`);
  });
});

describe('keyword', () => {
  const idsFor = async (raw: string): Promise<number[]> => {
    const { status, text } = await shop.gateway.get(`/api/notice/page?pageSize=100&keyword=${raw}`);
    expect(status, text).toBe(200);
    return JSON.parse(text).list.map(({ id }: { id: number }) => id);
  };

  beforeAll(async () => {
    const titles = ['100 % wool', 'snake_case', 'back\\slash', 'a+b=c&d;e', '促销 🎉', 'straße ÉTÉ'].concat([
      'it\'s "quoted"',
      'two  spaces',
    ]);
    for (const [index, title] of titles.entries()) {
      await insertNotice(shop.database, { id: 201 + index, title });
    }
    await shop.database.sql(`update notice set summary = null where id < 200`);
  });

  test.for<[found: number[], texts: string[]]>([
    [[201], ['%25', '100%20%25', '100+%25']],
    [[202], ['_', 'SNAKE_CASE', 'snake%5Fcase']],
    [[203], ['%5C', '%5c%73lash']],
    [[204], ['a%2Bb', 'b=c', '%26d;E']],
    [[205], ['%E4%BF%83%E9%94%80', '%F0%9F%8E%89', '%E4%BF%83%E9%94%80+%F0%9F%8E%89']],
    [[206], ['STRA%C3%9FE', '%C3%A9t%C3%A9']],
    [[207], ['%27', '%22quoted%22']],
    [[208], ['two++spaces']],
    [[], ['snake%25case', 'snakeXcase', 'a+b', 'two+spaces', '%00', 'a%00b', 'nowhere', 'x'.repeat(8000)]],
  ])('finds %j, and nothing else, as %j', async ([ids, texts]) => {
    for (const raw of texts) expect(await idsFor(raw), raw).toEqual(ids);
  });

  test.for(['', '%20', '+', '%09', '+%20+', '%E3%80%80', '%C2%A0'])(
    'means none where it is blank: "%s"',
    async (raw) => {
      expect(await idsFor(raw)).toHaveLength(33);
    },
  );

  test('is given once', async () => {
    const answer = await shop.gateway.get('/api/notice/page?keyword=a&keyword=b');
    expectBadParameter(answer, 'keyword', 'Parameter "keyword" may be given only once.');
  });
});

const BROKEN = words('% %z %zz %2 %% %25% %u0041 %ff %C3 %C3%28 %C0%80 %ED%A0%80 %F5%80%80%80');

describe('a percent encoding that is none, or not UTF-8,', () => {
  test.for(BROKEN)('is refused wherever it stands: %s', async (broken) => {
    for (const target of [
      `/api/notice/page?keyword=${broken}`,
      `/api/notice/page?pageNum=${broken}`,
      `/api/notice/list?unknown=${broken}`,
      `/api/product/hot?${broken}=1`,
      `/api/product/1?${broken}`,
      `/api/product/${broken}`,
      `/api/${broken}`,
    ]) {
      expectProblem(await shop.gateway.get(target), {
        status: 400,
        code: 'BAD_USER_INPUT',
        detail: 'The request target has a percent encoding that is not valid UTF-8.',
      });
    }
  });
});

describe('a parameter that the path does not know', () => {
  test.for(
    words(`
      x=1 x = &&& ? x=1&x=2 LIMIT=x Limit=0 limit%20=0 %20limit=0 +limit=0 limit%00=0 limit[]=0
      limit.a=0 pageSize=x orderBy=x categoryIds=x id=999 __proto__=1 __proto__[limit]=0 constructor=1
      toString=x hasOwnProperty=1 query={products{id}} callback=alert(1)
    `),
  )('is ignored: %s', async (query) => {
    const { text } = await shop.gateway.get('/api/product/hot');
    expect(await shop.gateway.get(`/api/product/hot?${query}`)).toMatchObject({ status: 200, text });
    const limited = await shop.gateway.get('/api/product/hot?limit=3');
    for (const both of [`${query}&limit=3`, `limit=3&${query}`]) {
      expect(await shop.gateway.get(`/api/product/hot?${both}`)).toMatchObject({ status: 200, text: limited.text });
    }
  });

  test('is ignored beside an id in the path', async () => {
    const { text } = await shop.gateway.get('/api/product/4');
    for (const query of ['id=5', 'id=x', 'id=4&id=5', 'limit=0']) {
      expect(await shop.gateway.get(`/api/product/4?${query}`)).toMatchObject({ status: 200, text });
    }
  });
});
