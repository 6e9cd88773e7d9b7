import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createTestGateway, type GraphqlResult, type TestGateway } from '../support/gateway.ts';
import { openSession, untilBlocked } from '../support/session.ts';

const ROWS = [
  // Each gateway has a clock of its own: a row that is published this very moment shows in one before the other.
  `alter table product alter column published_at set default '2020-01-01Z'`,
  `insert into category (id, name, slug, position) values (1, 'Cups', 'cups', 1), (2, 'Plates', 'plates', 2)`,
  `insert into product (id, category_id, name, slug, price, sales, published_at)
   select n, 1 + n % 2, 'P' || n, 'p' || n, n, n, timestamptz '2020-01-01Z' + n * interval '1 day' from generate_series(1, 12) n`,
  `insert into notice (id, title, content, starts_at)
   select n, 'N' || n, '…', timestamptz '2020-01-01Z' + n * interval '1 day' from generate_series(1, 4) n`,
  `select setval('category_id_seq', 100), setval('product_id_seq', 100), setval('notice_id_seq', 100)`,
];

const paths = ['1', 'hot', 'new', 'list?categoryIds=1,2&orderBy=PRICE_ASC', '4', 'list?categoryIds=1']
  .concat(['list?categoryIds=2', 'list?orderBy=name_asc&limit=100'])
  .map((path) => `/api/product/${path}`)
  .concat(['/api/notice/list', '/api/notice/page?pageSize=2', '/api/notice/page?keyword=N1']);

const operations = [
  '{ hotProducts { id price { amount } category { name parent { name } } } }',
  '{ categories { id name products(limit: 3) { name category { slug } } children { name products { name } } } }',
  '{ product(id: 1) { name } none: product(id: 13) { name } productBySlug(slug: "p2") { price { amount } } category(id: 2) { name } }',
  '{ newProducts { name } notices { title } noticePage(pageSize: 3) { total items { id } } }',
  '{ noticePage(page: 2, pageSize: 3) { total pageCount items { title } } }',
];

/** What every kind of list and detail shows, by either protocol, under the request; counts may lag and are left out. */
const readAll = async ({ get, graphql }: TestGateway): Promise<Map<string, string>> => {
  const asked = [
    ...paths.map(async (path) => [path, (await get(path)).text] as const),
    ...operations.map(async (query) => [query, JSON.stringify(await graphql(query))] as const),
  ];
  return new Map((await Promise.all(asked)).map(([name, text]) => [name, text.replaceAll(/"viewCount":\d+/g, '')]));
};

/** The requests whose texts are none of these. */
const strange = (texts: Map<string, string>, ...known: Map<string, string>[]): string[] =>
  [...texts].filter(([name, text]) => known.every((each) => each.get(name) !== text)).map(([name]) => name);

/** A statement, or those of a transaction. */
type Change = string | readonly string[];

const act = async (database: TestDatabase, change: Change, end: 'commit' | 'rollback' = 'commit'): Promise<void> => {
  await using session = await openSession(database);
  const statements = typeof change === 'string' ? [change] : ['begin', ...change, end];
  for (const statement of statements) await session.query(statement);
};

const NEW_PRODUCT = `insert into product (id, category_id, name, slug, price, sales) values (13, 1, 'New', 'new', 1, 99)`;

