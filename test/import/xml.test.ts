import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../src/import/formats/formats.ts';
import { useImportDatabase } from '../support/import.ts';
import { readPieces } from '../support/records.ts';

const { sql, column, importText } = useImportDatabase();

const products = (...rows: readonly string[]): string =>
  `<?xml version="1.0"?>\n<products>\n${rows.map((row) => `<product>${row}</product>\n`).join('')}</products>\n`;
const mug = '<name>Mug</name><price>5.00</price><category>Cups</category>';

describe('an empty element of a feed', () => {
  test.each(['<brand/>', '<brand />', '<brand></brand>', '<brand> </brand>'])('is an empty cell: %s', async (brand) => {
    const { created, faults } = await importText(products(`${mug}${brand}`));
    expect({ created, faults }).toEqual({ created: 1, faults: [] });
    expect(await sql('select name, brand from product')).toEqual([{ name: 'Mug', brand: null }]);
  });

  test('clears what the product had', async () => {
    await importText(products(`${mug}<brand>Acme</brand><description>For tea</description>`));
    expect(await importText(products(`${mug}<brand/><description/>`))).toMatchObject({ changed: 1, faults: [] });
    expect(await sql('select brand, description from product')).toEqual([{ brand: null, description: '' }]);
  });

  test('of a group costs no other item', async () => {
    const item = (id: string, title: string, more: string) =>
      `<item><g:id>${id}</g:id><g:title>${title}</g:title><g:price>5.00 EUR</g:price><g:availability>in stock</g:availability><g:image_link>https://x.example/${id}.jpg</g:image_link>${more}</item>\n`;
    const group = (id: string) =>
      ['S', 'M'].map((size) =>
        item(`${id}${size}`, `Tee ${id} ${size}`, `<g:size>${size}</g:size><g:item_group_id>G${id}</g:item_group_id>`),
      );
    const items = [item('P1', 'Pan', '<g:gtin/>'), ...['0', '1', '2'].flatMap(group)].join('');
    const feed = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>\n${items}</channel></rss>\n`;
    const imported = await importText(feed);
    expect(imported).toMatchObject({ created: 4, faults: [], variants: { created: 6 } });
  });

  test('with an attribute alone is named as not used', async () => {
    const entry =
      '<entry><g:id>A1</g:id><title>Red mug</title><link href="https://shop.example/p/1"/><g:price>5.00 EUR</g:price><g:availability>in stock</g:availability><g:image_link>https://shop.example/1.jpg</g:image_link></entry>';
    const feed = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">\n<title>Shop</title><link rel="self" href="https://shop.example/"/>\n${entry}\n</feed>\n`;
    const { created, faults, unusedColumns } = await importText(feed);
    expect({ created, faults, unusedColumns }).toEqual({
      created: 1,
      faults: [],
      unusedColumns: ['link', 'link@href'],
    });
  });

  test('in whatever pieces the feed arrives', async () => {
    const text = products(`${mug}<brand/><a><b x="1"/></a>`, `${mug}<brand\n/>`);
    const whole = await readPieces(text, text.length);
    expect(whole.faults).toEqual([]);
    for (const size of [64, 65, 71]) expect(await readPieces(text, size)).toEqual(whole);
  });
});

