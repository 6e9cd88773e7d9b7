import { describe, expect, test } from 'vitest';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

type Rows = readonly (readonly string[])[];

const toText = (rows: Rows): string => rows.map((row) => `${row.map((cell) => `"${cell}"`).join(',')}\n`).join('');

/** The rows with some of their columns. */
const only = (rows: Rows, isWanted: (name: string) => boolean): string =>
  toText(rows.map((row) => row.filter((_, index) => isWanted(rows[0]?.[index] ?? ''))));

const stored = () =>
  sql(`select p.slug, p.name, subtitle, description, brand, tags, price, list_price, currency, stock, p.status, p.image_url, image_urls,
    sku, option_names, attributes, image_alts, c.slug as category, p.updated_at, array(select to_json(v) from product_variant v
      where v.product_id = p.id order by position, v.id) as variants
    from product p join category c on c.id = category_id order by p.id`);

const table = (text: string): Rows =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(';'));

const shopify = table(`
Handle;Title;Body (HTML);Vendor;Product Category;Type;Tags;Published;Variant Inventory Tracker;Variant Inventory Qty;Variant Inventory Policy;Variant Price;Variant Compare At Price;Image Src;Image Position;Status
mug;Mug;For tea;Potter;;Cups;clay, blue;false;shopify;3;deny;14.50;20;https://cdn.example/1.jpg;1;draft
mug;;;;;;;;;;;;;https://cdn.example/2.jpg;2;
pan;Pan;;Halden;Pans;;iron;true;shopify;40;deny;30;;;;active
`);

const woocommerce = table(`
ID;Type;SKU;Name;Published;Visibility in catalog;Short description;Description;In stock?;Stock;Sale price;Regular price;Categories;Tags;Images;Parent;Brands
1;simple;b-1;Belt;-1;visible;For trousers;Leather;1;7;;65;Clothing > Belts;brown;https://cdn.example/1.jpg, https://cdn.example/2.jpg;;Smith
2;variable;tee;Tee;1;visible;;;1;;;;Clothing;;;;
3;variation;tee-r;Tee, red;1;visible;;;1;50;;15;;;;tee;
`);

const google = table(`
id;title;description;image_link;additional_image_link;availability;quantity;price;brand;product_type;google_product_category
7;Mug;For tea;https://cdn.example/1.jpg;https://cdn.example/2.jpg,https://cdn.example/3.jpg;in_stock;40;19.90 EUR;Potter;Kitchen > Cups;404
`);

const shopifyVariants = table(`
Handle;Title;Type;Option1 Name;Option1 Value;Option2 Name;Option2 Value;Variant SKU;Variant Barcode;Variant Inventory Tracker;Variant Inventory Qty;Variant Price;Variant Compare At Price;Image Src;Image Alt Text;Variant Image
mug;Mug;Cups;Size;S;Color;Blue;m-s;11;shopify;3;14.50;20;https://cdn.example/1.jpg;Small;https://cdn.example/2.jpg
mug;;;;M;;Blue;m-m;12;shopify;4;12;20;https://cdn.example/2.jpg;;
pan;Pan;Pans;Title;Default Title;;;p-1;13;shopify;40;30;;;;
lid;Lid;Pans;Title;Default Title;;;l-1;;shopify;40;30;;;;
`);

const woocommerceVariants = table(`
ID;Type;SKU;GTIN, UPC, EAN, or ISBN;Name;Published;In stock?;Stock;Sale price;Regular price;Categories;Images;Parent;Position;Attribute 1 name;Attribute 1 value(s);Attribute 1 visible;Attribute 2 name;Attribute 2 value(s);Attribute 2 visible
1;simple;b-1;99;Belt;1;1;7;;65;Belts;https://cdn.example/1.jpg;;0;Material;Leather;1;;;
2;variable;tee;;Tee;1;1;;;;Tees;;;0;Color;Red, Blue;1;Size;S, M;1
3;variation;tee-r;11;Tee, red;1;1;20;;15;;https://cdn.example/2.jpg;tee;1;Color;Red;;Size;S;
4;variation;tee-b;12;Tee, blue;1;1;30;;17;;;tee;2;Color;Blue;;Size;M;
`);

