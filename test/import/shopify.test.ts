import { describe, expect, test } from 'vitest';
import { useImportDatabase } from '../support/import.ts';

const { sql, importText } = useImportDatabase();

describe("Shopify's export", () => {
  const header =
    'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price,Variant Compare At Price,Image Src,Image Position,Image Alt Text,Status';

  test('gives one product for each handle: lowest price, all stock, images in their order', async () => {
    const csv = `${header}
mug,Mug,"<p>Holds ""tea""</p>",Potter,Home & Garden > Kitchen,Drinkware,"clay, blue",true,Size,S,M-S,shopify,3,deny,14.50,,https://cdn/2.jpg,2,Side,active
mug,,,,,,,,,M,M-M,shopify,4,deny,12.00,15.00,https://cdn/1.jpg,1,Front,
mug,,,,,,,,,L,M-L,shopify,-2,deny,19.00,18.00,,,,
mug,,,,,,,,,,,,,,,,https://cdn/3.jpg,3,,
gift-card,Gift card,,Shop,,,,true,Title,Default Title,G,,,deny,25.00,20.00,,,,active
old,Old,,,,Drinkware,,false,Title,Default Title,O,shopify,0,continue,1.00,,,,,archived
hidden,Hidden,,,,Drinkware,,false,,,,shopify,0,deny,1.00,,,,,active
`;
    const { created, faults, format, unusedColumns } = await importText(csv, { currency: 'EUR' });
    expect({ created, faults, format: format.name }).toEqual({ created: 4, faults: [], format: 'shopify' });
    expect(unusedColumns).toEqual([]);
    const rows = await sql(`
      select p.slug, price, list_price, currency, stock, p.status, tags, brand, image_urls, p.image_url, c.name as category, description
      from product p join category c on c.id = category_id order by p.id`);
    expect(rows).toEqual([
      {
        slug: 'mug',
        price: '12.00',
        list_price: '15.00',
        currency: 'EUR',
        stock: 7,
        status: 'ON_SALE',
        tags: ['clay', 'blue'],
        brand: 'Potter',
        image_urls: ['https://cdn/1.jpg', 'https://cdn/2.jpg', 'https://cdn/3.jpg'],
        image_url: 'https://cdn/1.jpg',
        category: 'Drinkware',
        description: 'Holds "tea"',
      },
      expect.objectContaining({
        slug: 'gift-card',
        stock: 1,
        list_price: null,
        category: 'Uncategorized',
        image_url: null,
      }),
      expect.objectContaining({ slug: 'old', stock: 1, status: 'OFF_SALE' }),
      expect.objectContaining({ slug: 'hidden', stock: 0, status: 'OFF_SALE' }),
    ]);
  });

  test('with the newer column names is read', async () => {
    const csv = `Title,URL handle,Description,Vendor,Product category,Type,Tags,Published on online store,Status,Option1 name,Option1 value,SKU,Price,Compare-at price,Inventory tracker,Inventory quantity,Continue selling when out of stock,Product image URL,Image position
Mug,mug,Text,Potter,,Cups,a,TRUE,Active,Size,S,M,9.00,,shopify,2,DENY,https://cdn/1.jpg,1
,mug,,,,,,,,,M,M2,8.00,,shopify,1,DENY,,
`;
    expect(await importText(csv)).toMatchObject({ created: 1, faults: [], unusedColumns: [] });
    expect(await sql('select price, stock, status from product')).toEqual([
      { price: '8.00', stock: 3, status: 'ON_SALE' },
    ]);
  });

  test('without quantities has no stock, which is assumed for a new product and kept of another', async () => {
    const csv = 'Handle,Title,Variant Inventory Tracker,Variant Inventory Policy,Variant Price\na,A,shopify,deny,1\n';
    expect(await importText(csv, { stock: 8 })).toMatchObject({ created: 1 });
    await sql('update product set stock = 5');
    expect(await importText(csv.replace(',1\n', ',2\n'), { stock: 8 })).toMatchObject({ changed: 1 });
    expect(await sql('select stock from product')).toEqual([{ stock: 5 }]);
  });

  test('with an invalid price, or a variant without its product, reports both', async () => {
    const csv = `${header}
mug,Mug,,,,Cups,,true,Size,S,,,,deny,9.00,,,,,active
mug,,,,,,,,,M,,,,deny,free,,,,,
lid,,,,,,,,,,,,,deny,9.00,,,,,
pan,Pan,,,,Cups,,true,,,,,,deny,9.00,,,,,active
`;
    const { created, faults } = await importText(csv);
    expect(created).toBe(1);
    expect(faults).toEqual([
      { line: 3, column: 'Variant Price', value: 'free', reason: expect.stringContaining('amount') },
      {
        line: 4,
        column: 'Handle',
        value: 'lid',
        reason: 'has no first row, with its title: put all its rows together',
      },
    ]);
  });
});

