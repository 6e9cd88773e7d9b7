import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { MIGRATIONS_DIRECTORY, readMigrationFiles } from '../../src/database/migrations/status.ts';
import { createTestDatabase } from '../support/database.ts';
import { openSchemaEngine } from '../support/schema-engine.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const pool = new pg.Pool({ connectionString: database.url });
pool.on('error', () => {}); // Dropping the database ends its connections.
afterAll(() => pool.end());
await pool.query(`insert into category (name, slug) values ('Shoes', 'shoes')`);
await pool.query(
  `insert into product (category_id, name, slug, price, sku) values (1, 'Boot', 'boot', 1, 'B-1'), (1, 'Shoe', 'shoe', 1, null)`,
);
await pool.query(`insert into product_variant (product_id, price, sku) values (1, 1, 'B-1-M')`);

const CATEGORY = { name: 'Hats', slug: 'hats' };
const PRODUCT = { category_id: 1, name: 'Cap', slug: 'cap', price: '9.90' };
const VARIANT = { product_id: 2, price: '9.90' };
const NOTICE = { title: 'Sale', content: 'Today' };

/** Inserts one row, returns it as text, and takes it back. */
const tryInsert = async (table: string, values: object): Promise<Record<string, string | null>> => {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local time zone 'UTC'`);
    const names = Object.keys(values);
    const { rows } = await client.query<{ row: Record<string, string | null> }>(
      `insert into ${table} (${names}) values (${names.map((_, index) => `$${index + 1}`)}) returning to_jsonb(${table}) as row`,
      Object.values(values),
    );
    return rows[0]?.row ?? {};
  } finally {
    await client.query('rollback');
    client.release();
  }
};

describe('an insert that names only the columns without a default', () => {
  const id = expect.any(Number);
  const now = expect.stringMatching(/^20\d\d-/);
  const stamps = { created_at: now, updated_at: now };

  test('makes a category', async () => {
    const rest = { parent_id: null, image_url: null, position: 0, translations: {} };
    expect(await tryInsert('category', CATEGORY)).toEqual({ ...CATEGORY, ...stamps, id, ...rest });
  });

  test('makes a product that is on sale', async () => {
    expect(await tryInsert('product', PRODUCT)).toEqual({
      ...PRODUCT,
      ...stamps,
      ...{ id, price: 9.9, subtitle: null, description: '', brand: null, tags: [], list_price: null, currency: 'USD' },
      ...{ stock: 0, sales: 0, image_url: null, image_urls: [], status: 'ON_SALE', published_at: now },
      ...{ sku: null, option_names: [], attributes: {}, image_alts: [], translations: {} },
    });
  });

  test('makes a variant', async () => {
    const rest = {
      sku: null,
      barcode: null,
      option_values: [],
      list_price: null,
      stock: 0,
      image_url: null,
      position: 0,
    };
    expect(await tryInsert('product_variant', VARIANT)).toEqual({ ...VARIANT, ...stamps, ...rest, id, price: 9.9 });
  });

  test('makes a notice that is in effect', async () => {
    expect(await tryInsert('notice', NOTICE)).toEqual({
      ...NOTICE,
      ...stamps,
      ...{ id, type: 'ANNOUNCEMENT', level: 'NORMAL', summary: null, pinned: false, status: 'PUBLISHED' },
      ...{ starts_at: now, ends_at: null, view_count: 0, translations: {} },
    });
  });
});

describe('the database refuses', () => {
  const valid = { category: CATEGORY, product: PRODUCT, product_variant: VARIANT, notice: NOTICE };

  test.for([
    ['category', { slug: 'shoes' }, 'category_slug_key'],
    ['category', { parent_id: 99 }, 'category_parent_id_fkey'],
    ['product', { category_id: 99 }, 'product_category_id_fkey'],
    ['product', { price: '-0.01' }, 'product_price_check'],
    ['product', { price: 'NaN' }, 'product_price_check'],
    ['product', { list_price: 'NaN' }, 'product_list_price_check'],
    ['product', { stock: -1 }, 'product_stock_check'],
    ['product', { sales: -1 }, 'product_sales_check'],
    ...['EU', '', 'eur', 'E€R', '1 2'].map((currency) => ['product', { currency }, 'product_currency_check'] as const),
    ['product', { tags: '{a,null}' }, 'product_tags_check'],
    ['product', { tags: '{{a},{b}}' }, 'product_tags_check'],
    ['product', { image_urls: '{null}' }, 'product_image_urls_check'],
    ['product', { published_at: 'infinity' }, 'product_moments_check'],
    ['product', { sku: 'B-1' }, 'product_sku_key'],
    ['product', { option_names: '{a,b,c,d,e,f}' }, 'product_option_names_check'],
    ['product', { option_names: '{a,b,a}' }, 'product_option_names_check'],
    ['product', { option_names: '{null}' }, 'product_option_names_check'],
    ['product', { option_names: '{{a},{b}}' }, 'product_option_names_check'],
    ['product', { option_names: '[0:1]={a,b}' }, 'product_option_names_check'],
    ...[
      '[]',
      '"a"',
      '1',
      'null',
      '{"a": null}',
      '{"a": {}}',
      '{"a": [1]}',
      '{"a": ["b", ["c"]]}',
      '{"a": 1, "b": [null]}',
    ].map((attributes) => ['product', { attributes }, 'product_attributes_check'] as const),
    ['product', { image_alts: '{null}' }, 'product_image_alts_check'],
    ['product_variant', { product_id: 99 }, 'product_variant_product_id_fkey'],
    ['product_variant', { sku: 'B-1-M' }, 'product_variant_sku_key'],
    ['product_variant', { product_id: 1 }, 'product_variant_product_id_option_values_key'],
    ['product_variant', { option_values: '{M}' }, 'product_variant_option_values_check'],
    ['product_variant', { option_values: '{null}' }, 'product_variant_option_values_check'],
    ['product_variant', { price: '-0.01' }, 'product_variant_price_check'],
    ['product_variant', { price: 'NaN' }, 'product_variant_price_check'],
    ['product_variant', { list_price: 'NaN' }, 'product_variant_list_price_check'],
    ['product_variant', { stock: -1 }, 'product_variant_stock_check'],
    ['product_variant', { updated_at: 'infinity' }, 'product_variant_moments_check'],
    ['notice', { starts_at: '2026-01-02', ends_at: '2026-01-02' }, 'notice_ends_at_check'],
    ['notice', { starts_at: '-infinity' }, 'notice_moments_check'],
    ['notice', { ends_at: 'infinity' }, 'notice_moments_check'],
    ['notice', { view_count: -1 }, 'notice_view_count_check'],
  ] as const)('a %s with %j (%s)', async ([table, fault, constraint]) => {
    await expect(tryInsert(table, { ...valid[table], ...fault })).rejects.toMatchObject({ constraint });
  });

  test.for(['{}', '{"a": "b", "c": 1.5, "d": true, "e": ["f", "g"], "h": []}'])(
    'no product with the attributes %s',
    async (attributes) => {
      const { attributes: stored } = await tryInsert('product', { ...PRODUCT, attributes });
      expect(stored).toEqual(JSON.parse(attributes));
    },
  );

  test('to lose a category that has products or children', async () => {
    await expect(
      pool.query(
        `with child as (insert into category (parent_id, name, slug) values (1, 'Boots', 'boots')) delete from category where id = 1`,
      ),
    ).rejects.toMatchObject({ constraint: 'category_parent_id_fkey' });
  });
});

describe('schema.prisma', () => {
  const diff = async (datamodel: string): Promise<string | null> => {
    using engine = await openSchemaEngine(pool, datamodel);
    const files = [{ path: 'schema.prisma', content: datamodel }];
    const { stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files, configDir: '.' },
      to: { tag: 'schemaDatamodel', files },
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    // As the other tables have it; the engine takes the two for the same.
    return stdout?.replaceAll(/\bSERIAL\b/g, 'INTEGER GENERATED BY DEFAULT AS IDENTITY') ?? null;
  };

  test('is what the migrations have made', async () => {
    const datamodel = await readFile(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8');
    expect(
      await diff(datamodel),
      'put the SQL that is missing into prisma/migrations/<YYYYMMDDhhmmss>_<name>/migration.sql',
    ).toBe('-- This is an empty migration.\n');

    // Nor is the diff blind: a default, a foreign key and the condition of an index each show in it.
    expect(await diff(datamodel.replace('@default("USD")', '@default("EUR")'))).toContain("SET DEFAULT 'EUR'");
    expect(await diff(datamodel.replace('onDelete: Restrict', 'onDelete: Cascade'))).toContain('ON DELETE CASCADE');
    expect(await diff(datamodel.replace("'ON_SALE'::", "'DRAFT'::"))).toContain("WHERE (status = 'DRAFT'");
  });

  test('prints the key of a new table as the other tables have it', async () => {
    const datamodel = await readFile(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8');
    const model = 'model Maker {\n  id Int @id @default(autoincrement())\n}\n';
    expect(await diff(`${datamodel}\n${model}`)).toContain('"id" INTEGER GENERATED BY DEFAULT AS IDENTITY NOT NULL');
  });
});

/** Foreign keys for which no index begins with their columns: each deletion of what they refer to reads the whole table. */
const keysWithoutIndex = (client: pg.ClientBase | pg.Pool) =>
  client.query(`
    select conrelid::regclass || ' (' || string_agg(attname, ', ' order by place) || ')' as key
    from pg_constraint c
    cross join unnest(conkey) with ordinality as k (attnum, place)
    join pg_attribute a on a.attrelid = conrelid and a.attnum = k.attnum
    where contype = 'f' and not exists (
      select from pg_index i where i.indrelid = conrelid and (i.indkey::int2[])[0:cardinality(conkey) - 1] @> conkey)
    group by conrelid, c.oid`);

test('each foreign key has an index', async () => {
  const { rows } = await keysWithoutIndex(pool);
  expect(rows, 'add @@index([…]) with the columns of the relation to the model in prisma/schema.prisma').toEqual([]);
  const client = await pool.connect();
  await client.query('begin; alter table notice add column product_id int references product');
  expect((await keysWithoutIndex(client)).rows).toEqual([{ key: 'notice (product_id)' }]);
  await client.query('rollback');
  client.release();
});

test("Prisma's own engine finds every migration applied as the folder has it", async () => {
  using engine = await openSchemaEngine(pool, '');
  const files = await readMigrationFiles(MIGRATIONS_DIRECTORY);
  const migrationsList = {
    baseDir: MIGRATIONS_DIRECTORY,
    lockfile: { path: 'migration_lock.toml', content: null },
    shadowDbInitScript: '',
    migrationDirectories: files.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: script } },
    })),
  };
  const filters = { externalTables: [], externalEnums: [] };
  expect(
    await engine.diagnoseMigrationHistory({ migrationsList, filters, optInToShadowDatabase: false }),
  ).toMatchObject({ hasMigrationsTable: true, history: null, failedMigrationNames: [], editedMigrationNames: [] });
});
