import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../src/import/formats/formats.ts';
import { IMPORT_KINDS } from '../../src/import-kinds.ts';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

describe('columns that the file names in another way', () => {
  // In the style of exports of marketplaces: floating-point prices, JSON in cells, equal titles, no stock, a category of their own.
  const quoted = (value: unknown) => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
  const listing = (index: number) => [
    `https://shop.example/p/${20_000_000_000 + index}`,
    20_000_000_000 + index,
    index % 4 === 0 ? '"Same title, twice"' : `Lamp ${index}`,
    index % 3 === 0 ? '1.956e+02' : '5.290700000000001e+02',
    index % 2 === 0 ? '3.409000000000000e+02' : '1.0e+01',
    ['MXN', 'THB', 'PHP'][index % 3],
    index % 5 === 0 ? 0 : '',
    quoted([`https://cdn.example/${index}.jpg`, `https://cdn.example/${index}b.jpg`]),
    quoted(['Home & Living', 'Lamps']),
    '"Bright,\nand warm"',
    quoted([{ name: 'Material', value: 'Glass' }]),
    'Lamps',
  ];
  const header =
    'url,id,title,final_price,initial_price,currency,stock,image,breadcrumb,Product Description,specifications,category';
  const csv = [header, ...Array.from({ length: 20 }, (_, index) => listing(index).join(','))].join('\n');
  const map = parseMapping([
    'name=title,price=final_price,listPrice=initial_price,category=breadcrumb',
    'imageUrls=image,description=product_description',
  ]);

  test('are read as the operator says, and a second import changes nothing', async () => {
    const first = await importText(`${csv}\n`, { map, stock: 3 });
    expect(first).toMatchObject({ created: 20, createdCategories: 2, faults: [] });
    expect(first.unusedColumns).toEqual(['url', 'id', 'specifications']);
    expect(
      await sql('select slug, price, list_price, currency, stock, image_url from product order by id limit 2'),
    ).toEqual([
      {
        slug: 'same-title-twice',
        price: '195.60',
        list_price: '340.90',
        currency: 'MXN',
        stock: 0,
        image_url: 'https://cdn.example/0.jpg',
      },
      {
        slug: 'lamp-1',
        price: '529.07',
        list_price: null,
        currency: 'THB',
        stock: 3,
        image_url: 'https://cdn.example/1.jpg',
      },
    ]);
    expect(await column(`select slug from product where name = 'Same title, twice' order by id`)).toEqual([
      'same-title-twice',
      ...[2, 3, 4, 5].map((number) => `same-title-twice-${number}`),
    ]);
    expect(await column('select distinct c.slug from category c join product on category_id = c.id')).toEqual([
      'home-living-lamps',
    ]);
    expect(await column('select distinct description from product')).toEqual(['Bright,\nand warm']);
    expect(await importText(`${csv}\n`, { map, stock: 3 })).toMatchObject({ created: 0, changed: 0, unchanged: 20 });
  });

  test('are named as in the file where a value is at fault', async () => {
    const { faults } = await importText('title,final_price,type\nLamp,cheap,Lamps\n', {
      map: parseMapping(['name=title,price=final_price,category=type']),
    });
    expect(faults).toEqual([
      { line: 2, column: 'final_price', value: 'cheap', reason: expect.stringContaining('amount') },
    ]);
  });

  test('can be used twice, and those of categories and of other formats can be mapped too', async () => {
    const once = await importText('label,cost\nLamp,5\n', {
      map: parseMapping(['name=label,subtitle=label,price=cost,category=label']),
    });
    expect(once).toMatchObject({ created: 1, faults: [] });
    expect(
      await importText('Path of names\nHome > Lamps\n', { map: parseMapping(['path=Path of names']) }),
    ).toMatchObject({ created: 1, kind: { table: 'category' } });
    const shopify = await importText('Handle,Name,Cost\nlamp-2,Lamp,5\n', {
      map: parseMapping(['Title=Name,Variant Price=Cost']),
      format: 'shopify',
    });
    expect(shopify).toMatchObject({ created: 1, format: { name: 'shopify' }, faults: [] });
  });

  test.each([
    ['shopify', 'Handle,Title,Vendor,Maker,Variant Price,Preis\na,A,V,M,1,2\n', 'Vendor=Maker,Price=Preis'],
    [
      'woocommerce',
      'Type,SKU,Name,Published,Regular price,Preis,Brands,Maker\nsimple,1,A,1,1,2,V,M\n',
      'Regular price=Preis,Brands=Maker',
    ],
    [
      'google',
      'id,title,price,preis,image_link,availability,brand,maker\n1,A,1 EUR,2 EUR,/1.jpg,in stock,V,M\n',
      'price=preis,brand=Maker',
    ],
    ['products', 'name,category,price,Preis,brand,Maker\nA,C,1,2,V,M\n', 'price=Preis,brand=Maker'],
  ])('take the place of those that the file has, in the format %s', async (format, csv, map) => {
    const imported = await importText(csv, { map: parseMapping([map]) });
    expect(imported).toMatchObject({ created: 1, faults: [], unusedColumns: [], format: { name: format } });
    expect(await sql('select price, brand from product')).toEqual([{ price: '2.00', brand: 'M' }]);
  });

  test.each([
    ['name=titel', /^--map: .*catalogue has no column titel\. Did you mean title\? Its columns: title, final_price$/],
    [
      'nam=title',
      /^--map: there is no column nam\. Did you mean name\? There are:\n.*\n {2}products: slug, name, category, /,
    ],
    ['name', /^--map needs Vitrine's column and the file's, such as name=title, but is "name"\.$/],
    ['name=title,Name=final_price', /^--map names Name twice\.$/],
  ])('are refused if they do not exist: --map %s', async (text, message) => {
    const attempt = async () => importText('title,final_price\nLamp,5\n', { map: parseMapping([text]) });
    await expect(attempt()).rejects.toThrow(message);
  });

  test('may have commas in their names', () => {
    expect(parseMapping(['name=Title, long,price=Cost'])).toEqual([
      { target: 'name', source: 'Title, long' },
      { target: 'price', source: 'Cost' },
    ]);
  });
});

