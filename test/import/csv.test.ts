import { describe, expect, test } from 'vitest';
import { linesOf, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();
const slugs = () => column('select slug from product order by slug');

test('a CSV of products is imported with its categories, and the same again changes nothing', async () => {
  const csv = `slug,name,category,price,listPrice,currency,stock,tags,imageUrls,status,publishedAt,description
pan,"Pan, 26 cm",Kitchen > Pans,19.9,25,EUR,7,iron|new,/a.svg|/b.svg,ON_SALE,2026-01-02T03:04:05Z,"It says ""hot"",
on two lines"
lid,Lid,Kitchen > Pans,5,,,0,,,draft,2026-01-02,
`;
  const first = await importText(csv);
  expect(first).toMatchObject({ created: 2, changed: 0, unchanged: 0, createdCategories: 2, faults: [] });
  const rows = await sql(`
    select p.slug, p.name, price, list_price, currency, stock, tags, image_urls, p.status, published_at, description,
      c.slug as category, parent.slug as parent
    from product p join category c on c.id = category_id join category parent on parent.id = c.parent_id order by p.id`);
  expect(rows).toEqual([
    {
      slug: 'pan',
      name: 'Pan, 26 cm',
      price: '19.90',
      list_price: '25.00',
      currency: 'EUR',
      stock: 7,
      tags: ['iron', 'new'],
      image_urls: ['/a.svg', '/b.svg'],
      status: 'ON_SALE',
      published_at: new Date('2026-01-02T03:04:05Z'),
      description: 'It says "hot",\non two lines',
      category: 'kitchen-pans',
      parent: 'kitchen',
    },
    expect.objectContaining({
      slug: 'lid',
      currency: 'USD',
      list_price: null,
      tags: [],
      status: 'DRAFT',
      description: '',
    }),
  ]);

  const before = await sql('select xmin, * from product order by id');
  expect(await importText(csv)).toMatchObject({ created: 0, changed: 0, unchanged: 2, createdCategories: 0 });
  expect(await sql('select xmin, * from product order by id')).toEqual(before);
});

test.each([
  ['semicolons', 'slug;name;category;price\npan;"Pan; big";Pans;19.90\n'],
  ['tabs', 'slug\tname\tcategory\tprice\npan\tPan; big\tPans\t19.90\n'],
  ['a byte order mark', '\uFEFF"slug",name,category,price\npan,Pan; big,Pans,19.90\n'],
  ['Windows line ends', 'slug,name,category,price\r\npan,Pan; big,Pans,19.90\r\n'],
  ['no line end at its end', 'slug,name,category,price\npan,Pan; big,Pans,19.90'],
  ['blank lines and rows', ',,,\nslug,name,category,price\n\npan,Pan; big,Pans,19.90\n, ,,\n\n'],
  ['other spellings of columns', 'SLUG,Name,Category Slug,category,PRICE\npan,Pan; big,,Pans,19.90\n'],
])('a CSV with %s is read', async (_, csv) => {
  expect(await importText(csv)).toMatchObject({ created: 1, faults: [] });
  expect(await sql('select name, price from product')).toEqual([{ name: 'Pan; big', price: '19.90' }]);
});

test('each bad row is reported with line, column, value and reason, and costs no good one', async () => {
  const csv = `slug,name,category,price,currency,stock,publishedAt
good-1,"Two
lines",Pans,1.00,EUR,1,2026-01-01

,,,,,,
bad-price,X,Pans,"19,90",EUR,1,2026-01-01
bad-stock,X,Pans,1.00,EURO,some,2026-02-30
short,X
good-2,X,Pans,2.00,EUR,1,2026-01-01
,,Pans,2.00,EUR,1,2026-01-01
good-2,Again,Pans,3.00,EUR,1,2026-01-01
`;
  const { created, faults } = await importText(csv);
  expect(created).toBe(2);
  expect(faults.toSorted((one, other) => one.line - other.line)).toEqual([
    { line: 6, column: 'price', value: '19,90', reason: expect.stringContaining('a point before the decimals') },
    { line: 7, column: 'currency', value: 'EURO', reason: expect.stringContaining('ISO 4217') },
    { line: 7, column: 'stock', value: 'some', reason: expect.stringContaining('from 0 to 2147483647') },
    { line: 7, column: 'publishedAt', value: '2026-02-30', reason: expect.stringContaining('ISO 8601') },
    { line: 8, reason: 'has 2 columns, but the first row names 7' },
    { line: 9, column: 'slug', value: 'good-2', reason: expect.stringContaining('is repeated in line 11') },
    { line: 10, column: 'slug', value: '', reason: 'is missing' },
  ]);
  expect(await sql('select name, price from product order by slug')).toEqual([
    { name: 'Two\nlines', price: '1.00' },
    { name: 'Again', price: '3.00' },
  ]);
});

test('a quote that is never closed, or in the middle of a cell, costs its row only', async () => {
  const csv = `slug,name,category,price
a,A,Pans,1
b,"B,Pans,1
c,C,Pans,1
d,"D ""big""",Pans,1
e,5" pan,Pans,1
f,"F",Pans,1
g,"G,Pans,1
h,H,Pans,1
`;
  expect(linesOf((await importText(csv)).faults)).toEqual([3, 6, 8]);
  expect(await slugs()).toEqual(['a', 'c', 'd', 'f', 'h']);
});

test('a quote inside a cell of a table with tabs is a letter, as spreadsheets write it', async () => {
  const tabs = `slug\tname\tcategory\tprice
a\t24" pan\tPans\t1
b\t"Best" pan\t"Pans"\t2
c\t"C "" \n c"\tPans\t3
d\t"D\tPans\t4
e\t5" pan\tPans
f\t"F "f" f"\t"Pans ""x"""\t6`;
  expect(linesOf((await importText(tabs)).faults)).toEqual([6, 7]);
  expect(
    await sql(
      'select p.slug, p.name, c.name as category from product p join category c on c.id = category_id order by 1',
    ),
  ).toEqual([
    { slug: 'a', name: '24" pan', category: 'Pans' },
    { slug: 'b', name: '"Best" pan', category: 'Pans' },
    { slug: 'c', name: 'C " \n c', category: 'Pans' },
    { slug: 'f', name: '"F "f" f"', category: 'Pans "x"' },
  ]);
});

test('columns that are not used are named', async () => {
  const { unusedColumns } = await importText('slug,name,category,price,rating,EAN\npan,Pan,Pans,1,5,40\n');
  expect(unusedColumns).toEqual(['rating', 'EAN']);
});

test.each([
  ['a CSV, in a row', 'slug,name,category,price\na,A,Pans,1\nb,B,Pa'],
  ['a CSV, in quotes', 'slug,name,category,price\na,A,Pans,1\nb,"B, Pa'],
  ['JSON Lines', '{"slug":"a","name":"A","category":"Pans","price":1}\n{"slug":"b","name":"B","category":"Pans","pr'],
  ['a JSON array, in a row', '[{"slug":"a","name":"A","category":"Pans","price":1},{"slug":"b","name":"B","categ'],
  ['a JSON array, between two rows', '[{"slug":"a","name":"A","category":"Pans","price":1},'],
])('%s that is cut off is reported, and the row that is cut is not imported', async (_, text) => {
  const { created, faults } = await importText(text);
  expect(created).toBe(1);
  expect(faults.map(({ reason }) => reason)).toEqual([expect.stringContaining('the file may be cut off')]);
  expect(await slugs()).toEqual(['a']);
});

const longLatin1 = (): Buffer => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `p-${index},A name of some length to fill blocks,Pans,1`);
  return Buffer.from(`slug,name,category,price\n${lines.join('\n')}\nlast,Café,Pans,1\n`, 'latin1');
};