const CHANGES: readonly (readonly [string, Change])[] = [
  ['a price', 'update product set price = 0.5 where id = 1'],
  ['a price, twice in one transaction', ['update product set price = 7', 'update product set price = 8']],
  ['a new product', NEW_PRODUCT],
  ['a product taken off sale', `update product set status = 'OFF_SALE' where id = 2`],
  ['a product in another category', 'update product set category_id = 1 where id = 1'],
  [
    'a slug that goes to another product',
    [`update product set slug = 'p2-old' where id = 2`, `update product set slug = 'p2' where id = 3`],
  ],
  // A table that is rewritten fires no trigger.
  ['prices rewritten by ALTER TABLE', 'alter table product alter column price type numeric(14,2) using price * 3'],
  ['names rewritten by ALTER TABLE', `alter table category alter column name type text using name || '!'`],
  [
    'titles of notices rewritten by ALTER TABLE',
    [
      // A column of a trigger can get no other type.
      'drop trigger vitrine_notify on notice',
      `alter table notice alter column title type text using title || '!'`,
      `create trigger vitrine_notify after insert or delete or truncate or update of title, status, ends_at on notice
       for each statement execute function vitrine_notify()`,
    ],
  ],
  ['a product deleted', 'delete from product where id = 13'],
  [
    'an upsert',
    `insert into product (category_id, name, slug, price) values (1, 'Up', 'p1', 3)
     on conflict (slug) do update set name = 'Up', price = 3`,
  ],
  [
    'a merge',
    `merge into product p using (values (1), (2)) v(id) on p.id = v.id when matched then update set status = 'ON_SALE', name = 'Merged'`,
  ],
  [
    'products copied in',
    `copy product (category_id, name, slug, price) from program 'printf "1\\tCopied\\tcopied\\t4\\n2\\tCopied too\\tcopied-too\\t5\\n"'`,
  ],
  ['a function that writes', `do $$ begin update product set sales = sales + 100 where id = 1; end $$`],
  ['a category renamed', `update category set name = 'Mugs' where id = 1`],
  ['a category moved', 'update category set parent_id = 1 where id = 2'],
  ['an id that goes down by cascade', 'update category set id = 9 where id = 1'],
  ['a new notice', `insert into notice (title, content, pinned, starts_at) values ('New', '…', true, '2020-01-01Z')`],
  ['a notice rewritten', `update notice set title = 'Other' where id = 1`],
  ['a notice withdrawn', `update notice set status = 'WITHDRAWN' where id = 2`],
  ['a notice over at once', `update notice set ends_at = now() - interval '1 second' where id = 3`],
  ['notices copied in', `copy notice (title, content, starts_at) from program 'printf "Copied\\t.\\t2020-02-01\\n"'`],
  ['all notices truncated', 'truncate notice'],
  [
    'a reload in one transaction',
    [
      'truncate product cascade',
      (ROWS[2] ?? '').replaceAll('category_id, ', 'category_id, brand, ').replace('1 + n % 2,', '2, null,'),
    ],
  ],
  ['everything truncated', 'truncate category cascade'],
];

describe.each([0, 100])('with FRESHNESS_MS=%i', (freshnessMs) => {
  let database: TestDatabase;
  let gateway: TestGateway;
  let uncached: TestGateway;

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const row of ROWS) await database.sql(row);
    gateway = await createTestGateway(database, { FRESHNESS_MS: String(freshnessMs) });
    uncached = await createTestGateway(database, { CACHE_MAX_MB: '0', FRESHNESS_MS: '0' });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await uncached[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Reads until everything comes from memory. */
  const warm = async (): Promise<Map<string, string>> => {
    let texts = new Map<string, string>();
    const statements = (): Promise<number> =>
      gateway.countStatements(async () => {
        texts = await readAll(gateway);
      });
    await expect.poll(statements, { interval: 20 }).toBe(0);
    return texts;
  };

  test.for<[string, Change, 'rollback'?]>([
    [
      'a change that is rolled back',
      [
        `insert into category (name, slug) values ('No', 'no')`,
        `insert into notice (title, content) values ('No', '')`,
        'truncate product cascade',
      ],
      'rollback',
    ],
    ['a change to another table', 'create table other (id int)'],
    ['a view that is counted', 'update notice set view_count = view_count + 1'],
  ])('%s leaves all in memory', async ([, change, end]) => {
    const before = await warm();
    await act(database, change, end);
    const acknowledgedMs = performance.now();
    const statements = await gateway.countStatements(async () => {
      do expect(strange(await readAll(gateway), before)).toEqual([]);
      while (performance.now() - acknowledgedMs <= freshnessMs + 50);
    });
    expect(statements).toBe(0);
  });

  // One after another, on the same rows.
  test.for(CHANGES)('every answer in memory shows %s', async ([, change]) => {
    const before = await warm();
    await act(database, change);
    const acknowledgedMs = performance.now();
    const rounds: { sentMs: number; texts: Map<string, string> }[] = [];
    do {
      const sentMs = performance.now();
      rounds.push({ sentMs, texts: await readAll(gateway) });
    } while ((rounds.at(-1)?.sentMs ?? 0) - acknowledgedMs < freshnessMs);
    const after = await readAll(uncached);
    expect(strange(after, before)).not.toEqual([]);
    for (const { sentMs, texts } of rounds) {
      const isBound = sentMs - acknowledgedMs >= freshnessMs;
      expect(strange(texts, after, ...(isBound ? [] : [before])), `${sentMs - acknowledgedMs} ms after`).toEqual([]);
    }
  });
});

