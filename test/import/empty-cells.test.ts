import { describe, expect, test } from 'vitest';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

const whole = {
  slug: 'mug',
  name: 'Mug',
  category: 'Cups',
  price: 5,
  listPrice: 9,
  subtitle: 'Blue',
  description: 'For tea',
  brand: 'Acme',
  tags: ['red', 'big'],
  stock: 40,
  sales: 7,
  imageUrls: ['/1.jpg', '/2.jpg'],
  imageAlts: ['Front'],
  sku: 'A-7',
  attributes: { Material: 'Clay' },
  status: 'DRAFT',
  publishedAt: '2030-01-01T00:00:00Z',
};
const stored = () =>
  sql(`select name, price, list_price, subtitle, description, brand, tags, stock, sales, image_url, image_urls, image_alts, sku, attributes, status,
    published_at = created_at as is_published_by_default from product`);
const cleared = {
  name: 'Mug',
  price: '5.00',
  list_price: null,
  subtitle: null,
  description: '',
  brand: null,
  tags: [],
  stock: 1,
  sales: 0,
  image_url: null,
  image_urls: [],
  image_alts: [],
  sku: null,
  attributes: {},
  status: 'ON_SALE',
  is_published_by_default: true,
};
const columns = Object.keys(whole).filter((name) => !['slug', 'name', 'category', 'price'].includes(name));

describe('an empty cell of an existing product means no value, or the default', () => {
  test('in a CSV', async () => {
    await importText(jsonLines([whole]));
    const csv = `slug,name,category,price,${columns.join(',')}\nmug,Mug,Cups,5,${columns.map(() => '').join(',')}\n`;
    expect(await importText(csv)).toMatchObject({ changed: 1, faults: [] });
    expect(await stored()).toEqual([cleared]);
    expect(await importText(csv)).toMatchObject({ changed: 0, unchanged: 1, faults: [] });
  });

  test.each([[null], ['']])('in JSON as %j', async (empty) => {
    await importText(jsonLines([whole]));
    const row = { ...whole, ...Object.fromEntries(columns.map((name) => [name, empty])) };
    expect(await importText(jsonLines([row]))).toMatchObject({ changed: 1, faults: [] });
    expect(await stored()).toEqual([cleared]);
  });

  test('in JSON as [], which takes the picture for lists with it', async () => {
    await importText(jsonLines([whole]));
    const lists = ['tags', 'imageUrls', 'imageAlts', 'attributes', 'brand', 'description'];
    const row = { slug: 'mug', ...Object.fromEntries(lists.map((name) => [name, []])) };
    expect(await importText(jsonLines([row]))).toMatchObject({ changed: 1, faults: [] });
    expect(
      await sql('select tags, image_urls, image_url, image_alts, attributes, brand, description from product'),
    ).toEqual([
      { tags: [], image_urls: [], image_url: null, image_alts: [], attributes: {}, brand: null, description: '' },
    ]);
    expect(await sql('select subtitle, stock, status, sku from product')).toEqual([
      { subtitle: 'Blue', stock: 40, status: 'DRAFT', sku: 'A-7' },
    ]);
  });

  test('and what the operator says of the stock is the default', async () => {
    await importText(jsonLines([whole]));
    await importText('slug,stock\nmug,\n', { stock: 12 });
    expect(await column('select stock from product')).toEqual([12]);
  });

  test('but a name, a category and a price stay, and so does a slug', async () => {
    await importText(jsonLines([whole]));
    const [before] = await stored();
    expect(await importText('slug,name,category,price,brand\nmug,,,,Acme\n')).toMatchObject({
      unchanged: 1,
      faults: [],
    });
    expect(await stored()).toEqual([before]);
  });
});

test('an empty cell of a notice is its default, and its start that of its storing', async () => {
  const header = 'title,content,type,level,status,pinned,summary,startsAt,endsAt\n';
  await importText(`${header}Sale,Half,PROMOTION,URGENT,DRAFT,yes,Now,2026-01-01,2030-01-01\n`);
  expect(await importText(`${header}Sale,Half,,,,,,,\n`)).toMatchObject({ changed: 1, created: 0, faults: [] });
  expect(
    await sql('select type, level, status, pinned, summary, ends_at, starts_at = created_at as is_default from notice'),
  ).toEqual([
    {
      type: 'ANNOUNCEMENT',
      level: 'NORMAL',
      status: 'PUBLISHED',
      pinned: false,
      summary: null,
      ends_at: null,
      is_default: true,
    },
  ]);
});

