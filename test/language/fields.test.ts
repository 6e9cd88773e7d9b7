import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { openStream } from '../support/events.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct, insertVariant } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

const database = await shared(createTestDatabase());
const category = await insertCategory(database, {
  name: 'Shirts',
  slug: 'shirts',
  translations: { de: { name: 'Hemden', slug: 'hemden' }, pt: { name: 'Camisas' } },
});
await insertProduct(database, {
  id: 1,
  category_id: category,
  name: 'Linen Shirt',
  slug: 'linen-shirt',
  subtitle: 'Cool in summer',
  description: 'Woven in Galway.',
  brand: 'Sale',
  tags: ['sale', 'linen'],
  option_names: ['Size', 'Colour'],
  attributes: { Material: ['linen', 'cotton'], Weight: 180 },
  image_urls: ['/a.webp', '/b.webp', '/c.webp'],
  image_alts: ['Front', 'Back'],
  translations: {
    de: { name: 'Leinenhemd', slug: 'leinenhemd', subtitle: '', image_alts: ['Vorn', ''] },
    pt: { name: 'Camisa de linho', subtitle: 'Fresca', image_alts: ['Frente', '', 'Gola'] },
    'pt-BR': { description: 'Tecida em Galway.', image_alts: ['', ''] },
    fr: { name: 'Chemise' },
  },
});
for (const [id, values] of [
  [1, ['M', 'Blue']],
  [2, ['L', 'Blue']],
])
  await insertVariant(database, { id, product_id: 1, price: '10.00', option_values: values });
await insertProduct(database, { id: 2, category_id: category, name: 'Mug', slug: 'mug' });
await insertNotice(database, {
  id: 1,
  title: 'Open',
  summary: 'On Sunday',
  content: 'Come.',
  translations: { de: { title: 'Geöffnet', summary: '' } },
});
await database.sql(
  `insert into term_translation (language, term, text) values
     ('de', 'sale', 'Ausverkauf'), ('de', 'linen', ''), ('de', 'Size', 'Größe'), ('de', 'Colour', 'Farbe'), ('de', 'Blue', 'Blau'),
     ('de', 'Material', 'Stoff'), ('de', 'cotton', 'Baumwolle'), ('de', 'Sale', 'Ausverkauf'),
     ('pt', 'sale', 'saldo'), ('pt-BR', 'linen', 'linho')`,
);

const open = async (environment: Record<string, string> = { LANGUAGES: 'en,de,pt-BR' }) => {
  const gateway = await createTestGateway(database, environment);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  return gateway;
};

const TEXTS = `
  name slug subtitle description language tags tagLabels
  images { alt }
  category { name slug language }
  options { name label values valueLabels }
  variants { title selectedOptions { name label value valueLabel } }
  attributes { name label values valueLabels }
  translations { language slug }`;

const ask = async (language: string, environment?: Record<string, string>) => {
  const gateway = await open(environment);
  const { data, errors } = await gateway.graphql(
    `query @inContext(language: "${language}") { product(id: 1) { ${TEXTS} } notice(id: 1) { title summary content } }`,
  );
  expect(errors).toBeUndefined();
  return data;
};

const SLUGS = [
  { language: 'en', slug: 'linen-shirt' },
  { language: 'de', slug: 'leinenhemd' },
  { language: 'pt-BR', slug: 'linen-shirt' },
];

test('texts, labels and slugs are in the language, and each that is missing or empty falls back by itself', async () => {
  const { product, notice } = await ask('de');
  expect(product).toEqual({
    name: 'Leinenhemd',
    slug: 'leinenhemd',
    subtitle: 'Cool in summer',
    description: 'Woven in Galway.',
    language: 'de',
    tags: ['sale', 'linen'],
    tagLabels: ['Ausverkauf', 'linen'],
    images: [{ alt: 'Vorn' }, { alt: 'Back' }, { alt: 'Leinenhemd' }],
    category: { name: 'Hemden', slug: 'hemden', language: 'de' },
    options: [
      { name: 'Size', label: 'Größe', values: ['M', 'L'], valueLabels: ['M', 'L'] },
      { name: 'Colour', label: 'Farbe', values: ['Blue'], valueLabels: ['Blau'] },
    ],
    variants: [
      {
        title: 'M / Blau',
        selectedOptions: [
          { name: 'Size', label: 'Größe', value: 'M', valueLabel: 'M' },
          { name: 'Colour', label: 'Farbe', value: 'Blue', valueLabel: 'Blau' },
        ],
      },
      { title: 'L / Blau', selectedOptions: expect.any(Array) },
    ],
    attributes: [
      { name: 'Material', label: 'Stoff', values: ['linen', 'cotton'], valueLabels: ['linen', 'Baumwolle'] },
      { name: 'Weight', label: 'Weight', values: ['180'], valueLabels: ['180'] },
    ],
    translations: SLUGS,
  });
  expect(notice).toEqual({ title: 'Geöffnet', summary: 'On Sunday', content: 'Come.' });
});

test('a language falls back to its parents first', async () => {
  const { product, notice } = await ask('pt-BR');
  expect(product).toMatchObject({
    name: 'Camisa de linho',
    slug: 'linen-shirt',
    subtitle: 'Fresca',
    description: 'Tecida em Galway.',
    language: 'pt',
    images: [{ alt: 'Frente' }, { alt: 'Back' }, { alt: 'Gola' }],
    tagLabels: ['saldo', 'linho'],
    category: { name: 'Camisas', slug: 'shirts', language: 'pt' },
    variants: [{ title: 'M / Blue' }, { title: 'L / Blue' }],
  });
  expect(notice.title).toBe('Open');
});

