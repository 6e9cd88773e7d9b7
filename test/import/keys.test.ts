import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../src/import/formats/formats.ts';
import { linesOf, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();
const shown = () => sql('select id, slug, name, price, stock from product order by id');

describe('with --key sku, a product', () => {
  const header = 'sku,name,category,price\n';

  test('keeps its id and slug when its name changes, and whatever the order of the file', async () => {
    await importText(`${header}A/7,Mug,Cups,1\nB 8,Mug,Cups,2\n9,Jug,Cups,3\n`, { key: 'sku' });
    expect(await sql('select slug, sku from product order by id')).toEqual([
      { slug: 'mug', sku: 'A/7' },
      { slug: 'mug-2', sku: 'B 8' },
      { slug: 'jug', sku: '9' },
    ]);
    const before = await shown();
    const again = await importText(`${header}9,Big jug,Cups,3\nB 8,Mug,Cups,5\nA/7,Mug,Cups,1\n`, { key: 'sku' });
    expect(again).toMatchObject({ created: 0, changed: 2, unchanged: 1, faults: [] });
    expect((await shown()).map(({ id, slug }) => [id, slug])).toEqual(before.map(({ id, slug }) => [id, slug]));
    expect(await sql(`select name, price from product where slug in ('jug', 'mug-2') order by id`)).toEqual([
      { name: 'Mug', price: '5.00' },
      { name: 'Big jug', price: '3.00' },
    ]);
  });

  test('is found by its sku as it is written, and by no name', async () => {
    await importText('slug,sku,name,category,price\nmug,a,Mug,Cups,1\ncup,,Cup,Cups,1\n');
    const { created } = await importText(`${header}A,Mug,Cups,2\nB,Cup,Cups,2\n`, { key: 'sku' });
    expect(created).toBe(2);
    expect(await column('select slug from product order by id')).toEqual(['mug', 'cup', 'mug-2', 'cup-2']);
  });

  test('may get another slug, which has to be free', async () => {
    await importText(`${header}A,Mug,Cups,1\nB,Jug,Cups,1\n`, { key: 'sku' });
    const { changed, faults } = await importText('sku,slug,name,price\nA,cup,Cup,1\nB,cup,Jug,1\n', { key: 'sku' });
    expect(changed).toBe(1);
    expect(faults).toMatchObject([{ line: 3, column: 'slug', value: 'cup' }]);
  });

  test.each([0, 6000])('is not taken for another new one of the same slug, %i rows before it', async (rows) => {
    const between = Array.from({ length: rows }, (_, row) => `mug-${row},M${row},Mug,Cups,1\n`).join('');
    const file = `slug,sku,name,category,price\ncup,A,Cup,Cups,1\n${between}cup,B,Jug,Cups,2\n`;
    const { created, changed, faults } = await importText(file, { key: 'sku' });
    expect({ created, changed }).toEqual({ created: rows + 1, changed: 0 });
    expect(faults).toMatchObject([{ line: rows + 3, column: 'slug', value: 'cup' }]);
    expect(await sql(`select sku, name from product where slug = 'cup'`)).toEqual([{ sku: 'A', name: 'Cup' }]);
  });

  test('has a sku that no other product has, whatever finds it', async () => {
    await importText('slug,sku,name,category,price\nmug,A,Mug,Cups,1\n');
    const { created, faults } = await importText('slug,SKU,name,category,price\njug,A,Jug,Cups,1\ncup,B,Cup,Cups,1\n');
    expect(created).toBe(1);
    const reason = 'is that of another product: --key sku finds it';
    expect(faults).toMatchObject([{ line: 2, column: 'SKU', value: 'A', reason }]);
    // Shopify's products are not found by their sku.
    const shopify = 'Handle,Title,Type,Variant SKU,Variant Price,Variant Inventory Qty,Option1 Value\nj,J,C,A,1,1,L\n';
    const [ofShopify] = (await importText(shopify)).faults;
    expect(ofShopify?.reason).toBe('is that of another product');
    // Nor is a product that has a variant's: here the first row is refused, so that its variant keeps the sku.
    const row = (slug: string, sku: string, more: object = {}) =>
      `${JSON.stringify({ slug, name: slug, category: 'C', variants: [{ sku, price: 1 }], ...more })}\n`;
    await importText(row('pan', 'V') + row('pot', 'P'));
    const taken = await importText(row('pan', 'W', { sku: 'A' }) + row('lid', 'V'));
    expect(taken.faults.map(({ reason }) => reason)).toEqual([reason, 'is that of a variant of the product "pan"']);
  });

  test('is rejected if the sku is missing, or is another row’s', async () => {
    const { created, faults } = await importText(`${header},Mug,Cups,1\nx-1,Jug,Cups,2\nx-1,Jug,Cups,3\n`, {
      key: 'sku',
    });
    expect(created).toBe(1);
    expect(linesOf(faults)).toEqual([2, 3]);
    expect(faults.map(({ column: name }) => name)).toEqual(['sku', 'sku']);
    expect(await sql('select slug, price::text from product')).toEqual([{ slug: 'jug', price: '3.00' }]);
  });

  test('can have the id of another system as its sku', async () => {
    const csv = 'id,name,category,price\n20828111937,Mug,Cups,1\n';
    const options = { key: 'sku', map: parseMapping(['sku=id']) } as const;
    expect(await importText(csv, options)).toMatchObject({ created: 1 });
    expect(await importText(csv.replace('Mug', 'Cup'), options)).toMatchObject({ created: 0, changed: 1 });
    expect(await column('select slug from product')).toEqual(['mug']);
  });
});

describe('rows of one file take from one another', () => {
  const products = (values: readonly string[]) =>
    values.map((value, at) => `${String.fromCharCode(97 + at)},P${at},C,1,${value}\n`).join('');

  test.each([
    ['two', ['1', '2'], ['2', '1']],
    ['three', ['1', '2', '3'], ['2', '3', '1']],
    ['three, whose last one is new', ['1', '2', '3'], ['2', '3', '4']],
    ['two, one of which has none then', ['1', '2'], ['2', '']],
  ])('the skus of %s products', async (_, before, after) => {
    await importText(`slug,name,category,price,sku\n${products(before)}`);
    const file = `slug,name,category,price,sku\n${products(after)}`;
    expect(await importText(file)).toMatchObject({ changed: before.length, faults: [] });
    expect(await column('select sku from product order by slug')).toEqual(after.map((sku) => sku || null));
    expect(await importText(file)).toMatchObject({ changed: 0, faults: [] });
  });

  test('the slugs of three products, with --key sku', async () => {
    const key = 'sku';
    const header = `${key},name,category,price,slug\n`;
    await importText('sku,name,category,price,slug\n1,A,C,1,a\n2,B,C,1,b\n3,C,C,1,c\n');
    expect(await importText(`${header}1,A,C,1,b\n2,B,C,1,c\n3,C,C,1,a\n`, { key })).toMatchObject({
      changed: 3,
      faults: [],
    });
    expect(await column('select slug from product order by id')).toEqual(['b', 'c', 'a']);
  });

  test('a slug, which a new product gets', async () => {
    await importText('sku,name,category,price,slug\n1,A,C,1,a\n');
    const { created, changed, faults } = await importText('sku,name,category,price,slug\n2,B,C,1,a\n1,A,C,1,c\n', {
      key: 'sku',
    });
    expect({ created, changed, faults }).toEqual({ created: 1, changed: 1, faults: [] });
    expect(await sql('select sku, slug from product order by id')).toEqual([
      { sku: '1', slug: 'c' },
      { sku: '2', slug: 'a' },
    ]);
  });

  test('the skus of variants in a file of variants', async () => {
    await importText('slug,name,category,price\ncup,Cup,C,1\n');
    const variants = (...skus: readonly string[]) =>
      `product,options,sku,price\n${skus.map((sku, at) => `cup,Size=${at},${sku},1\n`).join('')}`;
    await importText(variants('1', '2', '3'));
    expect(await importText(variants('2', '3', '1'))).toMatchObject({ changed: 3, faults: [] });
    expect(await column('select sku from product_variant order by option_values')).toEqual(['2', '3', '1']);
  });

  test('nothing of a row that is refused, which keeps its own, and neither do those that wait for it', async () => {
    await importText(`slug,name,category,price,sku\n${products(['1', '2', '3'])}`);
    await sql('alter table product add constraint refused check (stock <> 66)');
    const rows = ['a,P0,C,1,2,1\n', 'b,P1,C,1,3,66\n', 'c,P2,C,1,9,1\n'];
    for (const file of [rows, rows.toReversed()]) {
      const { changed, faults } = await importText(`slug,name,category,price,sku,stock\n${file.join('')}`);
      expect(changed).toBeLessThan(2);
      expect(faults.map(({ column: name, value, reason }) => [name, value, reason])).toEqual([
        [undefined, undefined, expect.stringContaining('"refused"')],
        ['sku', '2', 'is that of another product: --key sku finds it'],
      ]);
      expect(await column('select sku from product order by slug')).toEqual(['1', '2', '9']);
    }
    await sql('alter table product drop constraint refused');
  });
});

test('a row that gets the value of another is rejected with that one, however long the chain is', async () => {
  await importText('slug,name,category,price,sku\na,A,C,1,1\nb,B,C,1,2\nc,C,C,1,3\n');
  const { created, changed, faults } = await importText(
    'slug,name,category,price,sku\nd,D,C,1,1\na,A,C,1,2\nb,B,C,1,3\n',
  );
  expect({ created, changed }).toEqual({ created: 0, changed: 0 });
  const reason = 'is that of another product: --key sku finds it';
  expect(faults.map(({ line, value, ...fault }) => [line, value, fault.reason])).toEqual([
    [4, '3', reason],
    [3, '2', reason],
    [2, '1', reason],
  ]);
});

test('a file without the column of the key is refused', async () => {
  const csv = 'number,name,category,price\n7,Mug,Cups,1\n';
  await expect(importText(csv, { key: 'sku' })).rejects.toThrow(
    'has no column sku: say which it is, such as --map sku=number. Its columns: number, name, category, price.',
  );
  expect(await importText(csv, { key: 'sku', map: parseMapping(['sku=number']) })).toMatchObject({ created: 1 });
});

test('a format that knows its products by slug refuses another key; files of other kinds have their own', async () => {
  await expect(importText('Handle,Title,Variant Price\na,A,1\n', { key: 'sku' })).rejects.toThrow(
    '--key sku is not for the format shopify, which can find products by slug.',
  );
  expect(await importText('path\nKitchen > Pans\n', { key: 'sku' })).toMatchObject({
    created: 1,
    createdCategories: 1,
  });
  expect(await importText('title,content\nSale,Now\n', { key: 'sku' })).toMatchObject({ created: 1 });
});