test.each([
  [
    'in Latin-1',
    Buffer.from('slug,name\npan,Pan\ncafe,Café', 'latin1'),
    /line 3, is not UTF-8: "cafe,Café" .*iconv -f WINDOWS-1252/,
  ],
  ['in Latin-1, with the first accent in a later block', longLatin1(), /line 20002, is not UTF-8/],
  ['in UTF-16', Buffer.from('\uFEFFslug,name\npan,Pan\n', 'utf16le'), /no text in UTF-8.*iconv -f UTF-16/],
  ['in UTF-16 without a byte order mark', Buffer.from('slug,name\npan,Pan\n', 'utf16le'), /iconv -f UTF-16/],
  ['compressed', Buffer.from([0x1f, 0x8b, 8, 0]), /no text in UTF-8.*Unpack an archive/],
  ['a workbook', Buffer.from('PK\x03\x04\x14\0…'), /no text in UTF-8.*CSV UTF-8/],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), /catalogue is no text in UTF-8/],
  [
    'a web page',
    Buffer.from('<!DOCTYPE html>\n<title>Log in</title>'),
    /catalogue has no <item>, <entry> or <product>/,
  ],
  ['blank', Buffer.from(' \n'), /catalogue is empty/],
  ['empty', Buffer.from(''), /catalogue is empty/],
  ['only a header', Buffer.from('slug,name\n'), /catalogue has no rows/],
  ['of unknown columns', Buffer.from('a,b\n1,2\n'), /catalogue is in no known format. Its columns: a, b/],
  ['with a column twice', Buffer.from('slug,name,slug\n1,2,3\n'), /catalogue names the column "slug" twice/],
  ['with a broken header', Buffer.from('slug,"name\n1,2\n'), /catalogue, line 1, is no list of columns: .*quote/],
  ['JSON without a list', Buffer.from('{"slug": "a",\n"name": "A"}'), /catalogue has no list of objects/],
])('a file that is %s is refused as a whole, with what to do', async (_, bytes, message) => {
  await expect(importText(bytes)).rejects.toThrow(message);
  expect(await slugs()).toEqual([]);
});

