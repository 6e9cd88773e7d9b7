import { describe, expect, test } from 'vitest';
import { createClock } from '../../src/database/clock.ts';
import type { Sql, Statement } from '../../src/database/sql.ts';
import { databaseUnavailable } from '../../src/errors.ts';
import { ViewCounter } from '../../src/notice/view-counter.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice } from '../support/rows.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';
import { ascending, numbers, stored } from '../support/views.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database));

const viewByGraphql = async (id: number): Promise<number> => {
  const { data } = await gateway.graphql('query ($id: Int!) { notice(id: $id) { viewCount } }', { id });
  return data.notice.viewCount;
};

const viewByRest = async (id: number): Promise<number> =>
  ((await gateway.get(`/api/notice/${id}`)).json as { viewCount: number }).viewCount;

describe('each operation that reads a notice counts one view', () => {
  test('by either protocol, and the response has this view in it', async () => {
    const id = await insertNotice(database);
    expect(await viewByGraphql(id)).toBe(1);
    expect(await viewByRest(id)).toBe(2);
    expect(await viewByGraphql(id)).toBe(3);
    const { json } = await gateway.get(`/graphql?query={notice(id:${id}){viewCount}}`);
    expect(json).toEqual({ data: { notice: { viewCount: 4 } } });
    expect(await stored(database, id)).toBe(4);
  });

  test('but not where its response took too long, and nobody waits for it any more', async () => {
    const id = await insertNotice(database);
    {
      await using hurried = await createTestGateway(database, { DATABASE_TIMEOUT_MS: '500' });
      await hurried.graphql('{ category(id: 1) { name } }');
      await using session = await openSession(database);
      await session.query('begin; lock table category in access exclusive mode');
      const { errors } = await hurried.graphql(`{ notice(id: ${id}) { viewCount } category(id: 999) { name } }`);
      await session.query('commit');
      expect(errors?.[0]?.extensions.code).toBe('SERVICE_UNAVAILABLE');
    }
    // The other one does not give up where the machine is busy.
    expect(await viewByGraphql(id)).toBe(1);
  });

  test('however often it names the notice, by aliases and in fragments', async () => {
    const id = await insertNotice(database);
    const { data } = await gateway.graphql(
      `query ($id: Int!) {
        a: notice(id: ${id}) { viewCount }
        b: notice(id: $id) { viewCount }
        ...Spread
        ... on Query { d: notice(id: ${id}) { viewCount } ... { e: notice(id: ${id}) { viewCount } } }
      }
      fragment Spread on Query { c: notice(id: ${id}) { viewCount } a: notice(id: ${id}) { id } }`,
      { id },
    );
    const once = { viewCount: 1 };
    expect(data).toEqual({ a: { ...once, id }, b: once, c: once, d: once, e: once });
    expect(await stored(database, id)).toBe(1);
  });

  test('for every notice that it names', async () => {
    const [one, two] = [await insertNotice(database), await insertNotice(database, { view_count: 70 })];
    const statements = await gateway.countStatements(async () => {
      const { data } = await gateway.graphql(
        `{ one: notice(id: ${one}) { viewCount } two: notice(id: ${two}) { viewCount } none: notice(id: 0) { id } }`,
      );
      expect(data).toEqual({ one: { viewCount: 1 }, two: { viewCount: 71 }, none: null });
    });
    expect([await stored(database, one), await stored(database, two)]).toEqual([1, 71]);
    expect(statements).toBeLessThanOrEqual(2);
  });

  test('and of several operations in a document only the one that runs', async () => {
    const [one, two] = [await insertNotice(database), await insertNotice(database)];
    const query = `query One { notice(id: ${one}) { id } } query Two { notice(id: ${two}) { id } }`;
    await gateway.post({ query, operationName: 'Two' });
    await gateway.post({ query });
    expect([await stored(database, one), await stored(database, two)]).toEqual([0, 1]);
  });

  test('and changes nothing else in the row', async () => {
    const id = await insertNotice(database, { summary: 'S', ends_at: '2999-01-01', updated_at: '2020-02-02' });
    const row = () => database.sql(`select to_jsonb(notice) - 'view_count' as rest from notice where id = $1`, [id]);
    const before = await row();
    await Promise.all([viewByGraphql(id), viewByRest(id)]);
    expect(await row()).toEqual(before);
    expect(await stored(database, id)).toBe(2);
  });
});