describe("the rows of one handle in Shopify's file", () => {
  const header =
    'Handle,Title,Type,Option1 Name,Option1 Value,Variant Inventory Tracker,Variant Inventory Qty,Variant Price\n';

  test('are one product, also where each has the title', async () => {
    const csv = `${header}mug,Mug,Cups,Size,S,shopify,3,14.50\nmug,Mug,Cups,Size,M,shopify,4,12.00\npan,Pan,Pans,,,shopify,1,30.00\n`;
    expect(await importText(csv)).toMatchObject({ created: 2, faults: [] });
    expect(await sql('select slug, price, stock from product order by slug')).toEqual([
      { slug: 'mug', price: '12.00', stock: 7 },
      { slug: 'pan', price: '30.00', stock: 1 },
    ]);
  });

  test('are not imported if they stand apart, with a title or without', async () => {
    const pan = 'pan,Pan,Pans,,,shopify,1,30.00\n';
    const csv = `${header}mug,Mug,Cups,Size,S,shopify,3,14.50\n${pan}mug,Mug,Cups,Size,M,shopify,4,12.00\n`;
    const { created, faults } = await importText(csv);
    expect(created).toBe(1);
    const reason = (line: number): string => `has more rows elsewhere, in line ${line}: put all its rows together`;
    expect(faults.toSorted((one, other) => one.line - other.line)).toEqual([
      { line: 2, column: 'Handle', value: 'mug', reason: reason(4) },
      { line: 4, column: 'Handle', value: 'mug', reason: reason(2) },
    ]);
  });
});

test('rows of one handle without the names of their options are not told apart, so that a new product lacks its price', async () => {
  const csv = 'Handle,Title,Type,Variant SKU,Variant Price\nmug,Mug,Cups,S,9\nmug,,,M,8\npan,Pan,Pans,P,30\n';
  const { created, faults } = await importText(csv);
  expect(created).toBe(1);
  expect(faults).toMatchObject([{ line: 2, column: 'Variant Price', reason: expect.stringContaining('is missing') }]);
});

describe("Shopify's export with a fault in a product of several rows", () => {
  const header =
    'Handle,Title,Type,Published,Option1 Name,Option1 Value,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Image Src,Image Position,Status';
  const cup = 'cup,Cup,Cups,true,,,shopify,5,4.00,https://cdn/c.jpg,1,active';
  const mug = [
    'mug,Mug,Cups,true,Size,S,shopify,3,14.50,https://cdn/1.jpg,1,active',
    'mug,,,,,M,shopify,4,12.00,https://cdn/2.jpg,2,',
    'mug,,,,,L,shopify,2,13.00,"https://cdn/3.jpg",3,',
  ];
  const pan = 'pan,Pan,Pans,true,,,shopify,1,30.00,https://cdn/p.jpg,1,active';
  const file = (...rows: readonly string[]): string => `${[header, ...rows].join('\n')}\n`;
  const shown = () =>
    sql<{ slug: string }>('select slug, name, price, stock, image_urls, updated_at from product order by slug');

  test('cut anywhere before the last cell of a row changes nothing of the product, and is reported', async () => {
    const whole = file(cup, ...mug);
    await importText(whole);
    const before = await shown();
    const from = whole.indexOf('\nmug') + 2;
    const quietlyCut: string[] = [];
    for (let at = from; at < whole.length - 1; at += 2) {
      // A file that ends between two rows, or in the last cell, cannot be distinguished from a whole one.
      if (whole.slice(0, at).split('\n').at(-1)?.split(',').length === header.split(',').length) continue;
      if (whole[at - 1] === '\n') continue;
      const { faults, changed, created } = await importText(whole.slice(0, at));
      const isReported = faults.some(({ reason }) => reason.includes('may be cut'));
      if (changed + created > 0 || !isReported) quietlyCut.push(whole.slice(from, at));
    }
    expect(quietlyCut).toEqual([]);
    expect(await shown()).toEqual(before);
  });

  test.each([
    ['too few columns in its second row', [mug[0], 'mug,,,,,M,shopify,4', mug[2]]],
    ['too many', [mug[0], `${mug[1]},,x`, mug[2]]],
    ['a quote that is not closed', [mug[0], 'mug,,,,,M,shopify,4,12.00,"https://cdn/2.jpg,2,', mug[2]]],
    ['a quote in the middle of a cell', [mug[0], 'mug,,,,,M,shopify,4,12.00,x"https://cdn/2.jpg",2,', mug[2]]],
    ['a broken first row', ['mug,Mug,"Cups,true,Size,S,shopify,3,14.50', mug[1], mug[2]]],
    [
      'a broken first row, where each repeats the title',
      [
        'mug,Mug,"Cups,true,Size,S,shopify,3,14.50',
        ...mug.slice(1).map((row) => row.replace('mug,,,,', 'mug,Mug,Cups,true,Size')),
      ],
    ],
    ['a broken last row', [mug[0], mug[1], 'mug,,,,,L,shopify']],
    ['no first row', [mug[1], mug[2]]],
    ['its rows apart', [mug[0], mug[1], 'lid,Lid,Cups,true,,,shopify,3,1.00,,,active', mug[2]]],
    ['a price that is none', [mug[0], mug[1]?.replace('12.00', 'free'), mug[2]]],
  ])('%s leaves the product as it was, and costs no other product', async (_, rows) => {
    await importText(file(cup, ...mug, pan));
    const before = await shown();
    const changedCup = cup.replace('4.00', '4.50');
    const changedPan = pan.replace('30.00', '31.00');
    const { faults, changed } = await importText(file(changedCup, ...(rows as string[]), changedPan));
    expect(faults.length).toBeGreaterThan(0);
    expect(changed).toBe(2);
    const mugOf = (products: readonly { slug: string }[]) => products.find(({ slug }) => slug === 'mug');
    expect(mugOf(await shown())).toEqual(mugOf(before));
  });

  test('is imported without its last line end', async () => {
    expect(await importText(file(cup, ...mug).trimEnd())).toMatchObject({ created: 2, faults: [] });
  });

  test('names the broken row, and the product that is not imported because of it', async () => {
    const { faults, created } = await importText(file(cup, ...mug.slice(0, 2), 'mug,,,,,L,shopify', pan));
    expect(created).toBe(2);
    expect(faults).toEqual([
      { line: 5, reason: 'has 7 columns, but the first row names 12' },
      {
        line: 3,
        column: 'Handle',
        value: 'mug',
        reason: expect.stringContaining('because one of its rows, in line 5, is broken'),
      },
    ]);
  });

  test('as JSON that is cut between two rows is not imported either', async () => {
    const rows = [mug[0], mug[1]].map((row) =>
      Object.fromEntries(header.split(',').map((column, index) => [column, row?.split(',')[index] ?? ''])),
    );
    const { faults, created } = await importText(JSON.stringify(rows, null, 1).slice(0, -2));
    expect(created).toBe(0);
    expect(faults[0]?.reason).toContain('may be cut');
  });
});

