import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { isObjectType, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { getDatamodel } from '../../src/database/generated/pothos.ts';
import { TABLES } from '../../src/database/generated/tables.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { schema } from '../support/schema.ts';

/** The names of an object type's fields. */
const fieldsOf = (type: string): string[] => {
  const found = schema.getType(type);
  return isObjectType(found) ? Object.keys(found.getFields()) : [];
};

describe('a column is not forgotten:', () => {
  /** Columns that clients do not see as they are, and why. */
  const NOT_IN_GRAPHQL: Readonly<Record<string, readonly string[]>> = {
    // The object is shown instead; the price has its currency; the others say who sees it, and when it stood where.
    Product: ['categoryId', 'currency', 'status', 'optionNames', 'imageAlts'],
    ProductVariant: ['productId', 'optionValues'],
    Category: ['parentId', 'position', 'createdAt', 'updatedAt'],
    Notice: ['status', 'translations'],
    // Labels stand beside the names that they are for.
    TermTranslation: ['language', 'term', 'text'],
  };
  const columnsOf = (model: string): string[] =>
    (getDatamodel().datamodel.models[model]?.fields ?? [])
      .filter(({ kind }) => kind !== 'object')
      .map(({ name }) => name);

  test.for(Object.keys(getDatamodel().datamodel.models))('%s shows each in GraphQL', (model) => {
    const forgotten = columnsOf(model).filter(
      (column) => !fieldsOf(model).includes(column) && !NOT_IN_GRAPHQL[model]?.includes(column),
    );
    expect(
      forgotten,
      `add the column where src has builder.prismaObject('${model}') and run "npm run generate", or add it to NOT_IN_GRAPHQL in this file`,
    ).toEqual([]);
  });

  /** Columns that no file can fill. */
  const NOT_IMPORTED: Readonly<Record<string, readonly string[]>> = {
    // Files name a category by its path or slug.
    product: ['id', 'categoryId'],
    product_variant: ['id', 'productId'],
    category: ['id', 'parentId'],
    notice: ['id'],
  };

  test.for(IMPORT_KINDS)('a file may fill each of a $table', ({ table, fields }) => {
    const [model = ''] = Object.entries(TABLES).find(([, name]) => name === table) ?? [];
    expect(
      model,
      `the table ${table} has no model in prisma/schema.prisma, or npm run generate:client was not run after it`,
    ).not.toBe('');
    const forgotten = columnsOf(model).filter((column) => !fields[column] && !NOT_IMPORTED[table]?.includes(column));
    expect(
      forgotten,
      `add a line for the column where src has the import of table: '${table}', or add it to NOT_IMPORTED in this file`,
    ).toEqual([]);
  });

  /** The seven paths answer what they did before there were variants and languages. A field that is shown in GraphQL only comes here. */
  const NOT_IN_REST = [
    ...['attributes', 'images', 'options', 'priceRange', 'related', 'sku', 'variant', 'variants'],
    ...['featuredVariant', 'language', 'listPriceRange', 'tagLabels', 'translations'],
  ];

  test.for([
    ['Product', 'product-fields'],
    ['Notice', 'notice-fields'],
  ] as const)('REST answers each field of a %s', async ([type, document]) => {
    const file = new URL(`../../src/rest/operations/${document}.graphql`, import.meta.url);
    const [fragment] = parse(await readFile(file, 'utf8')).definitions;
    const selected =
      fragment?.kind === Kind.FRAGMENT_DEFINITION
        ? fragment.selectionSet.selections.map((each) => (each.kind === Kind.FIELD ? each.name.value : ''))
        : [];
    const forgotten = fieldsOf(type).filter((field) => !selected.includes(field) && !NOT_IN_REST.includes(field));
    expect(
      forgotten,
      `add the field to src/rest/operations/${document}.graphql, or to NOT_IN_REST in this file`,
    ).toEqual([]);
  });
});

test('mutations that a module adds are refused with the schema, because the program only reads', async () => {
  const builder = new URL('../../src/graphql/builder.ts', import.meta.url);
  const module = `import { builder } from '${builder}';
    builder.mutationType({ fields: (t) => ({ buy: t.int({ resolve: () => 1 }), sell: t.int({ resolve: () => 1 }) }) });`;
  const schema = new URL('../../src/schema.ts', import.meta.url);
  const program = `${module} const { createSchema } = await import('${schema}'); createSchema();`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  await expect(run).rejects.toThrow('The schema has mutations (buy, sell), and this program only reads');
});