test('the first language has the texts of the columns', async () => {
  const own = {
    name: 'Linen Shirt',
    slug: 'linen-shirt',
    subtitle: 'Cool in summer',
    description: 'Woven in Galway.',
    tagLabels: ['sale', 'linen'],
    images: [{ alt: 'Front' }, { alt: 'Back' }, { alt: 'Linen Shirt' }],
    category: { name: 'Shirts', slug: 'shirts' },
    options: [{ label: 'Size' }, { label: 'Colour' }],
  };
  expect((await ask('en')).product).toMatchObject({ ...own, language: 'en', translations: SLUGS });
  // Without languages there are no others, whatever the tables have.
  expect((await ask('de', {})).product).toMatchObject({
    ...own,
    language: 'und',
    translations: [{ language: 'und', slug: 'linen-shirt' }],
  });
});

test('a product or category is available in the languages that it has a text in', async () => {
  const gateway = await open();
  const { data } = await gateway.graphql(
    '{ product(id: 2) { translations { language } category { translations { language slug } } } }',
  );
  expect(data.product).toEqual({
    translations: [{ language: 'en' }],
    category: {
      translations: [
        { language: 'en', slug: 'shirts' },
        { language: 'de', slug: 'hemden' },
        { language: 'pt-BR', slug: 'shirts' },
      ],
    },
  });
});

test('facets have labels beside the values to filter by; brands are called the same everywhere', async () => {
  const gateway = await open();
  const facet = 'value label';
  const query = (filter: string) => `query @inContext(language: "de") { productSearch(filter: {${filter}}) {
    nodes { id }
    facets { tags { ${facet} } brands { ${facet} } options { name label values { ${facet} } } attributes { name label values { ${facet} } } } } }`;
  const { data } = await gateway.graphql(query('tags: ["sale"], options: [{ name: "Colour", values: ["Blue"] }]'));
  expect(data.productSearch.nodes).toEqual([{ id: 1 }]);
  const { tags, brands, options, attributes } = data.productSearch.facets;
  expect(tags).toEqual(
    expect.arrayContaining([
      { value: 'sale', label: 'Ausverkauf' },
      { value: 'linen', label: 'linen' },
    ]),
  );
  expect(brands).toEqual([{ value: 'Sale', label: 'Sale' }]);
  expect(options).toEqual(
    expect.arrayContaining([{ name: 'Colour', label: 'Farbe', values: [{ value: 'Blue', label: 'Blau' }] }]),
  );
  expect(attributes).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'Material', label: 'Stoff' })]));
  const byLabel = await gateway.graphql(query('tags: ["Ausverkauf"]'));
  expect(byLabel.data.productSearch.nodes).toEqual([]);
});

test('a variant is chosen by the names of the tables', async () => {
  const gateway = await open();
  const chosen = async (options: string) =>
    (
      await gateway.graphql(
        `query @inContext(language: "de") { product(id: 1) { variant(options: [${options}]) { title } } }`,
      )
    ).data.product.variant;
  expect(await chosen('{ name: "Size", value: "L" }, { name: "Colour", value: "Blue" }')).toEqual({
    title: 'L / Blau',
  });
  expect(await chosen('{ name: "Größe", value: "L" }, { name: "Farbe", value: "Blau" }')).toBeNull();
});

test('REST answers the texts in the language, and no field more', async () => {
  const gateway = await open();
  const [german, english] = await Promise.all(
    ['de', 'en'].map(
      async (tag) => (await gateway.get(`/api/product/1?language=${tag}`)).json as Record<string, unknown>,
    ),
  );
  expect(german).toMatchObject({
    name: 'Leinenhemd',
    slug: 'leinenhemd',
    category: { name: 'Hemden', slug: 'hemden' },
    tags: ['sale', 'linen'],
  });
  expect(Object.keys(german ?? {})).toEqual(Object.keys(english ?? {}));
  const list = (await gateway.get('/api/notice/list?language=de')).json as { title: string }[];
  expect(list.map(({ title }) => title)).toEqual(['Geöffnet']);
});

test.for([
  ['shared', []],
  ["each caller's own", [{}]],
] as const)('where answers are %s, events and answers are in the language of the operation', async ([, plugins]) => {
  const gateway = await createTestGateway(database, { LANGUAGES: 'en,de' }, plugins);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const english = { 'accept-language': 'en' };
  const selection = '@inContext(language: "de") { product(id: 2) { name category { name } tagLabels } }';
  const shown = (name: string) => ({ data: { product: { name, category: { name: 'Hemden' }, tagLabels: [] } } });
  expect(await gateway.graphql(`query ${selection}`, {}, english)).toEqual(shown('Mug'));
  const stream = await openStream(gateway, `subscription ${selection}`, { headers: english });
  expect(stream.results).toEqual([shown('Mug')]);
  await database.sql(`update product set translations = '{"de": {"name": "Becher"}}' where id = 2`);
  await expect.poll(() => stream.results.at(-1)).toEqual(shown('Becher'));
  stream.leave();
  await database.sql(`update product set translations = '{}' where id = 2`);
});

test('all labels of a page take one statement, and those of its variants one more', async () => {
  const gateway = await open({ LANGUAGES: 'en,de,pt-BR', CACHE_MAX_MB: '0' });
  const more = async (fields: string) => {
    const query = (tag: string) => `query @inContext(language: "${tag}") { products { ${fields} } }`;
    const [english = 0, german = 0] = [
      await gateway.countStatements(() => gateway.graphql(query('en'))),
      await gateway.countStatements(() => gateway.graphql(query('de'))),
    ];
    return german - english;
  };
  expect(await more('name subtitle category { name }')).toBe(0);
  expect(await more('tagLabels attributes { label valueLabels }')).toBe(1);
  expect(await more(TEXTS)).toBe(2);
});
