import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { createSqlEngine } from '../../src/browse/sql-engine.ts';
import { termsOf } from '../../src/browse/words.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { createSql } from '../../src/database/sql.ts';
import { createTestDatabase } from '../support/database.ts';
import { openSession, untilBlocked } from '../support/session.ts';
import { shared } from '../support/shared.ts';

// The triggers of the migrations: what a product is found by is what it says now, whoever wrote it.

const database = await shared(createTestDatabase());
await database.sql(`insert into category (name, slug) values ('Tea', 'tea')`);

const FRESH = `select id, vitrine_search(name, brand, tags, subtitle, description)::text as words from product order by id`;
const KEPT = 'select product_id as id, words::text from product_words order by product_id';
const INSERT = 'insert into product (category_id, name, slug, price)';

const expectFresh = async (): Promise<void> => expect(await database.sql(KEPT)).toEqual(await database.sql(FRESH));

test('the words of products are kept through every kind of write', async () => {
  for (const statement of [
    `${INSERT} select 1, 'Crème brûlée ' || n, 'p' || n, n from generate_series(1, 20) n`,
    `update product set name = 'Kettle' where id = 1`,
    `update product set brand = 'Tern' where id = 2`,
    `update product set tags = '{緑茶,red tea}' where id < 4`,
    `update product set subtitle = 'for two' where id = 5`,
    `update product set description = '<p>Fine</p>' where id = 5`,
    `update product set status = 'OFF_SALE' where id = 6`,
    `update product set brand = null, tags = '{}'`,
    'update product set id = id + 100 where id = 7',
    `insert into product (id, category_id, name, slug, price) values (1, 1, 'Cup', 'cup', 1) on conflict (id) do update set name = excluded.name`,
    `merge into product p using (values (2), (500)) as s (id) on p.id = s.id when matched then update set name = 'Merged'
       when not matched then insert (id, category_id, name, slug, price) values (s.id, 1, 'New', 'new', 1)`,
    'delete from product where id in (3, 4)',
    'delete from product where id = 5',
  ]) {
    await database.sql(statement);
    await expectFresh();
  }
  await expect(database.sql(`begin; update product set name = 'Never'; select 1 / 0; commit`)).rejects.toThrow('zero');
  await expectFresh();
  await database.sql('truncate product cascade');
  expect(await database.sql(KEPT)).toEqual([]);
});

test('a new price, stock or state writes no words', async () => {
  await database.sql(`${INSERT} values (1, 'Kettle', 'kettle', 1)`);
  const version = () => database.sql('select xmin, ctid from product_words');
  const before = await version();
  await database.sql(`update product set price = 2, stock = 3, status = 'OFF_SALE', name = 'Kettle'`);
  expect(await version()).toEqual(before);
  await database.sql(`update product set name = 'Teapot'`);
  expect(await version()).not.toEqual(before);
});

test('a writer needs no rights on the words, and a table of its own by that name changes nothing', async () => {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await database.sql(
    `create role ${role}; grant select, insert, update, delete, truncate on product, product_variant to ${role}`,
  );
  try {
    await using session = await openSession(database);
    await session.query(
      `set role ${role}; create temporary table product_words (product_id int primary key, words tsvector)`,
    );
    await session.query(
      `truncate product cascade; ${INSERT} values (1, 'Kettle', 'kettle', 1); update product set name = 'Teapot'`,
    );
    expect(await session.query('select from pg_temp.product_words')).toMatchObject({ rowCount: 0 });
    await expect(session.query('select from public.product_words')).rejects.toThrow('permission denied');
    await expectFresh();
  } finally {
    await database.sql(`drop owned by ${role}; drop role ${role}`);
  }
});

