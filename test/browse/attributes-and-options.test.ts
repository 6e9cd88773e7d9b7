import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct, insertVariant } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const category_id = await insertCategory(database);

interface Row {
  readonly name: string;
  readonly sku?: string;
  readonly brand?: string;
  readonly attributes?: object;
  readonly option_names?: string[];
  /** The values, the stock, the sku and the barcode. */
  readonly variants?: readonly (readonly [string[], number, string?, string?])[];
}

const ROWS: readonly Row[] = [
  {
    name: 'Shirt',
    brand: 'Lumo',
    attributes: { Material: ['Cotton', 'Linen'], Washable: true, Weight: 180 },
    option_names: ['Size', 'Colour'],
    variants: [
      [['S', 'Red'], 3, 'SH-S-R', '4006381333931'],
      [['M', 'Red'], 0, 'SH-M-R'],
      [['M', 'Blue'], 2, 'SH-M-B'],
    ],
  },
  {
    name: 'Jumper',
    brand: 'Nordwind',
    attributes: { Material: 'Wool', Washable: false, Weight: 450.5 },
    option_names: ['Colour', 'Size'],
    variants: [
      [['Red', 'M'], 1, 'JU-1', '?!'],
      [['Green', 'L'], 0, 'JU-2'],
    ],
  },
  { name: 'Kettle', sku: 'KET-1.5', attributes: { Material: 'Steel', Weight: 1.5, Volume: '1.5' } },
  { name: 'Teapot KET', sku: 'Größe-1', attributes: { Material: 'cotton', Weight: 900 } },
  { name: 'Bag' },
];
for (const { variants = [], ...product } of ROWS) {
  const product_id = await insertProduct(database, { category_id, ...product });
  for (const [option_values, stock, sku, barcode] of variants)
    await insertVariant(database, { product_id, price: '5.00', option_values, stock, sku, barcode });
}
await insertProduct(database, {
  category_id,
  name: 'Hidden',
  status: 'DRAFT',
  sku: 'HID',
  attributes: { Material: 'Wool' },
});
const gateway = await shared(createTestGateway(database, PATIENT));

const QUERY = `query ($search: String, $filter: ProductFilter, $orderBy: ProductSearchOrder) {
  productSearch(search: $search, filter: $filter, orderBy: $orderBy) {
    totalCount correctedSearch nodes { name }
    facets {
      inStock brands { value count }
      attributes { name min max values { value count } } options { name min max values { value count } }
    }
  }
}`;

interface Answer {
  readonly totalCount: number;
  readonly correctedSearch: string | null;
  readonly names: string[];
  readonly facets: {
    readonly inStock: number;
    readonly brands: { value: string; count: number }[];
    readonly attributes: Facet[];
    readonly options: Facet[];
  };
}

interface Facet {
  readonly name: string;
  readonly min: string | null;
  readonly max: string | null;
  readonly values: { readonly value: string; readonly count: number }[];
}

const ask = async (variables: Record<string, unknown>): Promise<Answer> => {
  const { data, errors } = await gateway.graphql(QUERY, variables);
  expect(errors).toBeUndefined();
  const { nodes, ...rest } = data.productSearch;
  return { ...rest, names: nodes.map(({ name }: { name: string }) => name) };
};

const found = async (filter: object): Promise<string[]> => {
  const { names, totalCount } = await ask({ filter, orderBy: 'NAME_ASC' });
  expect(totalCount).toBe(names.length);
  return names;
};

/** `{ Size: { M: 2 } }` */
const counts = (facets: readonly Facet[]) =>
  Object.fromEntries(
    facets.map(({ name, values }) => [name, Object.fromEntries(values.map(({ value, count }) => [value, count]))]),
  );

