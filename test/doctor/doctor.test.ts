import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { connectionConfig, withConnection } from '../../src/database/connection.ts';
import { readWatchedTables } from '../../src/database/migrations/rights.ts';
import { examine } from '../../src/doctor/doctor.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { FEATURES } from '../../src/features.ts';
import { createTestDatabase } from '../support/database.ts';
import { runCli } from '../support/process.ts';
import { shared } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { forward } from '../support/wire.ts';

const database = await shared(createTestDatabase());

const look = (environment: Record<string, string> = {}, url = database.url, instances = 1): Promise<Finding[]> =>
  examine(FEATURES, readConfig(environment), url, instances);

const faults = (findings: readonly Finding[]): Finding[] => findings.filter(({ status }) => status !== 'ok');

/** One fault, with what is said of it. */
const only = ({ message = '', remedy, ...rest }: Partial<Finding>) => [
  expect.objectContaining({
    ...rest,
    message: expect.stringContaining(message),
    ...(remedy && { remedy: expect.stringContaining(remedy) }),
  }),
];

const messageOf = (findings: readonly Finding[], check: string): string =>
  findings.find((finding) => finding.check === check)?.message ?? '';

/** A wire on which no notification passes, as behind a pooler in transaction mode; or each passes late. */
const deafWireTo = (database: { readonly url: string }, lateMs?: number) =>
  forward(database, (client, server) => {
    let rest = Buffer.alloc(0);
    client.pipe(server);
    // A type and a length before each message: https://www.postgresql.org/docs/current/protocol-overview.html
    server.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const message = rest.subarray(0, rest.readUInt32BE(1) + 1);
        if (message.toString('latin1', 0, 1) !== 'A') client.write(message);
        else if (lateMs !== undefined) setTimeout(() => client.write(message), lateMs);
        rest = rest.subarray(message.length);
      }
    });
  });

/** Breaks something, looks, and mends it. */
const whileBroken = async (breaking: string, mending: string): Promise<Finding[]> => {
  await database.sql(breaking);
  try {
    return faults(await look());
  } finally {
    await database.sql(mending);
  }
};

test('a database as the migrations leave it is well, in every respect', async () => {
  const findings = await look();
  expect(faults(findings)).toEqual([]);
  expect(findings.map(({ check }) => check)).toEqual(
    'database,version,encoding,writable,clock,pooler,connections,migrations,permissions,indexes,words,queue,triggers,notifications'.split(
      ',',
    ),
  );
});

describe('translations', () => {
  const withTranslations = async (look: () => Promise<void>) => {
    await database.sql(`
      insert into category (name, slug, translations) values ('Pans', 'pans', '{"de": {"name": "Pfannen"}}');
      insert into product (category_id, name, slug, price, translations)
        select id, 'Pan', 'pan', 5, '{"de": {"slug": "topf"}, "pt-BR": {"name": "Frigideira"}}' from category;
      insert into term_translation values ('fr', 'Size', 'Taille')`);
    try {
      await look();
    } finally {
      await database.sql('truncate category, product, term_translation restart identity cascade');
    }
  };

  test('in a language that is not configured are found', async () => {
    await withTranslations(async () => {
      expect(faults(await look({ LANGUAGES: 'en,de,fr,pt-BR' }))).toEqual([]);
      const others = {
        check: 'languages',
        status: 'warn',
        message: 'translations in fr, pt-BR are never shown',
      } as const;
      expect(faults(await look({ LANGUAGES: 'en,de,pt' }))).toEqual(
        only({ ...others, remedy: 'Add them to LANGUAGES' }),
      );
      // Those of the first language are in the columns.
      expect(faults(await look({ LANGUAGES: 'de,fr,pt-BR' }))).toEqual(
        only({ check: 'languages', message: 'translations in de are never shown' }),
      );
      expect(messageOf(await look(), 'languages')).toBe(
        'translations in de, fr, pt-BR are not shown: LANGUAGES is not set',
      );
    });
  });

  test('whose slug another product has are found', async () => {
    await withTranslations(async () => {
      await database.sql(
        `insert into product (category_id, name, slug, price) select id, 'Pot', 'topf', 5 from category`,
      );
      expect(faults(await look())).toEqual(
        only({
          check: 'slugs',
          status: 'warn',
          message: '1 slug leads elsewhere, because another row has it for its own: "topf" of product',
        }),
      );
    });
  });
});

