import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, type GraphqlResult, PATIENT } from '../support/gateway.ts';
import { insertNotice } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const TITLES = [
  ['CAFÉ ÉTÉ', null, ''],
  ['Straße', 'ΟΔΥΣΣΕΥΣ', ''],
  ['GRÖẞE', null, 'ガラス'],
  ['Привет, МИР', null, ''],
  ['100% off', null, ''],
  ['snake_case', null, ''],
  ['C:\\temp', null, ''],
  ['percent 1000 snakeXcase', null, ''],
  ['plain', 'Found in the SUMMARY', ''],
  ['plain', null, 'Found in the content,\nacross lines'],
  ['two  spaces', null, ''],
  ['emoji 🎉 party', null, ''],
  ["Robert'); drop table notice;--", null, ''],
] as const;

const database = await shared(createTestDatabase());
await database.sql(`
  insert into notice (title, content, type, pinned)
  select 'Filler ' || n, '', (array['ANNOUNCEMENT', 'PROMOTION', 'MAINTENANCE'])[1 + n % 3]::notice_type, n % 10 = 0
  from generate_series(1, 47) n`);
for (const [title, summary, content] of TITLES) await insertNotice(database, { title, summary, content });
await insertNotice(database, { title: 'Filler that has ended', ends_at: '2021-01-01T00:00:00Z' });
await insertNotice(database, { title: 'Filler that is a draft', status: 'DRAFT', type: 'PROMOTION' });
const gateway = await shared(createTestGateway(database, PATIENT));

const TOTAL = 47 + TITLES.length;

interface Arguments {
  readonly page?: number;
  readonly pageSize?: number;
  readonly keyword?: string | null;
  readonly type?: string | null;
}

const ask = (args: Arguments): Promise<GraphqlResult> =>
  gateway.graphql(
    `query ($page: Int! = 1, $pageSize: Int! = 10, $keyword: String, $type: NoticeType) {
      noticePage(page: $page, pageSize: $pageSize, keyword: $keyword, type: $type) {
        items { id title type } total page pageSize pageCount
      }
    }`,
    { ...args },
  );

