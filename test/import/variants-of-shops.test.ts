import { describe, expect, test } from 'vitest';
import { useImportDatabase } from '../support/import.ts';

const { sql, importText } = useImportDatabase();

/** Rows of cells with bars between them, which some cells are padded to, as CSV. */
const csv = (...rows: readonly string[]): string =>
  rows
    .map((row) => row.split('|').map((cell) => `"${cell.trim().replaceAll('"', '""')}"`))
    .map((cells, _, [names = []]) => `${[...cells, ...names.slice(cells.length).map(() => '""')].join(',')}\n`)
    .join('');

const products = () =>
  sql(`select p.slug, p.sku, option_names, attributes, image_alts, price, list_price, stock, image_urls,
    (select count(*)::int from product_variant v where v.product_id = p.id) as variants from product p order by p.id`);

const variants = (slug: string) =>
  sql(
    `select v.sku, barcode, option_values as values, v.price, v.list_price, v.stock, v.image_url from product_variant v
     join product p on p.id = product_id where p.slug = $1 order by v.position, v.id`,
    [slug],
  );

const again = async (text: string, options = {}) => {
  const { created, changed, faults } = await importText(text, options);
  return { created, changed, faults, variants: (await sql('select xmin from product_variant')).length };
};

describe('Shopify', () => {
  // The shape of the sample files that Shopify offers: names of options in the first row alone, places of pictures without a picture.
  const header =
    'Title|URL handle|Type|Status|SKU|Barcode|Option1 name|Option1 value|Option1 Linked To|Option2 name|Option2 value|Option2 Linked To|Price|Compare-at price|Inventory tracker|Inventory quantity|Continue selling when out of stock|Product image URL|Image position|Image alt text|Variant image URL';
  const tee = csv(
    header,
    'Tour Tee|tour-tee|Shirts|Active|T-SG|5000|Size|Small||Color|green|product.metafields.shopify.color-pattern|19.99|24.99|shopify|47|DENY|https://cdn.example/1.jpg|1|Green tee|https://cdn.example/2.jpg',
    '|tour-tee|||T-SR|5001||Small|||red||18.50|24.99|shopify|0|DENY||2|Red tee|',
    '|tour-tee|||T-MG|5002||Medium|||green||21.99||shopify|-3|CONTINUE|https://cdn.example/2.jpg|2|From behind|',
    '|tour-tee||||||||||||||||https://cdn.example/3.jpg|3||',
    'History of Tours|tours|Books|Active|H-PDF|978-1|Format|PDF|||||14.99||||CONTINUE||1||',
    '|tours|||H-AUD|978-1||Audio|||||21.99||||CONTINUE||||',
    'Beanie|beanie|Hats|Draft|B-1|1223|Title|Default Title|||||17.99|22.99|shopify|50|DENY|https://cdn.example/b.jpg|1|Gray|',
    'Poster|poster|Art|Active|P-1||Title|Default Title|||||9||shopify|5|DENY||||',
  );

  test('gives each row of a handle as a variant, with its price, sku, barcode and picture', async () => {
    const { created, faults, unusedColumns } = await importText(tee);
    expect({ created, faults, unusedColumns }).toEqual({
      created: 4,
      faults: [],
      unusedColumns: ['Option1 Linked To', 'Option2 Linked To'],
    });
    expect(await products()).toEqual([
      {
        slug: 'tour-tee',
        sku: null,
        option_names: ['Size', 'Color'],
        attributes: {},
        image_alts: ['Green tee', 'From behind'],
        price: '18.50',
        list_price: '24.99',
        stock: 48,
        image_urls: ['https://cdn.example/1.jpg', 'https://cdn.example/2.jpg', 'https://cdn.example/3.jpg'],
        variants: 3,
      },
      expect.objectContaining({ slug: 'tours', option_names: ['Format'], price: '14.99', stock: 2, variants: 2 }),
      expect.objectContaining({ slug: 'beanie', sku: 'B-1', option_names: [], price: '17.99', stock: 50, variants: 1 }),
      expect.objectContaining({ slug: 'poster', sku: 'P-1', option_names: [], price: '9.00', stock: 5, variants: 0 }),
    ]);
    const green = { sku: 'T-SG', barcode: '5000', values: ['Small', 'green'], price: '19.99', list_price: '24.99' };
    expect(await variants('tour-tee')).toEqual([
      { ...green, stock: 47, image_url: 'https://cdn.example/2.jpg' },
      expect.objectContaining({ sku: 'T-SR', values: ['Small', 'red'], price: '18.50', stock: 0, image_url: null }),
      expect.objectContaining({ sku: 'T-MG', values: ['Medium', 'green'], list_price: null, stock: 1 }),
    ]);
    expect((await variants('tours')).map(({ sku, barcode }) => [sku, barcode])).toEqual([
      ['H-PDF', '978-1'],
      ['H-AUD', '978-1'],
    ]);
    expect(await variants('beanie')).toMatchObject([{ sku: 'B-1', barcode: '1223', values: [], stock: 50 }]);
    expect(await again(tee)).toEqual({ created: 0, changed: 0, faults: [], variants: 6 });
  });

  test('with a variant that is broken, or at fault, changes nothing of its product', async () => {
    await importText(tee);
    const before = await variants('tour-tee');
    for (const text of [tee.replace('"18.50"', '"free"'), tee.replace('"5001",', ''), tee.replace('"red"', '""')]) {
      const { faults, changed } = await importText(text.replace('"19.99"', '"15"').replace('"9"', '"8"'));
      expect(faults.length).toBeGreaterThan(0);
      expect(changed).toBe(1);
      expect(await variants('tour-tee')).toEqual(before);
      await importText(tee);
    }
  });

  test('without the columns of options changes the price and stock of products without options alone', async () => {
    await importText(tee);
    const list = csv(
      'Handle|Title|Variant Price|Variant Inventory Qty',
      'tour-tee|Tour Tee|1|1',
      'beanie|Beanie|16|3',
      'poster|Poster|8|4',
    );
    expect(await importText(list)).toMatchObject({ changed: 1, faults: [] });
    expect((await products()).map(({ slug, price, stock }) => [slug, price, stock])).toEqual([
      ['tour-tee', '18.50', 48],
      ['tours', '14.99', 2],
      ['beanie', '16.00', 3],
      ['poster', '8.00', 4],
    ]);
    expect(await variants('beanie')).toMatchObject([{ sku: 'B-1', barcode: '1223', price: '16.00', stock: 3 }]);
    expect(await again(list)).toMatchObject({ changed: 0, faults: [], variants: 6 });
  });

  const json = {
    products: [
      {
        id: 1,
        title: 'Tour Tee',
        handle: 'tour-tee',
        body_html: '<p>Soft</p>',
        published_at: '2026-01-01T00:00:00Z',
        vendor: 'Halden',
        product_type: 'Shirts',
        tags: ['cotton'],
        variants: [
          {
            id: 11,
            title: 'S',
            option1: 'S',
            option2: null,
            option3: null,
            sku: 'T-S',
            featured_image: null,
            available: true,
            price: '19.99',
            compare_at_price: null,
            position: 1,
          },
          {
            id: 12,
            title: 'M',
            option1: 'M',
            option2: null,
            option3: null,
            sku: 'T-M',
            featured_image: { src: 'https://cdn.example/2.jpg' },
            available: false,
            price: '21.00',
            compare_at_price: '25.00',
            position: 2,
          },
        ],
        images: [
          { id: 21, position: 1, src: 'https://cdn.example/1.jpg', alt: 'From the front' },
          { id: 22, position: 2, src: 'https://cdn.example/2.jpg', alt: null },
        ],
        options: [{ name: 'Size', position: 1, values: ['S', 'M'] }],
      },
    ],
  };

  test('as the products.json of a storefront is read alike', async () => {
    const text = JSON.stringify(json);
    expect(await importText(text, { stock: 3 })).toMatchObject({ created: 1, faults: [], format: { name: 'shopify' } });
    const { unusedColumns } = await importText(text, { stock: 3 });
    expect(unusedColumns).not.toContain('published_at');
    expect(await products()).toMatchObject([
      { option_names: ['Size'], image_alts: ['From the front'], price: '19.99', stock: 3, variants: 2 },
    ]);
    expect(await variants('tour-tee')).toEqual([
      { sku: 'T-S', barcode: null, values: ['S'], price: '19.99', list_price: null, stock: 3, image_url: null },
      {
        sku: 'T-M',
        barcode: null,
        values: ['M'],
        price: '21.00',
        list_price: '25.00',
        stock: 0,
        image_url: 'https://cdn.example/2.jpg',
      },
    ]);
    expect(await again(text)).toEqual({ created: 0, changed: 0, faults: [], variants: 2 });
  });

  test('as that of the Admin API has quantities, barcodes, and pictures by their ids', async () => {
    const { variants: _, ...product } = json.products[0] ?? {};
    const only = {
      option1: 'S',
      sku: 'T-S',
      barcode: '77',
      price: '5.00',
      inventory_quantity: 8,
      inventory_management: 'shopify',
      inventory_policy: 'deny',
      image_id: 22,
    };
    const text = JSON.stringify([{ ...product, status: 'active', published_at: null, tags: 'a, b', variants: [only] }]);
    expect(await importText(text)).toMatchObject({ created: 1, faults: [] });
    expect(await variants('tour-tee')).toEqual([
      {
        sku: 'T-S',
        barcode: '77',
        values: ['S'],
        price: '5.00',
        list_price: null,
        stock: 8,
        image_url: 'https://cdn.example/2.jpg',
      },
    ]);
    expect(await sql('select status, tags from product')).toEqual([{ status: 'OFF_SALE', tags: ['a', 'b'] }]);
  });
});

