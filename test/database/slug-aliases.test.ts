import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const { sql } = database;

beforeEach(async () => {
  await emptyTables(database);
  await sql(`insert into category (name, slug) values ('Shoes', 'shoes')`);
  await sql(
    `insert into product (category_id, name, slug, price) values (1, 'Boot', 'boot', 1), (1, 'Clog', 'clog', 1)`,
  );
});

/** Each as `language:slug>id`. */
const aliases = async (kind = 'product'): Promise<string[]> => {
  const rows = await sql<{ alias: string }>(
    `select concat(language, ':', slug, '>', id) as alias from slug_alias where kind = $1 order by 1`,
    [kind],
  );
  return rows.map(({ alias }) => alias);
};

const client = new pg.Client({ connectionString: database.url });
client.on('error', () => {}); // Dropping the database ends its connections.
await client.connect();
afterAll(() => client.end());

/** Several statements in one transaction. */
const together = async (...statements: string[]): Promise<void> => {
  await client.query('begin');
  try {
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};

const translate = (id: number, translations: object): Promise<unknown> =>
  sql('update product set translations = $2 where id = $1', [id, JSON.stringify(translations)]);

describe('a slug that a product had before', () => {
  test('leads to it, until another takes it', async () => {
    await sql(`update product set slug = 'ankle-boot' where id = 1`);
    expect(await aliases()).toEqual([':boot>1']);
    await sql(`update product set slug = 'boot' where id = 2`);
    expect(await aliases()).toEqual([':clog>2']);
    await sql(`insert into product (category_id, name, slug, price) values (1, 'New clog', 'clog', 1)`);
    expect(await aliases()).toEqual([]);
  });

  test('is none once the product has it again', async () => {
    await sql(`update product set slug = 'ankle-boot' where id = 1`);
    await sql(`update product set slug = 'boot' where id = 1`);
    expect(await aliases()).toEqual([':ankle-boot>1']);
  });

  test('leads to the one that had it last', async () => {
    await sql(`update product set slug = 'ankle-boot' where id = 1`);
    await sql(`update product set slug = 'boot' where id = 2`);
    await sql(`update product set slug = 'wooden-clog' where id = 2`);
    expect(await aliases()).toEqual([':boot>2', ':clog>2']);
  });

  test('is the one that others have seen: a slug that one transaction gives and takes away leaves nothing', async () => {
    await together(
      `update product set slug = 'e4eaaaf2-d142-11e1-b3e4-080027620cdd' where id = 1`,
      `update product set slug = 'ankle-boot' where id = 1`,
    );
    expect(await aliases()).toEqual([':boot>1']);
  });

  test('is known also where the transaction has changed something else first', async () => {
    await together(`update product set price = 2`, `update product set slug = 'ankle-boot' where id = 1`);
    expect(await aliases()).toEqual([':boot>1']);
  });

  test('is none where two products change slugs, in one way or another', async () => {
    await together(
      `update product set slug = 'passing' where id = 1`,
      `update product set slug = 'boot' where id = 2`,
      `update product set slug = 'clog' where id = 1`,
    );
    expect(await aliases()).toEqual([]);
    await together(
      `update product set slug = id || '-passing'`,
      `update product set slug = case id when 1 then 'boot' else 'clog' end`,
    );
    expect(await aliases()).toEqual([]);
  });

  test('is none of a product that the transaction itself has made', async () => {
    await together(
      `insert into product (category_id, name, slug, price) values (1, 'Cap', 'passing', 1)`,
      `update product set slug = 'cap-' || id where slug = 'passing'`,
    );
    expect(await aliases()).toEqual([]);
  });

  test('goes with the product, and with all of them', async () => {
    await sql(`update product set slug = slug || '-2', translations = '{"de": {"slug": "x"}}' where id = 1`);
    await sql('delete from product where id = 1');
    expect(await aliases()).toEqual([]);
    await sql(`update product set slug = 'clog-2'`);
    await sql('truncate product cascade');
    expect(await aliases()).toEqual([]);
  });

  test('and so with categories', async () => {
    await sql(`update category set slug = 'footwear', translations = '{"de": {"slug": "schuhe"}}'`);
    expect(await aliases('category')).toEqual([':shoes>1', 'de:schuhe>1']);
    await sql(`insert into category (name, slug) values ('Shoes again', 'shoes')`);
    expect(await aliases('category')).toEqual(['de:schuhe>1']);
    await sql('delete from product; delete from category');
    expect(await aliases('category')).toEqual([]);
  });
});

describe('a translated slug', () => {
  test('leads to its product, and does so as a former one after another took its place', async () => {
    await translate(1, { de: { slug: 'stiefel' }, 'pt-BR': { slug: 'bota' } });
    expect(await aliases()).toEqual(['de:stiefel>1', 'pt-BR:bota>1']);
    await translate(1, { de: { slug: 'stiefelette' } });
    expect(await aliases()).toEqual([':bota>1', ':stiefel>1', 'de:stiefelette>1']);
    await translate(1, { de: { slug: 'stiefel' } });
    expect(await aliases()).toEqual([':bota>1', ':stiefelette>1', 'de:stiefel>1']);
  });

  test('that is empty is none', async () => {
    await translate(1, { de: { slug: '', name: 'Stiefel' } });
    expect(await aliases()).toEqual([]);
  });

  test('is that of one product in a language, and may be that of another in another', async () => {
    await translate(1, { de: { slug: 'stiefel' } });
    await translate(2, { nl: { slug: 'stiefel' } });
    await expect(translate(2, { de: { slug: 'stiefel' } })).rejects.toMatchObject({
      code: '23505',
      constraint: 'slug_alias_kind_slug_language_key',
      detail: 'Key (kind, slug, language)=(product, stiefel, de) already exists.',
    });
    expect(await aliases()).toEqual(['de:stiefel>1', 'nl:stiefel>2']);
  });

  test('may be given by an insert', async () => {
    await sql(
      `insert into product (category_id, name, slug, price, translations) values (1, 'Cap', 'cap', 1, '{"de": {"slug": "kappe"}}'), (1, 'Hat', 'hat', 1, '{}')`,
    );
    expect(await aliases()).toEqual(['de:kappe>3']);
  });

  test('changes places with another in one statement', async () => {
    await translate(1, { de: { slug: 'stiefel' } });
    await translate(2, { de: { slug: 'pantine' } });
    await sql(
      `update product set translations = jsonb_build_object('de', jsonb_build_object('slug', case id when 1 then 'pantine' else 'stiefel' end))`,
    );
    expect(await aliases()).toEqual(['de:pantine>1', 'de:stiefel>2']);
  });
});

test('ten thousand slugs change in one statement within seconds', async () => {
  await sql(
    `insert into product (category_id, name, slug, price) select 1, 'Many', 'many-' || n, 1 from generate_series(1, 10000) n`,
  );
  const beganMs = performance.now();
  await sql(`update product set slug = 'all-' || id`);
  expect(performance.now() - beganMs).toBeLessThan(20_000);
  expect(await sql('select count(*)::int as count from slug_alias')).toEqual([{ count: 10_002 }]);
});