const googleVariants = table(`
id;title;image_link;availability;quantity;price;brand;product_type;gtin;item_group_id;item_group_title;color;size;product_detail
7;Mug, blue;https://cdn.example/1.jpg;in_stock;40;19.90 EUR;Potter;Cups;11;mug;Mug;Blue;S;General:Made in:Norway
8;Mug, red;https://cdn.example/2.jpg;in_stock;30;18.90 EUR;Potter;Cups;12;mug;Mug;Red;S;
9;Pan;https://cdn.example/3.jpg;in_stock;20;17.90 EUR;Potter;Pans;13;;;Black;L;
`);

const products = table(`
slug;name;category;subtitle;description;brand;tags;price;listPrice;currency;stock;status
mug;Mug;Kitchen > Cups;Blue;For tea;Potter;clay|blue;12;15;EUR;40;DRAFT
`);

describe.each([
  ['shopify', shopify, ['Handle', 'Title']],
  ['woocommerce', woocommerce, ['Name', 'SKU', 'Parent']],
  ['google', google, ['title']],
  ['products', products, ['slug']],
  ['shopify', shopifyVariants, ['Handle', 'Title']],
  ['woocommerce', woocommerceVariants, ['Name', 'SKU', 'Parent', 'Type']],
  ['google', googleVariants, ['id', 'title', 'item_group_id', 'item_group_title', 'color', 'size', 'product_detail']],
] as const)('of a complete %s file', (format, rows, keys) => {
  const isKey = (name: string): boolean => (keys as readonly string[]).includes(name);

  test('each part that lacks columns changes nothing', async () => {
    await importText(toText(rows), { format });
    const before = await stored();
    const categories = await column('select slug from category order by id');
    for (const name of rows[0] ?? []) {
      if (isKey(name)) continue;
      for (const part of [only(rows, (each) => each !== name), only(rows, (each) => isKey(each) || each === name)]) {
        const { faults, changed } = await importText(part, { format });
        expect({ name, faults, changed }).toEqual({ name, faults: [], changed: 0 });
      }
    }
    expect(await stored()).toEqual(before);
    expect(await column('select slug from category order by id')).toEqual(categories);
  });
});

describe('a price list', () => {
  test('of Shopify changes prices alone: a draft stays a draft, and a product that is new has no category', async () => {
    await importText(toText(shopify));
    const [mug, pan] = await stored();
    const list = 'Handle,Title,Variant Price\nmug,Mug,11\npan,Pan,31\nlid,Lid,5\n';
    expect(await importText(list)).toMatchObject({ created: 1, changed: 2, createdCategories: 1, faults: [] });
    const updated_at = expect.any(Date);
    expect((await stored()).slice(0, 2)).toEqual([
      { ...mug, price: '11.00', updated_at },
      { ...pan, price: '31.00', updated_at },
    ]);
    expect(mug).toMatchObject({ status: 'DRAFT', stock: 3, brand: 'Potter', category: 'cups', list_price: '20.00' });
    expect(await column('select slug from category order by id')).toEqual(['cups', 'pans', 'uncategorized']);
    expect(await column(`select status from product where slug = 'lid'`)).toEqual(['ON_SALE']);
  });

  test.each([
    ['SKU,Name,Regular price\nb-1,Belt,70\n'],
    ['Type,SKU,Name,Regular price,Published\nsimple,b-1,Belt,70,-1\n'],
  ])('of WooCommerce changes prices alone: %j', async (list) => {
    await importText(toText(woocommerce));
    const [belt] = await stored();
    expect(await importText(list)).toMatchObject({ changed: 1, faults: [], format: { name: 'woocommerce' } });
    expect((await stored())[0]).toEqual({ ...belt, price: '70.00', updated_at: expect.any(Date) });
  });

  test('by sku needs no names', async () => {
    await importText(toText(woocommerce), { key: 'sku' });
    const [belt] = await stored();
    expect(await importText('SKU,Regular price\nb-1,70\n', { key: 'sku' })).toMatchObject({ changed: 1, faults: [] });
    expect((await stored())[0]).toEqual({ ...belt, price: '70.00', updated_at: expect.any(Date) });
    await importText(toText(google), { key: 'sku' });
    const list = 'id\tprice\tavailability\n7\t21 EUR\tout of stock\n';
    expect(await importText(list, { key: 'sku', format: 'google' })).toMatchObject({ changed: 1, faults: [] });
    expect((await stored()).at(-1)).toMatchObject({ name: 'Mug', price: '21.00', stock: 0, brand: 'Potter' });
  });

  test('with sale prices alone keeps the list price', async () => {
    await importText(toText(woocommerce));
    await sql(`update product set list_price = 65 where name = 'Belt'`);
    expect(await importText('Name,Sale price\nBelt,50\n')).toMatchObject({ changed: 1, faults: [] });
    expect((await stored())[0]).toMatchObject({ price: '50.00', list_price: '65.00' });
    await importText('Name,Sale price\nBelt,45\n');
    expect((await stored())[0]).toMatchObject({ price: '45.00', list_price: '65.00' });
    expect(await importText('Name,Sale price\nBelt,\n')).toMatchObject({ changed: 0, faults: [] });
  });

  test('of Google changes prices, and the first picture alone', async () => {
    await importText(toText(google), { format: 'google' });
    await sql('update product set list_price = 25');
    const [mug] = await stored();
    const list = (image: string, price: string): string =>
      `id\ttitle\tprice\timage_link\tavailability\n7\tMug\t${price}\t${image}\tin stock\n`;
    await importText(list('https://cdn.example/1.jpg', '18 EUR'));
    expect(await stored()).toEqual([{ ...mug, price: '18.00', updated_at: expect.any(Date) }]);
    await importText(list('https://cdn.example/9.jpg', '18 EUR'));
    expect(await stored()).toMatchObject([
      { image_url: 'https://cdn.example/9.jpg', image_urls: mug?.image_urls, stock: 40 },
    ]);
  });
});

