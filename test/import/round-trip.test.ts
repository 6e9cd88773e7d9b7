import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { importInto, jsonLines } from '../support/import.ts';
import { readPieces } from '../support/records.ts';

const COLUMNS = ['slug', 'name', 'description'];
const cell = fc.string({
  unit: fc.constantFrom('a', 'é', '🫖', '"', ',', ';', '\t', '|', '\n', '\r\n', ' ', "'", '\\'),
  maxLength: 8,
});
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** As a writer of CSV may do it: what needs quotes has them, and some of the rest has too. */
const toCsv = (rows: readonly (readonly string[])[], delimiter: string, lineEnd: string, isGenerous: boolean): string =>
  [COLUMNS, ...rows]
    .map((row) => row.map((text) => (isGenerous || /["\r\n,;\t|]/.test(text) ? quote(text) : text)).join(delimiter))
    .join(lineEnd);

test('whatever texts a CSV holds, with whatever delimiter, line ends and quotes, in whatever pieces it arrives, each is read as it is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 40, max: 200 }),
      async (rows, delimiter, lineEnd, isGenerous, size) => {
        const { records, faults } = await readPieces(toCsv(rows, delimiter, lineEnd, isGenerous), size);
        const read = records.map(({ fields }) => COLUMNS.map((column) => fields[column]));
        // A row of nothing but blanks is none.
        const filled = rows.filter((row) => row.some((text) => text.trim() !== ''));
        expect({ read, faults }).toEqual({ read: filled, faults: [] });
      },
    ),
    { numRuns: 200 },
  );
});

const text = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    fc.constantFrom('\\', '\t', '\n', '\r', '"', '{', '}', ',', '\\N', '\\.'),
  ),
  maxLength: 20,
});
const cents = fc.bigInt({ min: 0n, max: 99_999_999_999_999n });
const row = fc.record({
  description: text,
  brand: text,
  tags: fc.array(text, { maxLength: 4 }),
  price: cents,
  stock: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  publishedAt: fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  }),
});

test('what the checks let through is stored by PostgreSQL as it is, whatever the letters, amounts and moments', async () => {
  await using database = await createTestDatabase();
  const clean = (value: string): string => value.replaceAll('\0', '');
  const rows = fc.sample(row, 400).map((each, index) => ({
    ...each,
    slug: `p-${index}`,
    description: clean(each.description),
    brand: clean(each.brand),
    tags: each.tags.map(clean),
  }));
  const json = rows.map((each) => ({
    ...each,
    name: each.slug,
    category: 'Pans',
    price: `${each.price / 100n}.${String(each.price % 100n).padStart(2, '0')}`,
  }));
  const { created, faults } = await importInto(database, json.map((each) => JSON.stringify(each)).join('\n'));
  expect({ created, faults }).toEqual({ created: 400, faults: [] });
  const stored = await database.sql(
    'select slug, description, brand, tags, price, stock, published_at from product order by id',
  );
  for (const [index, each] of json.entries()) {
    const tags = [...new Set(each.tags.map((tag) => tag.trim()).filter(Boolean))];
    expect(stored[index]).toEqual({
      slug: each.slug,
      description: each.description.trim() === '' ? '' : each.description,
      brand: each.brand.trim() === '' ? null : each.brand,
      tags,
      price: each.price,
      stock: each.stock,
      published_at: each.publishedAt,
    });
  }
});

test('rows that were written to the microsecond, and come back in milliseconds as the API has them, are not written again', async () => {
  await using database = await createTestDatabase();
  await importInto(database, 'slug,name,category,price\nmug,Mug,Cups,1\n');
  await importInto(database, 'product,options,price\nmug,Size=S,1\n');
  await importInto(database, 'title,content\nSale,Now\n');
  for (const table of ['product', 'product_variant', 'notice', 'category'])
    await database.sql(
      `update ${table} set created_at = '2026-01-01 00:00:00.123456Z', updated_at = '2026-01-02 00:00:00.123456Z'`,
    );
  await database.sql(`update product set published_at = '2026-01-03 00:00:00.123456Z'`);
  await database.sql(`update notice set starts_at = '2026-01-03 00:00:00.123456Z'`);
  const times = { createdAt: '2026-01-01T00:00:00.123Z', updatedAt: '2026-01-02T00:00:00.123Z' };
  const shown = '2026-01-03T00:00:00.123Z';
  for (const row of [
    { slug: 'mug', name: 'Mug', ...times, publishedAt: shown },
    { product: 'mug', options: { Size: 'S' }, price: 1, ...times },
    { title: 'Sale', content: 'Now', ...times, startsAt: shown },
    { slug: 'cups', name: 'Cups', parentSlug: null, ...times },
  ])
    expect(await importInto(database, jsonLines([row]))).toMatchObject({
      created: 0,
      changed: 0,
      unchanged: 1,
      faults: [],
    });
  expect(await database.sql('select distinct updated_at::text from product')).toEqual([
    { updated_at: expect.stringContaining('.123456') },
  ]);
});
