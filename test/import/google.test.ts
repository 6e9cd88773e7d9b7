import { describe, expect, test } from 'vitest';
import { linesOf, useImportDatabase } from '../support/import.ts';
import { readPieces } from '../support/records.ts';

const { sql, column, importText } = useImportDatabase();

const shown = () =>
  sql(`select p.slug, description, price, list_price, currency, stock, image_urls, c.name as category
    from product p join category c on c.id = category_id order by p.id`);

const television = {
  slug: 'tv-stand',
  description: 'Big & bright',
  price: '399.00',
  list_price: '499.99',
  currency: 'EUR',
  stock: 5,
  image_urls: ['https://i.example/1.png', 'https://i.example/2.png', 'https://i.example/3.png'],
  category: 'Televisions',
};
const antenna = {
  slug: 'antenna',
  description: '',
  price: '12.00',
  list_price: null,
  currency: 'CHF',
  stock: 0,
  image_urls: ['https://i.example/a.png'],
  category: 'Uncategorized',
};

const item = (id: string, name: string, more = ''): string =>
  `<item>
<g:id>${id}</g:id><g:title>${name}</g:title>
<g:image_link>https://i.example/1.png</g:image_link>
<g:availability>in_stock</g:availability>
<g:price>499.99 EUR</g:price>${more}
</item>
`;
const rss = (...items: readonly string[]): string =>
  `<?xml version="1.0"?>\n<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0">\n<channel>\n<title>Shop</title>\n${items.join('')}</channel>\n</rss>\n`;

describe('a feed for Google Merchant Center is read', () => {
  test('as text with tabs', async () => {
    const tsv = `id\ttitle\tdescription\timage link\tadditional image link\tavailability\tprice\tsale price\tsale price effective date\tproduct type\tgoogle product category
TV_1\tTV & stand\t<p>Big &amp; bright</p>\thttps://i.example/1.png\thttps://i.example/2.png,https://i.example/3.png\tin_stock\t499.99 EUR\t399.00 EUR\t2020-01-01T00:00-0800/2999-01-01T00:00-0800\tHome > Electronics > Televisions\t404
TV_2\tAntenna\t\thttps://i.example/a.png\t\tout of stock\tCHF12\t9 CHF\t2020-01-01T00:00-0800/2020-02-01T00:00-0800\t\t412
`;
    const { created, faults, format } = await importText(tsv, { stock: 5 });
    expect({ created, faults, format: format.name }).toEqual({ created: 2, faults: [], format: 'google' });
    expect(await shown()).toEqual([television, antenna]);
  });

  const more = `<g:sale_price>399.00 EUR</g:sale_price>
<g:description><![CDATA[<p>Big &amp; bright</p>]]></g:description>
<g:additional_image_link>https://i.example/2.png</g:additional_image_link>
<g:additional_image_link>https://i.example/3.png</g:additional_image_link>
<g:shipping><g:country>DE</g:country><g:price>4.95 EUR</g:price></g:shipping>
<g:product_type>Home &gt; Electronics &gt; Televisions</g:product_type>
<g:product_type>Sale</g:product_type>`;

  test('as RSS', async () => {
    const { created, faults, unusedColumns } = await importText(rss(item('TV_1', 'TV &amp; stand', more)), {
      stock: 5,
    });
    expect({ created, faults, unusedColumns }).toEqual({ created: 1, faults: [], unusedColumns: ['shipping'] });
    expect(await shown()).toEqual([television]);
  });

  test('as Atom', async () => {
    const entry = item('TV_1', 'TV &amp; stand', more).replaceAll('item>', 'entry>').replaceAll('g:title', 'title');
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0"><title>Shop</title>${entry}</feed>`;
    expect(await importText(feed, { stock: 5 })).toMatchObject({ created: 1, container: 'XML', faults: [] });
    expect(await shown()).toEqual([television]);
  });

  test('with the id as the key, if the operator says so', async () => {
    await importText(rss(item('TV_1', 'TV'), item('TV_2', 'TV')), { key: 'sku' });
    expect(await importText(rss(item('TV_2', 'Television')), { key: 'sku' })).toMatchObject({ created: 0, changed: 1 });
    expect(await column('select name from product order by slug')).toEqual(['TV', 'Television']);
  });

  test('with the quantity as its stock, unless it is out of stock', async () => {
    const [some, none] = ['TV', 'Radio'].map((name) => item(name, name, '<g:quantity>7</g:quantity>'));
    await importText(rss(`${some}${none?.replace('in_stock', 'out_of_stock')}`));
    expect(await sql('select slug, stock from product order by slug')).toEqual([
      { slug: 'radio', stock: 0 },
      { slug: 'tv', stock: 7 },
    ]);
  });

  test('with faults under the names of their columns', async () => {
    const feed = rss(
      item('1', 'TV', '<g:sale_price>cheap EUR</g:sale_price>'),
      item('2', 'Radio', '<g:quantity>many</g:quantity>'),
      item('3', 'Fan').replace('in_stock', 'perhaps'),
    );
    const { faults } = await importText(feed);
    expect(faults.map(({ column: name, value }) => [name, value])).toEqual([
      ['sale_price', 'cheap EUR'],
      ['quantity', 'many'],
      ['availability', 'perhaps'],
    ]);
  });

  test('with equal titles as several products', async () => {
    expect(await importText(rss(item('1', 'TV'), item('2', 'TV')))).toMatchObject({ created: 2, faults: [] });
    expect(await column('select slug from product order by id')).toEqual(['tv', 'tv-2']);
  });
});

describe('what is broken in XML costs no other record', () => {
  const [a, b, c] = [item('a', 'A'), item('b', 'B'), item('c', 'C')];

  test.each([
    ['an element without an end', b.replace('</g:price>', '')],
    ['a record without an end', b.replace('</item>\n', '')],
    ['a price that is none', b.replace('499.99', 'cheap')],
    ['an address that is none', b.replace('https:', 'javascript:')],
  ])('%s', async (_, broken) => {
    const { created, faults } = await importText(rss(a, broken, c));
    expect(created).toBe(2);
    expect(new Set(linesOf(faults))).toEqual(new Set([11]));
    expect(await column('select slug from product order by slug')).toEqual(['a', 'c']);
  });

  test('a feed that is cut off', async () => {
    const whole = rss(a, b);
    const inRecord = await importText(whole.slice(0, whole.indexOf('B</g:title>')));
    expect(inRecord).toMatchObject({
      created: 1,
      faults: [{ line: 11, reason: expect.stringContaining('may be cut') }],
    });
    const between = await importText(whole.slice(0, whole.indexOf(b)));
    expect(between.faults).toEqual([{ line: 11, reason: expect.stringContaining('may be cut') }]);
  });

  test('a file without records is refused', async () => {
    await expect(importText('<catalog><thing/></catalog>')).rejects.toThrow('has no <item>, <entry> or <product>');
  });
});

test('in whatever pieces a feed arrives, it is read alike, and each record is on its line', async () => {
  const text = rss(item('1', 'Käse &amp; Brot'), item('2', 'a <![CDATA[<]]> b'), item('3', '🫖'));
  const whole = await readPieces(text, text.length);
  expect(whole.records.map(({ line, fields }) => [line, fields.title])).toEqual([
    [5, 'Käse & Brot'],
    [11, 'a < b'],
    [17, '🫖'],
  ]);
  for (const size of [64, 100, 333]) expect(await readPieces(text, size)).toEqual(whole);
});
