import { expect, test } from 'vitest';
import { longText, shortText } from '../../src/import/fields/values.ts';
import { field, type ImportKind, required } from '../../src/import/kind.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { useImportDatabase } from '../support/import.ts';

const { sql, importText } = useImportDatabase();

/** All that a new kind takes: this, and its line in a list. */
const words: ImportKind = {
  table: 'word',
  plural: 'words',
  key: 'term',
  identity: {
    isSame: 'other.language = s.language and other.term = s.term',
    isFound: 't.language = s.language and t.term = s.term',
  },
  fields: {
    term: field('term', 'text', shortText(600), required),
    language: field('language', 'text', shortText(35), required),
    text: field('text', 'text', longText),
  },
  native: { summary: 'words', recognises: (has) => has('term') && has('language') && has('text') },
};

test('a kind of rows that the importer does not know is imported by what it says of itself', async () => {
  await sql(`create table word (
    id int generated always as identity primary key, language text, term text, text text not null default '-', unique (language, term))`);
  const csv = 'language,term,text\nde,Size,Größe\nfr,Size,Taille\n';
  const kinds = [...IMPORT_KINDS, words];
  expect(await importText(csv, { kinds } as object)).toMatchObject({
    created: 2,
    faults: [],
    kind: { plural: 'words' },
  });
  expect(await importText(`${csv}de,Colour,Farbe\n,Fit,Weite\nfr,Size,\n`, { kinds } as object)).toMatchObject({
    created: 1,
    changed: 1,
    unchanged: 1,
    faults: [
      { line: 3, column: 'term', reason: expect.stringContaining('is repeated in line 6') },
      { line: 5, column: 'language', reason: 'is missing, and the word "Fit" is new' },
    ],
  });
  expect(await sql('select language, term, text from word order by id')).toEqual([
    { language: 'de', term: 'Size', text: 'Größe' },
    { language: 'fr', term: 'Size', text: '-' },
    { language: 'de', term: 'Colour', text: 'Farbe' },
  ]);
  await sql('drop table word');
});
