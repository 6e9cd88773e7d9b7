import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { importText } from '../support/import.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await database.sql('truncate category, product, notice restart identity');
});
afterAll(() => database[Symbol.asyncDispose]());

const slugs = async (): Promise<unknown[]> =>
  (await database.sql('select slug from product order by slug')).map(({ slug }) => slug);

test('a CSV of products is imported with its categories, and the same again changes nothing', async () => {
  const csv = `slug,name,category,price,listPrice,currency,stock,tags,imageUrls,status,publishedAt,description
pan,"Pan, 26 cm",Kitchen > Pans,19.9,25,EUR,7,iron|new,/a.svg|/b.svg,ON_SALE,2026-01-02T03:04:05Z,"It says ""hot"",
on two lines"
lid,Lid,Kitchen > Pans,5,,,0,,,draft,2026-01-02,
`;
  const first = await importText(database, csv);
  expect(first).toMatchObject({ created: 2, changed: 0, unchanged: 0, createdCategories: 2, faults: [] });
  const rows = await database.sql(`
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

  const before = await database.sql('select xmin, * from product order by id');
  expect(await importText(database, csv)).toMatchObject({ created: 0, changed: 0, unchanged: 2, createdCategories: 0 });
  expect(await database.sql('select xmin, * from product order by id')).toEqual(before);
});

test('a file with some columns leaves the others of rows that are there, and new rows need the required ones', async () => {
  await importText(database, 'slug,name,category,price,brand\npan,Pan,Pans,19.90,Halden\nlid,Lid,Pans,5.00,Halden\n');
  const { changed, unchanged, faults } = await importText(database, 'slug,stock,brand\npan,3,\nlid,0,Halden\npot,9,\n');
  expect({ changed, unchanged }).toEqual({ changed: 1, unchanged: 1 });
  expect(faults.map(({ line, column }) => [line, column])).toEqual([
    [4, 'name'],
    [4, 'category'],
    [4, 'price'],
  ]);
  const [pan] = await database.sql(`select name, price, stock, brand from product where slug = 'pan'`);
  expect(pan).toEqual({ name: 'Pan', price: '19.90', stock: 3, brand: null });
});

describe('a CSV', () => {
  test.each([
    ['semicolons', 'slug;name;category;price\npan;"Pan; big";Pans;19.90\n'],
    ['tabs', 'slug\tname\tcategory\tprice\npan\tPan; big\tPans\t19.90\n'],
    ['a byte order mark', '\uFEFFslug,name,category,price\npan,Pan; big,Pans,19.90\n'],
    ['Windows line ends', 'slug,name,category,price\r\npan,Pan; big,Pans,19.90\r\n'],
    ['old Mac line ends', 'slug,name,category,price\rpan,Pan; big,Pans,19.90\r'],
    ["Excel's separator line", 'sep=;\r\nslug;name;category;price\r\npan;"Pan; big";Pans;19.90\r\n'],
    ['no line end at its end', 'slug,name,category,price\npan,Pan; big,Pans,19.90'],
    ['empty lines and rows', 'slug,name,category,price\n\npan,Pan; big,Pans,19.90\n,,,\n\n'],
    ['other spellings of columns', 'SLUG,Name,Category Slug,category,PRICE\npan,Pan; big,,Pans,19.90\n'],
  ])('with %s is read', async (_, csv) => {
    expect(await importText(database, csv)).toMatchObject({ created: 1, faults: [] });
    expect(await database.sql('select name, price from product')).toEqual([{ name: 'Pan; big', price: '19.90' }]);
  });

  test('tells each bad row with line, column, value and reason, and loses no good one', async () => {
    const csv = `slug,name,category,price,currency,stock,publishedAt
good-1,"Two
lines",Pans,1.00,EUR,1,2026-01-01
bad-price,X,Pans,"19,90",EUR,1,2026-01-01
bad-stock,X,Pans,1.00,EURO,-1,2026-02-30
short,X
good-2,X,Pans,2.00,EUR,1,2026-01-01
,,Pans,2.00,EUR,1,2026-01-01
good-2,Again,Pans,3.00,EUR,1,2026-01-01
`;
    const { created, faults } = await importText(database, csv);
    expect(created).toBe(2);
    expect(faults.toSorted((one, other) => one.line - other.line)).toEqual([
      { line: 4, column: 'price', value: '19,90', reason: expect.stringContaining('a point before the decimals') },
      { line: 5, column: 'currency', value: 'EURO', reason: expect.stringContaining('ISO 4217') },
      { line: 5, column: 'stock', value: '-1', reason: expect.stringContaining('from 0 to 2147483647') },
      { line: 5, column: 'publishedAt', value: '2026-02-30', reason: expect.stringContaining('ISO 8601') },
      { line: 6, reason: 'has 2 columns, and the first line names 7' },
      { line: 7, column: 'slug', value: 'good-2', reason: 'stands again in line 9, which is taken' },
      { line: 8, column: 'slug', value: '', reason: 'is missing' },
    ]);
    expect(await database.sql('select name, price from product order by slug')).toEqual([
      { name: 'Two\nlines', price: '1.00' },
      { name: 'Again', price: '3.00' },
    ]);
  });

  test('with a quote that is never closed, or one in the middle, loses that row only', async () => {
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
    const { faults } = await importText(database, csv);
    expect(faults.map(({ line }) => line)).toEqual([3, 6, 8]);
    expect(await slugs()).toEqual(['a', 'c', 'd', 'f', 'h']);
  });

  test('names the columns that are not read', async () => {
    const { unusedColumns } = await importText(database, 'slug,name,category,price,rating,EAN\npan,Pan,Pans,1,5,40\n');
    expect(unusedColumns).toEqual(['rating', 'EAN']);
  });
});

describe('products without slugs', () => {
  const shown = () => database.sql('select id, slug, name, price, stock from product order by id');

  test('are told apart by their names, and several of one name by their order', async () => {
    const rows = ['Mug,Cups,1', 'C++,Books,2', 'Mug,Cups,3', 'C#,Books,4', 'Mug 2,Cups,5', 'Mug,Cups,6', 'C,Books,7'];
    const csv = (some: readonly string[]) => `name,category,price\n${some.join('\n')}\n`;
    expect(await importText(database, csv(rows))).toMatchObject({ created: 7, faults: [] });
    const before = await shown();
    expect(before.map(({ name, slug, price }) => `${name}: ${slug}, ${price}`)).toEqual([
      'Mug: mug, 1.00',
      'C++: c, 2.00',
      'Mug: mug-3, 3.00',
      'C#: c-2, 4.00',
      'Mug 2: mug-2, 5.00',
      'Mug: mug-4, 6.00',
      'C: c-3, 7.00',
    ]);
    // Other names may change places; those of one name stay in their order.
    const sorted = ['C,Books,7', 'Mug 2,Cups,5', 'C#,Books,4', 'Mug,Cups,1', 'Mug,Cups,3', 'C++,Books,2', 'Mug,Cups,6'];
    for (const again of [rows, sorted]) {
      expect(await importText(database, csv(again))).toMatchObject({
        created: 0,
        changed: 0,
        unchanged: 7,
        faults: [],
      });
      expect(await shown()).toEqual(before);
    }
    // A file that has grown, and a product that is no longer there, move no other.
    await database.sql(`delete from product where slug = 'mug'`);
    const grown = await importText(database, csv([...sorted, 'Mug,Cups,8', 'C,Books,9']));
    expect(grown).toMatchObject({ created: 3, changed: 0, unchanged: 6, faults: [] });
    expect((await shown()).slice(0, 6)).toEqual(before.slice(1));
  });

  test('do not take the place of one whose row is rejected, nor of one that has the slug in the file', async () => {
    const csv = (price: string) =>
      `slug,name,category,price\n,Mug,Cups,${price}\n,Mug,Cups,2\nlid,Lid,Cups,3\n,LID,Cups,4\n`;
    await importText(database, csv('1'));
    const before = await shown();
    expect(before.map(({ slug, price }) => `${slug}, ${price}`)).toEqual([
      'mug, 1.00',
      'mug-2, 2.00',
      'lid, 3.00',
      'lid-2, 4.00',
    ]);
    const { faults, changed, created } = await importText(database, csv('"1,00"'));
    expect({ lines: faults.map(({ line }) => line), changed, created }).toEqual({ lines: [2], changed: 0, created: 0 });
    expect(await shown()).toEqual(before);
  });

  test('leave a product of another name alone that has their slug', async () => {
    await importText(database, 'slug,name,category,price\nc,Compiler,Books,9\n');
    expect(await importText(database, 'name,category,price\nC,Books,1\n')).toMatchObject({ created: 1, changed: 0 });
    expect(await slugs()).toEqual(['c', 'c-2']);
  });
});

describe('a row that is told as rejected because it stands again further down is not written', () => {
  const filler = Array.from({ length: 5000 }, (_, index) => ({
    slug: `f-${index}`,
    name: 'F',
    category: 'F',
    price: '1',
  }));
  const lines = (rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

  test.each([
    ['near', []],
    // The stage is looked through in parts of 5,000 rows.
    ['far', filler],
  ])('a product, %s', async (_, between) => {
    const first = { slug: 'a', name: 'First', category: 'A', price: '1', stock: 7, brand: 'X' };
    const { faults, created } = await importText(
      database,
      lines([first, ...between, { slug: 'a', name: 'Last', category: 'B', price: '2' }]),
    );
    expect(faults).toEqual([
      { line: 1, column: 'slug', value: 'a', reason: `stands again in line ${between.length + 2}, which is taken` },
    ]);
    expect(created).toBe(between.length + 1);
    expect(await database.sql(`select name, stock, brand from product where slug = 'a'`)).toEqual([
      { name: 'Last', stock: 0, brand: null },
    ]);
    expect(await database.sql(`select from category where slug = 'a'`)).toEqual([]);
  });

  test('a category', async () => {
    const rows = [
      { slug: 'a', name: 'First', position: 7 },
      { slug: 'b', name: 'B', parentSlug: 'a' },
      { slug: 'a', name: 'Last' },
    ];
    const { faults } = await importText(database, lines(rows));
    expect(faults.map(({ line }) => line)).toEqual([1]);
    expect(await database.sql(`select name, position from category where slug = 'a'`)).toEqual([
      { name: 'Last', position: 0 },
    ]);
  });

  test('a notice', async () => {
    const rows = [
      { title: 'A', content: 'first', pinned: true },
      { title: 'A', content: 'other', startsAt: '2026-01-01' },
      { title: 'A', content: 'last' },
    ];
    const { faults } = await importText(database, lines(rows));
    expect(faults.map(({ line }) => line)).toEqual([1]);
    expect(await database.sql('select content, pinned from notice order by content')).toEqual([
      { content: 'last', pinned: false },
      { content: 'other', pinned: false },
    ]);
  });
});

test.each([
  ['a CSV, in a row', 'slug,name,category,price\na,A,Pans,1\nb,B,Pa'],
  ['a CSV, in quotes', 'slug,name,category,price\na,A,Pans,1\nb,"B, Pa'],
  ['JSON Lines', '{"slug":"a","name":"A","category":"Pans","price":1}\n{"slug":"b","name":"B","category":"Pans","pr'],
  ['a JSON array, in a row', '[{"slug":"a","name":"A","category":"Pans","price":1},{"slug":"b","name":"B","categ'],
  ['a JSON array, between two rows', '[{"slug":"a","name":"A","category":"Pans","price":1},'],
])('%s that is cut off says so, and the row that is cut is not taken', async (_, text) => {
  const { created, faults } = await importText(database, text);
  expect(created).toBe(1);
  expect(faults.map(({ reason }) => reason)).toEqual([expect.stringContaining('the file may be cut off')]);
  expect(await slugs()).toEqual(['a']);
});

describe('a file is refused as a whole', () => {
  test.each([
    [
      'Latin-1',
      Buffer.from('slug,name\npan,Pan\ncafe,Café', 'latin1'),
      /line 3, is not UTF-8: "cafe,Café" .*iconv -f WINDOWS-1252/,
    ],
    ['UTF-16', Buffer.from('\uFEFFslug,name\npan,Pan\n', 'utf16le'), /UTF-16.*iconv -f UTF-16/],
    ['UTF-16 without its mark', Buffer.from('slug,name\npan,Pan\n', 'utf16le'), /UTF-16/],
    ['compressed', Buffer.from([0x1f, 0x8b, 8, 0]), /gunzip/],
    ['a workbook', Buffer.from('PK\x03\x04…'), /CSV UTF-8/],
    ['empty', Buffer.from(' \n'), /is empty/],
    ['of unknown columns', Buffer.from('a,b\n1,2\n'), /in no format that is known. Its columns: a, b/],
    ['with a column twice', Buffer.from('slug,name,slug\n1,2,3\n'), /"slug" twice/],
  ])('that is %s, saying what to do', async (_, bytes, message) => {
    await expect(importText(database, bytes)).rejects.toThrow(message);
    expect(await slugs()).toEqual([]);
  });

  test('when the letters that are not UTF-8 come late', async () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `p-${index},A name of some length to fill blocks,Pans,1`,
    );
    const bytes = Buffer.from(`slug,name,category,price\n${lines.join('\n')}\nlast,Café,Pans,1\n`, 'latin1');
    await expect(importText(database, bytes)).rejects.toThrow(/line 20002, is not UTF-8/);
    expect(await slugs()).toEqual([]);
  });
});

test('amounts are exact decimals that fit, or refused with the reason', async () => {
  const amounts: [text: string, stored: string | RegExp][] = [
    ['0', '0.00'],
    ['0.10', '0.10'],
    ['007.5', '7.50'],
    ['19.900', '19.90'],
    ['+3', '3.00'],
    ['-0.00', '0.00'],
    ['999999999999.99', '999999999999.99'],
    ['1000000000000', /at most 12 digits/],
    ['-0.01', /negative/],
    ['19.999', /two decimals/],
    ['1e3', /exponent/],
    ['1,999.00', /thousands/],
    ['€ 5', /currency has a column/],
    ['NaN', /amount/],
    ['Infinity', /amount/],
  ];
  const json = amounts.map(([price], index) => ({ slug: `p-${index}`, name: 'P', category: 'Pans', price }));
  const { faults } = await importText(database, JSON.stringify(json, null, 1));
  const stored = new Map(
    (await database.sql('select slug, price from product')).map(({ slug, price }) => [slug, price]),
  );
  for (const [index, [text, expected]] of amounts.entries()) {
    if (typeof expected === 'string') expect(stored.get(`p-${index}`), text).toBe(expected);
    else expect(faults.find(({ value }) => value === text)?.reason, text).toMatch(expected);
  }
});
