import { describe, expect, test } from 'vitest';
import { correctionsOf } from '../../src/browse/correction.ts';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway, PATIENT } from '../support/gateway.ts';
import { insertCategory, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const PRODUCTS = [
  { name: 'Crème brûlée set', brand: 'Ærø', tags: ['dessert'], description: 'Four bowls and a burner.' },
  { name: 'Größe XL apron', brand: 'Lumo', subtitle: 'For cooks', description: 'Washes at 60 °C; GRÖSSE counts.' },
  { name: 'Desk lamp', brand: 'Lumo', tags: ['light', 'office'], description: 'A lamp with a long arm.', sales: 5 },
  { name: 'Shade', brand: 'Nordwind', tags: ['lamp'], description: 'For the desk.', sales: 50 },
  { name: 'Bulb', brand: null, subtitle: 'Warm, for every lamp', sales: 500 },
  { name: 'Cable', brand: null, description: '<p class="hidden">Fits each <b>lamp</b> &amp; desk</p>', sales: 5000 },
  { name: 'Lampion', brand: 'Lumo', tags: [], sales: 1 },
  { name: '紫砂茶壶 大号', brand: '宜兴', description: '手工制作的茶壶盖。' },
  { name: '茶 and 壶', description: 'no pot of that name' },
  { name: '한국어 사전', description: '대한민국 국어 사전' },
  { name: 'ガラスのコップ', description: 'ｶﾞﾗｽ' },
  { name: 'Hidden lamp', status: 'DRAFT' },
  { name: 'Future lamp', published_at: '2100-01-01Z' },
  { name: 'Headphones', brand: 'Lumo', sales: 3 },
  { name: "100 % wool_sock's", sales: 2 },
];

const database = await shared(createTestDatabase());
const category_id = await insertCategory(database);
for (const product of PRODUCTS) await insertProduct(database, { category_id, ...product });
const gateway = await shared(createTestGateway(database, PATIENT));

const QUERY = `query ($search: String, $orderBy: ProductSearchOrder) {
  productSearch(search: $search, orderBy: $orderBy) {
    totalCount correctedSearch
    edges { node { name } highlight { name { text isMatch } snippet { text isMatch } } }
    facets { inStock brands { value count } }
  }
}`;

interface Segment {
  readonly text: string;
  readonly isMatch: boolean;
}

const search = async (text: string | null, orderBy?: string) => {
  const { data, errors } = await gateway.graphql(QUERY, { search: text, orderBy });
  expect(errors).toBeUndefined();
  const { edges, ...rest } = data.productSearch;
  return {
    ...rest,
    names: edges.map(({ node }: { node: { name: string } }) => node.name) as string[],
    highlights: edges.map(({ highlight }: { highlight: unknown }) => highlight) as {
      name: Segment[];
      snippet: Segment[];
    }[],
  };
};

const found = async (text: string): Promise<string[]> => (await search(text)).names.sort();

describe('a search finds', () => {
  test.each([
    ['creme brulee', ['Crème brûlée set']],
    ['CRÈME', ['Crème brûlée set']],
    ['cre\u0300me', ['Crème brûlée set']],
    ['brulee creme', ['Crème brûlée set']],
    ['grosse', ['Größe XL apron']],
    ['größe', ['Größe XL apron']],
    ['aero', ['Crème brûlée set']],
    ['lumo lamp', ['Desk lamp', 'Lampion']],
    ['lamp lumo', ['Desk lamp']],
    ['lamp d', ['Cable', 'Desk lamp', 'Shade']],
    ['lam', ['Bulb', 'Cable', 'Desk lamp', 'Lampion', 'Shade']],
    ['lamp,desk!', ['Cable', 'Desk lamp', 'Shade']],
    ['hidden', []],
    ['class', []],
    ['茶壶', ['紫砂茶壶 大号']],
    ['壶盖', ['紫砂茶壶 大号']],
    ['砂茶壶', ['紫砂茶壶 大号']],
    ['茶壶大', []],
    ['茶', ['紫砂茶壶 大号', '茶 and 壶']],
    ['宜', ['紫砂茶壶 大号']],
    ['壶 茶', ['紫砂茶壶 大号', '茶 and 壶']],
    ['국어', ['한국어 사전']],
    ['민국 사전', ['한국어 사전']],
    ['グラス', []],
    ['ガラス', ['ガラスのコップ']],
    ['ｶﾞﾗｽ', ['ガラスのコップ']],
    ['100%', ["100 % wool_sock's"]],
    ['wool sock', ["100 % wool_sock's"]],
    ["wool_sock's", ["100 % wool_sock's"]],
    ['%', []],
    ['_ ?!', []],
    ["' or 1=1 --", []],
    ['\0', []],
    ['\ud800', []],
    ['a & b | !c:*', []],
    ['x'.repeat(200), []],
  ] as [string, string[]][])('%j: %j', async (text, names) => {
    expect(await found(text)).toEqual([...names].sort());
  });

  test.each([[null], [''], [' \t\n']])('everything where %j is none', async (text) => {
    expect(await search(text)).toMatchObject({ totalCount: 13, correctedSearch: null });
  });
});

test('relevance is name before brand and tags, before subtitle, before description', async () => {
  expect((await search('lamp')).names).toEqual(['Desk lamp', 'Lampion', 'Shade', 'Bulb', 'Cable']);
  expect((await search('lamp', 'RELEVANCE')).names).toEqual(['Desk lamp', 'Lampion', 'Shade', 'Bulb', 'Cable']);
  expect((await search('lamp', 'BEST_SELLING')).names).toEqual(['Cable', 'Bulb', 'Shade', 'Desk lamp', 'Lampion']);
  expect((await search('lamp', 'NAME_ASC')).names).toEqual(['Bulb', 'Cable', 'Desk lamp', 'Lampion', 'Shade']);
});

test('relevance adds up over the words', async () => {
  // Desk lamp: 8 + 8; Shade: 1 + 4; Cable: 1 + 1.
  expect((await search('desk lamp')).names).toEqual(['Desk lamp', 'Shade', 'Cable']);
});

test('relevance without a search is the order of best sellers', async () => {
  expect((await search(null, 'RELEVANCE')).names).toEqual((await search(null, 'BEST_SELLING')).names);
});

test('facets count what is found', async () => {
  expect((await search('lamp')).facets).toEqual({
    inStock: 0,
    brands: [
      { value: 'Lumo', count: 2 },
      { value: 'Nordwind', count: 1 },
    ],
  });
});

describe('highlights', () => {
  const marked = (segments: readonly Segment[]): string =>
    segments.map(({ text, isMatch }) => (isMatch ? `[${text}]` : text)).join('');

  test.each([
    ['lamp desk', 'Desk lamp', '[Desk] [lamp]', 'A [lamp] with a long arm.'],
    ['creme bru', 'Crème brûlée set', '[Crème] [brûlée] set', 'Four bowls and a burner.'],
    ['lamp', 'Cable', 'Cable', 'Fits each [lamp] & desk'],
    ['lamp', 'Bulb', 'Bulb', 'Warm, for every [lamp]'],
    ['茶壶', '紫砂茶壶 大号', '紫砂[茶壶] 大号', '手工制作的[茶壶]盖。'],
    ['砂茶壶', '紫砂茶壶 大号', '紫[砂茶壶] 大号', '手工制作的茶壶盖。'],
    ['茶', '紫砂茶壶 大号', '紫砂[茶]壶 大号', '手工制作的[茶]壶盖。'],
    ['lapm', 'Desk lamp', 'Desk [lamp]', 'A [lamp] with a long arm.'],
  ])('of %j in %s', async (text, product, name, snippet) => {
    const { names, highlights } = await search(text);
    const highlight = highlights[names.indexOf(product)];
    expect(marked(highlight?.name ?? [])).toBe(name);
    expect(marked(highlight?.snippet ?? [])).toBe(snippet);
  });

  test('are null without a search', async () => {
    expect((await search(null)).highlights.every((each: unknown) => each === null)).toBe(true);
  });

  test('have about 160 characters around the first match, and never HTML', async () => {
    await using own = await createTestDatabase();
    const filler = 'Lorem ipsum dolor sit amet, consectetur 🍵🍵 adipiscing elit. '.repeat(20);
    const description = `<h1>Title</h1>${filler}<script>alert(1)</script> needle ${filler}<img src="x" onerror="y">`;
    await insertProduct(own, { category_id: await insertCategory(own), name: 'Haystack', description });
    await using there = await createTestGateway(own, PATIENT);
    const { data } = await there.graphql(QUERY, { search: 'needle' });
    const { snippet } = data.productSearch.edges[0].highlight;
    const text = snippet.map((segment: Segment) => segment.text).join('');
    expect(snippet.filter(({ isMatch }: Segment) => isMatch)).toEqual([{ text: 'needle', isMatch: true }]);
    expect(text).toMatch(/^….*needle.*…$/u);
    expect(text).not.toMatch(/[<>]/);
    expect(text.length).toBeGreaterThan(120);
    expect(text.length).toBeLessThan(200);
    expect(text.isWellFormed()).toBe(true);
  });
});

const APART = [
  { name: 'Veil', subtitle: 'As light as gossamer' },
  { name: 'Hood', description: '<p>A tarpaulin for rain</p>' },
  { name: 'Headphones', description: 'Over the ear' },
  { name: 'Headphone stand' },
  { name: 'Oven', description: 'You hear nothing of it' },
  { name: 'Ovar cover' },
  { name: 'Wood', subtitle: 'A stand' },
];
const apart = await shared(createTestDatabase());
const apartCategory = await insertCategory(apart);
for (const product of APART) await insertProduct(apart, { category_id: apartCategory, ...product });
const apartGateway = await shared(createTestGateway(apart, PATIENT));

const corrections = async (search: string, filter: object | null = null) =>
  (
    await apartGateway.graphql(
      'query ($search: String, $filter: ProductFilter) { productSearch(search: $search, filter: $filter) { correctedSearch nodes { name } } }',
      { search, filter },
    )
  ).data.productSearch;

describe('mistyped words', () => {
  test.each([
    ['lapm', 'lamp'],
    ['haedphones', 'headphones'],
    ['headfones', 'headphones'],
    ['Desk lemp', 'Desk lamp'],
    ['Dask LAMP', 'desk LAMP'],
    ['nordwnid', 'nordwind'],
    ['dessret', 'dessert'],
    ['groesse', 'grosse'],
    // No word of `&amp;`.
    ['amp', 'lamp'],
    ['lam desk', 'lamp desk'],
  ])('%j is searched for as %j', async (text, corrected) => {
    const result = await search(text);
    expect(result.correctedSearch).toBe(corrected);
    expect(result.names).toEqual((await search(corrected)).names);
    expect(result.totalCount).toBeGreaterThan(0);
    expect(result.facets).toEqual((await search(corrected)).facets);
  });

  test.each([
    ['lamp'],
    ['qwxzqwxz'],
    ['xy'],
    ['headphones brulee'],
    ['headphones bruleex'],
    ['茶壶天地玄黄'],
    ['hiddne'],
  ])('%j is not corrected', async (text) => {
    expect(await search(text)).toMatchObject({ correctedSearch: null });
  });

  test.each([
    ['of a subtitle', 'gosamer', 'gossamer', ['Veil']],
    ['of a description', 'tarpaulen', 'tarpaulin', ['Hood']],
    ['of a description beside another', 'hood tarpaulen', 'hood tarpaulin', ['Hood']],
    // Each of the words is in some product.
    ['that exists apart', 'headphone over', 'headphones over', ['Headphones']],
    ['that exists apart, the last one', 'headphones ovar', 'headphones over', ['Headphones']],
    ['with two that exist apart', 'headphone ovar hear', 'headphones over ear', ['Headphones']],
    // `oven` is nearer than `over`, and in no product with headphones.
    ['that is not the nearest', 'headphones ovem', 'headphones over', ['Headphones']],
    ['with the fewest changes in all', 'stand hood', 'stand wood', ['Wood']],
  ])('are corrected by a word %s: %j', async (_, text, corrected, names) => {
    const result = await corrections(text);
    expect(result).toEqual({ correctedSearch: corrected, nodes: names.map((name) => ({ name })) });
  });

  test('whose words are found together, but not under the filter, are not corrected', async () => {
    expect(await corrections('headphones over', { inStock: true })).toEqual({ correctedSearch: null, nodes: [] });
  });

  test('of ten words that exist apart are corrected by few searches', async () => {
    const text = 'headphone stand hood oven ovar hear wood cover gossamer tarpaulin';
    expect(await corrections(text)).toEqual({ correctedSearch: null, nodes: [] });
  });

  test('among words that are equally near, the one that most products have is meant, then the first', () => {
    const nearest = (...candidates: [text: string, count: number][]): string | undefined => {
      const counts = new Map(candidates);
      const vocabulary = { words: [...counts.keys()], countOf: (word: string) => counts.get(word) ?? 0 };
      return correctionsOf([{ text: 'lanp', isPrefix: false }], () => false, vocabulary)[0]?.[0]?.text;
    };
    expect(nearest(['lamp', 5], ['land', 6], ['lane', 4])).toBe('land');
    expect(nearest(['land', 5], ['lamp', 5], ['lane', 5])).toBe('lamp');
    expect(nearest(['lampen', 9], ['lamp', 1])).toBe('lamp');
  });

  test('a page of a corrected search is followed by the next one', async () => {
    const page = async (after: string | null) =>
      (
        await gateway.graphql(
          'query ($after: String) { productSearch(search: "lapm", first: 2, after: $after) { correctedSearch nodes { name } pageInfo { endCursor } } }',
          { after },
        )
      ).data.productSearch;
    const first = await page(null);
    expect(first.nodes).toEqual([{ name: 'Desk lamp' }, { name: 'Lampion' }]);
    expect(await page(first.pageInfo.endCursor)).toMatchObject({
      correctedSearch: 'lamp',
      nodes: [{ name: 'Shade' }, { name: 'Bulb' }],
    });
  });

  test('of a filter that leaves nothing are none', async () => {
    const { data } = await gateway.graphql(
      '{ productSearch(search: "lamp", filter: { brands: ["Nobody"] }) { correctedSearch totalCount facets { brands { value } } } }',
    );
    expect(data.productSearch).toMatchObject({ correctedSearch: null, totalCount: 0 });
    expect(data.productSearch.facets.brands).toHaveLength(2);
  });
});

test('a product that gets a word is found by it, one that loses a word no longer', async () => {
  await using own = await createTestDatabase();
  const id = await insertProduct(own, { category_id: await insertCategory(own), name: 'Kettle' });
  await using there = await createTestGateway(own, PATIENT);
  const count = async (text: string): Promise<number> =>
    (await there.graphql('query ($text: String) { productSearch(search: $text) { totalCount } }', { text })).data
      .productSearch.totalCount;
  expect([await count('kettle'), await count('copper')]).toEqual([1, 0]);
  await own.sql(`update product set name = 'Copper pot', description = 'x' where id = $1`, [id]);
  await expect.poll(() => count('copper')).toBe(1);
  await expect.poll(() => count('kettle')).toBe(0);
});

test('a huge description, and words without end, are no failure of the back office', async () => {
  await using own = await createTestDatabase();
  const category = await insertCategory(own);
  const texts = [
    'x'.repeat(3_000_000),
    Array.from({ length: 300_000 }, (_, index) => `word${index}`).join(' '),
    '茶'.repeat(500_000),
    Array.from({ length: 200_000 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join(''),
    '<'.repeat(500_000),
  ];
  for (const text of texts) {
    await insertProduct(own, { category_id: category, name: text.slice(0, 600), description: text, tags: [text] });
  }
  expect(await own.sql('select count(*)::int as count from product')).toEqual([{ count: texts.length }]);
});
