import { describe, expect, test } from 'vitest';
import { importInto, jsonLines, linesOf, productCsv, useImportDatabase } from '../support/import.ts';
import { startLossyWire } from '../support/wire.ts';

const { sql, column, importText, url } = useImportDatabase();

test('a file with some columns keeps the others of existing rows, and new rows need the required ones', async () => {
  await importText('slug,name,category,price,brand\npan,Pan,Pans,19.90,Halden\nlid,Lid,Pans,5.00,Halden\n');
  const { changed, unchanged, faults } = await importText('slug,stock,brand\npan,3,\nlid,1,Halden\npot,9,\n');
  expect({ changed, unchanged }).toEqual({ changed: 1, unchanged: 1 });
  expect(faults).toEqual(
    ['name', 'category', 'price'].map((missing) => ({
      line: 4,
      column: missing,
      value: '',
      reason: 'is missing, and the product "pot" is new',
    })),
  );
  const [pan] = await sql(`select name, price, stock, brand from product where slug = 'pan'`);
  expect(pan).toEqual({ name: 'Pan', price: '19.90', stock: 3, brand: null });
});

test('a change moves updated_at, which a file may set, and never created_at', async () => {
  const times = () =>
    sql("select created_at, updated_at, updated_at > now() - interval '1 minute' as is_new from product");
  const csv = 'slug,name,category,price,createdAt,updatedAt\na,A,Pans,1,2026-01-01,2026-01-02\n';
  await importText(csv);
  const day = (number: number) => new Date(Date.UTC(2026, 0, number));
  expect(await times()).toEqual([{ created_at: day(1), updated_at: day(2), is_new: false }]);
  await importText(csv.replace('2026-01-01,2026-01-02', '2026-01-03,2026-01-04'));
  expect(await times()).toEqual([{ created_at: day(1), updated_at: day(4), is_new: false }]);
  await importText('slug,name,stock\na,A,7\n');
  expect(await times()).toEqual([{ created_at: day(1), updated_at: expect.any(Date), is_new: true }]);
});

test('a time that the API has shortened to milliseconds is no change', async () => {
  const csv = 'slug,name,category,price,publishedAt\na,A,Pans,1,2026-01-02T03:04:05.123456Z\n';
  await importText(csv);
  expect(await importText(csv.replace('123456', '123'))).toMatchObject({ changed: 0, unchanged: 1 });
  expect(await importText(csv.replace('123456', '124'))).toMatchObject({ changed: 1, unchanged: 0 });
});

test('another currency needs all prices, and the list price of a product that has one', async () => {
  await importText('slug,name,category,price,listPrice\na,A,Pans,5,9\nb,B,Pans,5,\n');
  const stored = () => sql('select slug, price::text, list_price::text, currency from product order by slug');
  const before = await stored();
  for (const [file, name] of [
    ['slug,currency\na,EUR\n', 'price'],
    ['slug,listPrice,currency\na,8,EUR\n', 'price'],
    ['[{ "slug": "b", "name": "B", "currency": "EUR", "variants": [] }]', 'price'],
    ['slug,price,currency\na,4,EUR\n', 'listPrice'],
  ] as const) {
    expect((await importText(file)).faults).toMatchObject([
      { column: name, value: '', reason: 'is missing, and the stored one is in USD' },
    ]);
    expect(await stored()).toEqual(before);
  }
  await importText('slug,price,listPrice,currency\na,4,,EUR\nb,4,,EUR\n');
  expect(await stored()).toEqual([
    { slug: 'a', price: '4.00', list_price: null, currency: 'EUR' },
    { slug: 'b', price: '4.00', list_price: null, currency: 'EUR' },
  ]);
});

test('a currency for prices without one leaves the others alone', async () => {
  await importText('slug,name,category,price,currency\na,A,Pans,1,\nb,B,Pans,1,CHF\n', { currency: 'EUR' });
  await importText('slug,name,stock\na,A,7\n', { currency: 'GBP' });
  expect(await column('select currency from product order by slug')).toEqual(['EUR', 'CHF']);
});

