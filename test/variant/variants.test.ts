import { beforeEach, describe, expect, test } from 'vitest';
import { costOf } from '../support/cost.ts';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct, insertVariant } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { FRESHNESS_MS: '0' }));

const PAST = '2020-01-01T00:00:00Z';

/** A shirt in three sizes and colours, 1, and a mug that is sold as it is, 2. */
beforeEach(async () => {
  await emptyTables(database);
  const category_id = await insertCategory(database);
  await insertProduct(database, {
    category_id,
    name: 'Shirt',
    slug: 'shirt',
    currency: 'EUR',
    option_names: ['Size', 'Colour'],
  });
  await insertProduct(database, { category_id, name: 'Mug', slug: 'mug', price: '8.00', sku: 'MUG' });
  const stamps = { created_at: PAST, updated_at: PAST };
  const shirt = { product_id: 1, ...stamps };
  await insertVariant(database, { ...shirt, option_values: ['L', 'Blue'], price: '22.00', position: 2, sku: 'S-L' });
  await insertVariant(database, {
    ...shirt,
    option_values: ['M', 'Red'],
    price: '20.00',
    list_price: '25.00',
    stock: 3,
    sku: 'S-M',
    barcode: '4006381333931',
    image_url: '/m.webp',
    position: 1,
  });
  await insertVariant(database, { ...shirt, option_values: ['M', 'Blue'], price: '21.50', position: 2, sku: 'S-MB' });
});

/** What an operation answers; it must have no error. */
const ask = async (selection: string, variables?: Record<string, unknown>) => {
  const { data, errors } = await gateway.graphql(selection, variables);
  expect(errors).toBeUndefined();
  return data;
};

/** The code and message of the error that an operation ends with. */
const refusal = async (selection: string) => {
  const { errors } = await gateway.graphql(selection);
  return [errors?.[0]?.extensions.code, errors?.[0]?.message];
};

const euros = (amount: string) => ({ amount, currencyCode: 'EUR' });