describe('WooCommerce', () => {
  // The shape of its sample_products.csv: a variation that is for any size, and one that stands far from the others.
  const header =
    'ID|Type|SKU|GTIN, UPC, EAN, or ISBN|Name|Published|In stock?|Stock|Sale price|Regular price|Categories|Images|Parent|Position|Attribute 1 name|Attribute 1 value(s)|Attribute 1 visible|Attribute 1 global|Attribute 2 name|Attribute 2 value(s)|Attribute 2 visible|Attribute 2 global|Attribute 3 name|Attribute 3 value(s)|Attribute 3 visible';
  const neck =
    '44|variable|neck||V-Neck|1|1||||Tees|https://cdn.example/n1.jpg, https://cdn.example/n2.jpg||0|Color|Blue, Red|1|1|Size|Large, Small|1|1|Care|30 °C, No bleach|1';
  const file = csv(
    header,
    neck,
    '45|variable|hoodie||Hoodie|1|1|7|||Hoodies|||0|Color|Blue, Red|1|1|Logo|Yes, No|1|0',
    '46|simple|cap|4006381333931|Cap|1|1||16|18|Caps|https://cdn.example/c.jpg||0|Color|Yellow|1|1|Cost|3|0|0',
    '47|simple|belt||Belt|1|1|3||65|Belts|||0|Material|Leather \\, brown|1|0',
    '76|variation|neck-r|501|V-Neck - Red|1|1|2||20||https://cdn.example/n2.jpg|neck|0|Color|Red||1|Size|||1',
    '77|variation|neck-b|502|V-Neck - Blue|1|1||12|15||https://cdn.example/n3.jpg|id:44|0|Color|Blue||1|Size|||1',
    '79|variation|hoodie-r||Hoodie - Red, No|1|1|parent|42|45|||hoodie|1|Color|Red||1|Logo|No||0',
    '80|variation|||Hoodie - draft|0|1|||1|||hoodie|2|Color|Green||1|Logo|No||0',
    '81|variation|hoodie-b||Hoodie - Blue|1|0|||45|||hoodie|0|Color|Blue||1|Logo|||0',
    '87|grouped|set||Set|1|1||||Sets|||0',
  );

  test('gives each variation as a variant, and attributes that are no options', async () => {
    const { created, faults } = await importText(file);
    expect(created).toBe(4);
    expect(faults.map(({ line }) => line)).toEqual([11]);
    const neckPictures = ['n1', 'n2', 'n3'].map((name) => `https://cdn.example/${name}.jpg`);
    expect(await products()).toEqual([
      expect.objectContaining({
        slug: 'cap',
        sku: 'cap',
        attributes: { Color: 'Yellow' },
        price: '16.00',
        variants: 1,
      }),
      expect.objectContaining({ slug: 'belt', sku: 'belt', attributes: { Material: 'Leather , brown' }, variants: 0 }),
      {
        slug: 'v-neck',
        sku: 'neck',
        option_names: ['Color'],
        attributes: { Size: ['Large', 'Small'], Care: ['30 °C', 'No bleach'] },
        image_alts: [],
        price: '12.00',
        list_price: '15.00',
        stock: 3,
        image_urls: neckPictures,
        variants: 2,
      },
      expect.objectContaining({
        slug: 'hoodie',
        option_names: ['Color', 'Logo'],
        price: '42.00',
        stock: 7,
        variants: 2,
      }),
    ]);
    expect(await variants('v-neck')).toEqual([
      {
        sku: 'neck-r',
        barcode: '501',
        values: ['Red'],
        price: '20.00',
        list_price: null,
        stock: 2,
        image_url: neckPictures[1],
      },
      {
        sku: 'neck-b',
        barcode: '502',
        values: ['Blue'],
        price: '12.00',
        list_price: '15.00',
        stock: 1,
        image_url: neckPictures[2],
      },
    ]);
    expect((await variants('hoodie')).map(({ sku, values, stock }) => ({ sku, values, stock }))).toEqual([
      { sku: 'hoodie-b', values: ['Blue', 'Any'], stock: 0 },
      { sku: 'hoodie-r', values: ['Red', 'No'], stock: 7 },
    ]);
    expect(await variants('cap')).toMatchObject([{ sku: 'cap', barcode: '4006381333931', values: [], price: '16.00' }]);
    expect(await again(file)).toMatchObject({ created: 0, changed: 0, variants: 5 });
  });

  test('has options and attributes as people read them', async () => {
    const text = csv(
      header,
      '1|variable|mug||Mug|1|1|||||||0|Clay &amp; glaze|Black &amp; white, Red|1|1|Salt &amp; more|A &amp; B|1',
      '2|variation|mug-b||Mug|1|1|||3|||mug|0|Clay &amp; glaze|Black &amp; white||1',
    );
    for (const changed of [{ created: 1 }, { unchanged: 1 }])
      expect(await importText(text)).toMatchObject({ ...changed, faults: [] });
    expect(await products()).toMatchObject([
      { option_names: ['Clay & glaze'], attributes: { 'Salt & more': 'A & B' }, variants: 1 },
    ]);
    expect(await variants('mug')).toMatchObject([{ values: ['Black & white'] }]);
  });

  test('with a variation at fault names its line and its column, and changes nothing of its product', async () => {
    await importText(file);
    const { faults } = await importText(file.replace('"12","15"', '"cheap","15"').replace('"20"', '"19"'));
    expect(faults).toContainEqual({
      line: 7,
      column: 'Sale price',
      value: 'cheap',
      reason: expect.stringContaining('amount'),
    });
    expect((await variants('v-neck')).map(({ price }) => price)).toEqual(['20.00', '12.00']);
  });

  test('without the rows or the attributes of variations leaves them, and what they are told apart by, as they are', async () => {
    await importText(file);
    const before = [await variants('v-neck'), await sql('select option_names, attributes from product order by id')];
    expect(await importText(csv(header, neck))).toMatchObject({ faults: [] });
    const prices = csv('Type|SKU|Name|Regular price|Parent', 'variable|neck|V-Neck||', 'variation|neck-r|Red|1|neck');
    expect(await importText(prices, { format: 'woocommerce' })).toMatchObject({ changed: 0, faults: [] });
    expect([await variants('v-neck'), await sql('select option_names, attributes from product order by id')]).toEqual(
      before,
    );
  });
});

