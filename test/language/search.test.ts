import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { createTestGateway } from '../support/gateway.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';
import { shared } from '../support/shared.ts';

interface Suggestion {
  readonly text: string;
  readonly product: { readonly name: string } | null;
  readonly category: { readonly name: string } | null;
}

const database = await shared(createTestDatabase());
const gateway = await shared(createTestGateway(database, { LANGUAGES: 'en,de,pt-BR' }));
const category = await insertCategory(database, {
  name: 'Shoes',
  slug: 'shoes',
  translations: { de: { name: 'Schuhe' } },
});
for (const [id, name, translations] of [
  [1, 'Boot', { de: { name: 'Stiefel', description: 'Aus <b>feinem</b> Leder.' } }],
  [2, 'Zori', { de: { name: 'Ahle' }, pt: { name: 'Chinelo' } }],
  [3, 'Clog', {}],
])
  await insertProduct(database, {
    ...{ id, name, translations, category_id: category, slug: `p${id}`, sales: id, tags: ['warm'] },
    description: 'Of leather.',
  });
await insertNotice(database, { id: 1, title: 'Open', content: 'x', translations: { de: { title: 'Geöffnet' } } });
await insertNotice(database, { id: 2, title: 'Closed', content: 'x', translations: { pt: { summary: 'Fechado' } } });
await database.sql(`insert into term_translation values ('de', 'warm', 'gefüttert')`);

const ask = async (language: string, selection: string) => {
  const { data, errors } = await gateway.graphql(`query @inContext(language: "${language}") ${selection}`);
  expect(errors).toBeUndefined();
  return data;
};

const found = async (language: string, search: string) => {
  const data = await ask(language, `{ productSearch(search: "${search}") { correctedSearch nodes { id } } }`);
  const { correctedSearch, nodes } = data.productSearch;
  return { ids: nodes.map(({ id }: { id: number }) => id), correctedSearch };
};

test('a search finds what is shown in the language, and nothing that is not', async () => {
  expect(await found('de', 'stiefel')).toEqual({ ids: [1], correctedSearch: null });
  expect(await found('de', 'boot')).toEqual({ ids: [], correctedSearch: null });
  expect(await found('en', 'stiefel')).toEqual({ ids: [], correctedSearch: null });
  expect(await found('de', 'clog')).toEqual({ ids: [3], correctedSearch: null });
  expect(await found('pt-BR', 'chinelo')).toEqual({ ids: [2], correctedSearch: null });
  expect(await found('de', 'gefuttert')).toEqual({ ids: [3, 2, 1], correctedSearch: null });
  expect(await found('de', 'warm')).toEqual({ ids: [], correctedSearch: null });
});

test('a product is found, sorted and suggested by what it shows, also where it has translations into the default language', async () => {
  await using own = await createTestDatabase();
  const category_id = await insertCategory(own, { name: 'Shoes', translations: { en: { name: 'Footwear' } } });
  const translations = [{ en: { name: 'Zori' }, 'en-GB': { subtitle: 'grey' } }, { en: { name: 'Clog' } }, {}];
  for (const [index, texts] of translations.entries())
    await insertProduct(own, { id: index + 1, name: `Boot ${index + 1}`, translations: texts, category_id });
  await using british = await createTestGateway(own, { LANGUAGES: 'en,en-GB' });
  for (const language of ['en', 'en-GB']) {
    const { data } = await british.graphql(`query @inContext(language: "${language}") {
      productSearch(orderBy: NAME_ASC) { nodes { id name } }
      ${['Boot', 'Zori', 'Clog', 'Shoes', 'Footwear'].map((word) => `found${word}: productSearch(search: "${word}") { nodes { id name } } suggested${word}: searchSuggestions(prefix: "${word}") { text product { name } category { name } }`)}
    }`);
    const { productSearch, ...byWords } = data;
    const names: string[] = productSearch.nodes.map(({ name }: { name: string }) => name);
    expect(names, language).toEqual(names.toSorted());
    for (const [key, answer] of Object.entries<{ nodes: { name: string }[] } & Suggestion[]>(byWords)) {
      const word = key.replace(/^found|^suggested/, '');
      if (key.startsWith('found'))
        expect(answer.nodes.map(({ name }) => name).toSorted(), `${language} ${key}`).toEqual(
          names.filter((name) => name.includes(word)).toSorted(),
        );
      else for (const { text, product, category } of answer) expect(text, language).toBe((product ?? category)?.name);
    }
  }
});

