import { describe, expect, test } from 'vitest';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

const product = { slug: 'a', name: 'A', category: 'Pans', price: 1 };

describe('an amount', () => {
  const csv = (price: string) => `slug;name;category;price\na;A;Pans;${price}\n`;

  test.each([
    [',', '1.299,90', '1299.90'],
    [',', '19,9', '19.90'],
    [',', "1'299'000,05", '1299000.05'],
    [',', '1\u202f299,00', '1299.00'],
    [',', '1.956e+02', '195.60'],
    ['.', '1,299.90', '1299.90'],
    ['.', '1299', '1299.00'],
  ] as const)('with "%s" before the decimals: %s is %s', async (decimal, text, price) => {
    expect(await importText(csv(text), { decimal })).toMatchObject({ created: 1, faults: [] });
    expect(await column('select price from product')).toEqual([price]);
  });

  test.each([
    [',', '19.90', 'must be an amount such as 19,90'],
    [',', '1.29,90', 'must be an amount such as 19,90'],
    ['.', '1.299,90', 'must be an amount such as 19.90'],
    ['.', '12,99', 'must be an amount such as 19.90'],
  ] as const)('with "%s" before the decimals is not %s', async (decimal, text, reason) => {
    const { faults } = await importText(csv(text), { decimal });
    expect(faults).toEqual([{ line: 2, column: 'price', value: text, reason }]);
  });
});

describe('a list in a cell', () => {
  test('is a list of tags, of pictures or of category names', async () => {
    const csv = `slug,name,category,price,tags,imageUrls
a,A,"[""Home & Garden"",""A > B""]",1,"[""x, y"",""z""]","[""https://cdn/1.jpg"", ""/2.jpg""]"
b,B,"[{""name"":""Home & Garden"",""url"":""https://shop/h""},{""name"":""Pots""}]",1,[],[]
`;
    expect(await importText(csv)).toMatchObject({ created: 2, createdCategories: 3, faults: [] });
    expect(await sql('select tags, image_urls, image_url from product order by slug')).toEqual([
      { tags: ['x, y', 'z'], image_urls: ['https://cdn/1.jpg', '/2.jpg'], image_url: 'https://cdn/1.jpg' },
      { tags: [], image_urls: [], image_url: null },
    ]);
    expect(
      await column(`select p.name || ' > ' || c.name from category c join category p on p.id = c.parent_id order by 1`),
    ).toEqual(['Home & Garden > A > B', 'Home & Garden > Pots']);
  });

  test('is one that PostgreSQL has printed', async () => {
    const tags = ['plain', 'with, comma', '"quoted"', String.raw`back\slash`, '{braces}', 'two\nlines', 'NULL'];
    const [row] = await sql('select $1::text[]::text as tags, array[]::text[]::text as image_urls', [tags]);
    expect(await importText(jsonLines([{ ...product, ...row }]))).toMatchObject({ created: 1, faults: [] });
    expect(await sql('select tags, image_urls from product')).toEqual([{ tags, image_urls: [] }]);
  });

  test.each([
    ['name', '["a","b"]', 'must be one text, but is a list'],
    ['brand', '[{"name": "a"}]', 'must be one text, but is a list'],
    ['slug', '["a"]', 'must be one text, but is a list'],
    ['imageUrl', '["https://cdn/1.jpg"]', 'must be one text, but is a list'],
    ['name', "['a', 'b']", 'must be one text, but is a list'],
    ['tags', "['a', 'b']", 'is a list that is no JSON: write it as ["a", "b"]'],
    ['category', "['a', 'b']", 'is a list that is no JSON: write it as ["a", "b"]'],
  ])('is refused as %s: %s', async (field, value, reason) => {
    const { created, faults } = await importText(jsonLines([{ ...product, [field]: value }]));
    expect({ created, faults }).toEqual({ created: 0, faults: [{ line: 1, column: field, value, reason }] });
  });

  test.each(['[READY STOCK] Mug', '[1984]', '{Mug}', '["Mug'])('is not what %s is', async (name) => {
    expect(await importText(jsonLines([{ ...product, name }]))).toMatchObject({ created: 1, faults: [] });
    expect(await column('select name from product')).toEqual([name]);
  });
});

test.each(['true', 'Yes', '1', 't'])('%s is true', async (pinned) => {
  await importText(jsonLines([{ title: 'A', content: 'A', pinned }]));
  expect(await column('select pinned from notice')).toEqual([true]);
});

