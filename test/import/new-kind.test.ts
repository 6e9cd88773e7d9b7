import { expect, test } from 'vitest';
import { integer, longText, shortText } from '../../src/import/fields/values.ts';
import { field, type ImportKind, required } from '../../src/import/kind.ts';
import { findExisting, STAGE } from '../../src/import/write/stage.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { useImportDatabase } from '../support/import.ts';

const { sql, importText } = useImportDatabase();

/** All that a new kind takes: this, and its line in a list. */
const stores: ImportKind = {
  table: 'store',
  plural: 'stores',
  key: 'city',
  identity: {
    isSame: 'other.country = s.country and other.city = s.city',
    isFound: 't.country = s.country and t.city = s.city',
  },
  fields: {
    city: field('city', 'text', shortText(600), required),
    country: field('country', 'text', shortText(35), required),
    text: field('text', 'text', longText),
  },
  native: {
    summary: 'stores',
    needs: 'city and country',
    recognises: (has) => has('city') && has('country') && has('text'),
  },
};

test('a kind of rows that the importer does not know is imported by what it says of itself', async () => {
  await sql(`create table store (
    id int generated always as identity primary key, country text, city text, text text not null default '-', unique (country, city))`);
  const csv = 'country,city,text\nde,Bonn,Am Markt\nfr,Lille,Place\n';
  const kinds = [...IMPORT_KINDS, stores];
  expect(await importText(csv, { kinds } as object)).toMatchObject({
    created: 2,
    faults: [],
    kind: { plural: 'stores' },
  });
  expect(await importText(`${csv}de,Köln,Am Dom\n,Metz,Gare\nfr,Lille,\n`, { kinds } as object)).toMatchObject({
    created: 1,
    changed: 1,
    unchanged: 1,
    faults: [
      { line: 3, column: 'city', reason: expect.stringContaining('is repeated in line 6') },
      { line: 5, column: 'country', reason: 'is missing, and the store "Metz" is new' },
    ],
  });
  expect(await sql('select country, city, text from store order by id')).toEqual([
    { country: 'de', city: 'Bonn', text: 'Am Markt' },
    { country: 'fr', city: 'Lille', text: '-' },
    { country: 'de', city: 'Köln', text: 'Am Dom' },
  ]);
  await sql('drop table store');
});

test('a rejected row of a kind that keeps such rows is staged by its key, whatever column that is in', async () => {
  await sql(
    'create table branch (id int generated always as identity primary key, store_number text unique, floors int not null default 1)',
  );
  const staged: unknown[] = [];
  const branches: ImportKind = {
    table: 'branch',
    plural: 'branches',
    key: 'storeNumber',
    keepsRejected: true,
    fields: {
      storeNumber: field('store_number', 'text', shortText(600), required),
      floors: field('floors', 'int', integer(1, 99)),
    },
    native: { summary: 'branches', needs: 'storeNumber', recognises: (has) => has('storenumber') && has('floors') },
    write: {
      find: async ({ client, kind }) => {
        const { rows } = await client.query(`select store_number, is_rejected from ${STAGE} order by ordinal`);
        staged.push(...rows);
        await findExisting({ client, kind });
      },
    },
  };
  const csv = 'storeNumber,floors\n7,1\n8,none\n';
  const { created, faults } = await importText(csv, { kinds: [...IMPORT_KINDS, branches] } as object);
  expect({ created, faults }).toMatchObject({ created: 1, faults: [{ line: 3, column: 'floors' }] });
  expect(staged).toEqual([
    { store_number: '7', is_rejected: false },
    { store_number: '8', is_rejected: true },
  ]);
  await sql('drop table branch');
});
