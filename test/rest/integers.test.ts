import { beforeAll, describe, expect, test } from 'vitest';
import { expectBadParameter } from '../support/rest-problem.ts';
import { categoryOf, createRestShop, PRODUCT_IDS, type RestShop } from '../support/rest-shop.ts';

let shop: RestShop;
beforeAll(async () => {
  shop = await createRestShop();
  return () => shop[Symbol.asyncDispose]();
});

const getIds = async (target: string): Promise<number[]> => {
  const { status, text } = await shop.gateway.get(target);
  expect(status, text).toBe(200);
  return JSON.parse(text).map(({ id }: { id: number }) => id);
};

const INT_BOUNDS = 'must be a number between -2147483648 and 2147483647';
const WHOLE = 'must be a whole number';
const FORTY_NINES = '9'.repeat(40);

/** Texts of a query string that are no integer, and what they say when decoded. */
const NO_INTEGERS: readonly (readonly [raw: string, decoded: string])[] = [
  ['1e3', '1e3'],
  ['1E3', '1E3'],
  ['10.0', '10.0'],
  ['10.', '10.'],
  ['.5', '.5'],
  ['1,5', '1,5'],
  ['1_000', '1_000'],
  ['1%20000', '1 000'],
  ['1+000', '1 000'],
  ['0x10', '0x10'],
  ['0b1', '0b1'],
  ['0o7', '0o7'],
  ['10n', '10n'],
  ['%2010', ' 10'],
  ['10%20', '10 '],
  ['+5', ' 5'],
  ['10%0A', '10\n'],
  ['%0910', '\t10'],
  ['%C2%A010', '\u00a010'],
  ['%EF%BB%BF10', '\ufeff10'],
  ['10%00', '10\0'],
  ['NaN', 'NaN'],
  ['Infinity', 'Infinity'],
  ['-Infinity', '-Infinity'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['true', 'true'],
  ['ten', 'ten'],
  ['%D9%A3', '٣'],
  ['%EF%BC%95', '５'],
  ['%C2%B2', '²'],
  ['%E2%88%925', '−5'],
  ['%2B', '+'],
  ['-', '-'],
  ['--5', '--5'],
  ['%2B-5', '+-5'],
  ['5-', '5-'],
  ['5%25', '5%'],
  ['%225%22', '"5"'],
  ['[5]', '[5]'],
  ['{}', '{}'],
  ['%20', ' '],
  ['5;6', '5;6'],
  ['5=6', '5=6'],
  ['5;drop%20table%20product', '5;drop table product'],
];

/** Parameters that are one integer, each with the range that its argument has beyond the type. */
const INTEGERS: readonly (readonly [path: string, name: string, range: string])[] = [
  ['/api/product/hot', 'limit', 'must be between 1 and 100'],
  ['/api/product/new', 'limit', 'must be between 1 and 100'],
  ['/api/product/list', 'limit', 'must be between 1 and 100'],
  ['/api/notice/page', 'pageNum', 'must be 1 or more'],
  ['/api/notice/page', 'pageSize', 'must be between 1 and 100'],
];

describe.for(INTEGERS)('the integer of %s?%s=', ([path, name, range]) => {
  const get = (raw: string) => shop.gateway.get(`${path}?${name}=${raw}`);
  const refuses = async (raw: string, problem: string) =>
    expectBadParameter(await get(raw), name, `Parameter "${name}" ${problem}.`);

  test.for(NO_INTEGERS)('is not %s', async ([raw, decoded]) => {
    await refuses(raw, `${WHOLE}, but is ${JSON.stringify(decoded)}`);
  });

  test.for([
    ['2147483648', '2147483648'],
    ['%2B2147483648', '+2147483648'],
    ['-2147483649', '-2147483649'],
    ['9007199254740993', '9007199254740993'],
    [FORTY_NINES, FORTY_NINES],
    [`-${FORTY_NINES}9`, `-${FORTY_NINES.slice(1)}…`],
    ['9'.repeat(400), `${FORTY_NINES}…`],
  ] as const)('is not as far from zero as %s', async ([raw, shown]) => {
    await refuses(raw, `${INT_BOUNDS}, but is ${JSON.stringify(shown)}`);
  });

  test.for([
    ['0', '0'],
    ['-0', '0'],
    ['%2B0', '0'],
    ['000', '0'],
    ['-1', '-1'],
    ['-01', '-1'],
    ['-2147483648', '-2147483648'],
    ...(range.includes('100')
      ? ([
          ['101', '101'],
          ['2147483647', '2147483647'],
        ] as const)
      : []),
  ] as const)('is not out of its range, as %s is', async ([raw, shown]) => {
    await refuses(raw, `${range}, but is ${shown}`);
  });

  test.for([
    ['5', 5],
    ['%2B5', 5],
    ['05', 5],
    [`${'0'.repeat(40)}5`, 5],
    ['%35', 5],
    ['1', 1],
    ['29', 29],
  ] as const)('is as good written %s', async ([raw, number]) => {
    const { status, text } = await get(raw);
    expect(status, text).toBe(200);
    expect(text).toBe((await get(String(number))).text);
    expect(text).not.toBe((await get(String(number + 1))).text);
  });

  test('is its default where it is empty or has no value', async () => {
    const { text } = await shop.gateway.get(path);
    for (const query of [`${name}=`, name, `&&${name}=&`, `${name}=&${name}=`]) {
      expect((await shop.gateway.get(`${path}?${query}`)).text, query).toBe(text);
    }
  });

  test('is given once', async () => {
    for (const query of [
      `${name}=5&${name}=5`,
      `${name}=5&x=1&${name}=6`,
      `${name}=5&%${name.charCodeAt(0).toString(16)}${name.slice(1)}=5`,
    ]) {
      expectBadParameter(
        await shop.gateway.get(`${path}?${query}`),
        name,
        `Parameter "${name}" may be given only once.`,
      );
    }
  });
});

test('a page may be as far away as an integer goes', async () => {
  expect((await shop.gateway.get('/api/notice/page?pageNum=2147483647')).json).toMatchObject({
    list: [],
    total: 25,
    pageNum: 2_147_483_647,
  });
});

describe('categoryIds', () => {
  const LIST = '/api/product/list?limit=100&';

  test.for([
    'categoryIds=1,2',
    'categoryIds=2,1',
    'categoryIds=1%2C2',
    'categoryIds=1&categoryIds=2',
    'categoryIds=1,2&categoryIds=2,1',
    'categoryIds=1,1,1&categoryIds=2',
    'categoryIds=%2B1,02',
    'categoryIds=1,2,3,999,-1,-2147483648,2147483647',
    'categoryIds=1&categoryIds=&categoryIds=2',
    `categoryIds=${Array.from({ length: 1000 }, (_, index) => index).join(',')}`,
  ])('are categories 1 and 2 as %s', async (query) => {
    expect((await getIds(LIST + query)).toSorted((a, b) => a - b)).toEqual(PRODUCT_IDS);
  });

  test.for(['categoryIds=1', 'categoryIds=001', 'categoryIds=1,1', 'categoryIds=1&categoryIds=1', 'x=2&categoryIds=1'])(
    'are category 1 alone as %s',
    async (query) => {
      const ids = await getIds(LIST + query);
      expect(ids).toHaveLength(15);
      expect(ids.every((id) => categoryOf(id) === 1)).toBe(true);
    },
  );

  test.for(['categoryIds=', 'categoryIds', 'categoryIds=&categoryIds=', ''])(
    'are all of them as "%s"',
    async (query) => {
      expect(await getIds(LIST + query)).toHaveLength(30);
    },
  );

  test.for(['0', '-0', '-1', '999', '2147483647', '-2147483648', '3'])('match nothing as %s', async (raw) => {
    expect(await getIds(`${LIST}categoryIds=${raw}`)).toEqual([]);
  });

  test.for([
    ...NO_INTEGERS.filter(([raw]) => raw !== '1,5'),
    ['1,,2', ''],
    [',', ''],
    ['1,', ''],
    [',1', ''],
    ['%2C', ''],
    ['1,%202', ' 2'],
    ['1%20,2', '1 '],
    ['1;2', '1;2'],
    ['1|2', '1|2'],
    ['[1,2]', '[1'],
    ['1,2x', '2x'],
    ['1&categoryIds=x', 'x'],
  ] as const)('are not %s', async ([raw, decoded]) => {
    const answer = await shop.gateway.get(`${LIST}categoryIds=${raw}`);
    expectBadParameter(answer, 'categoryIds', `Parameter "categoryIds" ${WHOLE}, but is ${JSON.stringify(decoded)}.`);
  });

  test.for(['2147483648', '1,-2147483649', FORTY_NINES])('are not as far from zero as %s', async (raw) => {
    const shown = JSON.stringify(raw.split(',').at(-1));
    const detail = `Parameter "categoryIds" ${INT_BOUNDS}, but is ${shown}.`;
    expectBadParameter(await shop.gateway.get(`${LIST}categoryIds=${raw}`), 'categoryIds', detail);
  });
});