describe('a number that a spreadsheet', () => {
  test('has shortened is no barcode and no sku, and rejects its row', async () => {
    const { created, faults } = await importText(
      'slug,name,category,price,sku\na,A,C,1,4.00638E+12\nb,B,C,1,"4,01E+12"\nc,C,C,1,4E12\nd,D,C,1,1.5\n',
    );
    expect(created).toBe(2);
    expect(faults.map(({ line, column: name, value }) => [line, name, value])).toEqual([
      [2, 'sku', '4.00638E+12'],
      [3, 'sku', '4,01E+12'],
    ]);
    const shop = await importText(
      'Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant Barcode\ne,E,Size,S,1,4.00638E+12\n',
    );
    expect(shop.faults).toMatchObject([{ line: 2, column: 'Variant Barcode' }]);
  });

  test('has got as a text, or a program as one with decimals, is a barcode with all its digits', async () => {
    await importText('slug,name,category,price\na,A,C,1\n');
    const barcodes = ['00012345', "'0012", '="0013"', '4006381333931.0', 'X 1.0', ' '];
    const rows = barcodes.map((barcode, at) => `a,Size=${at},1,"${barcode.replaceAll('"', '""')}"\n`);
    const { faults } = await importText(`product,options,price,barcode\n${rows.join('')}`);
    expect(faults).toEqual([]);
    expect(await column('select barcode from product_variant order by id')).toEqual([
      ...['00012345', '0012', '0013', '4006381333931', 'X 1.0', null],
    ]);
  });
});

describe('a picture', () => {
  const addresses = ['https://cdn.example/a b.jpg', 'HTTP://cdn.example/1.jpg', '/pictures/1.jpg'];
  test.each(addresses)('is at %s', async (imageUrl) => {
    expect(await importText(jsonLines([{ ...product, imageUrl }]))).toMatchObject({ created: 1, faults: [] });
    expect(await column('select image_url from product')).toEqual([imageUrl]);
  });

  test.each([
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    '//cdn.example/1.jpg',
    '/\\cdn.example/1.jpg',
    'https:cdn.example/1.jpg',
    'ftp://cdn.example/1.jpg',
    'N/A',
    '-',
    '/',
    'pictures/1.jpg',
    'a.jpg;b.jpg',
    'www.shop.example/r.jpg',
    'https://',
  ])('is not at %j', async (url) => {
    const rows = [
      { ...product, imageUrl: url },
      { ...product, slug: 'b', imageUrls: ['/1.jpg', url] },
    ];
    const { faults } = await importText(jsonLines(rows));
    expect(faults.map(({ line, column: name }) => `${line} ${name}`)).toEqual(['1 imageUrl', '2 imageUrls']);
    const { faults: ofCategory } = await importText(jsonLines([{ name: 'Pans', path: 'Pans', imageUrl: url }]));
    expect(ofCategory.map(({ column: name }) => name)).toEqual(['imageUrl']);
  });

  test.each([
    ['/1.jpg|https://cdn.example/w_9,h_9/2.jpg', ['/1.jpg', 'https://cdn.example/w_9,h_9/2.jpg']],
    [
      'https://cdn.example/1.jpg, https://cdn.example/2.jpg',
      ['https://cdn.example/1.jpg', 'https://cdn.example/2.jpg'],
    ],
    [
      'https://cdn.example/1.jpg;HTTPS://cdn.example/2.jpg;',
      ['https://cdn.example/1.jpg', 'HTTPS://cdn.example/2.jpg'],
    ],
    ['/1.jpg,/2.jpg,,/3.jpg,', ['/1.jpg', '/2.jpg', '/3.jpg']],
    ['/1.jpg ; /2.jpg\n/3.jpg', ['/1.jpg', '/2.jpg', '/3.jpg']],
  ])('of a list in a cell has a separator: %j', async (imageUrls, stored) => {
    expect(await importText(jsonLines([{ ...product, imageUrls }]))).toMatchObject({ created: 1, faults: [] });
    expect(await column('select image_urls from product')).toEqual([stored]);
  });

  test.each([
    ['/1.jpg, N/A', 'N/A'],
    ['a.jpg;b.jpg', 'a.jpg;b.jpg'],
    ['https://cdn.example/a b.jpg', 'b.jpg'],
    ['https://cdn.example/1.jpg|-', '-'],
  ])('of a list that is none is named: %s', async (imageUrls, named) => {
    const { faults } = await importText(jsonLines([{ ...product, imageUrls }]));
    const reason = `must be addresses with https:// or http://, or paths such as /pictures/pan.jpg, which "${named}" is not`;
    expect(faults).toEqual([{ line: 1, column: 'imageUrls', value: imageUrls, reason }]);
  });

  test.each([
    ['Image Src', 'Handle,Title,Type,Variant Price,Image Src\na,A,Pans,1,N/A\n'],
    ['Images', 'Type,SKU,Name,Published,Regular price,Categories,Images\nsimple,1,A,1,1,Pans,"/1.jpg, r.jpg"\n'],
    ['image_link', 'id,title,price,image_link,availability\n1,A,1 EUR,www.shop.example/r.jpg,in stock\n'],
    ['image_url', '[{"name":"A","price":1,"category":"pans","image_url":"r.jpg"}]'],
  ])('is one in every format, as in %s', async (name, text) => {
    const { created, faults } = await importText(text);
    expect(created).toBe(0);
    expect(faults.map((fault) => fault.column)).toContain(name);
  });

  test('of lists is the first of all, unless the file says which', async () => {
    const imageUrls = ['/1.jpg', '/2.jpg'];
    const rows = [
      { ...product, imageUrls },
      { ...product, slug: 'b', imageUrl: '/0.jpg', imageUrls },
    ];
    await importText(jsonLines(rows));
    expect(await column('select image_url from product order by slug')).toEqual(['/1.jpg', '/0.jpg']);
  });
});

