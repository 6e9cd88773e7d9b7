import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { applyMigrations } from '../../src/database/migrations/apply.ts';
import { grantServing } from '../../src/database/migrations/rights.ts';
import {
  MIGRATION_LOCK,
  MIGRATIONS_DIRECTORY,
  readMigrationFiles,
  readMigrationStatus,
} from '../../src/database/migrations/status.ts';
import { examine } from '../../src/doctor/doctor.ts';
import { FEATURES } from '../../src/features.ts';
import { administer, createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { runCli } from '../support/process.ts';
import { openSession } from '../support/session.ts';

/** An empty database, and what there is to do with migrations given as `{ name: script }`. */
const createScene = async () => {
  const database = await createTestDatabase({ migrated: false });
  const log: string[] = [];

  return {
    url: new URL(database.url),
    sql: database.sql,
    log,
    migrate: async (scripts: Record<string, string>, options: { url?: string; lockWaitMs?: number } = {}) => {
      await using folder = await createFolder(scripts);
      return await applyMigrations({ url: database.url, log: (line) => log.push(line), ...folder, ...options });
    },
    status: async (scripts: Record<string, string>) => {
      await using folder = await createFolder(scripts);
      return await readStatus(database.url, folder.directory);
    },
    /** Which of these tables exist. */
    tables: async (...names: string[]) => {
      const rows = await database.sql<{ name: string }>(
        'select name from unnest($1::text[]) as name where to_regclass(name) is not null',
        [names],
      );
      return rows.map((row) => row.name);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
};

const readStatus = async (url: string, directory?: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { files: _, ...status } = await readMigrationStatus(client, directory);
    return status;
  } finally {
    await client.end();
  }
};

/** What the doctor finds wrong with the rights of roles. */
const permissions = async (url: string) =>
  (await examine(FEATURES, readConfig({}), url, 1)).filter(({ status }) => status !== 'ok');

const createFolder = async (scripts: Record<string, string>) => {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'));
  for (const [name, script] of Object.entries(scripts)) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'migration.sql'), script);
  }
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
};

const FILES = await readMigrationFiles(MIGRATIONS_DIRECTORY);
const OURS = FILES.map(({ name }) => name);

const CLEAN = { applied: [], pending: [], failed: [], unknown: [], edited: [] };

describe('migrating', () => {
  test('an empty database gets every migration, and a second run finds nothing to do', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const run = { url: database.url, log: () => {} };
    expect(await readStatus(database.url)).toEqual({ ...CLEAN, pending: OURS });

    expect(await applyMigrations(run)).toEqual(OURS);
    expect(await applyMigrations(run)).toEqual([]);
    expect(await readStatus(database.url)).toEqual({ ...CLEAN, applied: OURS });
  });

  test('of three runs at once each succeeds, and each migration is applied once', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const run = { url: database.url, log: () => {} };
    const names = await Promise.all([applyMigrations(run), applyMigrations(run), applyMigrations(run)]);
    expect(names.flat()).toEqual(OURS);
    expect(await database.sql('select from _prisma_migrations')).toHaveLength(OURS.length);
  });

  test('a script may hold semicolons in the body of a function and end in a comment', async () => {
    await using scene = await createScene();
    const twice =
      'create function twice(n int) returns int language plpgsql as $$ begin n := n * 2; return n; end $$; -- ;';
    await scene.migrate({ '1_one': twice });
    expect(await scene.sql('select twice(21) as n')).toEqual([{ n: 42 }]);
  });

  test('a script of one statement may build an index concurrently, while other runs wait', async () => {
    await using scene = await createScene();
    const scripts = { '1_one': 'create table one (id int)', '2_two': 'create index concurrently two on one (id)' };
    const names = await Promise.all([scene.migrate(scripts), scene.migrate(scripts), scene.migrate(scripts)]);
    expect(names.flat()).toEqual(['1_one', '2_two']);
  });

  test('a migration edited after it was applied stops the run, but another kind of line ending does not', async () => {
    await using scene = await createScene();
    await scene.migrate({ '1_one': 'select 1;\nselect 2;\n' });
    expect(await scene.migrate({ '1_one': 'select 1;\r\nselect 2;\r\n' })).toEqual([]);
    await expect(scene.migrate({ '1_one': 'select 3', '2_two': 'select 2' })).rejects.toThrow(
      'edited after being applied: 1_one',
    );
    expect(await scene.status({ '1_one': 'select 3' })).toEqual({ ...CLEAN, applied: ['1_one'], edited: ['1_one'] });
  });

  test('a migration of a newer version is told and passed over', async () => {
    await using scene = await createScene();
    await scene.migrate({ '1_one': 'select 1', '3_new': 'select 3' });
    expect(await scene.migrate({ '1_one': 'select 1', '2_two': 'select 2' })).toEqual(['2_two']);
    expect(scene.log).toContain('this version does not know 3_new: a newer one has migrated the database');
    expect(await scene.status({ '1_one': 'select 1' })).toEqual({
      ...CLEAN,
      applied: ['1_one'],
      unknown: ['2_two', '3_new'],
    });
  });

  test('migrations work in the schema of the search path, and leave tables that are there alone', async () => {
    await using scene = await createScene();
    await scene.sql('create table orders (id int); create schema shop');
    const shop = new URL(scene.url);
    shop.searchParams.set('options', '-c search_path=shop,public');
    const scripts = { '1_one': 'create table one (id int)' };
    expect(await scene.migrate(scripts, { url: shop.href })).toEqual(['1_one']);
    expect(await scene.migrate(scripts)).toEqual(['1_one']);
    expect(await scene.tables('shop.one', 'shop._prisma_migrations', 'public.one', 'orders')).toHaveLength(4);
  });
});