test.each(['before_words', 'zz_after_words'])(
  'a trigger %s of the shop that writes the product again has the last word',
  async (name) => {
    await database.sql(`truncate product cascade;
      create function complete() returns trigger language plpgsql as $$ begin
        update product set subtitle = 'completed' where id = new.id and subtitle is null;
        delete from product where id = new.id and name = 'Gone';
        return null;
      end $$;
      create trigger ${name} after insert or update on product for each row execute function complete()`);
    try {
      await database.sql(`${INSERT} values (1, 'Kettle', 'kettle', 1), (1, 'Gone', 'gone', 1)`);
      await expectFresh();
      await database.sql(`${INSERT} values (1, 'Gone', 'gone', 1)`);
      await expectFresh();
      expect(await database.sql(KEPT)).toMatchObject([{ words: `'completed':2C 'kettle':1A` }]);
      await database.sql(`update product set name = 'Teapot', subtitle = null`);
      await expectFresh();
      expect(await database.sql(KEPT)).toMatchObject([{ words: `'completed':2C 'teapot':1A` }]);
    } finally {
      await database.sql('drop function complete cascade; truncate product cascade');
    }
  },
);

test('a product that a trigger of the shop inserts again in the place of a deleted one has its words', async () => {
  await database.sql(`truncate product cascade; ${INSERT} values (1, 'Kettle', 'kettle', 1);
    create function replace_it() returns trigger language plpgsql as $$ begin
      insert into product (id, category_id, name, slug, price) values (old.id, 1, 'Teapot', 'teapot', 1);
      return null;
    end $$;
    create trigger replace_it after delete on product for each row execute function replace_it()`);
  try {
    await database.sql('delete from product');
    await expectFresh();
    expect(await database.sql(KEPT)).toMatchObject([{ words: `'teapot':1A` }]);
  } finally {
    await database.sql('drop function replace_it cascade');
  }
});

test('words that were written past the triggers are made anew by one call, in the schema of the table that it names', async () => {
  await database.sql(
    `truncate product cascade; ${INSERT} select 1, 'Mug ' || n, 'p' || n, n from generate_series(1, 5) n`,
  );
  await database.sql(`
    begin;
    alter table product alter name type text using replace(name, 'Mug', 'Cup');
    set local session_replication_role = replica;
    delete from product where slug = 'p1';
    set local search_path = pg_catalog;
    select public.vitrine_make_words('public.product');
    commit`);
  await expectFresh();
  expect(await database.sql(KEPT)).toHaveLength(4);
});

const namesFound = (schema: string, word: string) =>
  database.sql(
    `select name from ${schema}.product p join ${schema}.product_words w on w.product_id = p.id where words @@ '${word}'`,
  );

test('each schema keeps words of its own, also after two have changed names', async () => {
  await database.sql('create schema blue; create schema green');
  for (const schema of ['blue', 'green']) {
    await applyMigrations({ url: `${database.url}?schema=${schema}`, log: () => {} });
    await database.sql(`insert into ${schema}.category (name, slug) values ('Tea', 'tea');
      insert into ${schema}.product (category_id, name, slug, price) values (1, 'Kettle of ${schema}', 'kettle', 1)`);
  }
  await database.sql(
    `alter schema blue rename to "Old blue"; alter schema green rename to blue; alter schema "Old blue" rename to green`,
  );
  for (const schema of ['blue', 'green']) {
    await database.sql(`insert into ${schema}.product (category_id, name, slug, price) values (1, 'Cup', 'cup', 1);
      update ${schema}.product set name = 'Teapot, now ${schema}' where slug = 'kettle'`);
    expect(await namesFound(schema, schema)).toEqual([{ name: `Teapot, now ${schema}` }]);
    expect(await namesFound(schema, 'kettle')).toEqual([]);
  }
  await database.sql(`truncate blue.product cascade; delete from green.product where slug = 'cup'`);
  expect(await database.sql('select words from blue.product_words')).toEqual([]);
  expect(await namesFound('green', 'cup | teapot')).toEqual([{ name: 'Teapot, now green' }]);
  await database.sql('drop schema blue cascade; drop schema green cascade');
});

test('a table that got another name keeps its words, and not those of the one that has its name now', async () => {
  await using session = await openSession(database);
  await session.query(`begin;
    insert into category (id, name, slug) values (77, 'Lamps', 'lamps');
    insert into product (id, category_id, name, slug, price) values (77, 77, 'Lamp', 'lamp', 1);
    update product set name = 'Lamp of before' where id = 77;
    alter table product rename to product_last;
    create table product (like product_last);
    insert into product select * from product_last where id = 77;
    update product set name = 'Lamp of others' where id = 77;
    update product_last set name = 'Lantern' where id = 77`);
  expect(await session.query('select words::text from product_words where product_id = 77')).toMatchObject({
    rows: [{ words: `'lantern':1A` }],
  });
  await session.query('rollback');
});