test('the count passes 32 bits and reaches 2^53 - 1', async () => {
  const small = await insertNotice(database, { view_count: '2147483646' });
  expect(ascending(await Promise.all([viewByRest(small), viewByGraphql(small), viewByRest(small)]))).toEqual(
    numbers(2_147_483_647, 2_147_483_649),
  );
  const large = await insertNotice(database, { view_count: '9007199254740990' });
  expect(await viewByRest(large)).toBe(9_007_199_254_740_991);
  const { data } = await gateway.graphql(`{ notices { id viewCount } }`);
  expect(data.notices).toContainEqual({ id: large, viewCount: 9_007_199_254_740_991 });
});

describe('nothing is counted by', () => {
  const CASES: readonly [string, (id: number) => Promise<unknown>][] = [
    ['lists', () => gateway.graphql('{ notices { id viewCount } }')],
    ['pages', () => gateway.graphql('{ noticePage(pageSize: 100) { items { id viewCount } } }')],
    [
      'lists and pages over REST',
      () => Promise.all([gateway.get('/api/notice/list'), gateway.get('/api/notice/page')]),
    ],
    ['HEAD over REST', (id) => gateway.request('HEAD', `/api/notice/${id}`)],
    ['HEAD of GraphQL', (id) => gateway.request('HEAD', `/graphql?query={notice(id:${id}){viewCount}}`)],
    ['OPTIONS', (id) => gateway.request('OPTIONS', `/api/notice/${id}`)],
    ['other methods', (id) => gateway.request('POST', `/api/notice/${id}`)],
    [
      'paths that are not quite the one',
      (id) => Promise.all([gateway.get(`/api/notice/${id}/`), gateway.get(`/api/notice/+${id}`)]),
    ],
    ['an operation that does not parse', (id) => gateway.graphql(`{ notice(id: ${id}) { id }`)],
    ['an operation that does not validate', (id) => gateway.graphql(`{ notice(id: ${id}) { id nope } }`)],
    [
      'a variable that does not fit',
      (id) => gateway.graphql(`query ($n: Int!) { notice(id: ${id}) { id } hotProducts(limit: $n) { id } }`),
    ],
    [
      'an operation that is not there',
      (id) => gateway.post({ query: `query A { notice(id: ${id}) { id } }`, operationName: 'B' }),
    ],
    ['a body of another type', (id) => gateway.post({ query: `{ notice(id: ${id}) { id } }` }, { 'content-type': '' })],
    ['a field that is skipped', (id) => gateway.graphql(`{ notice(id: ${id}) @skip(if: true) { id } }`)],
    [
      'a field that is not included',
      (id) => gateway.graphql(`{ ... @include(if: false) { notice(id: ${id}) { id } } }`),
    ],
  ];

  test.for(CASES)('%s', async ([, act]) => {
    const id = await insertNotice(database, { view_count: 5 });
    await act(id);
    expect(await stored(database, id)).toBe(5);
    expect(await viewByRest(id)).toBe(6);
  });

  test.for([
    ['REST', (id: number) => `/api/notice/${id}`],
    ['GraphQL', (id: number) => `/graphql?query={notice(id:${id}){viewCount}}`],
  ] as const)('HEAD over %s of a notice that is in memory', async ([, pathOf]) => {
    const id = await insertNotice(database, { view_count: 5 });
    await gateway.get(pathOf(id));
    await gateway.get(pathOf(id));
    await gateway.request('HEAD', pathOf(id));
    expect(await stored(database, id)).toBe(7);
  });
});