describe('a SKU of Shopify', () => {
  const header =
    'Handle,Title,Type,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty,Variant Inventory Tracker\n';
  const skus = () =>
    sql(
      'select p.slug, v.sku, option_values as values from product_variant v join product p on p.id = product_id order by v.id',
    );

  test('that several variants share is that of the first, also of another product, and one line says so', async () => {
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    const csv = `${header}tee,Tee,Tops,Size,S,TEE-1,20.00,4,shopify\ntee,,,,M,TEE-1,20.00,5,shopify\n`;
    expect(await importText(csv, { onWarning })).toMatchObject({ created: 1, faults: [], variants: { created: 2 } });
    expect(warnings).toEqual(['imported without a SKU, because an earlier row has it: line 3 (TEE-1)']);
    expect(await skus()).toEqual([
      { slug: 'tee', sku: 'TEE-1', values: ['S'] },
      { slug: 'tee', sku: null, values: ['M'] },
    ]);
    expect(await importText(csv, { onWarning })).toMatchObject({ unchanged: 1, variants: { unchanged: 2 } });
    const others = `${csv}cap,Cap,Tops,Size,S,TEE-1,9.00,4,shopify\nmug,Mug,Cups,Title,Default Title,M-1,9.00,4,shopify\npot,Pot,Cups,Title,Default Title,M-1,9.00,4,shopify\n`;
    expect(await importText(others, { onWarning })).toMatchObject({ created: 3, faults: [] });
    expect(await sql('select slug, sku from product where sku is not null')).toEqual([{ slug: 'mug', sku: 'M-1' }]);
    expect((await skus()).map(({ sku }) => sku)).toEqual(['TEE-1', null, null]);
  });

  test('has no apostrophe before it, and neither has a barcode', async () => {
    const csv = `Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Barcode,Type\ntee,Tee,Size,S,'111,5.00,'4006381333931,Tops\ntee,,,M,'112,5.00,'4006381333948,\n`;
    expect(await importText(csv)).toMatchObject({ created: 1, faults: [] });
    expect(await sql('select sku, barcode from product_variant order by id')).toEqual([
      { sku: '111', barcode: '4006381333931' },
      { sku: '112', barcode: '4006381333948' },
    ]);
    await importText(`slug,name,category,price,sku\na,A,C,1,'0012\nb,B,C,1,"=""0013"""\nc,C,C,1,'quoted'\n`);
    expect(await sql('select sku from product where sku is not null order by slug')).toEqual([
      { sku: '0012' },
      { sku: '0013' },
      { sku: "'quoted'" },
    ]);
  });
});