describe('a fault is told with what to do:', () => {
  test('a missing index, and one whose build was cut off', async () => {
    const missing = await whileBroken(
      'drop index product_newest_idx',
      `create index product_newest_idx on product (published_at desc, id desc) where status = 'ON_SALE'`,
    );
    expect(missing).toEqual(only({ check: 'indexes', status: 'fail', message: 'missing: product_newest_idx' }));
    const invalid = await whileBroken(
      `update pg_index set indisvalid = false where indexrelid = 'notice_published_idx'::regclass`,
      `update pg_index set indisvalid = true where indexrelid = 'notice_published_idx'::regclass`,
    );
    expect(invalid).toEqual(only({ remedy: '"reindex index concurrently notice_published_idx"' }));
  });

  test('products that are not found by what they say, because their table was rewritten', async () => {
    await database.sql(`insert into category (name, slug) values ('Tea', 'tea');
      insert into product (category_id, name, slug, price) select 1, 'Mug', 'p' || n, 1 from generate_series(1, 3000) n; analyze product`);
    const found = await whileBroken(
      `alter table product alter name type text using 'Cup'`,
      `select vitrine_make_words('product')`,
    );
    expect(found).toEqual(only({ check: 'words', status: 'fail', remedy: `"select vitrine_make_words('product')"` }));
    expect(faults(await look())).toEqual([]);
    await database.sql('truncate category, product cascade');
  });

  test('variants that have not a value for each option of their product', async () => {
    await database.sql(`insert into category (id, name, slug) values (1, 'Shirts', 'shirts');
      insert into product (id, category_id, name, slug, price, option_names) select n, 1, 'Shirt', 's' || n, 1, '{Size}' from generate_series(1, 7) n;
      insert into product_variant (product_id, option_values, price) select n, '{M}', 1 from generate_series(1, 7) n`);
    const found = await whileBroken(
      `update product set option_names = '{Size,Colour}' where id > 1`,
      `update product_variant set option_values = '{M,Blue}' where product_id > 1`,
    );
    expect(found).toEqual(
      only({ check: 'options', status: 'warn', message: 'variants have more or fewer option_values' }),
    );
    expect(messageOf(found, 'options')).toContain('in 6 products 2, 3, 4, 5, 6, …');
    expect(faults(await look())).toEqual([]);
    await database.sql('truncate category, product cascade');
  });

  test.for([
    'update product set price = 9 where id = 2',
    'update product set list_price = 9 where id = 2',
    'set session_replication_role = replica; delete from product_variant where id = 3; reset session_replication_role',
  ])('a product that is not as its variants are, after %s', async (breaking) => {
    await database.sql(`insert into category (id, name, slug) values (1, 'Shirts', 'shirts');
      insert into product (id, category_id, name, slug, price, option_names) select n, 1, 'Shirt', 's' || n, 1, '{Size}' from generate_series(1, 3) n;
      insert into product_variant (id, product_id, option_values, price, list_price, stock)
      values (1, 1, '{M}', 2, 3, 2147483647), (2, 1, '{L}', 2, 4, 1), (3, 2, '{S}', 1, null, 2), (4, 2, '{M}', 1, null, 2)`);
    const mending = 'update product_variant set position = position';
    const found = await whileBroken(breaking, mending);
    expect(found).toEqual(
      only({ check: 'prices', status: 'warn', message: 'say, in product 2', remedy: `"${mending}"` }),
    );
    expect(faults(await look())).toEqual([]);
    await database.sql('truncate category, product cascade');
  });

  test.for(['vitrine_notify', 'vitrine_notify_update', 'vitrine_words_insert'])(
    'a trigger that is switched off: %s',
    async (trigger) => {
      const found = await whileBroken(
        `alter table product disable trigger ${trigger}`,
        `alter table product enable trigger ${trigger}`,
      );
      expect(found).toEqual(only({ check: 'triggers', remedy: `"alter table product enable trigger ${trigger}"` }));
    },
  );

  test('pending migrations, and ones of a newer version', async () => {
    const pending = await whileBroken(
      `update _prisma_migrations set finished_at = null where migration_name like '%_tables'`,
      'update _prisma_migrations set finished_at = now()',
    );
    expect(pending).toEqual(only({ check: 'migrations', status: 'fail', remedy: 'npx vitrine migrate' }));
    const newer = await whileBroken(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) values ('x', 'x', '2999_future', now(), 1)`,
      `delete from _prisma_migrations where id = 'x'`,
    );
    expect(newer).toEqual(only({ status: 'warn', message: '2999_future' }));
  });

  test('a role that lacks rights, one with exactly those it needs, and its connection limit', async () => {
    const role = `role_${Math.random().toString(36).slice(2)}`;
    await database.sql(`create role ${role} login password 'x' connection limit 7`);
    const url = Object.assign(new URL(database.url), { username: role, password: 'x' }).href;
    const environment = { DATABASE_POOL_SIZE: '3' };
    try {
      expect(faults(await look(environment, url))).toEqual(
        only({ message: `grant select on _prisma_migrations to ${role}` }),
      );
      await database.sql(`grant select on _prisma_migrations, category, product to ${role}`);
      // Of models that are added.
      const watched = await withConnection(connectionConfig(database.url), 5000, (client) =>
        readWatchedTables(client, FEATURES),
      );
      for (const { table } of watched) await database.sql(`grant select on "${table}" to ${role}`);
      const lacks = (right: string, status: Finding['status'] = 'fail') =>
        only({
          check: 'permissions',
          status,
          remedy: `Let the owner run "grant ${right} to ${role}". "npx vitrine migrate --grant-to ${role}"`,
        });
      expect(faults(await look(environment, url))).toEqual(
        lacks('select on product_words, translated_words, slug_alias, product_variant, notice, term_translation'),
      );
      await database.sql(
        `grant select on product_words, translated_words, slug_alias, product_variant, notice, term_translation to ${role}`,
      );
      expect(faults(await look(environment, url))).toEqual(lacks('update (view_count) on notice'));
      await database.sql(`grant update (view_count) on notice to ${role}`);
      expect(faults(await look(environment, url))).toEqual([]);
      const limit = { check: 'connections', message: `connection limit of the role ${role}, 7` };
      expect(faults(await look(environment, url, 2))).toEqual(only(limit));
      await database.sql(`alter role ${role} connection limit 8`);
      expect(faults(await look(environment, url, 2))).toEqual([]);
      await database.sql(`create table "Maker" (id int); select vitrine_watch('"Maker"')`);
      expect(faults(await look(environment, url))).toEqual(lacks('select on "Maker"', 'warn'));
    } finally {
      await database.sql(`drop owned by ${role}; drop role ${role}; drop table if exists "Maker"`);
    }
  });

  test('notifications that do not come through', async () => {
    await using wire = await deafWireTo(database);
    const fault = { check: 'notifications', status: 'fail', remedy: 'DATABASE_DIRECT_URL' } as const;
    expect(faults(await look({}, wire.url))).toEqual(only(fault));
  });

  test('notifications that come late: it says how late, and later than two seconds is not at all', async () => {
    await using late = await deafWireTo(database, 300);
    await using tooLate = await deafWireTo(database, 3000);
    const [found, foundTooLate] = await Promise.all([look({}, late.url), look({}, tooLate.url)]);
    const [, tripMs] = /arrived after ([\d.]+) ms/.exec(messageOf(found, 'notifications')) ?? [];
    expect(Number(tripMs)).toBeGreaterThan(295);
    expect(messageOf(foundTooLate, 'notifications')).toMatch(/^one did not arrive/);
  });

  test.for<[string, { environment?: Record<string, string>; url?: object; instances?: number }, Partial<Finding>]>([
    [
      'more instances than the server has connections for',
      { environment: { DATABASE_POOL_SIZE: '100' }, instances: 50 },
      {
        check: 'connections',
        message: '5050 connections (50 instances of 101: DATABASE_POOL_SIZE and one) do not fit',
      },
    ],
    [
      'more workers than the server has connections for',
      { environment: { DATABASE_POOL_SIZE: '9', WORKERS: '39' } },
      {
        check: 'connections',
        message: '390 connections (1 instance of 390: DATABASE_POOL_SIZE and one, for each of 39 workers) do not fit',
      },
    ],
    [
      'a session that cannot write',
      { url: { search: '?options=-c%20default_transaction_read_only%3Don' } },
      { check: 'writable' },
    ],
    ['nobody listens', { url: { host: '127.0.0.1:1' } }, { check: 'database', remedy: 'Is PostgreSQL running there' }],
    ['a wrong password', { url: { password: 'wrong' } }, { check: 'database', remedy: 'User or password is wrong' }],
    ['no such database', { url: { pathname: '/nowhere' } }, { check: 'database', remedy: 'Create it (createdb)' }],
  ])('%s', async ([, { environment, url, instances }, fault]) => {
    const found = await look(environment, Object.assign(new URL(database.url), url).href, instances);
    expect(faults(found)).toEqual(only({ status: 'fail', ...fault }));
  });
});

test('the command exits with 1 when something is wrong, says so to people and to programs, and makes no data directory', async () => {
  await using folder = await temporaryFolder();
  const none = runCli(['doctor'], { DATA_DIR: `${folder.path}/none` });
  expect(await none.ended, none.output()).toBe(0);
  expect(none.output()).toContain('"npx vitrine serve" makes one');
  await expect(writeFile(`${folder.path}/none/x`, '')).rejects.toThrow('ENOENT');

  const well = runCli(['doctor'], { DATABASE_URL: database.url });
  expect(await well.ended, well.output()).toBe(0);
  expect(well.output()).toMatch(/^ok {4}notifications /m);
  expect(well.output()).toContain('Nothing is wrong.');

  const away = runCli(['doctor', '--json'], { DATABASE_URL: 'postgresql://x:secret@127.0.0.1:1/x' });
  expect(await away.ended).toBe(1);
  expect(away.output()).not.toContain('secret');
  expect(JSON.parse(away.output())).toMatchObject({
    ok: false,
    findings: [{ check: 'environment' }, { check: 'database', status: 'fail' }],
  });

  const misconfigured = runCli(['doctor'], { PORT: 'x' });
  expect(await misconfigured.ended).toBe(1);
  expect(misconfigured.output()).toContain('PORT must be a whole number');
});