test('an empty cell of a variant is its default', async () => {
  await importText('slug,name,category,price\ncup,Cup,Cups,8\n');
  const header = 'product,options,sku,barcode,price,listPrice,stock,imageUrl,position\n';
  await importText(`${header}cup,Size=S,S,12,5,9,40,/1.jpg,3\n`);
  expect(await importText(`${header}cup,Size=S,S,,5,,,,\n`)).toMatchObject({ changed: 1, faults: [] });
  expect(await sql('select sku, barcode, price, list_price, stock, image_url, position from product_variant')).toEqual([
    { sku: 'S', barcode: null, price: '5.00', list_price: null, stock: 1, image_url: null, position: 3 },
  ]);
});

describe('the value of an attribute', () => {
  const stored = () => column('select attributes::text from product order by slug');
  const texts = { Version: '1.10', Code: '1E5', Number: '00123', Long: '12345678901234567890', Organic: 'true' };
  const json =
    '{"Code": "1E5", "Long": "12345678901234567890", "Number": "00123", "Organic": "true", "Version": "1.10"}';
  const row = { slug: 'a', name: 'A', category: 'C', price: 1 };
  const pairs = Object.entries(texts).map(([name, value]) => ({ name, value }));

  test.each([
    ['an object', jsonLines([{ ...row, attributes: texts }])],
    ['an object in a cell', jsonLines([{ ...row, attributes: JSON.stringify(texts) }])],
    ['names and values', jsonLines([{ ...row, attributes: pairs }])],
    [
      'as the API has them',
      jsonLines([{ ...row, attributes: pairs.map(({ name, value }) => ({ name, values: [value] })) }]),
    ],
    [
      'XML',
      `<products>\n<product><name>A</name><category>C</category><price>1</price>${pairs.map(({ name, value }) => `<attributes name="${name}">${value}</attributes>`).join('')}</product></products>`,
    ],
    [
      "Google's details",
      `id\ttitle\timage_link\tavailability\tprice\tproduct_detail\n1\tA\t/1.jpg\tin stock\t1 EUR\t${pairs.map(({ name, value }) => `:${name}:${value}`).join(',')}\n`,
    ],
    [
      "WooCommerce's columns",
      `Type,Name,Published,Regular price,${pairs.map((_, at) => `Attribute ${at + 1} name,Attribute ${at + 1} value(s),Attribute ${at + 1} visible`).join(',')}\nsimple,A,1,1,${pairs.map(({ name, value }) => `${name},${value},1`).join(',')}\n`,
    ],
  ])('stays a text where the file has a text: %s', async (_, file) => {
    expect(await importText(file)).toMatchObject({ created: 1, faults: [] });
    const [found] = await stored();
    const read = JSON.parse(String(found), (_, value) => (Array.isArray(value) ? value[0] : value));
    expect(read).toEqual(JSON.parse(json));
  });

  test('is a number where JSON has a number, with all its digits', async () => {
    const attributes =
      '{"Weight": 1.50, "Long": 12345678901234567890, "None": null, "Empty": "", "List": [], "Fits": ["a", 1.10]}';
    expect(
      await importText(`{"slug":"a","name":"A","category":"C","price":1,"attributes":${attributes}}\n`),
    ).toMatchObject({
      created: 1,
      faults: [],
    });
    expect(await stored()).toEqual(['{"Fits": ["a", "1.10"], "Long": 12345678901234567890, "Weight": 1.50}']);
  });

  test('stays the number that the API shows as a text', async () => {
    await importText(jsonLines([{ ...row, attributes: { Weight: 1.5, Organic: true, Fits: ['a', 'b'], Size: '2' } }]));
    const values = (weight: string) => [
      { name: 'Weight', values: [weight] },
      { name: 'Organic', values: ['true'] },
      { name: 'Fits', values: ['a', 'b'] },
      { name: 'Size', values: ['2'] },
    ];
    expect(await importText(jsonLines([{ ...row, attributes: values('1.5') }]))).toMatchObject({ unchanged: 1 });
    expect(await importText(jsonLines([{ ...row, attributes: values('1.6') }]))).toMatchObject({ changed: 1 });
    expect(await stored()).toEqual(['{"Fits": ["a", "b"], "Size": "2", "Weight": "1.6", "Organic": true}']);
    // An object says which it is.
    await importText(jsonLines([{ ...row, attributes: { Organic: 'true', Size: 2 } }]));
    expect(await stored()).toEqual(['{"Size": 2, "Organic": "true"}']);
  });
});