describe('a product', () => {
  test('features the first variant in stock, else the first; none where it has none', async () => {
    const featured = async () => {
      const { productsByIds } = await ask(`{ productsByIds(ids: [1, 2]) { featuredVariant { sku } } }`);
      return productsByIds.map((product: { featuredVariant: { sku: string } | null }) => product.featuredVariant?.sku);
    };
    expect(await featured()).toEqual(['S-M', undefined]);
    await database.sql(`update product_variant set stock = case sku when 'S-MB' then 2 else 0 end`);
    expect(await featured()).toEqual(['S-MB', undefined]);
    await database.sql('update product_variant set stock = 0');
    expect(await featured()).toEqual(['S-M', undefined]);
  });

  test('shows the range of its prices before reductions, where one of them is reduced', async () => {
    const range = 'listPriceRange { min { amount currencyCode } max { amount currencyCode } }';
    const ranges = async () => (await ask(`{ productsByIds(ids: [1, 2]) { ${range} } }`)).productsByIds;
    expect(await ranges()).toEqual([
      { listPriceRange: { min: euros('21.50'), max: euros('25.00') } },
      { listPriceRange: null },
    ]);
    await database.sql(`update product_variant set list_price = price; update product set list_price = 9 where id = 2`);
    const dollars = { amount: '9.00', currencyCode: 'USD' };
    expect(await ranges()).toEqual([{ listPriceRange: null }, { listPriceRange: { min: dollars, max: dollars } }]);
  });

  test('or a variant of it is found by its key, if it is visible', async () => {
    await insertProduct(database, { category_id: 1, name: 'Draft', slug: 'draft', sku: 'DRAFT', status: 'DRAFT' });
    await insertVariant(database, { product_id: 3, price: '1.00', barcode: '4006381333931', sku: 'D-1' });
    await insertProduct(database, { category_id: 1, name: 'Named', slug: 'MUG' });
    const none = [
      'product/3',
      'draft',
      'DRAFT',
      'D-1',
      'variant/4',
      'product/0',
      'product/9999999999',
      'variant/1/variant',
      '\0',
      '',
    ];
    const keys = [
      'product/1',
      'product/1/variant',
      'variant/1',
      'S-MB',
      '4006381333931',
      'MUG',
      'mug',
      'shirt',
      'shirt',
      ...none,
    ];
    const { itemsByKeys } = await ask(
      'query ($keys: [String!]!) { itemsByKeys(keys: $keys) { product { name } variant { sku } } }',
      { keys },
    );
    type Item = { product: { name: string }; variant: { sku: string } | null } | null;
    expect(itemsByKeys.map((item: Item) => item && [item.product.name, item.variant?.sku])).toEqual([
      ['Shirt', undefined],
      ['Shirt', undefined],
      ['Shirt', 'S-L'],
      ['Shirt', 'S-MB'],
      ['Shirt', 'S-M'],
      ['Mug', undefined],
      ['Mug', undefined],
      ['Shirt', undefined],
      ['Shirt', undefined],
      ...none.map(() => null),
    ]);
  });

  test('shows its variants by position, then id, each with its options and prices', async () => {
    const { product } = await ask(`{ product(id: 1) { variants {
      id product { name } sku barcode title selectedOptions { name value } price { amount currencyCode }
      listPrice { amount currencyCode } stock inStock imageUrl position createdAt updatedAt
    } } }`);
    expect(product.variants.map(({ sku }: { sku: string }) => sku)).toEqual(['S-M', 'S-L', 'S-MB']);
    expect(product.variants[0]).toEqual({
      id: 2,
      product: { name: 'Shirt' },
      sku: 'S-M',
      barcode: '4006381333931',
      title: 'M / Red',
      selectedOptions: [
        { name: 'Size', value: 'M' },
        { name: 'Colour', value: 'Red' },
      ],
      price: euros('20.00'),
      listPrice: euros('25.00'),
      stock: 3,
      inStock: true,
      imageUrl: '/m.webp',
      position: 1,
      createdAt: '2020-01-01T00:00:00.000Z',
      updatedAt: '2020-01-01T00:00:00.000Z',
    });
  });

  test('shows its options with each value once, in the order of the variants', async () => {
    expect(await ask('{ product(id: 1) { options { name values } } }')).toEqual({
      product: {
        options: [
          { name: 'Size', values: ['M', 'L'] },
          { name: 'Colour', values: ['Red', 'Blue'] },
        ],
      },
    });
  });

  test('has the price range of its variants', async () => {
    expect(
      await ask('{ product(id: 1) { price { amount } priceRange { min { amount currencyCode } max { amount } } } }'),
    ).toEqual({
      product: { price: { amount: '20.00' }, priceRange: { min: euros('20.00'), max: { amount: '22.00' } } },
    });
  });

  test('without variants has no options, and its own price twice', async () => {
    expect(
      await ask(
        '{ product(id: 2) { sku options { name } variants { id } priceRange { min { amount } max { amount } } } }',
      ),
    ).toEqual({
      product: {
        sku: 'MUG',
        options: [],
        variants: [],
        priceRange: { min: { amount: '8.00' }, max: { amount: '8.00' } },
      },
    });
  });

  test('with one variant that has no options gives that the name of the product', async () => {
    await insertVariant(database, { product_id: 2, price: '7.00' });
    expect(
      await ask('{ product(id: 2) { variants { title selectedOptions { name } } variant(options: []) { title } } }'),
    ).toEqual({ product: { variants: [{ title: 'Mug', selectedOptions: [] }], variant: { title: 'Mug' } } });
  });

  test.for<[string, Record<string, string>[], string | null]>([
    ['the variant with exactly these options', [{ Size: 'M' }, { Colour: 'Blue' }], 'S-MB'],
    ['the same in another order', [{ Colour: 'Blue' }, { Size: 'M' }], 'S-MB'],
    ['none for fewer options', [{ Size: 'L' }], null],
    ['none for no options', [], null],
    ['none for an option twice', [{ Size: 'L' }, { Size: 'L' }], null],
    ['none for an option too many', [{ Size: 'L' }, { Colour: 'Blue' }, { Fit: 'Slim' }], null],
    ['none for another case', [{ Size: 'm' }, { Colour: 'Blue' }], null],
    ['none for values that no variant has together', [{ Size: 'L' }, { Colour: 'Red' }], null],
  ])('gives %s', async ([, options, sku]) => {
    const chosen = options.flatMap((option) => Object.entries(option).map(([name, value]) => ({ name, value })));
    const { product } = await ask(
      'query($options: [SelectedOptionInput!]!) { product(id: 1) { variant(options: $options) { sku } } }',
      { options: chosen },
    );
    expect(product.variant).toEqual(sku && { sku });
  });

  test('shows its attributes by name, as texts', async () => {
    const attributes = { Width: 12.5, Material: ['Linen', 'Cotton'], 'Machine wash': false, Care: 'Cold', Tiny: 1e-9 };
    await database.sql('update product set attributes = $1 where id = 2', [attributes]);
    const SELECTION = 'query($names: [String!]) { product(id: 2) { attributes(names: $names) { name values } } }';
    const all = [
      { name: 'Care', values: ['Cold'] },
      { name: 'Machine wash', values: ['false'] },
      { name: 'Material', values: ['Linen', 'Cotton'] },
      { name: 'Tiny', values: ['1e-9'] },
      { name: 'Width', values: ['12.5'] },
    ];
    expect(await ask(SELECTION)).toEqual({ product: { attributes: all } });
    expect(await ask(SELECTION, { names: ['Width', 'None', 'Care'] })).toEqual({
      product: { attributes: [all[0], all[4]] },
    });
    const { products } = await ask('{ products { attributes { name values } } }');
    expect(products).toContainEqual({ attributes: all });
  });

  test.for<[string, Record<string, unknown>, object[]]>([
    ['no picture', {}, []],
    ['that for lists', { image_url: '/a.webp' }, [{ url: '/a.webp', alt: 'Mug' }]],
    [
      'those of its page, with what they show',
      { image_url: '/a.webp', image_urls: ['/b.webp', '/c.webp', '/d.webp'], image_alts: ['From above', ''] },
      [
        { url: '/b.webp', alt: 'From above' },
        { url: '/c.webp', alt: 'Mug' },
        { url: '/d.webp', alt: 'Mug' },
      ],
    ],
  ])('shows as images %s', async ([, columns, images]) => {
    for (const [name, value] of Object.entries(columns))
      await database.sql(`update product set ${name} = $1 where id = 2`, [value]);
    expect(await ask('{ product(id: 2) { images { url alt } } }')).toEqual({ product: { images } });
  });
});