describe('a filter by attributes finds', () => {
  test.each([
    ['a text as it is written', [{ name: 'Material', values: ['Wool'] }], ['Jumper']],
    ['any of the values', [{ name: 'Material', values: ['Wool', 'Steel', 'none'] }], ['Jumper', 'Kettle']],
    ['one of a list', [{ name: 'Material', values: ['Linen'] }], ['Shirt']],
    ['a truth', [{ name: 'Washable', values: ['false'] }], ['Jumper']],
    ['a number, written as products show it', [{ name: 'Weight', values: ['1.5'] }], ['Kettle']],
    ['a number within both bounds', [{ name: 'Weight', min: '180', max: 450.5 }], ['Jumper', 'Shirt']],
    ['a number from one bound on', [{ name: 'Weight', min: '450.51' }], ['Teapot KET']],
    ['no text of digits by bounds', [{ name: 'Volume', min: '1' }], []],
    [
      'one of the values, or a number within the bounds',
      [{ name: 'Weight', values: ['1.5'], min: '500' }],
      ['Kettle', 'Teapot KET'],
    ],
    [
      'what all filters find',
      [
        { name: 'Material', values: ['Cotton', 'Wool'] },
        { name: 'Washable', values: ['true'] },
      ],
      ['Shirt'],
    ],
    [
      'what all filters of one name find',
      [
        { name: 'Material', values: ['Cotton'] },
        { name: 'Material', values: ['Linen'] },
      ],
      ['Shirt'],
    ],
    ['nothing by bounds in the wrong order', [{ name: 'Weight', min: '2', max: '1' }], []],
    ['nothing by an unknown name', [{ name: 'weight', values: ['180'] }], []],
    ['nothing by a text that no table can hold', [{ name: 'Material', values: ['Wool\0'] }], []],
    ['nothing by a name that no table can hold', [{ name: 'Material\ud800', values: ['Wool'] }], []],
    [
      'all products where neither values nor bounds are given',
      [{ name: 'Material', values: [] }],
      ['Bag', 'Jumper', 'Kettle', 'Shirt', 'Teapot KET'],
    ],
    ['all products where there is none', [], ['Bag', 'Jumper', 'Kettle', 'Shirt', 'Teapot KET']],
  ])('%s', async (_, attributes, names) => {
    expect(await found({ attributes })).toEqual(names);
  });
});

describe('a filter by options finds', () => {
  const size = (...values: string[]) => ({ name: 'Size', values });
  const colour = (...values: string[]) => ({ name: 'Colour', values });
  test.each([
    ['an option wherever its place is', { options: [size('M')] }, ['Jumper', 'Shirt']],
    ['any of the values', { options: [size('S', 'L')] }, ['Jumper', 'Shirt']],
    ['all options of one and the same variant', { options: [size('S'), colour('Blue')] }, []],
    ['that variant in stock', { options: [size('M'), colour('Red')], inStock: true }, ['Jumper']],
    ['it sold out as well', { options: [size('M'), colour('Red')] }, ['Jumper', 'Shirt']],
    [
      'no variant of products that are in stock, where those out of stock are wanted',
      { options: [size('L')], inStock: false },
      [],
    ],
    ['nothing by the value of another option', { options: [size('Red')] }, []],
    ['nothing by an unknown option', { options: [{ name: 'size', values: ['M'] }] }, []],
    ['nothing by a text that no table can hold', { options: [size('M\0')] }, []],
    ['all products where it has no values', { options: [size()], brands: ['Lumo'] }, ['Shirt']],
  ])('%s', async (_, filter, names) => {
    expect(await found(filter)).toEqual(names);
  });
});

test('each attribute is counted without the filters of its own name, and with those of the others', async () => {
  const { facets } = await ask({
    filter: {
      attributes: [
        { name: 'Material', values: ['Wool'] },
        { name: 'Weight', min: '1', max: '500' },
      ],
    },
  });
  expect(counts(facets.attributes)).toEqual({
    Material: { Cotton: 1, Linen: 1, Steel: 1, Wool: 1 },
    Weight: { '450.5': 1 },
    Washable: { false: 1 },
  });
  expect(facets.brands).toEqual([{ value: 'Nordwind', count: 1 }]);
});

test('attributes come with those that most products have first, then by name, and so do their values', async () => {
  const { facets } = await ask({});
  expect(facets.attributes.map(({ name }) => name)).toEqual(['Material', 'Weight', 'Washable', 'Volume']);
  expect(facets.attributes[0]?.values.map(({ value }) => value)).toEqual([
    'Cotton',
    'Linen',
    'Steel',
    'Wool',
    'cotton',
  ]);
  const { data } = await gateway.graphql(
    '{ productSearch { facets { attributes(limit: 1) { name values(limit: 2) { value } } options(limit: 1) { name } } } }',
  );
  expect(data.productSearch.facets).toEqual({
    attributes: [{ name: 'Material', values: [{ value: 'Cotton' }, { value: 'Linen' }] }],
    options: [{ name: 'Colour' }],
  });
});

test('an attribute whose values are all numbers has the least and the greatest, rounded so that none is left out', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  for (const attributes of [
    { a: 1.234, b: 1, c: 5 },
    { a: -1.234, b: '1' },
    { a: 10, c: 5 },
  ])
    await insertProduct(own, { category_id: category, attributes });
  await using there = await createTestGateway(own, PATIENT);
  const { data } = await there.graphql('{ productSearch { facets { attributes { name min max } } } }');
  expect(data.productSearch.facets.attributes).toEqual([
    { name: 'a', min: '-1.24', max: '10.00' },
    { name: 'b', min: null, max: null },
    { name: 'c', min: '5.00', max: '5.00' },
  ]);
});