test('counts in lists and pages lag by 5 s at most, though counting changes nothing else', async () => {
  await using database = await createTestDatabase();
  await using gateway = await createTestGateway(database);
  await database.sql(`insert into notice (id, title, content, starts_at) values (1, 'N', '', '2020-01-01Z')`);
  const counts = async (): Promise<unknown[]> => {
    const [list, page] = await Promise.all([gateway.get('/api/notice/list'), gateway.get('/api/notice/page')]);
    const { data } = await gateway.graphql('{ notices { viewCount } }');
    return [list.text, page.text, JSON.stringify(data)].map((text) => /"viewCount":(\d+)/.exec(text)?.[1]);
  };
  const titles = (): Promise<unknown> => gateway.graphql('{ notices { title } }');
  await expect.poll(() => gateway.countStatements(titles), { interval: 5 }).toBe(0);
  expect(await counts()).toEqual(['0', '0', '0']);
  let views = 0;
  const statementsAfterViews = async (): Promise<number> => {
    for (const _ of ['one', 'two', 'three']) await gateway.get('/api/notice/1');
    views += 3;
    const viewedMs = performance.now();
    await expect.poll(counts, { interval: 50 }).toEqual(Array(3).fill(String(views)));
    expect(performance.now() - viewedMs).toBeLessThan(5000);
    return gateway.countStatements(titles);
  };
  // Where a processor is busy the database's clock may be learnt anew meanwhile, which changes everything.
  await expect.poll(statementsAfterViews).toBe(0);
});

test('an answer that is held up is given to nobody who asks later than the bound after a commit', async () => {
  await using database = await createTestDatabase();
  for (const row of ROWS) await database.sql(row);
  await using gateway = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '5000' });
  await using backOffice = await openSession(database);
  const price = async (asked: Promise<GraphqlResult>): Promise<string> =>
    (await asked).data.products.find(({ id }: { id: number }) => id === 1).price.amount;
  const ask = (): Promise<GraphqlResult> => gateway.graphql('{ products { id price { amount } category { name } } }');
  await backOffice.query('begin');
  await backOffice.query('lock table category in access exclusive mode');
  // The product is read, and its category waited for.
  const early = ask();
  await untilBlocked(database);
  await database.sql('update product set price = 5 where id = 1');
  const acknowledgedMs = performance.now();
  await expect.poll(() => performance.now() - acknowledgedMs, { interval: 5 }).toBeGreaterThan(100);
  const late = ask();
  await untilBlocked(database, 2);
  await backOffice.query('commit');
  expect([await price(early), await price(late)]).toEqual(['1.00', '5.00']);
  // And the early one, which finished last or not, was not kept.
  expect(await price(ask())).toBe('5.00');
});

