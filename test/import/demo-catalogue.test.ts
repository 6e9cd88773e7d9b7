import { expect, test } from 'vitest';
import { createDemoDatabase } from '../support/demo.ts';
import { createTestGateway } from '../support/gateway.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createDemoDatabase());
const gateway = await shared(createTestGateway(database));

test('the demo catalogue has a shirt in sizes and colours with pictures of their own, some sold out and one not made', async () => {
  const { data } = await gateway.graphql(`{
    productBySlug(slug: "striped-harbour-shirt") {
      price { amount } stock options { name values } priceRange { max { amount } } images { alt }
      soldOut: variant(options: [{ name: "Size", value: "M" }, { name: "Colour", value: "Navy" }]) { inStock }
      notMade: variant(options: [{ name: "Size", value: "XL" }, { name: "Colour", value: "Rust" }]) { id }
      left: variant(options: [{ name: "Size", value: "L" }, { name: "Colour", value: "Oat" }]) { title sku barcode imageUrl stock }
    }
  }`);
  expect(data?.productBySlug).toEqual({
    price: { amount: '54.00' },
    stock: 126,
    options: [
      { name: 'Size', values: ['S', 'M', 'L', 'XL'] },
      { name: 'Colour', values: ['Navy', 'Oat', 'Rust'] },
    ],
    priceRange: { max: { amount: '58.00' } },
    images: ['navy', 'oat', 'rust'].map((colour) => ({ alt: `Striped Harbour Shirt in ${colour}` })),
    soldOut: { inStock: false },
    notMade: null,
    left: {
      title: 'L / Oat',
      sku: 'VT-0151-L-OAT',
      barcode: expect.stringMatching(/^\d{13}$/),
      imageUrl: '/images/striped-harbour-shirt-oat.svg',
      stock: 22,
    },
  });
});

test('what the demo catalogue says of products with variants is what the database keeps of them', async () => {
  const differing = await database.sql(
    `select slug from product p join lateral (select min(price) as price, sum(stock) as stock from product_variant where product_id = p.id) v
      on (v.price, v.stock) is distinct from (p.price, p.stock::bigint) where v.price is not null`,
  );
  expect(differing).toEqual([]);
});

test('every barcode of the demo catalogue has the check digit of an EAN', async () => {
  const rows = await database.sql<{ barcode: string }>('select barcode from product_variant');
  expect(rows.length).toBeGreaterThan(40);
  for (const { barcode } of rows) {
    const sum = [...barcode].reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0);
    expect(sum % 10, barcode).toBe(0);
  }
});

test('the demo catalogue has attributes of every kind, and says what each picture shows', async () => {
  const kinds = await database.sql<{ kind: string; products: number }>(
    `select jsonb_typeof(value) as kind, count(distinct p.id)::int as products from product p, jsonb_each(attributes) group by 1 order by 1`,
  );
  expect(kinds.map(({ kind }) => kind)).toEqual(['array', 'boolean', 'number', 'string']);
  for (const { kind, products } of kinds) expect(products, kind).toBeGreaterThan(20);
  expect(
    await database.sql('select slug from product where cardinality(image_alts) <> cardinality(image_urls)'),
  ).toEqual([]);
});

test('the demo catalogue is in English, German and Japanese, with its terms', async () => {
  const texts = 'name slug subtitle description image_alts'.split(' ');
  for (const language of ['de', 'ja']) {
    const lacking = await database.sql(
      `select slug from product p, unnest($2::text[]) text
       where to_jsonb(p) ->> text is not null and translations -> $1 ->> text is null`,
      [language, texts],
    );
    expect(lacking, language).toEqual([]);
    const others = await database.sql(
      `select slug from category where translations -> $1 ->> 'name' is null
       union all select title from notice where translations -> $1 ->> 'content' is null`,
      [language],
    );
    expect(others, language).toEqual([]);
  }
  // In German some names are the same, which need no label.
  const untold = await database.sql(
    `select distinct name from (
       select unnest(tags) as name from product union select unnest(option_names) from product
       union select unnest(option_values) from product_variant union select jsonb_object_keys(attributes) from product
       union select value #>> '{}' from product, jsonb_each(attributes) where jsonb_typeof(value) = 'string') names
     where name ~ '[[:alpha:]]{3}' and not exists (select from term_translation t where t.language = 'ja' and t.term = name)
     order by name`,
  );
  expect(untold).toEqual(['Bluetooth', 'USB-C'].map((name) => ({ name })));
});
