import { beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { openSession } from '../support/session.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const { sql } = database;

beforeEach(async () => {
  await emptyTables(database);
  await sql(`insert into category (name, slug) values ('Shoes', 'shoes')`);
  await sql(`insert into notice (title, content) values ('Sale', 'Today')`);
  await sql(
    `insert into product (category_id, name, slug, price, brand, tags, subtitle) values
       (1, 'Boot', 'boot', 1, 'Acme', '{warm,new}', 'of leather'), (1, 'Clog', 'clog', 1, null, '{new}', null)`,
  );
});

const write = (table: string, translations: unknown): Promise<unknown> =>
  sql(`update ${table} set translations = $1`, [JSON.stringify(translations)]);

describe('translations', () => {
  test('are texts by language', async () => {
    await write('category', { de: { name: 'Schuhe', slug: 'schuhe' }, 'zh-Hant-TW': {}, 'sl-rozaj-1994': {} });
    await write('notice', { 'pt-BR': { title: '', summary: 'x', content: 'y' }, 'es-419': {} });
    await sql(`update product set translations = $1 where id = 1`, [
      JSON.stringify({ de: { name: '', slug: 's', subtitle: '', description: '', image_alts: ['a', null, ''] } }),
    ]);
  });

  test.each<[string, unknown]>([
    ['product', []],
    ['product', 'de'],
    ['product', null],
    ['product', { de: 'Stiefel' }],
    ['product', { de: null }],
    ['product', { de: { name: null } }],
    ['product', { de: { name: 1 } }],
    ['product', { de: { name: ['Stiefel'] } }],
    ['product', { de: { title: 'Stiefel' } }],
    ['product', { de: { brand: 'Acme' } }],
    ['product', { de: { image_alts: 'Stiefel' } }],
    ['product', { de: { image_alts: [1] } }],
    ['product', { de: { image_alts: [['Stiefel']] } }],
    ['product', { DE: { name: 'Stiefel' } }],
    ['product', { de_DE: { name: 'Stiefel' } }],
    ['product', { 'de-de': { name: 'Stiefel' } }],
    ['product', { 'zh-hant': { name: 'Stiefel' } }],
    ['product', { '': { name: 'Stiefel' } }],
    ['product', { german: {}, 'de-': {} }],
    ['category', { de: { title: 'Schuhe' } }],
    ['category', { de: { subtitle: 'Schuhe' } }],
    ['category', { de: { image_alts: [] } }],
    ['notice', { de: { name: 'Schluss' } }],
    ['notice', { de: { slug: 'schluss' } }],
  ])('of a %s are not %j', async (table, translations) => {
    await expect(write(table, translations)).rejects.toMatchObject({
      code: '23514',
      constraint: `${table}_translations_check`,
    });
  });

  test('of a term are in a language', async () => {
    await sql(`insert into term_translation values ('pt-BR', 'warm', 'quente')`);
    await expect(sql(`insert into term_translation values ('pt_BR', 'warm', 'quente')`)).rejects.toMatchObject({
      constraint: 'term_translation_language_check',
    });
  });
});

/** The words of a product by language, without their places, and how it is called. */
const wordsOf = async (id: number): Promise<Record<string, string>> => {
  const rows = await sql<{ language: string; words: string }>(
    `select language, concat(name, ': ', array_to_string(tsvector_to_array(words), ' ')) as words from translated_words where product_id = $1`,
    [id],
  );
  return Object.fromEntries(rows.map(({ language, words }) => [language, words]));
};

const translate = (id: number, translations: object): Promise<unknown> =>
  sql('update product set translations = $2 where id = $1', [id, JSON.stringify(translations)]);

describe('the words of a product in a language', () => {
  test('are those of its texts as they are shown', async () => {
    await translate(1, {
      de: { name: 'Stiefel', subtitle: '' },
      'pt-BR': { subtitle: 'de couro' },
      pt: { name: 'Bota' },
    });
    expect(await wordsOf(1)).toEqual({
      de: 'Stiefel: =de acme leather new of stiefel warm',
      pt: 'Bota: =pt acme bota leather new of warm',
      'pt-BR': 'Bota: =pt-BR acme bota couro de new warm',
    });
    await sql(`update product set brand = 'Bora' where id = 1`);
    expect(await wordsOf(1)).toMatchObject({ de: 'Stiefel: =de bora leather new of stiefel warm' });
    await translate(1, {});
    expect(await wordsOf(1)).toEqual({});
  });

  test('are made when it is inserted, and go with it', async () => {
    await sql(
      `insert into product (category_id, name, slug, price, translations) values (1, 'Cap', 'cap', 1, '{"de": {"name": "Kappe"}}')`,
    );
    expect(await wordsOf(3)).toEqual({ de: 'Kappe: =de kappe' });
    await sql('delete from product where id = 3');
    expect(await wordsOf(3)).toEqual({});
    await sql(
      `insert into product (category_id, name, slug, price, translations) select 1, 'Cap', 'cap-' || n, 1, '{"de": {"name": "Kappe"}}' from generate_series(1, 3) n`,
    );
    await sql('truncate product cascade');
    expect(await sql('select * from translated_words')).toEqual([]);
  });

  test('have the labels of its tags', async () => {
    await sql(
      `insert into term_translation values ('de', 'warm', 'warm gefüttert'), ('de', 'new', 'neu'), ('fr', 'new', '')`,
    );
    expect(await wordsOf(1)).toEqual({ de: 'Boot: =de acme boot gefuttert leather neu of warm' });
    expect(await wordsOf(2)).toEqual({ de: 'Clog: =de clog neu' });
    await sql(`update term_translation set text = 'frisch' where term = 'new' and language = 'de'`);
    expect(await wordsOf(2)).toEqual({ de: 'Clog: =de clog frisch' });
    await sql(`update product set tags = '{warm}' where id = 2`);
    expect(await wordsOf(2)).toEqual({ de: 'Clog: =de clog gefuttert warm' });
    await sql(`delete from term_translation where term = 'warm'`);
    expect(await wordsOf(2)).toEqual({});
    expect(await wordsOf(1)).toEqual({ de: 'Boot: =de acme boot frisch leather of warm' });
    await sql('truncate term_translation');
    expect(await wordsOf(1)).toEqual({});
  });

  test('have the labels of a parent, where the language has none', async () => {
    await translate(1, { 'pt-BR': { name: 'Bota' } });
    await sql(
      `insert into term_translation values ('pt', 'warm', 'quente'), ('pt', 'new', 'novo'), ('pt-BR', 'new', 'nova')`,
    );
    expect(await wordsOf(1)).toEqual({
      pt: 'Boot: =pt acme boot leather novo of quente',
      'pt-BR': 'Bota: =pt-BR acme bota leather nova of quente',
    });
  });

  test('have that of a tag without a letter', async () => {
    await sql(`update product set tags = '{🔥}' where id = 2`);
    await sql(`insert into term_translation values ('de', '🔥', 'heiß')`);
    expect(await wordsOf(2)).toEqual({ de: 'Clog: =de clog heiss' });
  });

  test('are made anew by vitrine_make_words', async () => {
    await translate(1, { de: { name: 'Stiefel' } });
    await sql('delete from translated_words');
    await sql(`select vitrine_make_words('product')`);
    expect(await wordsOf(1)).toEqual({ de: 'Stiefel: =de acme leather new of stiefel warm' });
  });

  test('are right also where a product and a label of its tag are written at once, whichever comes first', async () => {
    await using one = await openSession(database);
    await using other = await openSession(database);
    const waits = `select from pg_stat_activity where datname = current_database() and application_name = 'back office' and wait_event_type = 'Lock'`;
    const insert = (slug: string) =>
      `insert into product (id, category_id, name, slug, price, tags) values (default, 1, 'Cap', '${slug}', 1, '{summer}')`;
    for (const [first, second] of [
      [insert('cap'), `insert into term_translation values ('de', 'summer', 'Sommer')`],
      [`update term_translation set text = 'Hochsommer' where term = 'summer'`, insert('hat')],
    ] as const) {
      await one.query('begin');
      await one.query(first);
      const waiting = other.query(second);
      await expect.poll(() => sql(waits)).toHaveLength(1);
      await one.query('commit');
      await waiting;
    }
    const rows = await sql(
      `select array_to_string(tsvector_to_array(w.words), ' ') as words from translated_words w join product p on p.id = product_id where slug in ('cap', 'hat')`,
    );
    expect(rows).toEqual([{ words: '=de cap hochsommer' }, { words: '=de cap hochsommer' }]);
  });
});