test('the least and the greatest of numbers of many digits, as bounds, leave none out', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  for (const number of ['123456789012345678.25', '123456789012345678.27', '-0.0051', '15e24', '-7e299'])
    await insertProduct(own, { category_id: category, attributes: `{"${number}": ${number}}` });
  await using there = await createTestGateway(own, PATIENT);
  const { data } = await there.graphql('{ productSearch { facets { attributes { name min max } } } }');
  const { attributes } = data.productSearch.facets;
  expect(attributes).toHaveLength(5);
  for (const attribute of attributes) {
    const found = await there.graphql(QUERY, { filter: { attributes: [attribute] } });
    expect(found.data.productSearch.totalCount, attribute.name).toBe(1);
  }
});

test('an option is counted by the variants that have the other options, in stock where that is wanted', async () => {
  const options = [{ name: 'Size', values: ['M'] }];
  const all = await ask({ filter: { options } });
  expect(counts(all.facets.options)).toEqual({ Size: { L: 1, M: 2, S: 1 }, Colour: { Red: 2, Blue: 1 } });
  const inStock = await ask({ filter: { options, inStock: true } });
  expect(counts(inStock.facets.options)).toEqual({ Size: { M: 2, S: 1 }, Colour: { Blue: 1, Red: 1 } });
  expect(all.facets.options.map(({ min, max }) => [min, max])).toEqual([
    [null, null],
    [null, null],
  ]);
});

test('of products that have a variant with the options, those are in stock whose variant is', async () => {
  const options = [
    { name: 'Size', values: ['M'] },
    { name: 'Colour', values: ['Red'] },
  ];
  const { facets, totalCount } = await ask({ filter: { options } });
  expect({ totalCount, inStock: facets.inStock }).toEqual({ totalCount: 2, inStock: 1 });
  expect((await ask({ filter: { options, inStock: true } })).totalCount).toBe(1);
});

describe('a search for a code', () => {
  test.each([
    ['the number of a product', 'ket-1.5', ['Kettle']],
    ['the number of a variant', ' sh-m-r ', ['Shirt']],
    ['a barcode', '4006381333931', ['Shirt']],
    ['a code in letters beyond ASCII', 'GRÖSSE-1', ['Teapot KET']],
    ['a code without a word in it', '?!', ['Jumper']],
    ['no code without a word in it', '!?', []],
    ['the beginning of a code', 'sh-m', []],
    ['the number of a product that is not visible', 'hid', []],
  ])('finds %s', async (_, search, names) => {
    const answer = await ask({ search });
    expect({ ...answer, facets: undefined }).toEqual({
      totalCount: names.length,
      correctedSearch: null,
      names,
      facets: undefined,
    });
  });

  test('has its product first, before better sellers that have it as words', async () => {
    await using own = await createTestDatabase();
    const category = await insertCategory(own);
    await insertProduct(own, { category_id: category, name: 'A 100 lamp', sales: 500 });
    await insertProduct(own, { category_id: category, name: 'Bulb', sku: 'A-100', sales: 1 });
    await insertProduct(own, { category_id: category, name: 'Cable for a 100', sales: 50 });
    await using there = await createTestGateway(own, PATIENT);
    const page = async (rest: string) => {
      const { data, errors } = await there.graphql(
        `{ productSearch(search: "a-100" ${rest}) { totalCount edges { cursor node { name } } pageInfo { hasNextPage } } }`,
      );
      expect(errors).toBeUndefined();
      const { edges, totalCount, pageInfo } = data.productSearch;
      const names = edges.map(({ node }: { node: { name: string } }) => node.name);
      return { names, totalCount, ...pageInfo, cursor: edges.at(-1)?.cursor };
    };
    const names: string[] = [];
    let rest = 'first: 1';
    for (;;) {
      const { cursor, hasNextPage, ...found } = await page(rest);
      names.push(...found.names);
      expect(found.totalCount).toBe(3);
      if (!hasNextPage) break;
      rest = `first: 1 after: "${cursor}"`;
    }
    expect(names).toEqual(['Bulb', 'A 100 lamp', 'Cable for a 100']);
    expect((await page('orderBy: BEST_SELLING')).names).toEqual(['A 100 lamp', 'Cable for a 100', 'Bulb']);
  });

  test('is not corrected where its product does not fit the filter', async () => {
    await using own = await createTestDatabase();
    const category = await insertCategory(own);
    await insertProduct(own, { category_id: category, name: 'Lampe', brand: 'Lumo' });
    await insertProduct(own, { category_id: category, name: 'Bulb', brand: 'Nordwind', sku: 'LAMPO' });
    await using there = await createTestGateway(own, PATIENT);
    const search = async (text: string) => {
      const query =
        '($text: String) { productSearch(search: $text, filter: { brands: ["Lumo"] }) { totalCount correctedSearch } }';
      return (await there.graphql(`query ${query}`, { text })).data.productSearch;
    };
    expect(await search('lampu')).toEqual({ totalCount: 1, correctedSearch: 'lampe' });
    expect(await search('lampo')).toEqual({ totalCount: 0, correctedSearch: null });
  });

  test('has the whole name in its highlight, also without a word', async () => {
    const { data } = await gateway.graphql(
      '{ productSearch(search: "?!") { edges { highlight { name { text isMatch } } } } }',
    );
    expect(data.productSearch.edges).toEqual([{ highlight: { name: [{ text: 'Jumper', isMatch: false }] } }]);
  });

  test('has cursors of its own, also without a word', async () => {
    const { data } = await gateway.graphql('{ productSearch(search: "?!") { pageInfo { endCursor } } }');
    const { errors } = await gateway.graphql('query ($after: String) { productSearch(after: $after) { totalCount } }', {
      after: data.productSearch.pageInfo.endCursor,
    });
    expect(errors?.[0]?.message).toContain('another search');
  });
});

