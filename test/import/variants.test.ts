import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { url, sql, column, importText } = useImportDatabase();

interface Variant {
  readonly [name: string]: unknown;
}

const shirt = (variants: readonly Variant[] | undefined, more: object = {}) => ({
  slug: 'shirt',
  name: 'Shirt',
  category: 'Clothes',
  optionNames: ['Size', 'Colour'],
  variants,
  ...more,
});
const small = { sku: 'S-B', barcode: '4006381333931', optionValues: ['S', 'Blue'], price: '20.00', stock: 3 };
const large = { sku: 'L-B', optionValues: ['L', 'Blue'], price: '25.50', listPrice: '30.00', stock: 4 };

const stored = () =>
  sql(`select v.id, p.slug, v.sku, array_to_string(option_values, '/') as options, v.price::text, v.stock, v.position
    from product_variant v join product p on p.id = product_id order by p.slug, v.position, v.id`);
const product = async () =>
  (await sql(`select price::text, list_price::text, stock, option_names, sku, attributes, image_alts from product`))[0];

describe('variants inside products', () => {
  test('are written with their product, whose price, list price and stock are theirs', async () => {
    const imported = await importText(JSON.stringify([shirt([small, large], { sku: 'SHIRT' })]));
    expect(imported).toMatchObject({ created: 1, faults: [], unusedColumns: [] });
    expect(imported.variants).toEqual({ created: 2, changed: 0, unchanged: 0, deleted: 0 });
    expect(await stored()).toEqual([
      { id: 1, slug: 'shirt', sku: 'S-B', options: 'S/Blue', price: '20.00', stock: 3, position: 1 },
      { id: 2, slug: 'shirt', sku: 'L-B', options: 'L/Blue', price: '25.50', stock: 4, position: 2 },
    ]);
    expect(await product()).toMatchObject({ price: '20.00', list_price: null, stock: 7, sku: 'SHIRT' });
  });

  test('are found by their option values, else by their sku; equal ones are not touched, and others go', async () => {
    const medium = { sku: 'M-B', optionValues: ['M', 'Blue'], price: 22, stock: 1 };
    await importText(JSON.stringify([shirt([small, medium, large])]));
    const before = await sql('select id, updated_at from product_variant order by id');
    const again = await importText(JSON.stringify([shirt([small, medium, large])]));
    expect(again.variants).toEqual({ created: 0, changed: 0, unchanged: 3, deleted: 0 });
    const file = [
      small,
      { ...large, optionValues: ['XL', 'Blue'] },
      { ...small, sku: 'S-R', optionValues: ['S', 'Red'] },
    ];
    const { variants, unchanged } = await importText(JSON.stringify([shirt(file)]));
    expect({ variants, unchanged }).toEqual({
      variants: { created: 1, changed: 1, unchanged: 1, deleted: 1 },
      unchanged: 1,
    });
    expect((await stored()).map(({ id, options }) => [id, options])).toEqual([
      [1, 'S/Blue'],
      [3, 'XL/Blue'],
      [4, 'S/Red'],
    ]);
    expect(await sql('select id, updated_at from product_variant where id = 1')).toEqual(before.slice(0, 1));
  });

  test('may take the skus, the values and the places of one another', async () => {
    await importText(JSON.stringify([shirt([small, large])]));
    const swapped = [
      { ...large, sku: 'S-B' },
      { ...small, sku: 'L-B' },
    ];
    expect(await importText(JSON.stringify([shirt(swapped)]))).toMatchObject({ faults: [], variants: { changed: 2 } });
    expect((await stored()).map(({ id, sku, options }) => [id, sku, options])).toEqual([
      [2, 'S-B', 'L/Blue'],
      [1, 'L-B', 'S/Blue'],
    ]);
    const moved = [shirt([]), shirt([small, large], { slug: 'blouse', name: 'Blouse' })];
    const { faults, variants } = await importText(JSON.stringify(moved));
    expect({ faults, variants }).toMatchObject({ faults: [], variants: { created: 2, changed: 0, deleted: 2 } });
    expect((await stored()).map(({ slug, sku }) => [slug, sku])).toEqual([
      ['blouse', 'S-B'],
      ['blouse', 'L-B'],
    ]);
  });

  test('stay those of a product that is not in the file, or says no variants there; a sku of theirs is a fault', async () => {
    await importText(JSON.stringify([shirt([small, large])]));
    const before = await stored();
    const blouse = shirt([large, small], { slug: 'blouse', name: 'Blouse' });
    const { variants: _, ...silent } = shirt([]);
    const lines = [silent, blouse, shirt([{ ...small, sku: 'S-C' }], { slug: 'coat', name: 'Coat' })];
    for (const text of [jsonLines(lines.slice(1)), jsonLines(lines)]) {
      const { faults } = await importText(text);
      expect(faults).toMatchObject([
        { column: 'sku', value: 'L-B', reason: 'is that of a variant of the product "shirt"' },
      ]);
      expect((await stored()).filter(({ slug }) => slug !== 'coat')).toEqual(before);
    }
  });

  test('without a price, or with the sku of another product in the file, cost no other product', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => ({
      ...{ slug: `c-${n}`, name: `C ${n}`, category: 'C' },
      variants: [n % 3 === 1 ? { sku: `S${n}` } : { sku: n % 3 === 2 ? 'S0' : `S${n}`, price: 1 }],
    }));
    const { created, faults } = await importText(jsonLines(lines));
    expect(created).toBe(10);
    expect(faults).toHaveLength(20);
    expect(faults.slice(0, 2)).toMatchObject([
      { line: 2, column: 'price', value: '', reason: 'is missing, and the variant is new' },
      { line: 3, column: 'sku', value: 'S0', reason: 'is that of a variant of another product in the file' },
    ]);
  });

  test('whose sku several products say stay those of the one that has them, wherever it stands in the file', async () => {
    await importText(JSON.stringify([shirt([small, large])]));
    const before = await stored();
    const own = shirt([small, large]);
    const blouse = shirt([small], { slug: 'blouse', name: 'Blouse' });
    const bySku = shirt([{ sku: 'S-B' }, large]);
    const reason = 'is that of a variant of another product in the file';
    for (const file of [
      [blouse, own],
      [own, blouse],
      [blouse, bySku],
      [bySku, blouse],
    ]) {
      const { faults } = await importText(jsonLines(file));
      expect(faults).toMatchObject([{ line: file.indexOf(blouse) + 1, column: 'sku', value: 'S-B', reason }]);
      expect(await stored()).toEqual(before);
    }
    await importText(JSON.stringify([shirt([{ ...small, sku: 'B' }], { slug: 'blouse', name: 'Blouse' })]));
    const { faults } = await importText(jsonLines([blouse, own]));
    expect(faults).toMatchObject([{ line: 1, column: 'sku', value: 'S-B', reason }]);
    expect((await stored()).map(({ sku }) => sku)).toEqual(['B', 'S-B', 'L-B']);
  });

  test('stay those of a product that is rejected, and reject the products that say their skus', async () => {
    const of = (slug: string, ...variants: readonly Variant[]) => shirt(variants, { slug, name: slug });
    await importText(jsonLines([of('a', small, large), of('b', { ...small, sku: 'B' })]));
    const before = await stored();
    const faulty = of('a', large, { optionValues: ['M', 'Blue'] });
    for (const each of [
      [faulty, of('c', small)],
      [of('c', small), faulty],
    ]) {
      expect((await importText(jsonLines(each))).faults).toHaveLength(2);
      expect(await stored()).toEqual(before);
    }
    // The first says nothing of the sku that the second gets, which gives its own to the third.
    const file = [faulty, of('b', small), of('c', { ...small, sku: 'B' })];
    for (const each of [file, file.toReversed()]) {
      const { faults } = await importText(jsonLines(each));
      expect(faults.map(({ reason }) => reason).toSorted()).toEqual([
        'is missing, and the variant is new',
        'is that of a variant of the product "a"',
        'is that of a variant of the product "b"',
      ]);
      expect(await stored()).toEqual(before);
    }
  });

  test('stay with their product where only the database refuses it, and their skus with them', async () => {
    const of = (slug: string, variants: readonly Variant[], more?: object) =>
      shirt(variants, { slug, name: slug, ...more });
    const ofTaken = { sku: 'TAKEN' };
    await importText(
      jsonLines([
        of('a', [small, large]),
        of('b', [{ ...small, sku: 'B' }]),
        of('z', [{ price: 1 }], { ...ofTaken, optionNames: [] }),
      ]),
    );
    const before = await stored();
    const other = of('other', [{ ...small, sku: 'O' }]);
    const medium = { ...small, optionValues: ['M', 'Blue'] };
    await sql(`alter table product add constraint refused check (subtitle <> 'refused')`);
    // The one that is refused, also by a check before, gives a variant up, or only its sku.
    for (const [fault, refused] of [
      [ofTaken, /^is that of another product/],
      [{ subtitle: 'refused' }, /^is refused by the database/],
    ] as const)
      for (const files of [
        [of('a', [large], fault), of('c', [medium])],
        [of('a', [{ ...small, sku: 'A' }, large], fault), of('c', [medium])],
      ])
        for (const file of [files, files.toReversed()]) {
          const { faults, created, variants } = await importText(jsonLines([...file, other]));
          expect(new Set(faults.map((fault) => fault.reason))).toEqual(
            new Set([expect.stringMatching(refused), 'is that of a variant of the product "a"']),
          );
          expect({ created, variants }).toMatchObject({ created: 1, variants: { created: 1, changed: 0, deleted: 0 } });
          await sql(`delete from product where slug = 'other'`);
          expect(await stored()).toEqual(before);
        }
    await sql('alter table product drop constraint refused');
  });

  test('are refused with their products where a trigger of the operator refuses every statement', async () => {
    await importText(jsonLines([shirt([small, large])]));
    const before = await stored();
    await sql(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'frozen'; end $$`);
    await sql(`create trigger frozen before update on product for each statement execute function refuse()`);
    const { faults } = await importText(jsonLines([shirt([{ ...small, price: 7 }, large])]));
    expect(faults.map(({ reason }) => reason)).toEqual(['is refused by the database: frozen']);
    expect(await stored()).toEqual(before);
    await sql('drop trigger frozen on product; drop function refuse()');
  });

  test('get the skus of one another also where the database refuses a third product', async () => {
    await importText(
      jsonLines([shirt([small, large]), shirt(undefined, { slug: 'z', name: 'Z', sku: 'TAKEN', price: 1 })]),
    );
    const file = [
      shirt(undefined, { slug: 'other', name: 'Other', sku: 'TAKEN', price: 1 }),
      shirt([small], { slug: 'blouse', name: 'Blouse' }),
      shirt([{ ...small, sku: 'A' }, large]),
    ];
    expect((await importText(jsonLines(file))).faults).toMatchObject([{ line: 1, column: 'sku', value: 'TAKEN' }]);
    expect((await stored()).map(({ slug, sku }) => [slug, sku])).toEqual([
      ['blouse', 'S-B'],
      ['shirt', 'A'],
      ['shirt', 'L-B'],
    ]);
  });

  test('have the currency of their product, which is theirs where it says none; several of one product are a fault', async () => {
    const euros = (amount: string, currencyCode = 'EUR') => ({ amount, currencyCode });
    const sizes = (...prices: readonly object[]) =>
      prices.map((price, at) => ({ optionValues: [`${at}`, 'Blue'], price }));
    const currency = () => column('select currency::text from product');
    expect((await importText(JSON.stringify([shirt(sizes(euros('1'), euros('2')))]))).faults).toEqual([]);
    expect(await currency()).toEqual(['EUR']);
    const value = '["EUR","CHF"]';
    for (const file of [
      shirt(sizes(euros('3'), euros('4', 'CHF'))),
      shirt(sizes(euros('3', 'CHF')), { currency: 'eur' }),
      shirt(sizes({ amount: '3' }), { price: euros('3'), listPrice: euros('4', 'CHF') }),
    ])
      expect((await importText(JSON.stringify([file]))).faults).toMatchObject([{ column: 'currency', value }]);
    const francs = [
      'product,options,price,currency\nshirt,Size=0|Colour=Blue,3,CHF\n',
      'slug,name,price,currency\nshirt,Shirt,3,CHF\n',
    ];
    for (const file of francs)
      expect((await importText(file)).faults).toMatchObject([{ line: 2, column: 'currency', value: 'CHF' }]);
    expect((await stored()).map(({ price }) => price)).toEqual(['1.00', '2.00']);
    expect(await currency()).toEqual(['EUR']);
    for (const file of francs) expect((await importText(file.replace('CHF', 'EUR'))).faults).toEqual([]);
    expect((await importText(JSON.stringify([shirt(sizes(euros('3', 'CHF')))]))).faults).toEqual([]);
    expect(await currency()).toEqual(['CHF']);
  });

  test('whose prices the file does not say get no other currency', async () => {
    const blouse = { slug: 'blouse', name: 'Blouse', currency: 'CHF' };
    await importText(jsonLines([shirt([small, large]), shirt(undefined, { ...blouse, price: 1 })]));
    const before = await stored();
    const { price: _, ...unpriced } = large;
    for (const [file, name] of [
      ['slug,currency\nshirt,CHF\n', 'currency'],
      ['[{ "slug": "shirt", "name": "Shirt", "stock": 2, "currency": "CHF" }]', 'currency'],
      [JSON.stringify([shirt([small, unpriced], { currency: 'CHF' })]), 'price'],
      [
        JSON.stringify([shirt([small, { ...unpriced, price: 9, listPrice: undefined }], { currency: 'CHF' })]),
        'listPrice',
      ],
    ] as const) {
      const { faults } = await importText(file);
      expect(faults).toMatchObject([{ column: name, reason: expect.stringContaining('USD') }]);
      expect(await stored()).toEqual(before);
    }
    expect(await sql('select slug, currency from product order by slug')).toEqual([
      { slug: 'blouse', currency: 'CHF' },
      { slug: 'shirt', currency: 'USD' },
    ]);
  });

  test('stay where the file does not say them, and keep what it does not say; none means none', async () => {
    await importText(JSON.stringify([shirt([small, large])]));
    expect(await importText('slug,name,price,stock\nshirt,Tee,1.00,99\n')).toMatchObject({ changed: 1, faults: [] });
    expect(await product()).toMatchObject({ price: '20.00', stock: 7 });
    const values = [{ optionValues: ['S', 'Blue'] }, { optionValues: ['L', 'Blue'], stock: 9 }];
    const part = await importText(JSON.stringify([{ slug: 'shirt', name: 'Tee', variants: values }]));
    expect(part).toMatchObject({ unchanged: 1, faults: [], variants: { changed: 1, unchanged: 1 } });
    expect((await stored()).map(({ sku, price, stock }) => [sku, price, stock])).toEqual([
      ['S-B', '20.00', 3],
      ['L-B', '25.50', 9],
    ]);
    const none = await importText(JSON.stringify([{ slug: 'shirt', name: 'Tee', price: 5, stock: 2, variants: [] }]));
    expect(none).toMatchObject({ changed: 1, variants: { deleted: 2 } });
    expect(await product()).toMatchObject({ price: '5.00', stock: 2, option_names: ['Size', 'Colour'] });
  });

  test('of a product that has no options any more need not say so', async () => {
    await importText(JSON.stringify([shirt([small, large])]));
    const one = shirt([{ sku: 'S-B', price: 9 }], { optionNames: [] });
    const changed = { created: 0, changed: 1, unchanged: 0, deleted: 1 };
    expect(await importText(JSON.stringify([one]))).toMatchObject({ changed: 1, faults: [], variants: changed });
    expect(await stored()).toMatchObject([{ id: 1, sku: 'S-B', options: '', price: '9.00', stock: 3 }]);
    expect(await importText(JSON.stringify([one]))).toMatchObject({ unchanged: 1, variants: { unchanged: 1 } });
  });

  test('without options take the prices and the stock of their product, where that has no other', async () => {
    await importText(
      JSON.stringify([{ slug: 'cup', name: 'Cup', category: 'C', variants: [{ sku: 'C', price: 8, stock: 1 }] }]),
    );
    const list = 'slug,price,list_price,stock\ncup,6,8,2\n';
    expect(await importText(list)).toMatchObject({ unchanged: 1, variants: { changed: 1 }, faults: [] });
    expect(await importText(list)).toMatchObject({ unchanged: 1, variants: { unchanged: 1 }, faults: [] });
    expect(await stored()).toMatchObject([{ sku: 'C', options: '', price: '6.00', stock: 2 }]);
    expect(await product()).toMatchObject({ price: '6.00', list_price: '8.00', stock: 2 });
  });

  test('that say no option values are found by their sku', async () => {
    await importText(JSON.stringify([shirt([small, large])]));
    const skus = [
      { sku: 'L-B', stock: 0 },
      { sku: 'S-B', stock: 1 },
    ];
    expect(await importText(JSON.stringify([shirt(skus)]))).toMatchObject({ variants: { changed: 2 }, faults: [] });
    expect((await stored()).map(({ options, stock }) => [options, stock])).toEqual([
      ['L/Blue', 0],
      ['S/Blue', 1],
    ]);
  });

  test('are named by line, column and value where they are at fault, with their whole product', async () => {
    const cups = { slug: 'cup', name: 'Cup', category: 'Cups', optionNames: ['Size'] };
    const lines = [
      { ...cups, slug: 'a', variants: [{ optionValues: ['S'], price: 'free' }] },
      { ...cups, slug: 'b', variants: [{ optionValues: ['S', 'Red'], price: 1 }] },
      { ...cups, slug: 'c', variants: [1, 2].map((price) => ({ optionValues: ['S'], price })) },
      { ...cups, slug: 'd', variants: ['S', 'M'].map((size) => ({ sku: 'X', optionValues: [size], price: 1 })) },
      {
        ...cups,
        slug: 'e',
        variants: Array.from({ length: 251 }, (_, n) => ({ optionValues: [String(n)], price: 1 })),
      },
      { ...cups, slug: 'f', variants: 'red' },
      { ...cups, slug: 'g', variants: [{ optionValues: ['S'], sku: 'TAKEN', price: 1 }] },
      { ...cups, slug: 'h', variants: [{ optionValues: ['S'], sku: 'TAKEN', price: 1 }] },
      { ...cups, slug: 'i', variants: [{ optionValues: ['S'] }] },
      { ...cups, slug: 'j', variants: [{ options: { Colour: 'Red' }, price: 1 }] },
    ];
    const { created, faults } = await importText(jsonLines(lines));
    expect(created).toBe(1);
    expect(await column('select slug from product')).toEqual(['g']);
    expect(faults.map(({ line, column: name, value }) => [line, name, value])).toEqual([
      [1, 'price', 'free'],
      [2, 'optionValues', '["S","Red"]'],
      [3, 'optionValues', '["S"]'],
      [4, 'sku', 'X'],
      [6, 'slug', 'f'],
      [10, 'optionValues', expect.anything()],
      [8, 'sku', 'TAKEN'],
      [9, 'price', ''],
      [5, undefined, undefined],
    ]);
  });

  test('keep the number of their values where a file changes the names of options alone', async () => {
    await importText(JSON.stringify([shirt([small, large])]));
    const file = 'slug,name,price,option_names\nshirt,Shirt,1,Size|Colour|Fit\n';
    expect((await importText(file)).faults).toMatchObject([
      { line: 2, column: 'option_names', value: 'Size, Colour, Fit' },
    ]);
    expect(await importText(file.replace('|Fit', ''))).toMatchObject({ faults: [], unchanged: 1 });
    expect(await importText(file.replace('Colour|Fit', 'Color'))).toMatchObject({ faults: [], changed: 1 });
  });
});

describe('what the API returns', () => {
  const word = fc.constantFrom('S', 'M', 'Blue', 'a "b"', 'a","b', '{}', '\\', 'ä,|=', '1', 'Größe 🫖');
  const money = fc.integer({ min: 0, max: 99_999 }).map((cents) => (cents / 100).toFixed(2));
  const variant = fc.record({
    optionValues: fc.array(word, { minLength: 2, maxLength: 2 }),
    price: money,
    listPrice: fc.option(money),
    stock: fc.integer({ min: 0, max: 99 }),
    barcode: fc.option(word),
    imageUrl: fc.option(fc.constantFrom('/a.jpg', 'https://cdn.example/b.jpg')),
    position: fc.integer({ min: -2, max: 2 }),
  });
  const anyProduct = fc.record({
    price: money,
    optionNames: fc.constantFrom(['Size', 'Colour'], ['ä', 'a "b"']),
    variants: fc.option(
      fc.uniqueArray(variant, { maxLength: 6, selector: ({ optionValues }) => JSON.stringify(optionValues) }),
    ),
    imageUrls: fc.constant(['/1.jpg', '/2.jpg']),
    imageAlts: fc.array(fc.constantFrom('', 'From behind'), { maxLength: 2 }),
    attributes: fc.dictionary(
      word,
      fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word, { minLength: 2, maxLength: 3 })),
      { maxKeys: 4 },
    ),
  });

  test('changes nothing when it is imported again, whatever the variants and attributes', async () => {
    await using gateway = await createTestGateway({ url: url() }, PATIENT);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyProduct, { minLength: 1, maxLength: 10 }), async (all) => {
        await sql('truncate category, product, notice restart identity cascade');
        run += 1;
        const rows = all.map((each, index) => ({
          slug: `p-${run}-${index}`,
          name: `P ${index}`,
          category: 'C',
          ...each,
        }));
        const first = await importText(JSON.stringify(rows));
        expect(first).toMatchObject({ created: all.length, faults: [] });
        const last = rows.at(-1)?.slug;
        await expect
          .poll(async () => (await gateway.graphql(`{ productBySlug(slug: "${last}") { slug } }`)).data)
          .toEqual({ productBySlug: { slug: last } });
        const { data } = await gateway.graphql(`{ products(limit: 100) {
          slug name sku price { amount currencyCode } listPrice { amount } stock imageUrl images { url alt }
          options { name values } attributes { name values }
          variants { id title sku barcode selectedOptions { name value } price { amount currencyCode } listPrice { amount } stock
            inStock imageUrl position }
        } }`);
        const { variants = first.variants, ...again } = await importText(JSON.stringify(data?.products));
        expect(again).toMatchObject({ created: 0, changed: 0, unchanged: all.length, faults: [] });
        expect(variants).toEqual({ created: 0, changed: 0, unchanged: first.variants?.created ?? 0, deleted: 0 });
      }),
      { numRuns: 10 },
    );
  });
});

test('attributes are texts, numbers, booleans or lists of texts: an object, also in a cell, or as the API returns them', async () => {
  const header = 'slug,name,category,price,attributes,image_alts\n';
  const cell = (value: unknown): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
  const { faults } = await importText(
    `${header}a,A,C,1,${cell({ Weight: 1.5, Code: '0042', Organic: true, Fits: ['a', 'b'], None: '' })},|From behind|\n` +
      `b,B,C,1,${cell([{ name: 'Weight', values: ['1.50'] }])},\nc,C,C,1,red,\nd,D,C,1,${cell({ A: { b: 1 } })},\n`,
  );
  expect(faults.map(({ line, column: name }) => [line, name])).toEqual([
    [4, 'attributes'],
    [5, 'attributes'],
  ]);
  expect(await sql('select attributes::text, image_alts from product order by slug')).toEqual([
    {
      attributes: '{"Code": "0042", "Fits": ["a", "b"], "Weight": 1.5, "Organic": true}',
      image_alts: ['', 'From behind'],
    },
    { attributes: '{"Weight": "1.50"}', image_alts: [] },
  ]);
});

describe('a file of variants', () => {
  const products = 'slug,sku,name,category,price\nshirt,1,Shirt,Clothes,9\ncup,2,Cup,Cups,8\n';
  const header = 'product,options,sku,price,stock\n';

  test('names their product and their options, which a product without any gets', async () => {
    await importText(products);
    const text = `${header}shirt,Size=S|Colour=Blue,S-B,20,3\ncup,,CUP,8,1\nshirt,"{""Colour"":""Blue"",""Size"":""L""}",L-B,25,4\n`;
    const { kind, created, faults } = await importText(text);
    expect({ plural: kind.plural, created, faults }).toEqual({ plural: 'variants', created: 3, faults: [] });
    expect((await stored()).map(({ slug, sku, options, stock }) => [slug, sku, options, stock])).toEqual([
      ['cup', 'CUP', '', 1],
      ['shirt', 'S-B', 'S/Blue', 3],
      ['shirt', 'L-B', 'L/Blue', 4],
    ]);
    expect(await sql('select slug, price::text, stock, option_names from product order by slug')).toEqual([
      { slug: 'cup', price: '8.00', stock: 1, option_names: [] },
      { slug: 'shirt', price: '20.00', stock: 7, option_names: ['Size', 'Colour'] },
    ]);
    expect(await importText(text)).toMatchObject({ created: 0, changed: 0, unchanged: 3, faults: [] });
  });

  test('finds products by --key, changes what it says, and deletes nothing', async () => {
    await importText(products);
    await importText(`${header}shirt,Size=S,S,20,3\nshirt,Size=L,L,25,4\n`);
    const imported = await importText('product,sku,stock\n1,L,0\n', { key: 'sku' });
    expect(imported).toMatchObject({ created: 0, changed: 1, faults: [] });
    expect((await stored()).map(({ options, stock }) => [options, stock])).toEqual([
      ['S', 3],
      ['L', 0],
    ]);
    expect(await importText('product,option_values,stock\n1,S,5\n', { key: 'sku' })).toMatchObject({ changed: 1 });
    expect(await column('select stock from product where id = 1')).toEqual([5]);
  });

  test('leaves a row that only the database refuses its sku, at whatever place another row has it', async () => {
    await importText(products);
    await importText(`${header}shirt,Size=S,S,20,3\nshirt,Size=M,M,20,3\n`);
    await sql(`alter table product_variant add constraint refused check (stock <> 66)`);
    const before = await stored();
    const rows = ['shirt,Size=S,A,20,66\n', 'shirt,Size=M,S,20,3\n'];
    for (const file of [rows, rows.toReversed()]) {
      const { faults } = await importText(header + file.join(''));
      expect(faults.map(({ reason }) => reason)).toEqual([
        expect.stringContaining('"refused"'),
        'is that of another variant',
      ]);
      expect(await stored()).toEqual(before);
    }
    await sql(`alter table product_variant drop constraint refused`);
    expect((await importText(header + rows.toReversed().join('').replace('66', '6'))).faults).toEqual([]);
    expect((await stored()).map(({ sku }) => sku)).toEqual(['A', 'S']);
  });

  test('rejects what fits no product, and imports the rest', async () => {
    await importText(products);
    await importText(`${header}shirt,Size=S|Colour=Blue,S-B,20,3\n`);
    const { created, faults } = await importText(
      `${header}hat,Size=S,H,1,1\nshirt,Size=M,M,1,1\nshirt,Size=L|Colour=Red,L-R,,1\nshirt,Colour=Red|Size=M,M-R,1,1\nshirt,Size=M|Colour=Red,M-R2,2,1\n,Size=S,X,1,1\ncup,,S-B,1,1\n`,
    );
    expect(created).toBe(1);
    expect(faults.map(({ line, column: name, value }) => [line, name, value]).sort()).toEqual([
      [2, 'product', 'hat'],
      [3, 'options', 'Size'],
      [4, 'price', ''],
      [5, 'product', 'shirt'],
      [7, 'product', ''],
      [8, 'sku', 'S-B'],
    ]);
    expect((await stored()).map(({ options }) => options)).toEqual(['S/Blue', 'M/Red']);
  });
});