describe('products without slugs', () => {
  const shown = () => sql('select id, slug, name, price, stock from product order by id');
  const nothingNew = { created: 0, changed: 0, faults: [] };

  test('are identified by their names, and several of one name by their order', async () => {
    const rows = ['Mug,Cups,1', 'C++,Books,2', 'Mug,Cups,3', 'C#,Books,4', 'Mug 2,Cups,5', 'Mug,Cups,6', 'C,Books,7'];
    const csv = (some: readonly string[]) => `name,category,price\n${some.join('\n')}\n`;
    expect(await importText(csv(rows))).toMatchObject({ created: 7, faults: [] });
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
    // Rows of other names may change places; those of one name keep their order.
    const sorted = ['C,Books,7', 'Mug 2,Cups,5', 'C#,Books,4', 'Mug,Cups,1', 'Mug,Cups,3', 'C++,Books,2', 'Mug,Cups,6'];
    for (const again of [rows, sorted]) {
      expect(await importText(csv(again))).toMatchObject({ ...nothingNew, unchanged: 7 });
      expect(await shown()).toEqual(before);
    }
    // A file with more rows moves no other product.
    const longer = await importText(csv([...sorted, 'Mug,Cups,8', 'C,Books,9']));
    expect(longer).toMatchObject({ created: 2, changed: 0, unchanged: 7, faults: [] });
    expect((await shown()).slice(0, 7)).toEqual(before);
  });

  test('keep a numbered slug when the first of the series is deleted, and its name is alone in the file', async () => {
    await importText('name,category,price\nMug,Cups,1\nMug,Cups,2\n');
    await sql(`delete from product where slug = 'mug'`);
    expect(await importText('name,category,price\nMug,Cups,2\n')).toMatchObject({ ...nothingNew, unchanged: 1 });
    expect(await column('select slug from product')).toEqual(['mug-2']);
  });

  test('do not take the slug of a rejected row, nor one that another row of the file has', async () => {
    const csv = (price: string) =>
      `slug,name,category,price\n,Mug,Cups,${price}\n,Mug,Cups,2\nlid,Lid,Cups,3\n,LID,Cups,4\n`;
    await importText(csv('1'));
    const before = await shown();
    expect(before.map(({ slug, price }) => `${slug}, ${price}`)).toEqual([
      'mug, 1.00',
      'mug-2, 2.00',
      'lid, 3.00',
      'lid-2, 4.00',
    ]);
    const { faults, changed, created } = await importText(csv('"1,00"'));
    expect({ lines: linesOf(faults), changed, created }).toEqual({ lines: [2], changed: 0, created: 0 });
    expect(await shown()).toEqual(before);
  });

  test('are those of their name, whatever the slug', async () => {
    await importText('slug,name,category,price\na,Mug,Cups,1\nmug,Cup,Cups,2\n');
    const file = 'slug,name,category,price\n,MUG,Cups,3\n,Mug,Cups,4\nmug-2,Jug,Cups,5\n';
    expect(await importText(file)).toMatchObject({ created: 2, changed: 1 });
    expect(await sql('select slug, name from product order by id')).toEqual([
      { slug: 'a', name: 'MUG' },
      { slug: 'mug', name: 'Cup' },
      { slug: 'mug-3', name: 'Mug' },
      { slug: 'mug-2', name: 'Jug' },
    ]);
  });

  test('do not change a product of another name that has their slug', async () => {
    await importText('slug,name,category,price\nc,Compiler,Books,9\n');
    expect(await importText('name,category,price\nC,Books,1\n')).toMatchObject({ created: 1, changed: 0 });
    expect(await column('select slug from product order by slug')).toEqual(['c', 'c-2']);
  });
});

describe('of rows with one key, only the last is written, and each other is reported:', () => {
  // The staging table is checked in parts of 5,000 rows.
  const far = Array.from({ length: 5000 }, (_, index) => ({ slug: `f-${index}`, name: 'F', category: 'F', price: 1 }));

  test.each([
    ['close together', []],
    ['far apart', far],
  ])('products %s', async (_, between) => {
    const first = { slug: 'a', name: 'First', category: 'A', price: '1', stock: 7, brand: 'X' };
    const last = { slug: 'a', name: 'Last', category: 'B', price: '2' };
    const { faults, created } = await importText(jsonLines([first, ...between, last]));
    const reason = `is repeated in line ${between.length + 2}, which is imported instead: remove one of the two`;
    expect(faults).toEqual([{ line: 1, column: 'slug', value: 'a', reason }]);
    expect(created).toBe(between.length + 1);
    expect(await sql(`select name, stock, brand from product where slug = 'a'`)).toEqual([
      { name: 'Last', stock: 1, brand: null },
    ]);
    expect(await sql(`select from category where slug = 'a'`)).toEqual([]);
  });

  test('categories', async () => {
    const rows = [
      { slug: 'a', name: 'First', position: 7 },
      { slug: 'b', name: 'B', parentSlug: 'a' },
      { slug: 'a', name: 'Last' },
    ];
    expect(linesOf((await importText(jsonLines(rows))).faults)).toEqual([1]);
    expect(await sql(`select name, position from category where slug = 'a'`)).toEqual([{ name: 'Last', position: 0 }]);
  });

  test('notices', async () => {
    const rows = [
      { title: 'A', content: 'first', pinned: true },
      { title: 'A', content: 'other', startsAt: '2026-01-01' },
      { title: 'A', content: 'last' },
    ];
    expect(linesOf((await importText(jsonLines(rows))).faults)).toEqual([1]);
    expect(await sql('select content, pinned from notice order by content')).toEqual([
      { content: 'last', pinned: false },
      { content: 'other', pinned: false },
    ]);
  });
});

test('a product whose category slug does not exist is rejected', async () => {
  await importText('slug,name\npans,Pans\n');
  const { created, faults } = await importText('slug,name,price,categorySlug\na,A,1,pans\nb,B,1,pots\n');
  expect(created).toBe(1);
  expect(faults).toEqual([
    { line: 3, column: 'categorySlug', value: 'pots', reason: expect.stringContaining('is the slug of no category') },
  ]);
});

test('a row that only the database refuses costs no other, however many there are', async () => {
  await sql(`alter table product add constraint house_rule check (name <> 'Forbidden')`);
  try {
    const rows = Array.from(
      { length: 300 },
      (_, index) => `p-${index},${index % 97 === 5 ? 'Forbidden' : 'Fine'},Pans,1`,
    );
    const { created, faults } = await importText(`slug,name,category,price\n${rows.join('\n')}\n`);
    expect(created).toBe(296);
    expect(faults.map(({ line }) => line)).toEqual([7, 104, 201, 298]);
    expect(faults[0]?.reason).toContain('house_rule');
  } finally {
    await sql('alter table product drop constraint house_rule');
  }
});

test('a lost response to the commit is reported as an unknown outcome, and the next run finds the rows', async () => {
  await using wire = await startLossyWire({ url: url() }, 'commit');
  wire.loseEvery(1);
  await expect(importInto(wire, productCsv(3))).rejects.toThrow('It is unknown whether it was committed.');
  expect(await importText(productCsv(3))).toMatchObject({ created: 0, changed: 0, unchanged: 3 });
});