describe('values', () => {
  // A message shows the beginning of a long value.
  const shown = (value: unknown) => String(value).slice(0, 100);
  const valuesOf = async (field: string, stored: string, expectations: [text: unknown, stored: unknown][]) => {
    const rows = expectations.map(([value], index) => ({
      ...{ slug: `p-${index}`, name: 'P', category: 'Pans', price: 1 },
      [field]: value,
    }));
    const { faults } = await importText(JSON.stringify(rows, null, 1));
    const products = await sql<{ slug: string; value: unknown }>(`select slug, ${stored} as value from product`);
    for (const [index, [value, expected]] of expectations.entries()) {
      const found = products.find(({ slug }) => slug === `p-${index}`)?.value;
      const reason = faults.find((fault) => shown(fault.value) === shown(value))?.reason;
      if (expected instanceof RegExp) expect(reason, String(value)).toMatch(expected);
      else expect(found, String(value)).toEqual(expected);
    }
    expect(products).toHaveLength(expectations.filter(([, expected]) => !(expected instanceof RegExp)).length);
  };

  test('amounts are exact decimals', () =>
    valuesOf('price', 'price', [
      ['0', '0.00'],
      ['0.10', '0.10'],
      ['007.5', '7.50'],
      ['19.9000', '19.90'],
      ['19.900', /can be 19.9 or 19900/],
      ['+3', '3.00'],
      ['-0.00', '0.00'],
      ['999999999999.99', '999999999999.99'],
      ['1000000000000', /at most 12 digits/],
      ['-0.01', /negative/],
      ['19.9991', /two decimals/],
      ['1e3', '1000.00'],
      ['1.956e+02', '195.60'],
      ['1.578050000000000e+03', '1578.05'],
      ['5E-1', '0.50'],
      ['1.2345e1', /two decimals/],
      ['1e99', /at most 12 digits/],
      ['1,999.00', /thousands.*--decimal \./],
      ['1.999,00', /point.*--decimal ,/],
      ['€ 5', /currency has its own column/],
      ['NaN', /amount/],
      ['Infinity', /amount/],
    ]));

  test('times are real ones, to the microsecond, in UTC unless they have an offset', () =>
    valuesOf('publishedAt', "to_char(published_at, 'YYYY-MM-DD HH24:MI:SS.US')", [
      ['2024-02-29', '2024-02-29 00:00:00.000000'],
      ['2026-01-02t03:04z', '2026-01-02 03:04:00.000000'],
      ['2026-01-02 03:04:05.1234569', '2026-01-02 03:04:05.123456'],
      ['2026-01-02T03:04:05+15:30', '2026-01-01 11:34:05.000000'],
      ['2026-01-02T03:04:05-0130', '2026-01-02 04:34:05.000000'],
      ['2023-02-29', /ISO 8601/],
      ['0000-01-01', /ISO 8601/],
      ['2026-01-02T24:00', /ISO 8601/],
      ['2026-01-02T03:60', /ISO 8601/],
      ['2026-01-02T03:04:05+16:00', /ISO 8601/],
    ]));

  test('whole numbers stay within their bounds', () =>
    valuesOf('stock', 'stock', [
      ['2147483647', 2147483647],
      [' +7 ', 7],
      ['12.0', 12],
      ['1.2e+01', 12],
      ['in stock', 1],
      [true, 1],
      ['out_of_stock', 0],
      ['many', /whole number/],
      ['2147483648', /from 0 to 2147483647/],
      ['-1', 0],
      ['-1.5', /whole number/],
      ['1.5', /whole number/],
    ]));

  test('slugs have no white space, and fit into the index', () =>
    valuesOf('slug', "'found'", [
      ['x'.repeat(251), /at most 250 characters/],
      ['a b', /white space/],
    ]));
});