test('a table that takes the place of another shows within the bound, though no trigger fires', async () => {
  await using database = await createTestDatabase();
  for (const row of ROWS) await database.sql(row);
  await using gateway = await createTestGateway(database);
  const names = async (): Promise<unknown> => (await gateway.graphql('{ categories { name } }')).data.categories;
  await expect.poll(() => gateway.countStatements(names), { interval: 5 }).toBe(0);
  await act(database, [
    'create table category_next (like category including all)',
    `insert into category_next (id, name, slug) values (1, 'Next', 'next')`,
    'alter table category rename to category_last',
    'alter table category_next rename to category',
  ]);
  const acknowledgedMs = performance.now();
  await expect.poll(() => performance.now() - acknowledgedMs, { interval: 5 }).toBeGreaterThan(100);
  expect(await names()).toEqual([{ name: 'Next' }]);
});

test.each([
  ['a list', '{ hotProducts { id category { name } } }'],
  ['a list beside a counted notice', '{ notice(id: 1) { viewCount } hotProducts { id category { name } } }'],
  // What has a directive is not compiled.
  ['a list, executed by the book', '{ hotProducts { id category @include(if: true) { name } } }'],
  [
    'both, executed by the book',
    '{ notice(id: 1) { viewCount } hotProducts { id category @include(if: true) { name } } }',
  ],
])('a category that goes between the two statements of %s is no error', async (_, query) => {
  await using database = await createTestDatabase();
  await database.sql(`insert into category (id, name, slug) values (1, 'Cups', 'cups'), (2, 'Plates', 'plates')`);
  await database.sql(
    `insert into product (id, category_id, name, slug, price) select n, n, 'P' || n, 'p' || n, 1 from generate_series(1, 2) n`,
  );
  await database.sql(`insert into notice (id, title, content, starts_at) values (1, 'N', '', '2020-01-01Z')`);
  await using gateway = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '5000' });
  await using backOffice = await openSession(database);
  await backOffice.query('begin');
  await backOffice.query('lock table category in access exclusive mode');
  const asked = gateway.graphql(query);
  // The products are read, and their categories waited for.
  await untilBlocked(database);
  await backOffice.query('delete from product where id = 2');
  await backOffice.query('delete from category where id = 2');
  await backOffice.query('commit');
  const { data, errors } = await asked;
  expect(errors).toBeUndefined();
  expect(data.hotProducts).toEqual([{ id: 1, category: { name: 'Cups' } }]);
  const [row] = await database.sql<{ count: number }>('select view_count::int as count from notice');
  expect(row?.count).toBe(data.notice ? 1 : 0);
  if (data.notice) expect(data.notice.viewCount).toBe(1);
  expect(gateway.logged.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test('when a column gets another type, no request fails', async () => {
  await using database = await createTestDatabase();
  for (const row of ROWS) await database.sql(row);
  await using gateway = await createTestGateway(database, { CACHE_MAX_MB: '0' });
  const TARGETS = [
    '/api/product/1',
    '/api/product/hot',
    '/api/notice/list',
    '/api/notice/1',
    '/graphql?query={categories{name}}',
  ];
  // Several times at once, so that several connections know the statements.
  const statuses = async (): Promise<Set<number>> => {
    const answers = await Promise.all([1, 2, 3, 4].flatMap(() => TARGETS.map((target) => gateway.get(target))));
    return new Set(answers.map(({ status }) => status));
  };
  expect(await statuses()).toEqual(new Set([200]));
  await database.sql('alter table product alter column price type numeric(16,2)');
  await database.sql('alter table category alter column name type varchar(500)');
  await database.sql('drop trigger vitrine_notify on notice');
  await database.sql('alter table notice alter column title type varchar(500)');
  for (let turn = 0; turn < 5; turn += 1) expect(await statuses()).toEqual(new Set([200]));
  const { views } =
    (await database.sql<{ views: number }>('select view_count::int as views from notice where id = 1'))[0] ?? {};
  expect(views).toBe(24);
});