interface Page {
  readonly items: { id: number; title: string; type: string }[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
}

const pageOf = async (args: Arguments): Promise<Page> => {
  const { data, errors } = await ask(args);
  expect(errors).toBeUndefined();
  return data.noticePage;
};

/** The titles found and the total, which agree where everything fits into one page. */
const find = async (args: Arguments): Promise<string[]> => {
  const { items, total } = await pageOf({ pageSize: 100, ...args });
  expect(total).toBe(items.length);
  return items.map(({ title }) => title).sort();
};

describe('the pages of notices', () => {
  test.for([1, 7, 10, 59, 60, 100])('of %i put together are the list, each with the true total', async (pageSize) => {
    const { data } = await gateway.graphql('{ notices { id title type } }');
    const pageCount = Math.ceil(TOTAL / pageSize);
    const items = [];
    for (let page = 1; page <= pageCount; page += 1) {
      const answer = await pageOf({ page, pageSize });
      expect(answer).toMatchObject({ total: TOTAL, page, pageSize, pageCount });
      expect(answer.items.length).toBe(page < pageCount ? pageSize : TOTAL - pageSize * (pageCount - 1));
      items.push(...answer.items);
    }
    expect(items).toEqual(data.notices);
  });

  test('are the first of 10 where nobody says otherwise', async () => {
    const { data } = await gateway.graphql('{ noticePage { items { id title type } total page pageSize pageCount } }');
    expect(data.noticePage).toEqual(await pageOf({ page: 1, pageSize: 10 }));
  });

  test.for([
    [2, 100],
    [7, 10],
    [2_147_483_647, 100],
    [2_147_483_647, 1],
  ] as const)('past the end (page %i of %i) are empty, with the true total', async ([page, pageSize]) => {
    const pageCount = Math.ceil(TOTAL / pageSize);
    expect(await pageOf({ page, pageSize })).toEqual({ items: [], total: TOTAL, page, pageSize, pageCount });
  });

  test('of nothing are none', async () => {
    const empty = { items: [], total: 0, pageSize: 10, pageCount: 0 };
    expect(await pageOf({ keyword: 'no such thing' })).toEqual({ ...empty, page: 1 });
    expect(await pageOf({ keyword: 'no such thing', page: 3 })).toEqual({ ...empty, page: 3 });
  });

  test('take one statement, empty or not, where none is known', async () => {
    await using other = await createTestGateway(database, { ...PATIENT, CACHE_MAX_MB: '0' });
    for (const page of [1, 4, 999]) {
      const query = `{ noticePage(page: ${page}, pageSize: 13) { items { id } total } }`;
      expect(await other.countStatements(() => other.graphql(query))).toBe(1);
    }
  });

  test.for([
    ['page', 0, '1 or more'],
    ['page', -1, '1 or more'],
    ['page', -2_147_483_648, '1 or more'],
    ['pageSize', 0, 'between 1 and 100'],
    ['pageSize', -1, 'between 1 and 100'],
    ['pageSize', 101, 'between 1 and 100'],
    ['pageSize', 2_147_483_647, 'between 1 and 100'],
  ] as const)('are refused for a %s of %i, with its name and the range', async ([name, value, range]) => {
    const literal = await gateway.graphql(`{ noticePage(${name}: ${value}) { total } }`);
    for (const { data, errors } of [literal, await ask({ [name]: value })]) {
      expect(data).toBeNull();
      expect(errors).toMatchObject([
        {
          message: `Argument "${name}" must be ${range}, but is ${value}.`,
          extensions: { code: 'BAD_USER_INPUT', argument: name },
        },
      ]);
    }
  });
});

describe('a keyword', () => {
  test.for<[string, string[]]>([
    ['filler 4', ['Filler 4', ...Array.from({ length: 8 }, (_, n) => `Filler 4${n}`)]],
    ['café', ['CAFÉ ÉTÉ']],
    ['ÉTÉ', ['CAFÉ ÉTÉ']],
    ['cafe', ['CAFÉ ÉTÉ']],
    ['cafe\u0301', ['CAFÉ ÉTÉ']],
    ['größe', ['GRÖẞE']],
    ['GRÖSSE', ['GRÖẞE']],
    ['ｶﾞﾗｽ', ['GRÖẞE']],
    ['STRAßE', ['Straße']],
    ['strasse', ['Straße']],
    ['οδυσσευς', ['Straße']],
    ['ΟΔΥΣ', ['Straße']],
    ['ΟΔΥΣΣΕΥΣ', ['Straße']],
    ['Υς', ['Straße']],
    ['σ', ['Straße']],
    ['пРИВЕТ, мир', ['Привет, МИР']],
    ['100%', ['100% off']],
    ['100％', ['100% off']],
    ['%', ['100% off']],
    ['0%o', []],
    ['_', ['snake_case']],
    ['E_C', ['snake_case']],
    ['\\', ['C:\\temp']],
    [':\\T', ['C:\\temp']],
    ['\\\\', []],
    ['in the summary', ['plain']],
    ['CONTENT,\nACROSS', ['plain']],
    ['found in', ['plain', 'plain']],
    ['o  s', ['two  spaces']],
    ['🎉', ['emoji 🎉 party']],
    ["Robert'); DROP table notice;--", ["Robert'); drop table notice;--"]],
    ['null', []],
  ])('%j finds %j', async ([keyword, titles]) => {
    expect(await find({ keyword })).toEqual(titles);
  });

  test.for(['', ' ', '\t\n', '\u00a0\u3000', null])('that is blank (%j) means none', async (keyword) => {
    expect((await pageOf({ keyword })).total).toBe(TOTAL);
  });

  test.for([
    ['with a NUL in it', 'Fil\0ler'],
    ['that is a NUL', '\0'],
    ['of half a surrogate pair', '\ud83c'],
    ['of 500,000 letters', 'x'.repeat(500_000)],
    ['of 300,000 wildcards', '%_\\'.repeat(100_000)],
  ] as const)('%s finds nothing', async ([, keyword]) => {
    expect(await pageOf({ keyword })).toMatchObject({ items: [], total: 0 });
  });
});

describe('a type', () => {
  test.for(['ANNOUNCEMENT', 'PROMOTION', 'MAINTENANCE'])('of %s shows those alone', async (type) => {
    const { items, total } = await pageOf({ type, pageSize: 100 });
    expect(new Set(items.map((item) => item.type))).toEqual(new Set([type]));
    expect(total).toBe({ ANNOUNCEMENT: 15 + TITLES.length, PROMOTION: 16, MAINTENANCE: 16 }[type]);
  });

  test('of null means every type', async () => {
    expect((await pageOf({ type: null })).total).toBe(TOTAL);
  });

  test('and a keyword both hold', async () => {
    expect(await find({ type: 'PROMOTION', keyword: 'FILLER 4' })).toEqual([
      'Filler 4',
      'Filler 40',
      'Filler 43',
      'Filler 46',
    ]);
    expect(await find({ type: 'PROMOTION', keyword: 'CAFÉ' })).toEqual([]);
  });

  test('that nobody knows is refused', async () => {
    expect((await ask({ type: 'promotion' })).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect((await gateway.graphql('{ noticePage(type: NEWS) { total } }')).errors).toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ]);
  });
});
