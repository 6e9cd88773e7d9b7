import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileColumns } from '../../src/import/formats/columns.ts';
import { columnsOfFormat, formatsOf } from '../../src/import/formats/formats.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';

const PAGE = await readFile(path.join(import.meta.dirname, '../../docs/import.md'), 'utf8');
const SECTIONS = new Map(
  PAGE.split(/^## /m).flatMap((section) => {
    const format = /^Format `(.*)`/.exec(section)?.[1];
    return format ? [[format, section] as const] : [];
  }),
);

/** The columns in the first cells of a section's table. */
const columnsOf = (format: string): string[] =>
  [...(SECTIONS.get(format) ?? '').matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]*)`/g)].map(([, column = '']) => column),
  );

describe('docs/import.md', () => {
  test('has every format', () => {
    expect([...SECTIONS.keys()].sort()).toEqual(
      formatsOf(IMPORT_KINDS)
        .map(({ name }) => name)
        .sort(),
    );
  });

  test.for(formatsOf(IMPORT_KINDS))('names only columns that are read: $name', (format) => {
    const known = new FileColumns(format);
    const columns = columnsOf(format.name);
    expect(columns).not.toEqual([]);
    expect(columns.filter((column) => known.nameOf(column) === undefined)).toEqual([]);
  });

  test.for(formatsOf(IMPORT_KINDS))('names every column that is read: $name', (format) => {
    const named = new Set(columnsOf(format.name));
    expect(columnsOfFormat(format).filter((column) => !named.has(column))).toEqual([]);
  });
});