test.each(['MyShop', 'my shop, "too"'])('the schema %j of a URL is taken as it is written', async (schema) => {
  await using database = await createTestDatabase({ migrated: false });
  await database.sql(`create schema ${pg.escapeIdentifier(schema)}; create schema myshop`);
  const url = `${database.url}?schema=${encodeURIComponent(schema)}`;
  const role = `role_${randomUUID().replaceAll('-', '')}`;
  await database.sql(`create role ${role} login password 'secret'`);
  try {
    const withRole = Object.assign(new URL(url), { username: role, password: 'secret' }).href;
    await database.sql(`grant usage on schema ${pg.escapeIdentifier(schema)} to ${role}`);
    await expect(applyMigrations({ url: withRole, log: () => {} })).rejects.toThrow(
      `grant create on schema ${pg.escapeIdentifier(schema)} to ${role}`,
    );
    await applyMigrations({ url, log: () => {} });
    await grantServing(url, role, FEATURES, () => {});
    await database.sql(`
      set search_path = ${pg.escapeIdentifier(schema)};
      insert into category (name, slug) values ('Tea', 'tea');
      insert into product (category_id, name, slug, price) values (1, 'Kettle', 'kettle', 1);
      reset search_path`);
    await using gateway = await createTestGateway({ ...database, url: withRole });
    const { data } = await gateway.graphql(
      '{ product(id: 1) { name } productSearch(search: "kettel") { nodes { id } } }',
    );
    expect(data).toEqual({ product: { name: 'Kettle' }, productSearch: { nodes: [{ id: 1 }] } });
    expect(
      await database.sql(`select from pg_class where relnamespace in ('public'::regnamespace, 'myshop'::regnamespace)`),
    ).toEqual([]);
  } finally {
    await database.sql(`drop owned by ${role}; drop role ${role}`);
  }
});

test('products are written with any search path', async () => {
  await using database = await createTestDatabase();
  await database.sql(`
    set search_path = pg_catalog;
    insert into public.category (name, slug) values ('Tea', 'tea');
    insert into public.product (category_id, name, slug, price, tags) values (1, 'Kettle', 'b', 1, '{緑茶,red}');
    update public.product set price = 2;
    reset search_path`);
  expect(await database.sql('select price from product')).toEqual([{ price: '2.00' }]);
});