test('a quantity without a price is read, in files of Shopify and WooCommerce', async () => {
  await importText(toText(shopify));
  const [mug, pan] = await stored();
  const list = 'Handle,Title,Variant Price,Variant Inventory Qty\nmug,Mug,,10\npan,Pan,,0\n';
  expect(await importText(list)).toMatchObject({ changed: 2, faults: [] });
  await importText('Handle,Title,Variant Inventory Qty\nmug,Mug,31\n');
  const updated_at = expect.any(Date);
  expect(await stored()).toEqual([
    { ...mug, stock: 31, updated_at },
    { ...pan, stock: 0, updated_at },
  ]);
  await importText(toText(woocommerce));
  const variations = 'Type,SKU,Name,Stock,Parent\nvariable,tee,Tee,,\nvariation,,Red,7,tee\n';
  expect(await importText(variations, { format: 'woocommerce' })).toMatchObject({ changed: 1, faults: [] });
  expect(await column(`select stock from product where slug = 'tee'`)).toEqual([7]);
});

test('what Shopify’s products.json lacks stays as it is', async () => {
  await importText(toText(shopify));
  const [mug] = await stored();
  const json = { products: [{ id: 1, title: 'Mug', handle: 'mug', vendor: 'Other', tags: ['a, b', 'c'] }] };
  expect(await importText(JSON.stringify(json))).toMatchObject({ changed: 1, faults: [] });
  expect((await stored())[0]).toEqual({ ...mug, brand: 'Other', tags: ['a, b', 'c'], updated_at: expect.any(Date) });
});

test('an item of a feed that lacks what others have is as in a table with an empty cell', async () => {
  const item = (id: string, more: string): string =>
    `<item><id>${id}</id><title>${id}</title><image_link>https://cdn.example/1.jpg</image_link><availability>in stock</availability>${more}</item>\n`;
  const feed = (...items: readonly string[]): string => `<rss><channel>\n${items.join('')}</channel></rss>\n`;
  await importText(
    feed(item('a', '<price>9 EUR</price><sale_price>8 EUR</sale_price>'), item('b', '<price>9 EUR</price>')),
  );
  await sql(`update product set list_price = 10 where slug = 'b'`);
  const prices = () => sql('select price, list_price from product order by slug');
  await importText(
    feed(item('a', '<price>7 EUR</price><sale_price>6 EUR</sale_price>'), item('b', '<price>8 EUR</price>')),
  );
  expect(await prices()).toEqual([
    { price: '6.00', list_price: '7.00' },
    { price: '8.00', list_price: null },
  ]);
});

test('a category without a path keeps its parent, where others of the file have one', async () => {
  const audio = { slug: 'a1', name: 'Audio', parentSlug: '' };
  const cables = { slug: 'c1', name: 'Cables' };
  await importText(jsonLines([audio, { ...cables, parentSlug: 'a1' }]));
  expect(await importText(jsonLines([audio, cables]))).toMatchObject({ changed: 0, unchanged: 2, faults: [] });
});