describe('a feed for Google', () => {
  test('with prices of several currencies for one product is at fault', async () => {
    const picture = 'https://cdn.example/c.jpg';
    const { created, faults } = await importText(
      csv(
        'id|title|image_link|price|sale_price|item_group_id|size',
        `1|Tee|${picture}|9 EUR||T|S`,
        `2|Tee|${picture}|9 USD||T|M`,
        `3|Cap|${picture}|9 EUR|8 USD`,
        `4|Bag|${picture}|9 eur|EUR 8`,
      ),
    );
    expect(created).toBe(1);
    expect(faults.map(({ line, column, value }) => [line, column, value])).toEqual([
      [4, 'price', '["EUR","USD"]'],
      [2, 'price', '["EUR","USD"]'],
    ]);
    expect(await sql('select slug, price, list_price, currency from product')).toEqual([
      { slug: 'bag', price: '8.00', list_price: '9.00', currency: 'EUR' },
    ]);
  });

  const header =
    'id|title|image_link|additional_image_link|availability|quantity|price|product_type|gtin|item_group_id|color|size|material|product_detail(section_name:attribute_name:attribute_value)';
  const feed = csv(
    header,
    'P1-R|Wool Hat - Red, S|https://cdn.example/r.jpg|https://cdn.example/x.jpg|in stock|4|20 EUR|Hats|11|P1|Red|S|Wool|General:Made in:Norway,General:Width:"2,5"" inch"',
    'C1|Cap|https://cdn.example/c.jpg||in stock||9 EUR|Caps|99||Blue||Cotton|',
    'P1-B|Wool Hat - Blue, S|https://cdn.example/b.jpg||out of stock||18 EUR|Hats|12|P1|Blue|S|Wool|',
    'L1|Lamp 10 W|https://cdn.example/l.jpg||in stock|1|5 EUR|Lamps||L||||',
    'L2|Lamp 20 W|https://cdn.example/l.jpg||in stock|1|6 EUR|Lamps||L||||',
  );

  test('has the items of a group, wherever they stand, as the variants of one product', async () => {
    expect(await importText(feed, { key: 'sku' })).toMatchObject({ created: 3, faults: [], unusedColumns: [] });
    expect(await products()).toEqual([
      expect.objectContaining({
        slug: 'cap',
        sku: 'C1',
        attributes: { Color: 'Blue', Material: 'Cotton' },
        variants: 1,
      }),
      {
        slug: 'wool-hat',
        sku: 'P1',
        option_names: ['Color'],
        attributes: { Size: 'S', Material: 'Wool', 'Made in': 'Norway', Width: '2,5" inch' },
        image_alts: [],
        price: '18.00',
        list_price: null,
        stock: 4,
        image_urls: ['r', 'x', 'b'].map((name) => `https://cdn.example/${name}.jpg`),
        variants: 2,
      },
      expect.objectContaining({
        slug: 'lamp',
        sku: 'L',
        option_names: ['Title'],
        price: '5.00',
        stock: 2,
        variants: 2,
      }),
    ]);
    expect(await variants('wool-hat')).toEqual([
      {
        sku: 'P1-R',
        barcode: '11',
        values: ['Red'],
        price: '20.00',
        list_price: null,
        stock: 4,
        image_url: 'https://cdn.example/r.jpg',
      },
      {
        sku: 'P1-B',
        barcode: '12',
        values: ['Blue'],
        price: '18.00',
        list_price: null,
        stock: 0,
        image_url: 'https://cdn.example/b.jpg',
      },
    ]);
    expect((await variants('lamp')).map(({ values }) => values)).toEqual([['Lamp 10 W'], ['Lamp 20 W']]);
    expect(await sql(`select currency from product where slug = 'wool-hat'`)).toEqual([{ currency: 'EUR' }]);
    expect(await again(feed, { key: 'sku' })).toEqual({ created: 0, changed: 0, faults: [], variants: 5 });
  });

  test('in XML has a title of the group and details as elements of their own', async () => {
    const item = (id: string, width: string): string => `<item>
<g:id>${id}</g:id><g:title>Shoe ${id}</g:title><g:price>9 EUR</g:price><g:availability>in stock</g:availability>
<g:description>Made of <b>cork</b> and felt</g:description>
<g:item_group_id>S</g:item_group_id><g:item_group_title>Cork shoe</g:item_group_title><g:color>Green</g:color><g:size>${width}</g:size>
<g:product_detail><g:section_name>General</g:section_name><g:attribute_name>Sole</g:attribute_name><g:attribute_value>Felt</g:attribute_value></g:product_detail>
</item>`;
    const text = `<rss xmlns:g="http://base.google.com/ns/1.0"><channel>${item('a', 'narrow')}${item('b', 'wide')}</channel></rss>`;
    expect(await importText(text)).toMatchObject({ created: 1, faults: [], unusedColumns: [] });
    expect(await sql('select name, description, option_names, attributes from product')).toEqual([
      {
        name: 'Cork shoe',
        description: 'Made of cork and felt',
        option_names: ['Size'],
        attributes: { Color: 'Green', Sole: 'Felt' },
      },
    ]);
    expect((await variants('cork-shoe')).map(({ sku, values }) => [sku, values])).toEqual([
      ['a', ['narrow']],
      ['b', ['wide']],
    ]);
  });

  test('with a broken item changes no group that it may belong to, and every other item', async () => {
    await importText(feed, { key: 'sku' });
    const broken = feed.replace('"P1-B",', '').replace('"20 EUR"', '"21 EUR"').replace('"9 EUR"', '"8 EUR"');
    const { faults } = await importText(broken, { key: 'sku' });
    expect(faults.map(({ line }) => line)).toContain(2);
    expect((await variants('cap')).map(({ price }) => price)).toEqual(['8.00']);
    expect((await variants('wool-hat')).map(({ price }) => price)).toEqual(['20.00', '18.00']);
  });
});