test('a table has no checks but those of columns in an index: all others are of types, so that an update runs those of what it writes', async () => {
  await using database = await createTestDatabase();
  const checks = await database.sql<{ name: string }>(
    `select conname as name from pg_constraint
     where contype = 'c' and conrelid in ('product'::regclass, 'product_variant'::regclass) order by 1`,
  );
  expect(checks.map(({ name }) => name)).toEqual([
    'product_moments_check',
    'product_price_check',
    'product_sales_check',
    'product_variant_option_values_check',
  ]);
});

describe('a database that was made by the migrations before these', () => {
  test('is left as it is by a migration, a gateway and the doctor, which say in one line how its rows get into a new one', async () => {
    await using scene = await createScene();
    await scene.migrate({
      '20261120000000_vitrine': 'create table category (id int)',
      '20261128009000_lists_from_one': 'create table product (id int)',
    });
    const state = () =>
      scene.sql(`select (select array_agg(m::text order by m) from _prisma_migrations m) as records,
        (select array_agg(relname::text order by relname) from pg_class where relnamespace = 'public'::regnamespace) as relations`);
    const before = await state();
    const said =
      /^this database was made by the migrations of an earlier history \(20261120000000_vitrine …\): .* pg_dump --data-only --exclude-table=_prisma_migrations --exclude-table=product_words .*$/;
    const refusal = { name: 'OperatorError', message: expect.stringMatching(said) };
    await expect(applyMigrations({ url: scene.url.href, log: () => {} })).rejects.toMatchObject(refusal);
    await expect(createTestGateway({ url: scene.url.href })).rejects.toMatchObject(refusal);
    expect((await examine(FEATURES, readConfig({}), scene.url.href, 1)).at(-1)).toMatchObject({
      check: 'migrations',
      status: 'fail',
      message: expect.stringMatching(said),
    });
    for (const command of ['migrate', 'serve']) {
      const program = runCli([command], { DATABASE_URL: scene.url.href });
      expect(await program.ended, program.output()).toBe(1);
      expect(program.output()).toContain('this database was made by the migrations of an earlier history');
    }
    expect(await state()).toEqual(before);
  });
});

describe('a migration that fails', () => {
  test('is named with its line, leaves nothing, keeps those before it, and is tried again once mended', async () => {
    await using scene = await createScene();
    const one = { '1_one': 'create table one (id int)' };
    const failing = { ...one, '2_two': 'create table two (id int);\ninsert into two values (1);\nselect 1 / 0;' };

    await expect(scene.migrate(failing)).rejects.toMatchObject({
      name: 'OperatorError',
      message: 'migration 2_two failed: division by zero. It was rolled back; correct it and run this again',
    });
    expect(await scene.tables('one', 'two')).toEqual(['one']);
    expect(await scene.status(failing)).toEqual({ ...CLEAN, applied: ['1_one'], pending: ['2_two'] });

    await expect(scene.migrate({ ...one, '2_two': 'create table two (id int);\ncreate tabel x' })).rejects.toThrow(
      'migration 2_two failed at line 2: syntax error at or near "tabel"',
    );
    expect(await scene.migrate({ ...one, '2_two': 'create table two (id int)' })).toEqual(['2_two']);
  });

  test('because the connection is lost leaves nothing', async () => {
    await using scene = await createScene();
    const scripts = { '1_one': 'create table one (id int); select pg_terminate_backend(pg_backend_pid())' };
    await expect(scene.migrate(scripts)).rejects.toThrow('migration 1_one failed: terminating connection');
    expect(await scene.tables('one')).toEqual([]);
    expect(await scene.status(scripts)).toEqual({ ...CLEAN, pending: ['1_one'] });
  });

  test('because the process is killed is pending, and the next run makes it good', async () => {
    await using scene = await createScene();
    const scripts = { '1_one': 'select 1', '2_two': 'create table two (id int)' };
    await scene.migrate({ '1_one': 'select 1' });
    await scene.sql(`insert into _prisma_migrations (id, checksum, migration_name) values ('killed', 'any', '2_two')`);
    expect(await scene.status(scripts)).toEqual({
      ...CLEAN,
      applied: ['1_one'],
      pending: ['2_two'],
      failed: ['2_two'],
    });

    expect(await scene.migrate(scripts)).toEqual(['2_two']);
    expect(scene.log).toContain('2_two was left unfinished by an earlier run');
    expect(await scene.status(scripts)).toEqual({ ...CLEAN, applied: ['1_one', '2_two'] });
  });

  test('and is resolved as rolled back with "prisma migrate resolve" is pending', async () => {
    await using scene = await createScene();
    const scripts = { '1_one': 'select 1' };
    await scene.migrate(scripts);
    await scene.sql('update _prisma_migrations set rolled_back_at = now()');
    expect(await scene.status(scripts)).toEqual({ ...CLEAN, pending: ['1_one'] });
    expect(await scene.migrate(scripts)).toEqual(['1_one']);
  });

  test('because it cannot be recorded leaves nothing: script and record are one transaction', async () => {
    await using scene = await createScene();
    await scene.migrate({ '1_one': 'create table one (id int)' });
    await scene.sql(`alter table _prisma_migrations add check (migration_name <> '2_two')`);
    const scripts = { '1_one': 'create table one (id int)', '2_two': 'create table two (id int)' };
    await expect(scene.migrate(scripts)).rejects.toThrow('migration 2_two failed: new row');
    expect(await scene.tables('one', 'two')).toEqual(['one']);
    expect(await scene.status(scripts)).toEqual({ ...CLEAN, applied: ['1_one'], pending: ['2_two'] });
  });
});

