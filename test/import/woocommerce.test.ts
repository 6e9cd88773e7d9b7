import { describe, expect, test } from 'vitest';
import { useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

const COLUMNS = [
  ...['ID', 'Type', 'SKU', 'Name', 'Published', 'Visibility in catalog', 'Short description', 'Description'],
  ...['Date sale price starts', 'Date sale price ends', 'In stock?', 'Stock', 'Sale price', 'Regular price'],
  ...['Categories', 'Tags', 'Images', 'Parent', 'Attribute 1 name', 'Attribute 1 value(s)'],
];
type Row = Readonly<Record<string, string>>;
const csv = (...rows: readonly Row[]): string =>
  [COLUMNS, ...rows.map((row) => COLUMNS.map((name) => `"${(row[name] ?? '').replaceAll('"', '""')}"`))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('');

const simple: Row = {
  ID: '1',
  Type: 'simple',
  SKU: 'b-1',
  Name: 'Belt',
  Published: '1',
  'In stock?': '1',
  'Regular price': '65',
};
const tee: Row = {
  ID: '44',
  Type: 'variable',
  SKU: 'tee',
  Name: 'T-Shirt',
  Published: '1',
  'In stock?': '1',
  Categories: 'Shirts',
  'Attribute 1 name': 'Colour',
};
const variation = (more: Row): Row => ({
  Type: 'variation',
  Name: 'T-Shirt – red',
  Published: '1',
  'In stock?': '1',
  Parent: 'tee',
  'Attribute 1 name': 'Colour',
  'Attribute 1 value(s)': 'red',
  ...more,
});

describe("WooCommerce's export", () => {
  test('gives a product for each row, with its sale, its deepest category and its pictures', async () => {
    const { created, faults, format } = await importText(
      csv(
        {
          ...simple,
          'Short description': 'For trousers',
          Description: '<p>Made of\\nleather.</p>',
          Stock: '7',
          'Sale price': '55',
          Categories: 'Clothing, Clothing > Belts\\, long, Sale',
          Tags: 'leather, brown\\, dark',
          Images: 'https://cdn.example/1.jpg, https://cdn.example/2.jpg',
        },
        {
          ...simple,
          ID: '2',
          SKU: 'b-2',
          Name: 'Old belt',
          Published: "'-1",
          'In stock?': '0',
          'Sale price': '5',
          'Date sale price ends': '2020-01-01',
        },
        {
          ...simple,
          ID: '3',
          SKU: '',
          Name: 'Belt',
          'Visibility in catalog': 'hidden',
          Stock: '-3',
          'In stock?': 'backorder',
        },
      ),
    );
    expect({ created, faults, format: format.name }).toEqual({ created: 3, faults: [], format: 'woocommerce' });
    const rows =
      await sql(`select p.slug, subtitle, description, price, list_price, stock, p.status, tags, image_urls, p.image_url, c.slug as category
      from product p join category c on c.id = category_id order by p.id`);
    expect(rows).toEqual([
      {
        slug: 'belt',
        subtitle: 'For trousers',
        description: 'Made of leather.',
        price: '55.00',
        list_price: '65.00',
        stock: 7,
        status: 'ON_SALE',
        tags: ['leather', 'brown, dark'],
        image_urls: ['https://cdn.example/1.jpg', 'https://cdn.example/2.jpg'],
        image_url: 'https://cdn.example/1.jpg',
        category: 'clothing-belts-long',
      },
      expect.objectContaining({
        slug: 'old-belt',
        price: '65.00',
        list_price: null,
        stock: 0,
        status: 'DRAFT',
        category: 'uncategorized',
      }),
      expect.objectContaining({ slug: 'belt-2', stock: 1, status: 'OFF_SALE' }),
    ]);
  });

  test('has the variations of a product wherever they stand, by sku or by id', async () => {
    const file = csv(
      variation({ 'Regular price': '20', Stock: '3', Images: 'https://cdn.example/red.jpg' }),
      simple,
      { ...tee, Stock: '10', Images: 'https://cdn.example/tee.jpg' },
      variation({
        'Regular price': '25',
        'Sale price': '15',
        Parent: 'id:44',
        Stock: 'parent',
        'Attribute 1 value(s)': 'blue',
      }),
      variation({ 'Regular price': '12', Published: '0' }),
      variation({ 'Regular price': '', Stock: '9' }),
    );
    expect(await importText(file)).toMatchObject({ created: 2, faults: [], variants: { created: 2 } });
    expect(await sql('select slug, price, list_price, stock, image_urls from product order by id')).toEqual([
      { slug: 'belt', price: '65.00', list_price: null, stock: 1, image_urls: [] },
      {
        slug: 't-shirt',
        price: '15.00',
        list_price: '25.00',
        stock: 13,
        image_urls: ['https://cdn.example/tee.jpg', 'https://cdn.example/red.jpg'],
      },
    ]);
    expect(await importText(file)).toMatchObject({ created: 0, changed: 0, unchanged: 2 });
  });

  test('is found by sku, if the operator says so', async () => {
    await importText(csv(simple, tee, variation({ 'Regular price': '20' })), { key: 'sku' });
    const renamed = csv(
      { ...simple, Name: 'Leather belt' },
      { ...tee, Name: 'Shirt' },
      variation({ 'Regular price': '20' }),
    );
    expect(await importText(renamed, { key: 'sku' })).toMatchObject({ created: 0, changed: 2 });
    expect(await column('select slug from product order by slug')).toEqual(['belt', 't-shirt']);
    const { faults } = await importText(csv({ ...simple, SKU: '' }), { key: 'sku' });
    expect(faults).toEqual([{ line: 2, column: 'SKU', value: '', reason: 'is missing' }]);
  });

  test('has the names of products, categories, tags and brands as people read them, and finds them again', async () => {
    await importText('slug,name,category,price\nold,Old,Salt & Pepper > Mills,1\n');
    const spice = {
      ...simple,
      Name: 'Salt &amp; Pepper &#8211; 24&quot;',
      Tags: 'salt &amp; pepper, S&eacute;lection',
    };
    const file = csv({ ...spice, Categories: 'Salt &amp; Pepper &gt; more, Salt &amp; Pepper > Mills' }).replace(
      /^ID|^"1"/gm,
      (cell) => (cell === 'ID' ? 'Brands,ID' : `Smith &#038; Sons,${cell}`),
    );
    expect(await importText(file)).toMatchObject({ created: 1, createdCategories: 0, faults: [] });
    expect(await importText(file)).toMatchObject({ created: 0, unchanged: 1 });
    expect(
      await sql(`select p.slug, p.name, brand, tags, c.name as category
        from product p join category c on c.id = category_id where brand is not null`),
    ).toEqual([
      {
        slug: 'salt-pepper-24',
        name: 'Salt & Pepper – 24"',
        brand: 'Smith & Sons',
        tags: ['salt & pepper', 'Sélection'],
        category: 'Mills',
      },
    ]);
    await importText(csv({ ...simple, SKU: 'ab', Name: 'A &amp; B' }), { html: 'keep' });
    expect(await column(`select name from product where slug = 'a-b'`)).toEqual(['A &amp; B']);
  });

  test('puts on sale only what is published', async () => {
    const statuses = { '1': 'ON_SALE', '0': 'OFF_SALE', '-1': 'DRAFT', '2': 'DRAFT', TRUE: 'ON_SALE' };
    const rows = Object.keys(statuses).map((Published) => ({
      ...simple,
      SKU: `b${Published}`,
      Name: `Belt ${Published}`,
      Published,
    }));
    expect(await importText(csv(...rows))).toMatchObject({ created: 5, faults: [] });
    expect(await sql('select name, status::text from product order by name')).toEqual(
      Object.entries(statuses)
        .map(([published, status]) => ({ name: `Belt ${published}`, status }))
        .sort((one, other) => one.name.localeCompare(other.name)),
    );
    const { faults } = await importText(csv({ ...simple, Name: 'Cap', Published: '7' }));
    expect(faults).toMatchObject([{ line: 2, column: 'Published', value: '7' }]);
  });

  test('has the variations of subscriptions', async () => {
    const box = { ...tee, Type: 'variable-subscription, virtual', Name: 'Box' };
    const monthly = variation({ Type: 'subscription_variation, virtual', 'Regular price': '20', Stock: '3' });
    const yearly = variation({ 'Regular price': '200', Stock: '4', 'Attribute 1 value(s)': 'blue' });
    expect(await importText(csv(box, monthly, yearly))).toMatchObject({ created: 1, faults: [] });
    expect(await sql('select slug, price, stock from product')).toEqual([{ slug: 'box', price: '20.00', stock: 7 }]);
  });

  test('with a sale price that is none names its column, and that of the regular price', async () => {
    const { faults } = await importText(
      csv(
        { ...simple, 'Sale price': 'cheap' },
        { ...simple, Name: 'Cap', 'Sale price': '5', 'Regular price': 'dear' },
        tee,
        variation({ 'Regular price': '9', 'Sale price': 'free' }),
      ),
    );
    expect(faults.map(({ line, column: name, value }) => [line, name, value])).toEqual([
      [2, 'Sale price', 'cheap'],
      [3, 'Regular price', 'dear'],
      [5, 'Sale price', 'free'],
    ]);
  });

  test('without the attributes of variations does not tell several apart, so that a new product lacks its price', async () => {
    const file =
      'Type,SKU,Name,Regular price,Parent\nvariable,tee,Tee,,\nvariation,,Red,9,tee\nvariation,,Blue,8,tee\n';
    const options = { format: 'woocommerce' };
    const { faults } = await importText(file, options);
    expect(faults).toMatchObject([{ line: 2, column: 'Regular price', reason: expect.stringContaining('is missing') }]);
    expect(await importText(file.replace(/variation,,Blue.*\n/, ''), options)).toMatchObject({
      created: 1,
      faults: [],
    });
    expect(await column('select price from product')).toEqual(['9.00']);
  });

  test('with a fault names row and column, and costs no other product', async () => {
    const { created, faults } = await importText(
      csv(
        { ...simple, 'Regular price': '12,50' },
        { ...simple, Name: 'Cap', 'Regular price': '1' },
        tee,
        variation({ 'Regular price': 'free' }),
        variation({ 'Regular price': '9', Parent: 'gone' }),
        { Type: 'grouped', ID: '9', Name: 'Set', Published: '1', Categories: 'Sets' },
      ),
    );
    expect(created).toBe(1);
    expect(faults).toEqual([
      { line: 2, column: 'Regular price', value: '12,50', reason: expect.stringContaining('--decimal ,') },
      { line: 5, column: 'Regular price', value: 'free', reason: expect.stringContaining('amount') },
      { line: 6, column: 'Name', value: 'T-Shirt – red', reason: 'is a variation of "gone", which is not in the file' },
      { line: 7, column: 'Regular price', value: '', reason: 'is missing, and the product "set" is new' },
    ]);
  });

  test.each([
    ['says so', '"50","variation","x'],
    ['does not get as far as its type', '"50","vari'],
  ])('with a broken row that %s changes no product that it may be a variation of', async (_, row) => {
    const file = csv(simple, tee, variation({ 'Regular price': '20' }));
    await importText(file);
    const broken = `${file}${row}\n`.replaceAll('"65"', '"66"').replaceAll('"20"', '"10"');
    const { changed, faults } = await importText(broken);
    expect(changed).toBe(1);
    expect(faults.map(({ line }) => line)).toEqual([5, 3]);
    expect(await column('select price from product order by slug')).toEqual(['66.00', '20.00']);
  });
});