describe('elements in an element', () => {
  const images = ['https://a.example/1.jpg', 'https://a.example/2.jpg'];
  const listed = (space: string) =>
    `${mug}${space}<images>${images.map((url) => `${space}<image>${url}</image>`).join('')}${space}</images><tags>${space}<tag>red, dark</tag>${space}<tag>big</tag>${space}</tags>`;

  test.each(['', '\n    ', '\r\n\t'])('are a list, with %j between them', async (space) => {
    const map = parseMapping(['imageUrls=images']);
    expect(await importText(products(listed(space)), { map })).toMatchObject({ created: 1, faults: [] });
    expect(await sql('select tags, image_urls from product')).toEqual([
      { tags: ['red, dark', 'big'], image_urls: images },
    ]);
  });

  test('are a list where there is one, and a text where the column has one', async () => {
    const text = products(`${mug}<tags><tag>red, dark</tag></tags><brand><name>Acme</name></brand>`);
    expect(await importText(text)).toMatchObject({ created: 1, faults: [] });
    expect(await sql('select tags, brand from product')).toEqual([{ tags: ['red, dark'], brand: 'Acme' }]);
  });

  test('are paragraphs of a text, if HTML has them', async () => {
    await importText(products(`${mug}<description><p>For <b>tea</b> &amp; milk</p><p>Blue</p></description>`));
    expect(await column('select description from product')).toEqual(['For tea & milk\n\nBlue']);
    await importText(products(`${mug}<description>For <b>tea</b> &amp; milk</description>`));
    expect(await column('select description from product')).toEqual(['For tea & milk']);
  });

  test('are variants and attributes', async () => {
    const variant = (size: string) =>
      `<variant><sku>M-${size}</sku><options><Size>${size}</Size></options><price>5</price></variant>`;
    const text = products(
      `<name>Mug</name><category>Cups</category><variants>${variant('S')}${variant('L')}</variants><attributes><Material>Clay</Material><Weight>1.10</Weight></attributes>`,
    );
    expect(await importText(text)).toMatchObject({ created: 1, faults: [], variants: { created: 2 } });
    expect(await column('select attributes::text from product')).toEqual(['{"Weight": "1.10", "Material": "Clay"}']);
    expect(await column('select option_values from product_variant order by id')).toEqual([['S'], ['L']]);
  });
});

describe('an attribute of an element', () => {
  const text =
    '<products><product id="7" sku="A-7"><name>Mug</name><price currency="EUR">5.00</price><category>Cups</category><stock unit="pcs">4</stock></product></products>';

  test('is read, or named as not used', async () => {
    const { created, faults, unusedColumns } = await importText(text);
    expect({ created, faults, unusedColumns }).toEqual({ created: 1, faults: [], unusedColumns: ['stock@unit', 'id'] });
    expect(await sql('select sku, price, currency, stock from product')).toEqual([
      { sku: 'A-7', price: '5.00', currency: 'EUR', stock: 4 },
    ]);
  });

  test('can be mapped', async () => {
    const map = parseMapping(['brand=stock@unit', 'subtitle=g:id']);
    expect(await importText(text, { map })).toMatchObject({ created: 1, faults: [], unusedColumns: [] });
    expect(await sql('select brand, subtitle from product')).toEqual([{ brand: 'pcs', subtitle: '7' }]);
  });
});

test('a fault in a feed on one line names the record and the column', async () => {
  const row = (price: string) =>
    `<product><name>Mug ${price}</name><price>${price}</price><category>Cups</category></product>`;
  const broken = '<product><name>Pot<price>1</price></product>';
  const { created, faults } = await importText(`<products>${row('5')}${row('cheap')}${broken}${row('6')}</products>`);
  expect(created).toBe(2);
  expect(faults.toSorted((one, other) => Number(one.record) - Number(other.record))).toEqual([
    { line: 1, record: 2, column: 'price', value: 'cheap', reason: expect.stringContaining('amount') },
    { line: 1, record: 3, reason: 'is not well-formed: <name> has no end' },
  ]);
});

test('elements in one another without end, and records without end, cost no memory', async () => {
  const deep = `<product>${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}</product>`;
  const { records, faults } = await readPieces(`<products>\n${deep}\n<product>${mug}</product>\n</products>`, 100_000);
  expect(records).toHaveLength(1);
  expect(faults).toEqual([{ line: 2, reason: 'has more than 50 elements in one another' }]);
  const long = `<product>${'<a/>'.repeat(100_000)}</product>`;
  expect((await readPieces(`<products>\n${long}\n<product>${mug}</product>\n</products>`, 50_000)).faults).toEqual([
    { line: 2, reason: 'is longer than 4 MiB' },
  ]);
});

