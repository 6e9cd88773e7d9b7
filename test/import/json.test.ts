import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonNumber } from '../../src/import/record.ts';
import { Languages } from '../../src/language/languages.ts';
import { jsonLines, linesOf, useImportDatabase } from '../support/import.ts';
import { readPieces } from '../support/records.ts';

const { sql, importText } = useImportDatabase();

const product = (slug: string) => ({ slug, name: slug.toUpperCase(), category: 'Pans', price: 1.5 });
const good = ['a', 'b', 'c'].map(product);

describe('products are read', () => {
  test.each([
    ['a JSON array', JSON.stringify(good)],
    ['an indented one', JSON.stringify(good, null, 2)],
    ['JSON Lines', jsonLines(good)],
    ['JSON Lines of one line', JSON.stringify({ ...good[0], tags: ['x'] })],
    ['a list in an object', JSON.stringify({ note: '[{"', limit: [1], products: good, total: 3 })],
    ['a list in an object that has a name of a product', JSON.stringify({ handle: 'all', products: good })],
    ["the gateway's own answer", JSON.stringify({ data: { products: good } }, null, 2)],
  ])('from %s', async (name, text) => {
    const { created, faults } = await importText(text);
    expect({ created, faults }).toEqual({ created: name.endsWith('one line') ? 1 : 3, faults: [] });
  });

  test('as the API answers them', async () => {
    await importText(
      JSON.stringify([
        {
          id: 9,
          name: 'Pan',
          slug: 'pan',
          tags: ['a,b', 'c"d\\'],
          price: { amount: '64.00', currencyCode: 'CHF' },
          listPrice: { amount: '70.00', currencyCode: 'CHF' },
          category: { id: 4, name: 'Cookware', slug: 'pots' },
          imageUrls: ['/a b.svg'],
        },
      ]),
    );
    expect(
      await sql(
        `select p.name, tags, price, currency, list_price, image_urls, c.slug, c.name as category from product p join category c on c.id = category_id`,
      ),
    ).toEqual([
      {
        name: 'Pan',
        tags: ['a,b', 'c"d\\'],
        price: '64.00',
        currency: 'CHF',
        list_price: '70.00',
        image_urls: ['/a b.svg'],
        slug: 'pots',
        category: 'Cookware',
      },
    ]);
  });
});

test.each([
  ['two lines, the last without an end', 2],
  ['one line', 1],
])('products on lines of their own, with lists of objects in them, are %s', async (_, count) => {
  const lines = ['a', 'b']
    .slice(0, count)
    .map((slug) =>
      JSON.stringify({ slug, name: slug, category: 'C', price: 1, attributes: [{ name: 'W', values: ['1.5'] }] }),
    );
  expect(await importText(lines.join('\n'))).toMatchObject({ container: 'JSON Lines', created: count, faults: [] });
});

test("the demo catalogue's files are in native formats", async () => {
  const languages = new Languages(['en', 'de', 'ja']);
  const counts: Record<string, number> = {};
  for (const name of ['terms', 'categories', 'kitchen-and-table', 'home-and-study', 'outdoors', 'notices']) {
    const file = await readFile(new URL(`../../prisma/demo/${name}.json`, import.meta.url));
    const { kind, created, faults, unusedColumns } = await importText(file, { languages });
    expect({ faults, unusedColumns }).toEqual({ faults: [], unusedColumns: [] });
    counts[kind.plural] = (counts[kind.plural] ?? 0) + created;
  }
  expect(counts).toEqual({ terms: 611, categories: 11, products: 152, notices: 25 });
});

describe('what is broken costs no other row', () => {
  const broken: [name: string, text: string][] = [
    ['a comma too many', '{"slug": "x", "name": "X",}'],
    ['a quote that is missing', '{"slug": "x, "name": "X"}'],
    ['a bracket that is missing', '{"slug": "x", "tags": ["a", "name": "X"}'],
    ['a brace that is missing', '{"slug": "x", "name": "X"'],
    ['no object at all', '42'],
    ['half a surrogate pair', '{"slug": "x", "name": "\\ud83d", "category": "Pans", "price": 1}'],
  ];
  test.each(broken)('in a JSON array, if its brackets match: %s', async (name, row) => {
    const [a, b, c] = good.map((each) => JSON.stringify(each));
    const { created, faults } = await importText(`[\n  ${a},\n  ${b},\n  ${row},\n  ${c}\n]\n`);
    const isRestLost = name.endsWith('that is missing');
    expect({ created, line: faults[0]?.line }).toEqual({ created: isRestLost ? 2 : 3, line: 4 });
    if (isRestLost) expect(faults.at(-1)?.reason).toMatch(/What follows is not read|cut off/);
    else expect(faults).toHaveLength(1);
  });

  test('but a JSON array whose brackets do not match is not read further, however long it is', async () => {
    const rows = Array.from({ length: 40_000 }, (_, index) => JSON.stringify(product(`p-${index}`)));
    rows.splice(1, 0, '{"slug": "x", "tags": ["a"');
    const { created, faults } = await importText(`[\n${rows.join(',\n')}\n]\n`);
    expect({ created, lines: linesOf(faults) }).toEqual({ created: 1, lines: [3] });
  });

  test.each(broken)('in JSON Lines: %s', async (_, row) => {
    const [a, b, c] = good.map((each) => JSON.stringify(each));
    const { created, faults } = await importText(`${a}\n${b}\n${row}\n${c}\n`);
    expect({ created, lines: linesOf(faults) }).toEqual({ created: 3, lines: [3] });
  });

  test('an array that is cut off, or followed by something', async () => {
    const text = JSON.stringify(good, null, 1);
    const cut = await importText(text.slice(0, -8));
    expect(cut.created).toBe(2);
    expect(cut.faults).toEqual([expect.objectContaining({ line: 14, reason: expect.stringContaining('cut off') })]);
    expect((await importText(`${text} 1`)).faults).toEqual([{ line: 20, reason: 'text follows the list: remove it' }]);
    const second = `{"products": ${JSON.stringify(good)},\n"categories": [{"slug": "c"}]}`;
    expect((await importText(second)).faults).toMatchObject([
      { line: 2, reason: expect.stringContaining('second list') },
    ]);
  });
});

/** Each number by its digits. */
const withDigits = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'number' ? new JsonNumber(String(each)) : each));

const object = fc.dictionary(
  fc.string({ unit: 'grapheme' }).filter((key) => key !== '__proto__'),
  fc.jsonValue(),
  { minKeys: 1, maxKeys: 4 },
);

test('whatever objects a JSON file has, in whatever pieces it arrives, each is read as it is and on its line', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(object, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(undefined, 1, 3),
      // The first piece is what tells the kind of file.
      fc.integer({ min: 64, max: 300 }),
      async (objects, indent, size) => {
        const { records, faults } = await readPieces(JSON.stringify(objects, null, indent), size);
        expect(faults).toEqual([]);
        expect(records.map(({ fields }) => fields)).toEqual(withDigits(objects));
        const lines = JSON.stringify(objects, null, indent).split('\n');
        for (const { line } of records) expect(lines[line - 1]).toContain('{');
      },
    ),
    { numRuns: 150 },
  );
});