test('a mistyped word is corrected by words of the language', async () => {
  expect(await found('de', 'stiefl')).toEqual({ ids: [1], correctedSearch: 'stiefel' });
  expect(await found('en', 'stiefl')).toEqual({ ids: [], correctedSearch: null });
});

test('highlights are marked in the texts that are shown', async () => {
  const data = await ask(
    'de',
    '{ productSearch(search: "leder") { edges { highlight { name { text } snippet { text isMatch } } } } }',
  );
  expect(data.productSearch.edges).toEqual([
    {
      highlight: {
        name: [{ text: 'Stiefel' }],
        snippet: [
          { text: 'Aus feinem ', isMatch: false },
          { text: 'Leder', isMatch: true },
          { text: '.', isMatch: false },
        ],
      },
    },
  ]);
});

test('suggestions are in the language', async () => {
  const texts = async (language: string, prefix: string) =>
    (await ask(language, `{ searchSuggestions(prefix: "${prefix}") { kind text } }`)).searchSuggestions;
  expect(await texts('de', 'sch')).toEqual([{ kind: 'CATEGORY', text: 'Schuhe' }]);
  expect(await texts('de', 'gef')).toEqual([{ kind: 'TAG', text: 'gefüttert' }]);
  expect(await texts('de', 'sho')).toEqual([]);
  expect(await texts('en', 'sho')).toEqual([{ kind: 'CATEGORY', text: 'Shoes' }]);
});

test('every list by name is in the order of the names as they are shown', async () => {
  const lists = `{
    all: products(orderBy: NAME_ASC) { name }
    some: products(orderBy: NAME_ASC, categoryIds: [${category}]) { name }
    category(id: ${category}) { products(orderBy: NAME_ASC, limit: 9) { name } }
    productSearch(orderBy: NAME_ASC) { nodes { name } }
  }`;
  for (const [language, names] of [
    ['en', ['Boot', 'Clog', 'Zori']],
    ['de', ['Ahle', 'Clog', 'Stiefel']],
    ['pt-BR', ['Boot', 'Chinelo', 'Clog']],
  ] as const) {
    const products = names.map((name) => ({ name }));
    expect(await ask(language, lists)).toEqual({
      all: products,
      some: products,
      category: { products },
      productSearch: { nodes: products },
    });
  }
});

test('the keyword of the notice page is looked for in the texts that are shown', async () => {
  const titles = async (language: string, keyword: string) =>
    (await ask(language, `{ noticePage(keyword: "${keyword}") { total items { id } } }`)).noticePage;
  expect(await titles('de', 'geoffnet')).toEqual({ total: 1, items: [{ id: 1 }] });
  expect(await titles('de', 'open')).toEqual({ total: 0, items: [] });
  expect(await titles('en', 'geoffnet')).toEqual({ total: 0, items: [] });
  expect(await titles('pt-BR', 'fechado')).toEqual({ total: 1, items: [{ id: 2 }] });
});

test('a cursor leads on in its own language only, where the language decides the list', async () => {
  const page = (after: string) =>
    `{ productSearch(orderBy: NAME_ASC, first: 1${after}) { nodes { name } pageInfo { endCursor } } }`;
  const { nodes, pageInfo } = (await ask('de', page(''))).productSearch;
  expect(nodes).toEqual([{ name: 'Ahle' }]);
  const after = `, after: "${pageInfo.endCursor}"`;
  expect((await ask('de', page(after))).productSearch.nodes).toEqual([{ name: 'Clog' }]);
  const { errors } = await gateway.graphql(`query @inContext(language: "en") ${page(after)}`);
  expect(errors).toMatchObject([{ message: expect.stringContaining('"after" is a cursor of another search') }]);
});