test('a variant is not found by fewer options than it has values, while the names of options are changed', async () => {
  await database.sql(`update product set option_names = '{Size}' where id = 1`);
  const QUERY =
    'query($value: String!) { product(id: 1) { variant(options: [{ name: "Size", value: $value }]) { sku } } }';
  expect(await ask(QUERY, { value: 'M' })).toEqual({ product: { variant: null } });
  await database.sql(`update product_variant set option_values = array[sku] where product_id = 1`);
  expect(await ask(QUERY, { value: 'S-M' })).toEqual({ product: { variant: { sku: 'S-M' } } });
});

describe('look-ups', () => {
  test('give products in the order asked for, and null for what is not visible', async () => {
    const hidden = await insertProduct(database, { category_id: 1, slug: 'hidden', status: 'DRAFT' });
    expect(
      await ask(
        `query($ids: [Int!]!, $slugs: [String!]!) { productsByIds(ids: $ids) { name } productsBySlugs(slugs: $slugs) { name } }`,
        { ids: [2, 99, 1, hidden, 2], slugs: ['mug', 'hidden', 'none', 'shirt', 'mug', '\0'] },
      ),
    ).toEqual({
      productsByIds: [{ name: 'Mug' }, null, { name: 'Shirt' }, null, { name: 'Mug' }],
      productsBySlugs: [{ name: 'Mug' }, null, null, { name: 'Shirt' }, { name: 'Mug' }, null],
    });
  });

  test('give variants in the order asked for, and null for those of products that are not visible', async () => {
    const hidden = await insertProduct(database, { category_id: 1, published_at: '2999-01-01Z' });
    const id = await insertVariant(database, { product_id: hidden, price: '1.00', sku: 'H' });
    expect(
      await ask(
        `query($ids: [Int!]!, $skus: [String!]!) { variantsByIds(ids: $ids) { sku product { slug } } variantsBySkus(skus: $skus) { id title } }`,
        { ids: [3, id, 1, 99, 3], skus: ['S-L', 'H', 's-l', 'MUG', 'S-M', 'S-L'] },
      ),
    ).toEqual({
      variantsByIds: [
        { sku: 'S-MB', product: { slug: 'shirt' } },
        null,
        { sku: 'S-L', product: { slug: 'shirt' } },
        null,
        { sku: 'S-MB', product: { slug: 'shirt' } },
      ],
      variantsBySkus: [
        { id: 1, title: 'L / Blue' },
        null,
        null,
        null,
        { id: 2, title: 'M / Red' },
        { id: 1, title: 'L / Blue' },
      ],
    });
  });

  test.for(['productsByIds', 'variantsByIds'])('%s takes 1 to 100 ids', async (field) => {
    const asked = (count: number) =>
      `{ ${field}(ids: [${Array.from({ length: count }, (_, index) => index)}]) { id } }`;
    expect((await gateway.graphql(asked(100))).errors).toBeUndefined();
    expect(await refusal(asked(0))).toEqual([
      'BAD_USER_INPUT',
      'Argument "ids" must have between 1 and 100 items, but has 0.',
    ]);
    expect(await refusal(asked(101))).toEqual([
      'BAD_USER_INPUT',
      'Argument "ids" must have between 1 and 100 items, but has 101.',
    ]);
  });

  test.for([
    ['productsBySlugs', 'slugs'],
    ['variantsBySkus', 'skus'],
  ] as const)('%s takes 1 to 100 %s', async ([field, argument]) => {
    const asked = (count: number) =>
      `{ ${field}(${argument}: ${JSON.stringify(Array.from({ length: count }, (_, index) => `${index}`))}) { id } }`;
    expect((await gateway.graphql(asked(100))).errors).toBeUndefined();
    for (const count of [0, 101]) {
      expect(await refusal(asked(count))).toEqual([
        'BAD_USER_INPUT',
        `Argument "${argument}" must have between 1 and 100 items, but has ${count}.`,
      ]);
    }
  });
});

describe('the cost of an operation', () => {
  test('counts an item for each key that is looked up', async () => {
    const one = costOf('{ productsByIds(ids: [1]) { name } }');
    const ten = costOf('query($ids: [Int!]!) { productsByIds(ids: $ids) { name } }', { ids: Array(10).fill(1) });
    expect([one.total, ten.total]).toEqual([1.2, 12]);
  });

  test.for([
    ['priceRange { min { amount } }', 113],
    ['options { name }', 143],
    ['variant(options: [{ name: "Size", value: "M" }]) { id }', 113],
  ] as const)('counts that %s reads all variants of each product', ([field, each]) => {
    expect(costOf(`{ products(limit: 10) { ${field} } }`).total).toBeCloseTo(each, 6);
  });

  test('counts variants and related products for each product, and is refused past the bound', async () => {
    const nested = '{ products(limit: 100) { variants { id selectedOptions { name } product { variants { id } } } } }';
    expect((await refusal(nested))[0]).toBe('QUERY_TOO_COMPLEX');
    const related = '{ products(limit: 100) { related(limit: 20) { related(limit: 20) { id } } } }';
    expect((await refusal(related))[0]).toBe('QUERY_TOO_COMPLEX');
  });
});