describe('the operator is told', () => {
  const ONE = { '1_one': 'create table one (id int)' };

  test.for([
    ['that the server does not answer', { port: '1' }, /^cannot connect to .* at localhost:1: .*ECONNREFUSED/],
    [
      'that there is no such database',
      { pathname: 'nowhere' },
      /^cannot connect to the database nowhere .* not exist$/,
    ],
    ['that there is no schema', { search: '?options=-csearch_path%3Dnowhere' }, /^no schema of the search path exists/],
  ] as const)('%s', async ([, change, message]) => {
    await using scene = await createScene();
    const url = Object.assign(new URL(scene.url), { hostname: 'localhost', ...change }).href;
    await expect(scene.migrate(ONE, { url })).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(message),
    });
  });

  test('that the server is too old', async () => {
    await using scene = await createScene();
    const name = scene.url.pathname.slice(1);
    await scene.sql(`
      create schema older;
      create function older.current_setting(text) returns text return case $1 when 'server_version_num' then '140012' else '14.12' end;
      alter database ${name} set search_path = older, pg_catalog, public`);
    await expect(scene.migrate(ONE)).rejects.toThrow('PostgreSQL 15 or newer is needed, and this server is 14.12');
  });

  test('that the database is not in UTF-8, before anything is changed', async () => {
    const name = `latin_${randomUUID().replaceAll('-', '')}`;
    await administer(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    try {
      await using scene = await createScene();
      const url = Object.assign(new URL(scene.url), { pathname: `/${name}` }).href;
      await expect(applyMigrations({ url, log: () => {} })).rejects.toThrow(
        `the database is LATIN1, and has to be UTF8: create another with "create database … encoding 'UTF8' template template0"`,
      );
      const client = new pg.Client(url);
      await client.connect();
      expect(
        (await client.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`)).rows,
      ).toEqual([]);
      await client.end();
    } finally {
      await administer(`drop database ${name} with (force)`);
    }
  });

  test('how to take over tables that Prisma has not made', async () => {
    await using scene = await createScene();
    await scene.sql('create table product (id int)');
    await expect(scene.migrate({ '1_one': 'create table product (id int)' })).rejects.toThrow(
      'relation "product" already exists. It was rolled back; if all tables are exactly as it makes them, run "npx prisma migrate resolve --applied 1_one"',
    );
  });

  test('which privilege is missing', async () => {
    await using scene = await createScene();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await scene.sql(`create role ${role} login password 'secret'; revoke create on schema public from public`);
    try {
      const url = Object.assign(new URL(scene.url), { username: role, password: 'secret' }).href;
      await expect(scene.migrate(ONE, { url })).rejects.toThrow(
        `run this as the role that owns the database, or let that role run "grant create on schema public to ${role}"`,
      );

      await scene.migrate(ONE);
      await expect(scene.migrate(ONE, { url })).rejects.toThrow(`grant select on _prisma_migrations to ${role}`);
    } finally {
      await scene.sql(`drop role ${role}`);
    }
  });

  test('that another run does not end', async () => {
    await using scene = await createScene();
    const other = new pg.Client({ connectionString: scene.url.href });
    await other.connect();
    await other.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await expect(scene.migrate(ONE, { lockWaitMs: 150 })).rejects.toThrow('another migration still runs after 0.15 s');
    await other.end();
    expect(scene.log).toEqual(['another migration is running, waiting for it']);
  });
});

describe('the rights that serving needs', () => {
  test('stop the start where they are missing, each time with what gives them', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await database.sql(`create schema shop; create role ${role} login password 'secret'`);
    await applyMigrations({ url: `${database.url}?schema=shop`, log: () => {} });
    const url = Object.assign(new URL(`${database.url}?schema=shop`), { username: role, password: 'secret' }).href;
    const start = async (): Promise<void> => (await createTestGateway({ url }))[Symbol.asyncDispose]();
    const all = `"npx vitrine migrate --grant-to ${role}"`;
    try {
      await expect(start()).rejects.toThrow(
        `${role} may not use the schema shop: let the owner of the tables run ${all}, which gives all that serving needs, or "grant usage on schema shop to ${role}"`,
      );
      await database.sql(`grant usage on schema shop to ${role}`);
      await expect(start()).rejects.toThrow(`${all}, which gives all that serving needs, or "grant select on _prisma_`);
      await database.sql(`grant select on shop._prisma_migrations, shop.category, shop.product to ${role}`);
      await expect(start()).rejects.toThrow(
        `Let the owner of the tables run ${all}, or:
  grant select on product_words, translated_words, slug_alias, product_variant, notice, term_translation to ${role};
  grant update (view_count) on notice to ${role};`,
      );
      await grantServing(`${database.url}?schema=shop`, role, FEATURES, () => {});
      await start();
    } finally {
      await database.sql(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test('are given to a role, in a schema that it could not use before, watched tables among them, and a second time with no effect', async () => {
    await using database = await createTestDatabase({ migrated: false });
    const role = `Role ${randomUUID()}`;
    await database.sql(`create schema shop; create role "${role}"`);
    try {
      const url = `${database.url}?schema=shop`;
      await applyMigrations({ url, log: () => {} });
      await database.sql(
        `create table shop.maker (id int); set search_path = shop; select vitrine_watch('maker'); reset search_path`,
      );
      for (const _ of [1, 2]) await grantServing(url, role, FEATURES, () => {});
      const allowed = await database.sql(
        `select privilege, has_schema_privilege($1, 'shop', 'usage') and has_table_privilege($1, 'shop.notice', privilege) as "isAllowed"
         from unnest(array['select', 'update', 'insert', 'delete']) privilege`,
        [role],
      );
      expect(allowed.filter(({ isAllowed }) => isAllowed)).toEqual([{ privilege: 'select', isAllowed: true }]);
      const columns = await database.sql(
        `select column_name from information_schema.column_privileges
         where grantee = $1 and table_name = 'notice' and privilege_type = 'UPDATE'`,
        [role],
      );
      expect(columns).toEqual([{ column_name: 'view_count' }]);
      const watched = await database.sql(`select has_table_privilege($1, 'shop.maker', 'select') as "isReadable"`, [
        role,
      ]);
      expect(watched).toEqual([{ isReadable: true }]);
    } finally {
      await database.sql(`drop owned by "${role}"`);
      await database.sql(`drop role "${role}"`);
    }
  });

  test('are given behind a migration under way, and do not hold up an index that it makes concurrently', async () => {
    await using database = await createTestDatabase();
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    await database.sql(`create role ${role}`);
    const migration = new pg.Client({ connectionString: database.url });
    await migration.connect();
    try {
      await migration.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const granting = grantServing(database.url, role, FEATURES, () => {});
      granting.catch(() => {});
      const asking = `select from pg_stat_activity
        where datname = current_database() and query ~ 'pg_(try_advisory_lock|advisory_xact_lock)'`;
      await expect.poll(() => database.sql(asking)).toHaveLength(1);
      await migration.query('create index concurrently by_url on product (image_url)');
      const readable = `select has_table_privilege('${role}', 'product', 'select') as "isReadable"`;
      expect(await database.sql(readable)).toEqual([{ isReadable: false }]);
      await migration.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await granting;
      expect(await database.sql(readable)).toEqual([{ isReadable: true }]);
    } finally {
      await migration.end();
      await database.sql(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test('are enough where nobody may execute functions, by the documented grants as by --grant-to, and so are those of a writer', async () => {
    await using database = await createTestDatabase();
    const documented =
      (await readFile(new URL('../../docs/database.md', import.meta.url), 'utf8')).match(/^grant .* to \w+;$/gm) ?? [];
    const [granted, served, writer] = [1, 2, 3].map(() => `role_${randomUUID().replaceAll('-', '')}`);
    const urlOf = (username = '') => Object.assign(new URL(database.url), { username, password: 'secret' }).href;
    for (const role of [granted, served, writer]) await database.sql(`create role ${role} login password 'secret'`);
    try {
      await database.sql(`revoke execute on all functions in schema public from public;
        grant select, insert, update, delete on category, product, product_variant, notice to ${writer}`);
      expect(await permissions(database.url)).toEqual([
        {
          ...{ check: 'permissions', status: 'warn' },
          message: `${writer} may write category, notice, product, product_variant, and may not execute what their checks call: its writes fail`,
          remedy: `Let the owner run "grant execute on function vitrine_are_translations, vitrine_fold, vitrine_has_each_once, vitrine_is_moment, vitrine_is_text_list to ${writer}".`,
        },
      ]);
      await database.sql(
        documented
          .join('\n')
          .replaceAll(/ to (gateway|back_office);/g, (_, role) => ` to ${role === 'gateway' ? granted : writer};`),
      );
      await grantServing(database.url, String(served), FEATURES, () => {});
      await using backOffice = await openSession({ url: urlOf(writer) });
      await backOffice.query(`
        insert into category (name, slug) values ('Tea', 'tea');
        insert into product (category_id, name, slug, price, sku, option_names, tags) values (1, 'Kettle', 'kettle', 1, 'K-1', '{Size}', '{tea}');
        insert into product_variant (product_id, option_values, price, sku, barcode) values (1, '{M}', 2, 'K-1-M', '4006381333931');
        insert into notice (title, content) values ('Sale', 'Today');
        update product set name = 'Kettle, black', option_names = '{Colour}' where id = 1;
        update product_variant set stock = 3; update category set name = 'Teas'; update notice set title = 'Sales';
        delete from product_variant`);
      for (const role of [granted, served]) {
        expect(await permissions(urlOf(role)), role).toEqual([]);
        await using gateway = await createTestGateway({ url: urlOf(role) });
        const { data } = await gateway.graphql(`{
          product(id: 1) { related { id } }
          productSearch(search: "kettel") { correctedSearch nodes { id } }
          code: productSearch(search: "k-1") { nodes { id } }
          searchSuggestions(prefix: "ket") { text }
          noticePage(keyword: "SÁLES") { total }
          notice(id: 1) { title }
        }`);
        expect(data).toEqual({
          product: { related: [] },
          productSearch: { correctedSearch: 'kettle', nodes: [{ id: 1 }] },
          code: { nodes: [{ id: 1 }] },
          searchSuggestions: [{ text: 'Kettle, black' }],
          noticePage: { total: 1 },
          notice: { title: 'Sales' },
        });
      }
      await database.sql(`revoke execute on function vitrine_split, vitrine_is_moment from ${served}`);
      expect(await permissions(urlOf(served))).toEqual([
        expect.objectContaining({
          status: 'fail',
          message: `${served} has no right to execute on function vitrine_split, vitrine_is_moment`,
        }),
      ]);
    } finally {
      for (const role of [granted, served, writer]) await database.sql(`drop owned by ${role}; drop role ${role}`);
    }
  });

  test('are not given to a role that does not exist', async () => {
    await using database = await createTestDatabase();
    await expect(grantServing(database.url, 'nobody-here', FEATURES, () => {})).rejects.toThrow(
      'There is no role nobody-here to grant to. Create it: create role "nobody-here" login password',
    );
  });
});