test('filters beyond their bounds are refused by name', async () => {
  for (const [filter, problem] of [
    [{ attributes: Array.from({ length: 21 }, () => ({ name: 'a' })) }, 'at most 20 attributes, but has 21'],
    [{ options: Array.from({ length: 21 }, () => ({ name: 'a', values: [] })) }, 'at most 20 options, but has 21'],
    [{ attributes: [{ name: 'a', values: Array(1001).fill('x') }] }, 'at most 1000'],
    [{ options: [{ name: 'a', values: Array(1001).fill('x') }] }, 'at most 1000'],
  ] as const) {
    const { errors } = await gateway.graphql(QUERY, { filter });
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
    expect(errors?.[0]?.message).toContain(problem);
  }
  const { errors } = await gateway.graphql(QUERY, { filter: { attributes: [{ name: 'a', min: 'x' }] } });
  expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
});

test('a product shows its numbers as facets and filters have them', async () => {
  await using own = await createTestDatabase();
  const id = await insertProduct(own, { category_id: await insertCategory(own) });
  await own.sql(
    `update product set attributes = '{"a": 1e21, "b": 0.0000000125, "c": 1.50, "d": -0, "e": 1e20, "f": 0.000001}' where id = $1`,
    [id],
  );
  await using there = await createTestGateway(own, PATIENT);
  const { data } = await there.graphql(
    '{ productSearch { nodes { attributes { name values } } facets { attributes { name values { value } } } } }',
  );
  const { nodes, facets } = data.productSearch;
  expect(nodes[0].attributes).toEqual([
    { name: 'a', values: ['1e+21'] },
    { name: 'b', values: ['1.25e-8'] },
    { name: 'c', values: ['1.5'] },
    { name: 'd', values: ['0'] },
    { name: 'e', values: ['100000000000000000000'] },
    { name: 'f', values: ['0.000001'] },
  ]);
  expect(
    facets.attributes.map(({ name, values }: Facet) => ({ name, values: values.map(({ value }) => value) })),
  ).toEqual(nodes[0].attributes);
});

test('a number that JavaScript has not is shown with its digits and counted, by whatever way the product is read', async () => {
  await using own = await createTestDatabase();
  const id = await insertProduct(own, { category_id: await insertCategory(own), slug: 'huge' });
  await own.sql(
    `update product set attributes = '{"a": 1e400, "b": 1e-400, "c": -1.5e305, "d": "\\"1${'0'.repeat(400)}", "e": 1.5, "f": 0}' where id = $1`,
    [id],
  );
  await using there = await createTestGateway(own, PATIENT);
  const shown = 'attributes { name values }';
  const { data } = await there.graphql(
    `{ products { ${shown} } product(id: ${id}) { ${shown} } productBySlug(slug: "huge") { ${shown} }
      categories { products { ${shown} } }
      productSearch { nodes { ${shown} } facets { attributes { name values { value count } } } } }`,
  );
  const attributes = [
    { name: 'a', values: [`1${'0'.repeat(400)}`] },
    { name: 'b', values: [`0.${'0'.repeat(399)}1`] },
    { name: 'c', values: [`-15${'0'.repeat(304)}`] },
    { name: 'd', values: [`"1${'0'.repeat(400)}`] },
    { name: 'e', values: ['1.5'] },
    { name: 'f', values: ['0'] },
  ];
  const { facets, nodes } = data.productSearch;
  for (const product of [data.products[0], data.product, data.productBySlug, data.categories[0].products[0], nodes[0]])
    expect(product.attributes).toEqual(attributes);
  expect(facets.attributes).toEqual(
    attributes.map(({ name, values: [value] }) => ({ name, values: [{ value, count: 1 }] })),
  );
});