describe('a list price', () => {
  const listPrices = () => column('select list_price from product order by slug');

  test('at or below the price is none, whatever the file has of the two', async () => {
    await importText('slug,name,category,price,listPrice\na,A,P,5,5.00\nb,B,P,5,4\nc,C,P,5,6\n');
    expect(await listPrices()).toEqual([null, null, '6.00']);
    expect(await importText('slug,name,listPrice\na,A,5\nb,B,7\n')).toMatchObject({ changed: 1, unchanged: 1 });
    expect(await listPrices()).toEqual([null, '7.00', '6.00']);
    expect(await importText('slug,name,price\na,A,5\nb,B,7\nc,C,5.99\n')).toMatchObject({ changed: 2, unchanged: 1 });
    expect(await listPrices()).toEqual([null, null, '6.00']);
  });

  test('that the back office stored is not touched by a file with neither of the two', async () => {
    await importText('slug,name,category,price,listPrice\na,A,P,5,6\n');
    await sql('update product set list_price = 4');
    expect(await importText('slug,name,stock\na,A,9\n')).toMatchObject({ changed: 1 });
    expect(await listPrices()).toEqual(['4.00']);
  });
});

describe('a stock that the file does not have', () => {
  const csv = 'slug,name,category,price,stock\na,A,P,1,\nb,B,P,1,0\nc,C,P,1,true\n';
  const stocks = () => column('select stock from product order by slug');

  test('is what the operator says, and that of an existing product stays', async () => {
    expect(await importText(csv, { stock: 25 })).toMatchObject({ created: 3 });
    expect(await stocks()).toEqual([25, 0, 25]);
    expect(await importText('slug,name,price\na,A,2\n', { stock: 7 })).toMatchObject({ changed: 1 });
    expect(await stocks()).toEqual([25, 0, 25]);
  });

  test('is one piece where the operator says nothing', async () => {
    expect(await importText(csv)).toMatchObject({ created: 3 });
    expect(await stocks()).toEqual([1, 0, 1]);
  });

  test('is kept where the file says only that there are some', async () => {
    await importText('slug,name,category,price,stock\na,A,P,1,40\nb,B,P,1,0\n');
    expect(await importText('slug,name,stock\na,A,in stock\nb,B,in stock\n')).toMatchObject({
      changed: 1,
      unchanged: 1,
    });
    expect(await stocks()).toEqual([40, 1]);
    await importText('slug,name,stock\na,A,out of stock\nb,B,in stock\n', { stock: 9 });
    expect(await stocks()).toEqual([0, 1]);
  });

  test('can be none', async () => {
    await importText(csv, { stock: 0 });
    expect(await stocks()).toEqual([0, 0, 0]);
  });
});

describe('HTML in a description', () => {
  const html =
    '<h2>Copper &amp; tin</h2><p>Holds <b>2 l</b>.<br>Oven-safe.</p><ul><li>24 cm</li><li>1.2 kg</li></ul><script>alert(1)</script><img src=x onerror="alert(2)">';

  test('becomes plain text with lines', async () => {
    await importText(jsonLines([{ ...product, description: html }]));
    expect(await column('select description from product')).toEqual([
      'Copper & tin\n\nHolds 2 l.\nOven-safe.\n\n- 24 cm\n- 1.2 kg',
    ]);
  });

  test('is kept where the operator says so', async () => {
    await importText(jsonLines([{ ...product, description: html }]), { html: 'keep' });
    expect(await column('select description from product')).toEqual([html]);
  });

  test.each([
    ['5 < 6 and 7 > 6\n\n  • two', '5 < 6 and 7 > 6\n\n  • two'],
    ['cat <stdin> & co', 'cat <stdin> & co'],
    ['Salt &amp; pepper\nTwo mills', 'Salt & pepper\nTwo mills'],
    ['One <b>bold</b> word\nand a line', 'One bold word\nand a line'],
  ])('is told from plain text: %j', async (description, stored) => {
    await importText(jsonLines([{ ...product, description }]));
    expect(await column('select description from product')).toEqual([stored]);
  });
});