describe('a view is counted only by an answer that gives the notice', () => {
  // With and without a directive: one is compiled, the other goes to the reference executor.
  const NOTICES = ['{ viewCount }', '@include(if: true) { viewCount }'];

  test.for(NOTICES)('and not by an operation that is refused for its rows: notice %s', async (notice) => {
    await using own = await createTestDatabase();
    const id = await insertNotice(own, { view_count: 5 });
    await own.sql(
      `insert into category (id, parent_id, name, slug)
       select n, nullif(1, n), 'Category', 'category-' || n from generate_series(1, 41) n`,
    );
    await using narrow = await createTestGateway(own, { QUERY_MAX_COST: '2000' });
    const list = 'children { parent { children { parent { children { id } } } } }';
    // The refused field may be null, so that the notice could stand beside it.
    const query = `{ notice(id: ${id}) ${notice} category(id: 1) { ${list} } }`;
    for (const _ of [1, 2]) {
      const { status, json } = await narrow.post({ query });
      expect(status).toBe(400);
      expect(json).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'QUERY_MAX_COST' } }] });
      expect(json).not.toHaveProperty('data');
    }
    expect((await narrow.get(`/api/notice/${id}`)).json).toMatchObject({ viewCount: 6 });
  });

  test.for(NOTICES)('and not where an error beside it takes all data away: notice %s', async (notice) => {
    const id = await insertNotice(database, { view_count: 5 });
    const { data, errors } = await gateway.graphql(`{ notice(id: ${id}) ${notice} products(limit: 0) { id } }`);
    expect({ data, errors }).toMatchObject({ data: null, errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
    expect(await viewByRest(id)).toBe(6);
  });

  test.for(NOTICES)('but it is where an error leaves the notice in the data: notice %s', async (notice) => {
    const category = await insertCategory(database);
    const [id, other] = [await insertNotice(database, { view_count: 5 }), await insertNotice(database)];
    const query = `query ($id: Int!) {
      notice(id: $id) ${notice} again: notice(id: $id) { number: viewCount } other: notice(id: ${other}) { title }
      category(id: ${category}) { products(limit: 0) { id } } none: notice(id: 0) { id }
    }`;
    for (const number of [6, 7]) {
      const { data, errors } = await gateway.graphql(query, { id });
      expect(errors).toMatchObject([{ path: ['category', 'products'] }]);
      expect(data).toEqual({
        notice: { viewCount: number },
        again: { number },
        other: { title: expect.any(String) },
        category: null,
        none: null,
      });
    }
    expect([await stored(database, id), await stored(database, other)]).toEqual([7, 2]);
  });

  test('and at once by each of several that fail alike', async () => {
    const category = await insertCategory(database);
    const id = await insertNotice(database);
    const query = `{ notice(id: ${id}) { viewCount } category(id: ${category}) { products(limit: 0) { id } } }`;
    const answers = await Promise.all(numbers(1, 20).map(() => gateway.graphql(query)));
    expect(ascending(answers.map(({ data }) => data.notice.viewCount))).toEqual(numbers(1, 20));
    expect(await stored(database, id)).toBe(20);
  });
});

test('500 views at once have 500 numbers in a row, and share a handful of statements', async () => {
  const id = await insertNotice(database, { view_count: 1000 });
  let answered: number[] = [];
  const statements = await gateway.countStatements(async () => {
    answered = await Promise.all(numbers(1, 500).map((n) => (n % 2 === 0 ? viewByGraphql(id) : viewByRest(id))));
  });
  expect(ascending(answered)).toEqual(numbers(1001, 1500));
  expect(await stored(database, id)).toBe(1500);
  expect(statements).toBeLessThan(25);
});

test('500 views at once of 50 notices are exact for each, and share a handful of statements', async () => {
  const ids = await Promise.all(numbers(1, 50).map(() => insertNotice(database)));
  const answered = new Map<number, number[]>(ids.map((id) => [id, []]));
  const statements = await gateway.countStatements(() =>
    Promise.all(numbers(1, 10).flatMap(() => ids.map(async (id) => answered.get(id)?.push(await viewByRest(id))))),
  );
  for (const id of ids) {
    expect(ascending(answered.get(id) ?? [])).toEqual(numbers(1, 10));
    expect(await stored(database, id)).toBe(10);
  }
  expect(statements).toBeLessThan(25);
});

test('a view of a notice that was withdrawn meanwhile waits for no lock', async () => {
  const sent: (string | undefined)[] = [];
  const sql: Sql = {
    rows: async <Row>({ name }: Statement): Promise<Row[]> => {
      sent.push(name);
      return [{ id: 1, viewCount: null, isLocked: false }] as Row[];
    },
  };
  expect(await new ViewCounter(sql, createClock(), 5000).take(1)).toBeNull();
  expect(sent).toEqual(['count_views_of_one']);
});

test('views that get no answer fail after the timeout, also those whose turn has not come; these are counted later', async () => {
  const answer = Promise.withResolvers<void>();
  const counted: number[] = [];
  const sql: Sql = {
    rows: async <Row>(_: unknown, [id, views]: readonly unknown[]): Promise<Row[]> => {
      await answer.promise;
      counted.push(Number(views));
      return [{ id, viewCount: BigInt(counted.length) }] as Row[];
    },
  };
  const counter = new ViewCounter(sql, createClock(), 20);
  const first = counter.take(1);
  // On a busy machine it fails before anybody waits for it.
  first.catch(() => {});
  await expect.poll(() => counter.waiting()).toBe(0);
  await Promise.all([first, counter.take(1)].map((view) => expect(view).rejects.toThrow(databaseUnavailable())));
  answer.resolve();
  await expect.poll(() => counted).toEqual([1, 1]);
});
