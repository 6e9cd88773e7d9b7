import { describe, expect, test } from 'vitest';
import { expectBadParameter } from '../support/rest-problem.ts';
import { categoryOf, createRestShop, PRODUCT_IDS, words } from '../support/rest-shop.ts';
import { shared } from '../support/shared.ts';

const shop = await shared(createRestShop());

const getIds = async (target: string): Promise<number[]> => {
  const { status, text } = await shop.gateway.get(target);
  expect(status, text).toBe(200);
  return JSON.parse(text).map(({ id }: { id: number }) => id);
};

const INT_BOUNDS = 'must be a number between -2147483648 and 2147483647';
const WHOLE = 'must be a whole number';
const FORTY_NINES = '9'.repeat(40);

/** Texts of a query string that are no integer. */
const NO_INTEGERS = words(`
  1e3 1E3 10.0 10. .5 1,5 1_000 1%20000 1+000 0x10 0b1 0o7 10n %2010 10%20 +5 10%0A %0910 %C2%A010
  %EF%BB%BF10 10%00 NaN Infinity -Infinity null undefined true ten %D9%A3 %EF%BC%95 %C2%B2 %E2%88%925
  %2B - --5 %2B-5 5- 5%25 %225%22 [5] {} %20 5;6 5=6 5;drop%20table%20product
`);

const decoded = (raw: string): string => JSON.stringify(decodeURIComponent(raw.replaceAll('+', ' ')));

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

  test('is only what is written as one', async () => {
    for (const raw of NO_INTEGERS) await refuses(raw, `${WHOLE}, but is ${decoded(raw)}`);
  });

  test('is not past 32 bits', async () => {
    for (const raw of words(`2147483648 %2B2147483648 -2147483649 9007199254740993 ${FORTY_NINES}`)) {
      await refuses(raw, `${INT_BOUNDS}, but is ${decoded(raw)}`);
    }
    await refuses(`-${FORTY_NINES}9`, `${INT_BOUNDS}, but is "-${FORTY_NINES.slice(1)}…"`);
    await refuses('9'.repeat(400), `${INT_BOUNDS}, but is "${FORTY_NINES}…"`);
  });

  test('is not out of its range', async () => {
    const past = range.includes('100') ? ' 101 2147483647' : '';
    for (const raw of words(`0 -0 %2B0 000 -1 -01 -2147483648${past}`)) {
      await refuses(raw, `${range}, but is ${Number(decodeURIComponent(raw)) + 0}`);
    }
  });

  test('may have a sign and zeros before it', async () => {
    for (const raw of ['5', '%2B5', '05', `${'0'.repeat(40)}5`, '%35', '1', '29']) {
      const { status, text } = await get(raw);
      expect(status, text).toBe(200);
      const number = Number(decodeURIComponent(raw));
      expect(text).toBe((await get(String(number))).text);
      expect(text).not.toBe((await get(String(number + 1))).text);
    }
  });

  test('is its default where it is empty or has no value', async () => {
    const { text } = await shop.gateway.get(path);
    for (const query of [`${name}=`, name, `&&${name}=&`, `${name}=&${name}=`]) {
      expect((await shop.gateway.get(`${path}?${query}`)).text, query).toBe(text);
    }
  });

  test('is given once', async () => {
    const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    for (const query of [`${name}=5&${name}=5`, `${name}=5&x=1&${name}=6`, `${name}=5&${encoded}=5`]) {
      const answer = await shop.gateway.get(`${path}?${query}`);
      expectBadParameter(answer, name, `Parameter "${name}" may be given only once.`);
    }
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
    // As axios writes lists, then jQuery, PHP and qs.
    'categoryIds[]=1&categoryIds[]=2',
    'categoryIds%5B%5D=1&categoryIds%5B%5D=2',
    'categoryIds%5B0%5D=1&categoryIds%5B1%5D=2',
    'categoryIds[10]=2&categoryIds=1&categoryIds[]=',
    `categoryIds=${Array.from({ length: 1000 }, (_, index) => index).join(',')}`,
  ])('are categories 1 and 2 as %s', async (query) => {
    expect((await getIds(LIST + query)).toSorted((a, b) => a - b)).toEqual(PRODUCT_IDS);
  });

  test('are category 1 alone', async () => {
    for (const query of words(
      'categoryIds=1 categoryIds=001 categoryIds=1,1 categoryIds=1&categoryIds=1 x=2&categoryIds=1 categoryIds[]=1 categoryIds[0]=1',
    )) {
      const ids = await getIds(LIST + query);
      expect(ids, query).toHaveLength(15);
      expect(ids.every((id) => categoryOf(id) === 1)).toBe(true);
    }
  });

  test('are all of them where they are empty, and may match nothing', async () => {
    const others = words(
      'categoryIds[]= categoryIds[0] categoryIds[x]=1 categoryIds[0][id]=1 categoryIds.0=1 [0]=1 []=1',
    );
    for (const query of ['categoryIds=', 'categoryIds', 'categoryIds=&categoryIds=', '', ...others]) {
      expect(await getIds(LIST + query), query).toHaveLength(30);
    }
    for (const raw of words('0 -0 -1 999 2147483647 -2147483648 3')) {
      expect(await getIds(`${LIST}categoryIds=${raw}`), raw).toEqual([]);
    }
  });

  test.for([
    ...NO_INTEGERS.filter((raw) => raw !== '1,5').map((raw) => [raw, raw] as const),
    ...words('1,,2 , 1, ,1 %2C').map((raw) => [raw, ''] as const),
    ['1,%202', '%202'],
    ['1%20,2', '1%20'],
    ['1;2', '1;2'],
    ['1|2', '1|2'],
    ['[1,2]', '[1'],
    ['1,2x', '2x'],
    ['1&categoryIds=x', 'x'],
    ['1&categoryIds[]=x', 'x'],
  ] as const)('are not %s', async ([raw, shown]) => {
    const answer = await shop.gateway.get(`${LIST}categoryIds=${raw}`);
    expectBadParameter(answer, 'categoryIds', `Parameter "categoryIds" ${WHOLE}, but is ${decoded(shown)}.`);
  });

  test('are not past 32 bits', async () => {
    for (const raw of ['2147483648', '1,-2147483649', FORTY_NINES]) {
      const detail = `Parameter "categoryIds" ${INT_BOUNDS}, but is ${decoded(raw.split(',').at(-1) ?? '')}.`;
      expectBadParameter(await shop.gateway.get(`${LIST}categoryIds=${raw}`), 'categoryIds', detail);
    }
  });
});