test('no function of the migrations names a schema of ours, so that each can be renamed', async () => {
  const settings = await database.sql<{ proname: string; proconfig: string[] }>(
    `select proname, proconfig from pg_proc where pronamespace = 'public'::regnamespace and proconfig::text like '%search_path%'`,
  );
  expect(settings.map(({ proname }) => proname)).toContain('vitrine_keep_words');
  for (const { proname, proconfig } of settings) {
    expect(proconfig, proname).toContain('search_path=pg_catalog, pg_temp');
  }
});

test('functions and operators that others have put into the schema are not run with the rights of the owner', async () => {
  await using session = await openSession(database);
  await session.query(`begin;
    create function planted(tags vitrine_tags) returns int language plpgsql as $$ begin raise exception 'planted'; end $$;
    create function vitrine_search(text, text, vitrine_tags, text, text) returns tsvector language sql return planted($3)::text::tsvector;
    create function cardinality(text[]) returns int language sql return planted($1);
    create function unnest(integer[]) returns setof integer language sql return planted('{}');
    create function min(vitrine_product_variant_price) returns numeric language sql return planted('{}');
    create function before(double precision, numeric) returns boolean language sql return planted('{}') > 0;
    create operator < (leftarg = double precision, rightarg = numeric, function = before);
    insert into category (id, name, slug) values (77, 'Lamps', 'lamps');
    insert into product (id, category_id, name, slug, price) values (77, 77, 'Lamp', 'lamp', 1);
    update product set name = 'Lantern' where id = 77;
    insert into product_variant (product_id, price) values (77, 3);
    update product_variant set price = 4 where product_id = 77`);
  expect(await session.query('select name, price from product where id = 77')).toMatchObject({
    rows: [{ name: 'Lantern', price: '4.00' }],
  });
  await session.query('rollback');
});

test('nobody else can have the functions of the triggers run on tables of their own, with the rights of the owner', async () => {
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await database.sql(`create role ${role}; create schema ${role} authorization ${role}`);
  try {
    await using session = await openSession(database);
    await session.query(`set role ${role}; create table ${role}.product (id int)`);
    for (const name of ['vitrine_keep_words', 'vitrine_truncate_words', 'vitrine_keep_products']) {
      await expect(
        session.query(
          `create trigger t after truncate on ${role}.product for each statement execute function ${name}()`,
        ),
      ).rejects.toThrow(`permission denied for function ${name}`);
    }
  } finally {
    await database.sql(`drop owned by ${role}; drop role ${role}`);
  }
});

const now = new Date();
const terms = termsOf('unknown word');
const REQUEST = { filter: {}, order: 'RELEVANCE', page: { from: 'start', size: 20 }, isCounted: true } as const;

test.each<[string, (engine: ReturnType<typeof createSqlEngine>) => Promise<unknown>]>([
  ['a search', (engine) => engine.search({ ...REQUEST, terms, facets: new Set(['brands']), now })],
  ['suggestions', (engine) => engine.suggest({ terms, limit: 8, now })],
  ['a search for words that nobody has', (engine) => engine.correct({ terms, now })],
])('%s and a truncate never wait for each other', async (_, ask) => {
  await database.sql(`truncate product cascade; ${INSERT} values (1, 'Kettle', 'kettle', 1)`);
  const pool = new pg.Pool({ connectionString: database.url, application_name: 'vitrine' });
  await using session = await openSession(database);
  try {
    // What a truncate locks first.
    await session.query('begin; lock table product in access exclusive mode');
    const answer = ask(createSqlEngine(createSql(pool)));
    await untilBlocked(database);
    await session.query('truncate product cascade; commit');
    await answer;
    expect(await database.sql(KEPT)).toEqual([]);
  } finally {
    await pool.end();
  }
});