test('a file of no known format is refused with all its columns, and with how to map them', async () => {
  const columns = Array.from({ length: 45 }, (_, index) => `column_${index}`);
  const text = jsonLines([Object.fromEntries(columns.map((name) => [name, 1]))]);
  await expect(importText(text)).rejects.toThrow(`Its columns: ${columns.join(', ')}.\n`);
  await expect(importText(text)).rejects.toThrow('--map name=title,price=final_price');
  for (const { plural, native } of IMPORT_KINDS)
    await expect(importText(text)).rejects.toThrow(`of ${plural}, ${native.needs}`);
});

test('a table of variants that PostgreSQL has written is read with its lists', async () => {
  await importText('name,category,price\nCopper Pan,Pans,119.00\n');
  await sql(`update product set option_names = '{Size,Colour}'`);
  const text = `product,sku,barcode,option_values,price,list_price,stock,image_url,position,created_at,updated_at
copper-pan,M-DB,,"{M,""Dark blue""}",12.00,,3,,0,2026-11-27 21:33:00.123456+00,2026-11-27 21:33:00+00
`;
  expect(await importText(text)).toMatchObject({ created: 1, faults: [], unusedColumns: [] });
  expect(await sql('select sku, option_values, price::text from product_variant')).toEqual([
    { sku: 'M-DB', option_values: ['M', 'Dark blue'], price: '12.00' },
  ]);
});

test('rows on one line are told apart by their numbers', async () => {
  const rows = ['a', 'b', 'a', 'c'].map((slug, index) => ({
    slug,
    name: 'N',
    category: 'C',
    price: index === 3 ? 'x' : 1,
  }));
  const { faults } = await importText(JSON.stringify(rows));
  expect(faults.map(({ line, record, reason }) => [line, record, reason])).toEqual([
    [1, 4, expect.stringContaining('amount')],
    [1, 1, 'is repeated in record 3, which is imported instead: remove one of the two'],
  ]);
});