test('a variant that changes is seen in filters and facets of two gateways', async () => {
  await using own = await createTestDatabase();
  const product_id = await insertProduct(own, { category_id: await insertCategory(own), option_names: ['Size'] });
  await insertVariant(own, { product_id, price: '1.00', option_values: ['S'], stock: 1, sku: 'ONE' });
  await using one = await createTestGateway(own, PATIENT);
  await using other = await createTestGateway(own, PATIENT);
  const seen = async (there: typeof one) => {
    const { data } = await there.graphql(`{
      large: productSearch(filter: { inStock: true, options: [{ name: "Size", values: ["L"] }] }) { totalCount }
      code: productSearch(search: "two") { totalCount }
      all: productSearch { facets { options { values { value count } } attributes { name } } }
    }`);
    const { options, attributes } = data.all.facets;
    return [data.large.totalCount, data.code.totalCount, options[0]?.values[0]?.value, attributes.length];
  };
  for (const there of [one, other]) expect(await seen(there)).toEqual([0, 0, 'S', 0]);
  await own.sql(`update product_variant set option_values = '{L}'`);
  for (const there of [one, other]) await expect.poll(() => seen(there)).toEqual([1, 0, 'L', 0]);
  await own.sql(`update product_variant set sku = 'Two', stock = 0`);
  for (const there of [one, other]) await expect.poll(() => seen(there)).toEqual([0, 1, 'L', 0]);
  await own.sql(`update product set attributes = '{"a": 1}'`);
  for (const there of [one, other]) await expect.poll(() => seen(there)).toEqual([0, 1, 'L', 1]);
  await own.sql('truncate product_variant');
  for (const there of [one, other]) await expect.poll(() => seen(there)).toEqual([0, 0, undefined, 1]);
});

test('numbers past those of JavaScript are found by bounds, and by no value', async () => {
  const inner = await insertCategory(database);
  for (const number of ['1e400', '-1e400', '1e-400'])
    await insertProduct(database, { category_id: inner, attributes: `{"Huge": ${number}}` });
  await using fresh = await createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' });
  const countOf = async (attribute: object) => {
    const filter = { categoryIds: [inner], attributes: [{ name: 'Huge', ...attribute }] };
    return (await fresh.graphql(QUERY, { filter })).data.productSearch.totalCount;
  };
  expect(await countOf({ values: ['0', '1', 'Infinity', '1e400'] })).toBe(0);
  expect(await countOf({ min: '1' })).toBe(1);
  expect(await countOf({ values: ['0'], max: '1' })).toBe(2);
});

test('numbers of more digits than JavaScript has are counted and found as products show them', async () => {
  const numbers = [
    '12345678901234567890',
    '0.12345678901234567891',
    '-9007199254740993',
    '1.50',
    '2.5e-7',
    '1e21',
    '0.0',
  ];
  const inner = await insertCategory(database);
  for (const number of numbers)
    await insertProduct(database, { category_id: inner, attributes: `{"Serial": ${number}}` });
  await using fresh = await createTestGateway(database, { ...PATIENT, FRESHNESS_MS: '0' });
  const query = `query ($filter: ProductFilter) { productSearch(filter: $filter) {
    nodes { attributes { values } } facets { attributes { values { value count } } } } }`;
  const { data } = await fresh.graphql(query, { filter: { categoryIds: [inner] } });
  const shown: string[] = data.productSearch.nodes.map(({ attributes }: { attributes: { values: string[] }[] }) =>
    attributes[0]?.values.join(),
  );
  expect(shown.toSorted()).toEqual(numbers.map((number) => String(Number(number))).toSorted());
  expect(data.productSearch.facets.attributes[0].values).toEqual(
    shown.toSorted().map((value) => ({ value, count: 1 })),
  );
  for (const value of shown) {
    const filter = { categoryIds: [inner], attributes: [{ name: 'Serial', values: [value] }] };
    expect((await fresh.graphql(query, { filter })).data.productSearch.nodes).toEqual([
      { attributes: [{ values: [value] }] },
    ]);
  }
});