describe('with --record', () => {
  test('a feed whose records have another name is read, and one without them is refused', async () => {
    const text = `<shop><offers><offer>${mug}</offer></offers></shop>`;
    await expect(importText(text)).rejects.toThrow(
      'has no <item>, <entry> or <product>: say which element is a record, such as --record offer.',
    );
    expect(await importText(text, { record: 'OFFER' })).toMatchObject({ created: 1, faults: [] });
    await expect(importText(text, { record: 'article' })).rejects.toThrow('has no <article>');
  });

  test('Yandex YML is read: its categories, and then its offers', async () => {
    const yml = `<yml_catalog date="2026-11-28"><shop><currencies><currency id="RUB" rate="1"/></currencies>
<categories><category id="1">Посуда</category><category id="2" parentId="1">Чайники</category></categories><offers>
<offer id="9012" available="true"><price>8990</price><oldprice>9990</oldprice><currencyId>RUB</currencyId><categoryId>2</categoryId>
<picture>https://x.example/1.jpg</picture><picture>https://x.example/2.jpg</picture><name>Чайник</name><vendor>Mi</vendor>
<description><![CDATA[<p>Для чая</p>]]></description><param name="Цвет">белый</param><param name="Вес" unit="кг">1.20</param></offer>
</offers></shop></yml_catalog>
`;
    const categories = { record: 'category', map: parseMapping(['slug=id,name=category,parentSlug=parentId']) };
    expect(await importText(yml, categories)).toMatchObject({ created: 2, faults: [] });
    const map = parseMapping([
      'sku=id,stock=available,listPrice=oldprice,currency=currencyId,categorySlug=categoryId,imageUrls=picture,brand=vendor,attributes=param',
    ]);
    const offers = { record: 'offer', map };
    expect(await importText(yml, offers)).toMatchObject({ created: 1, faults: [], unusedColumns: [] });
    expect(
      await sql(`select p.sku, p.name, price, list_price, currency, stock, brand, description, cardinality(image_urls) as pictures, attributes,
        c.name as category, up.name as parent from product p join category c on c.id = category_id join category up on up.id = c.parent_id`),
    ).toEqual([
      {
        sku: '9012',
        name: 'Чайник',
        price: '8990.00',
        list_price: '9990.00',
        currency: 'RUB',
        stock: 1,
        brand: 'Mi',
        description: 'Для чая',
        pictures: 2,
        attributes: { Цвет: 'белый', Вес: '1.20' },
        category: 'Чайники',
        parent: 'Посуда',
      },
    ]);
  });

  test('Heureka is read', async () => {
    const feed = `<SHOP><SHOPITEM><ITEM_ID>AB1</ITEM_ID><PRODUCTNAME>Konvice</PRODUCTNAME><DESCRIPTION>Na čaj</DESCRIPTION>
<IMGURL>https://x.example/1.jpg</IMGURL><IMGURL_ALTERNATIVE>https://x.example/2.jpg</IMGURL_ALTERNATIVE><PRICE_VAT>600</PRICE_VAT>
<MANUFACTURER>Mi</MANUFACTURER><CATEGORYTEXT>Dům | Konvice</CATEGORYTEXT>
<PARAM><PARAM_NAME>Barva</PARAM_NAME><VAL>bílá</VAL></PARAM></SHOPITEM></SHOP>
`;
    const map = parseMapping([
      'sku=ITEM_ID,name=PRODUCTNAME,price=PRICE_VAT,brand=MANUFACTURER,category=CATEGORYTEXT,imageUrl=IMGURL,imageUrls=IMGURL_ALTERNATIVE,attributes=PARAM',
    ]);
    const options = { record: 'SHOPITEM', pathSeparator: '|', currency: 'CZK', map };
    expect(await importText(feed, options)).toMatchObject({ created: 1, createdCategories: 2, faults: [] });
    expect(await sql('select sku, price, currency, image_url, image_urls, attributes from product')).toEqual([
      {
        sku: 'AB1',
        price: '600.00',
        currency: 'CZK',
        image_url: 'https://x.example/1.jpg',
        image_urls: ['https://x.example/2.jpg'],
        attributes: { Barva: 'bílá' },
      },
    ]);
  });

  test('BMEcat is read, by paths to its elements', async () => {
    const article = (price: string) => `<ARTICLE mode="new"><SUPPLIER_AID>4-711</SUPPLIER_AID>
<ARTICLE_DETAILS><DESCRIPTION_SHORT>Kanne</DESCRIPTION_SHORT><DESCRIPTION_LONG>Für Tee</DESCRIPTION_LONG><MANUFACTURER_NAME>Mi</MANUFACTURER_NAME></ARTICLE_DETAILS>
<ARTICLE_FEATURES><FEATURE><FNAME>Farbe</FNAME><FVALUE>weiß</FVALUE></FEATURE><FEATURE><FNAME>Gewicht</FNAME><FVALUE>1.20</FVALUE></FEATURE></ARTICLE_FEATURES>
<ARTICLE_PRICE_DETAILS>${price}</ARTICLE_PRICE_DETAILS></ARTICLE>`;
    const price =
      '<ARTICLE_PRICE price_type="net_list"><PRICE_AMOUNT>12.50</PRICE_AMOUNT><PRICE_CURRENCY>EUR</PRICE_CURRENCY></ARTICLE_PRICE>';
    const [details, prices] = ['ARTICLE_DETAILS', 'ARTICLE_PRICE_DETAILS.ARTICLE_PRICE'];
    const map = parseMapping([
      `sku=SUPPLIER_AID,name=${details}.DESCRIPTION_SHORT,description=${details}.DESCRIPTION_LONG,brand=${details}.MANUFACTURER_NAME`,
      `price=${prices}.PRICE_AMOUNT,currency=${prices}.PRICE_CURRENCY,attributes=ARTICLE_FEATURES.FEATURE`,
    ]);
    const options = { record: 'ARTICLE', category: 'Katalog', map };
    const text = `<BMECAT><T_NEW_CATALOG>\n${article(price)}\n</T_NEW_CATALOG></BMECAT>`;
    expect(await importText(text, options)).toMatchObject({ created: 1, faults: [], unusedColumns: ['mode'] });
    expect(await sql('select sku, name, description, brand, price, currency, attributes from product')).toEqual([
      {
        sku: '4-711',
        name: 'Kanne',
        description: 'Für Tee',
        brand: 'Mi',
        price: '12.50',
        currency: 'EUR',
        attributes: { Farbe: 'weiß', Gewicht: '1.20' },
      },
    ]);
    expect((await importText(text.replaceAll(price, price + price), options)).faults).toMatchObject([
      { column: 'ARTICLE_PRICE_DETAILS.ARTICLE_PRICE.PRICE_AMOUNT', value: '["12.50","12.50"]' },
    ]);
  });

  test("Meta's listings are read", async () => {
    const listing = (
      id: string,
    ) => `<listing><vehicle_id>${id}</vehicle_id><title>Bus ${id}</title><make>Halden</make><price>9900 EUR</price>
<availability>available</availability><image><url>https://x.example/1.jpg</url></image><image><url>https://x.example/2.jpg</url><tag>Back</tag></image></listing>
`;
    const text = `<listings><title>Cars</title>\n${listing('1')}${listing('2')}</listings>`;
    const map = parseMapping(['id=vehicle_id,image_link=image.url,additional_image_link=image.url,brand=make']);
    expect(await importText(text, { record: 'listing', format: 'google', map })).toMatchObject({
      created: 2,
      faults: [],
    });
    expect(await sql('select sku, price, currency, stock, brand, image_urls from product order by id limit 1')).toEqual(
      [
        {
          sku: '1',
          price: '9900.00',
          currency: 'EUR',
          stock: 1,
          brand: 'Halden',
          image_urls: ['https://x.example/1.jpg', 'https://x.example/2.jpg'],
        },
      ],
    );
  });
});
