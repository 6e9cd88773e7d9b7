import { beforeEach, expect, test } from 'vitest';
import { createTestDatabase, emptyTables } from '../support/database.ts';
import { openStream, untilShown } from '../support/events.ts';
import { createTestGateway, PATIENT, type TestGateway } from '../support/gateway.ts';
import { insertCategory, insertProduct, insertVariant } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
// Each request waits for a heartbeat, and so for every notification before it.
const instances = [
  await shared(createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' })),
  await shared(createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' })),
];

beforeEach(async () => {
  await emptyTables(database);
  const category_id = await insertCategory(database);
  for (const id of [1, 2, 3]) {
    await insertProduct(database, { category_id, name: `P${id}`, slug: `p${id}`, option_names: ['Size'] });
    for (const size of ['S', 'M'])
      await insertVariant(database, { product_id: id, option_values: [size], price: `${id}0`, sku: `${id}${size}` });
  }
});

/** What shows the first product or its variants. */
const SHOWN = {
  product: '{ product(id: 1) { price { amount } stock variants { sku barcode price { amount } } options { values } } }',
  variant: '{ product(id: 1) { variant(options: [{ name: "Size", value: "S" }]) { sku barcode } } }',
  'price range': '{ product(id: 1) { priceRange { max { amount } } } }',
  'by slug': '{ productBySlug(slug: "p1") { variants { sku barcode stock } } }',
  'by ids': '{ productsByIds(ids: [1, 2]) { name variants { sku barcode } } }',
  'variant by id': '{ variantsByIds(ids: [1, 99]) { sku barcode stock product { stock } } }',
  'variant by number': '{ variantsBySkus(skus: ["1S"]) { id barcode price { amount } } }',
  'no such number': '{ variantsBySkus(skus: ["NEW"]) { id } }',
  'list by price': '{ products(orderBy: PRICE_ASC) { name price { amount } stock } }',
  'list with variants': '{ hotProducts { variants { sku barcode stock } } }',
  'search by price':
    '{ productSearch(orderBy: PRICE_DESC) { totalCount nodes { name } facets { inStock price { max } } } }',
  'REST list': '/api/product/list?orderBy=PRICE_ASC',
  'REST product': '/api/product/1',
} as const;

const OTHERS = {
  'other product': '{ product(id: 2) { stock variants { sku barcode } } }',
  'other variant': '{ variantsByIds(ids: [5]) { sku product { name } } }',
} as const;

const ask = (gateway: TestGateway, request: string): Promise<unknown> =>
  request.startsWith('/') ? gateway.get(request).then(({ json }) => json) : gateway.graphql(request);

const askAll = (gateway: TestGateway, requests: Readonly<Record<string, string>>): Promise<[string, unknown][]> =>
  Promise.all(Object.entries(requests).map(async ([name, request]) => [name, await ask(gateway, request)]));

const untilAllIsInMemory = async () => {
  for (const gateway of instances) {
    const askEverything = () => gateway.countStatements(() => askAll(gateway, { ...SHOWN, ...OTHERS }));
    await expect.poll(askEverything, { interval: 5 }).toBe(0);
  }
};

test.for<[string, string, (keyof typeof SHOWN)[]]>([
  [
    'a barcode',
    `update product_variant set barcode = '123' where sku = '1S'`,
    ['product', 'variant', 'by slug', 'by ids', 'variant by id', 'variant by number', 'list with variants'],
  ],
  [
    'the least price',
    `update product_variant set price = 99 where product_id = 1`,
    [
      ...(['product', 'price range', 'variant by number', 'list by price', 'search by price'] as const),
      ...(['REST list', 'REST product'] as const),
    ],
  ],
  [
    'a price that is not the least',
    `update product_variant set price = 55 where sku = '1M'`,
    ['product', 'price range'],
  ],
  [
    'stock',
    `update product_variant set stock = 5 where sku = '1S'`,
    [
      ...(['product', 'by slug', 'variant by id', 'list by price', 'list with variants', 'search by price'] as const),
      ...(['REST list', 'REST product'] as const),
    ],
  ],
  [
    'a new variant',
    `insert into product_variant (product_id, option_values, price, sku) values (1, '{L}', 10, 'NEW')`,
    ['product', 'by slug', 'by ids', 'no such number', 'list with variants'],
  ],
  [
    'a variant deleted',
    `delete from product_variant where sku = '1S'`,
    ['product', 'variant', 'by slug', 'by ids', 'variant by id', 'variant by number', 'list with variants'],
  ],
  [
    'all variants deleted at once',
    'truncate product_variant',
    [
      ...(['product', 'variant', 'by slug', 'by ids', 'variant by id', 'variant by number'] as const),
      'list with variants',
    ],
  ],
  [
    'a product that is hidden: its variants',
    `update product set status = 'OFF_SALE' where id = 1`,
    [
      ...(['product', 'variant', 'price range', 'by slug', 'by ids', 'variant by id', 'variant by number'] as const),
      ...(['list by price', 'list with variants', 'search by price', 'REST list', 'REST product'] as const),
    ],
  ],
])('%s is seen at once, by two instances', async ([, statement, changed]) => {
  await untilAllIsInMemory();
  const before = await askAll(instances[0] as TestGateway, SHOWN);
  await database.sql(statement);
  for (const gateway of instances) {
    const after = await askAll(gateway, SHOWN);
    const differ = after.filter(([, answer], index) => JSON.stringify(answer) !== JSON.stringify(before[index]?.[1]));
    expect(differ.map(([name]) => name).toSorted()).toEqual(changed.toSorted());
  }
});

test('a variant that changes leaves other products and their variants in memory', async () => {
  await untilAllIsInMemory();
  await database.sql(`update product_variant set price = price + 1, stock = 7 where product_id = 1`);
  for (const gateway of instances) expect(await gateway.countStatements(() => askAll(gateway, OTHERS))).toBe(0);
});

test('a variant that goes to another product is seen in both', async () => {
  await untilAllIsInMemory();
  await database.sql(`update product_variant set product_id = 3, option_values = '{XL}' where sku = '1S'`);
  for (const gateway of instances) {
    const { data } = await gateway.graphql(
      '{ one: product(id: 1) { variants { sku } } three: product(id: 3) { variants { sku } }  variantsByIds(ids: [1]) { title product { name } } }',
    );
    expect(data).toEqual({
      one: { variants: [{ sku: '1M' }] },
      three: { variants: [{ sku: '1S' }, { sku: '3S' }, { sku: '3M' }] },
      variantsByIds: [{ title: 'XL', product: { name: 'P3' } }],
    });
  }
});

test('a subscription to a product shows its variants again when one of them changes', async () => {
  const [gateway] = instances as [TestGateway];
  const stream = await openStream(gateway, 'subscription { product(id: 1) { variants { sku barcode } } }');
  const shown = (barcode: string | null) => ({
    product: {
      variants: [
        { sku: '1S', barcode },
        { sku: '1M', barcode: null },
      ],
    },
  });
  await untilShown(stream, shown(null));
  await database.sql(`update product_variant set barcode = '123' where sku = '1S'`);
  await untilShown(stream, shown('123'));
  await database.sql(`update product_variant set position = 1, stock = 1 where sku = '2S'`);
  await database.sql(`update product_variant set barcode = '124' where sku = '1S'`);
  await untilShown(stream, shown('124'));
  expect(stream.results).toHaveLength(3);
  stream.leave();
});

test('a variant of a product that is yet to come is not there before, and there from that moment on', async () => {
  const [gateway] = instances as [TestGateway];
  await database.sql(`update product set published_at = now() + interval '400 milliseconds' where id = 2`);
  const seen = async () => (await gateway.graphql('{ variantsBySkus(skus: ["2S"]) { title } }')).data.variantsBySkus;
  const isVisible = async () =>
    (await database.sql<{ yes: boolean }>('select published_at <= now() as yes from product where id = 2'))[0]?.yes;
  const first = await seen();
  if (!(await isVisible())) expect(first).toEqual([null]);
  await expect.poll(isVisible, { interval: 5 }).toBe(true);
  await expect.poll(seen, { interval: 5 }).toEqual([{ title: 'S' }]);
});
