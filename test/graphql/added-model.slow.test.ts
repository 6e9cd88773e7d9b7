import { describe, expect, test } from 'vitest';
import { ADDED_TABLES, copyWithAddedModels, createAddedTables } from '../support/added-models.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { openSession, untilBlocked } from '../support/session.ts';

const shop = await copyWithAddedModels();

/** A gateway on a database with few rows. @param watched the tables that a migration watches */
const openShop = async (watched: readonly string[]) => {
  const database = await createAddedTables(watched);
  await database.sql(`
    insert into maker values (1, 'Maker');
    insert into brand_of_shop values (1, 'Brand', false, 1), (2, 'Second', true, 1), (3, 'Third', false, 1);
    insert into "Fair" values (1, 'Fair')`);
  const gateway = await shop.open(database.url);
  return {
    ...gateway,
    database,
    sql: database.sql,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
};

test('their types hold', async () => {
  expect(await shop.checkTypes()).toBe('');
});

const CASES: [string, string, string, string][] = [
  ['one row', 'brand(id: 1) { name }', `update brand_of_shop set name = 'Other'`, '{"brand":{"name":"Other"}}'],
  ['a list', 'makers { name }', `insert into maker values (2, 'New')`, '{"name":"New"}'],
  ['a relation', 'brand(id: 1) { maker { name } }', `update maker set name = 'Else'`, '{"name":"Else"}'],
  [
    'a relation of many',
    'makers { brands { name } }',
    `insert into brand_of_shop values (4, 'More', false, 1)`,
    '"More"',
  ],
  ['many to many', 'brand(id: 1) { fairs { name } }', 'insert into "_BrandToFair" values (1, 1)', '[{"name":"Fair"}]'],
  ['what is gone', 'brand(id: 1) { name }', 'delete from brand_of_shop', '{"brand":null}'],
  ['what is truncated', 'makers { name brands { name } }', 'truncate maker cascade', '{"makers":[]}'],
  ['a count', 'makers { brandCount }', 'delete from brand_of_shop where id = 2', '{"makers":[{"brandCount":2}]}'],
  ['a filter', 'brandsOf(maker: "Maker") { name }', `update maker set name = 'Other'`, '{"brandsOf":[]}'],
  [
    'what a field selects',
    'fairs { makers }',
    'insert into "_BrandToFair" values (1, 1)',
    '{"fairs":[{"makers":["Maker"]}]}',
  ],
  [
    'a connection',
    'brands(first: 1) { totalCount edges { node { name maker { name } } } pageInfo { hasNextPage } }',
    'delete from brand_of_shop where id < 3',
    '{"brands":{"totalCount":1,"edges":[{"node":{"name":"Third","maker":{"name":"Maker"}}}],"pageInfo":{"hasNextPage":false}}}',
  ],
  [
    'a connection of a relation',
    'makers { brandsConnection(last: 1) { totalCount edges { node { name } } } }',
    `insert into brand_of_shop values (4, 'Last', false, 1)`,
    '{"makers":[{"brandsConnection":{"totalCount":4,"edges":[{"node":{"name":"Last"}}]}}]}',
  ],
  [
    'an interface',
    'labels { __typename name maker { name } ... on LocalLabel { fairs { name } } ... on WorldLabel { fairsConnection { edges { node { name } } } } }',
    `insert into "_BrandToFair" values (1, 1), (2, 1); update brand_of_shop set is_local = true where id = 3`,
    '{"labels":[{"__typename":"WorldLabel","name":"Brand","maker":{"name":"Maker"},"fairsConnection":{"edges":[{"node":{"name":"Fair"}}]}},' +
      '{"__typename":"LocalLabel","name":"Second","maker":{"name":"Maker"},"fairs":[{"name":"Fair"}]},' +
      '{"__typename":"LocalLabel","name":"Third","maker":{"name":"Maker"},"fairs":[]}]}',
  ],
  [
    'a union',
    'named { __typename ... on Maker { name brands { name } } ... on Fair { name brands { maker { name } } } }',
    `insert into "_BrandToFair" values (1, 1); delete from brand_of_shop where id > 1`,
    '{"named":[{"__typename":"Maker","name":"Maker","brands":[{"name":"Brand"}]},' +
      '{"__typename":"Fair","name":"Fair","brands":[{"maker":{"name":"Maker"}}]}]}',
  ],
  [
    'a connection of many to many',
    'brand(id: 1) { fairsConnection { edges { node { name brands { name } } } } }',
    'insert into "_BrandToFair" values (1, 1)',
    '{"node":{"name":"Fair","brands":[{"name":"Brand"}]}}',
  ],
];

describe.each(CASES)('%s', (_, selection, statement, expected) => {
  test('is kept, and shown as soon as products are, where its tables are watched', async () => {
    await using shop = await openShop(ADDED_TABLES);
    const isHit = async (): Promise<boolean> => (await shop.ask(selection)).cacheStatus === 'vitrine; hit';
    await expect.poll(isHit).toBe(true);
    await shop.sql(statement);
    await expect.poll(async () => (await shop.ask(selection)).text).toContain(expected);
    await expect.poll(isHit).toBe(true);
  });

  test('is never kept where they are not', async () => {
    await using shop = await openShop([]);
    for (let time = 0; time < 3; time += 1)
      expect(await shop.ask(selection)).toMatchObject({
        cacheStatus: 'vitrine; fwd=miss',
        cacheControl: 'public, max-age=0, must-revalidate, stale-while-revalidate=0',
      });
    await shop.sql(statement);
    // At once: nothing of it is kept.
    expect((await shop.ask(selection)).text).toContain(expected);
  });
});

describe('connections', () => {
  test.for(['brands', 'makers'])('are paged by cursors, there and back: %s', async (root) => {
    await using shop = await openShop(ADDED_TABLES);
    const page = async (args: string) => {
      const fields =
        '{ edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }';
      const isRelated = root === 'makers';
      const { text } = await shop.ask(
        isRelated ? `makers { brandsConnection(${args}) ${fields} }` : `brands(${args}) ${fields}`,
      );
      const { data, errors } = JSON.parse(text);
      expect(errors).toBeUndefined();
      const { edges, pageInfo } = isRelated ? data.makers[0].brandsConnection : data.brands;
      expect(pageInfo).toMatchObject({ startCursor: edges[0]?.cursor, endCursor: edges.at(-1)?.cursor });
      return { names: edges.map(({ node }: { node: { name: string } }) => node.name), ...pageInfo };
    };
    const first = await page('first: 2');
    expect(first).toMatchObject({ names: ['Brand', 'Second'], hasNextPage: true, hasPreviousPage: false });
    const second = await page(`first: 2, after: "${first.endCursor}"`);
    expect(second).toMatchObject({ names: ['Third'], hasNextPage: false, hasPreviousPage: true });
    const back = await page(`last: 1, before: "${second.startCursor}"`);
    expect(back).toMatchObject({ names: ['Second'], hasNextPage: true, hasPreviousPage: true });
  });

  test.for([
    ['first: 0', 'Argument "first" must be between 1 and 100, but is 0.'],
    ['last: 101', 'Argument "last" must be between 1 and 100, but is 101.'],
    ['after: "no"', 'Invalid cursor: no'],
    ['first: 1, before: "R1BDOk46MQ=="', 'Arguments "before" and "first" are not supported at the same time'],
  ])('refuse arguments that are wrong as the fault of the client: %s', async ([args, message]) => {
    await using shop = await openShop(ADDED_TABLES);
    const { text } = await shop.ask(`brands(${args}) { edges { cursor } }`);
    expect(JSON.parse(text).errors).toMatchObject([
      { message, path: ['brands'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  test('cost as much as their pages are long', async () => {
    await using shop = await openShop(ADDED_TABLES);
    const { text } = await shop.ask(
      'makers { brandsConnection(first: 100) { edges { node { fairsConnection(first: 100) { edges { cursor } } } } } }',
    );
    expect(JSON.parse(text).errors).toMatchObject([
      { extensions: { code: 'QUERY_TOO_COMPLEX', limit: 'QUERY_MAX_COST' } },
    ]);
  });
});

test('an answer is not kept either where one of its tables is not watched', async () => {
  await using shop = await openShop(['brand_of_shop']);
  const statuses = async (selection: string) => [
    (await shop.ask(selection)).cacheStatus,
    (await shop.ask(selection)).cacheStatus,
  ];
  await expect.poll(() => statuses('brand(id: 1) { name }')).toContain('vitrine; hit');
  expect(await statuses('brand(id: 1) { name maker { name } }')).toEqual(['vitrine; fwd=miss', 'vitrine; fwd=miss']);
});

test('an operation is run again where a row that it refers to has vanished between two statements of Prisma', async () => {
  await using shop = await openShop([]);
  const selection = 'brand(id: 1) { maker { name } }';
  await shop.ask(selection);
  await using session = await openSession(shop.database);
  await session.query('begin; lock table maker in access exclusive mode');
  const answer = shop.ask(selection);
  await untilBlocked(shop.database);
  await session.query('delete from maker where id = 1; commit');
  expect((await answer).text).toBe('{"data":{"brand":null}}');
});

test('a field of products whose column has another name is in each list', async () => {
  await using shop = await openShop([]);
  await insertProduct(shop.database, { category_id: await insertCategory(shop.database), weight_g: 250 });
  const weights = [{ weightGrams: 250 }];
  const { text } = await shop.ask(
    'hotProducts { weightGrams } newProducts { weightGrams } products(categoryIds: [1]) { weightGrams } category(id: 1) { products { weightGrams } }',
  );
  expect(JSON.parse(text)).toEqual({
    data: { hotProducts: weights, newProducts: weights, products: weights, category: { products: weights } },
  });
});

test('the REST paths answer beside them as before', async () => {
  await using shop = await openShop(ADDED_TABLES);
  await expect.poll(async () => (await shop.get('/api/product/hot')).cacheStatus).toBe('vitrine; hit');
  expect(await shop.get('/api/product/hot')).toMatchObject({ status: 200, text: '[]' });
});

test.for<[string, string, string]>([
  ['a view', 'create view shown as select * from maker', 'shown'],
  ['a parent', 'create table shown (id int); create table child () inherits (shown)', 'shown'],
  [
    'a partition',
    'create table whole (id int) partition by list (id); create table shown partition of whole default',
    'shown',
  ],
])('%s cannot be watched, and says so', async ([, statement, table]) => {
  await using database = await createAddedTables([]);
  await database.sql(statement);
  await expect(database.sql('select vitrine_watch($1)', [table])).rejects.toThrow(`${table} cannot be watched`);
});

test('a table that is watched twice, or is of the shop, stays as it is', async () => {
  await using database = await createTestDatabase();
  const triggers = () => database.sql('select tgrelid::regclass::text, tgname from pg_trigger order by 1, 2');
  const before = await triggers();
  for (const table of ['product', 'category', 'notice']) await database.sql('select vitrine_watch($1)', [table]);
  expect(await triggers()).toEqual(before);
});
