import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../src/import/formats/formats.ts';
import { Languages } from '../../src/language/languages.ts';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

const languages = new Languages(['en', 'de', 'pt-BR']);
const translations = () => column('select translations from product order by id');

describe('a column of a language', () => {
  test('is the text of a product in it', async () => {
    const text = `name,price,category,name:de,slug:de,description:de,subtitle:de,image_alts:de,name:pt-BR
Pan,5,Pans,Pfanne,pfanne,<p>Für Eier</p>,Schwer,Von oben|Von vorn,Frigideira
Pot,6,Pans,Topf,,,,,
`;
    const { created, faults, unusedColumns } = await importText(text, { languages });
    expect({ created, faults, unusedColumns }).toEqual({ created: 2, faults: [], unusedColumns: [] });
    expect(await translations()).toEqual([
      {
        de: {
          name: 'Pfanne',
          slug: 'pfanne',
          description: 'Für Eier',
          subtitle: 'Schwer',
          image_alts: ['Von oben', 'Von vorn'],
        },
        'pt-BR': { name: 'Frigideira' },
      },
      { de: { name: 'Topf' } },
    ]);
    expect(await importText(text, { languages })).toMatchObject({ unchanged: 2 });
  });

  test('leaves the texts that the file does not have, and an empty cell takes one away', async () => {
    await importText('name,price,category,name:de,slug:de,name:pt-BR\nPan,5,Pans,Pfanne,pfanne,Frigideira\n', {
      languages,
    });
    expect(await importText('slug,name:de,slug:de,description:de\npan,,die-pfanne,Gut\n', { languages })).toMatchObject(
      {
        changed: 1,
        faults: [],
        kind: { plural: 'products' },
      },
    );
    expect(await translations()).toEqual([
      { de: { slug: 'die-pfanne', description: 'Gut' }, 'pt-BR': { name: 'Frigideira' } },
    ]);
    await importText('slug,stock\npan,7\n', { languages });
    expect(await translations()).toHaveLength(1);
    expect(Object.keys(((await translations())[0] ?? {}) as object)).toEqual(['de', 'pt-BR']);
  });

  test.each([
    [
      'Akeneo',
      'sku;categories;name-en_US;name-de_DE;description-en_US-ecommerce;description-de_DE-ecommerce;price-EUR',
      'A-7;Pans;Pan;Pfanne;Good;Gut;5',
      'category=categories,price=price-EUR',
    ],
    [
      'Shopware',
      'product_number;category;translations.DEFAULT.name;translations.de-DE.name;translations.en-GB.description;translations.de-DE.description;price',
      'A-7;Pans;Pan;Pfanne;Good;Gut;5',
      'sku=product_number',
    ],
    [
      'OpenCart',
      'sku;categories;name(en-gb);name(de-de);description(en-gb);description(de-de);price;tags(en-gb)',
      'A-7;Pans;Pan;Pfanne;Good;Gut;5;red',
      'category=categories',
    ],
  ])('is as %s names it', async (_, header, row, map) => {
    const { created, faults, unusedColumns } = await importText(`${header}\n${row}\n`, {
      languages,
      map: parseMapping([map]),
    });
    expect({ created, faults, unusedColumns }).toEqual({ created: 1, faults: [], unusedColumns: [] });
    expect(await sql('select sku, name, description, translations from product')).toEqual([
      { sku: 'A-7', name: 'Pan', description: 'Good', translations: { de: { name: 'Pfanne', description: 'Gut' } } },
    ]);
  });

  test.each([
    ['shopify', 'Handle,Title,Variant Price,Titel,Beschreibung\npan,Pan,5,Pfanne,Gut\n'],
    ['woocommerce', 'Type,SKU,Name,Published,Regular price,Titel,Beschreibung\nsimple,1,Pan,1,5,Pfanne,Gut\n'],
    ['google', 'id,title,price,image_link,availability,titel,Beschreibung\n1,Pan,5 EUR,/1.jpg,in stock,Pfanne,Gut\n'],
  ])('is what --map says in the format %s', async (format, text) => {
    const map = parseMapping(['name:de=Titel,description:de=Beschreibung']);
    const imported = await importText(text, { languages, map });
    expect(imported).toMatchObject({ created: 1, faults: [], unusedColumns: [], format: { name: format } });
    expect(await translations()).toEqual([{ de: { name: 'Pfanne', description: 'Gut' } }]);
  });

  test('that is not configured is told once, and not read', async () => {
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    const text = 'name,price,category,name:fr,name:de\nPan,5,Pans,Poêle,Pfanne\n';
    const { created, unusedColumns } = await importText(text, { languages, onWarning });
    expect({ created, unusedColumns }).toEqual({ created: 1, unusedColumns: [] });
    expect(await translations()).toEqual([{ de: { name: 'Pfanne' } }]);
    await importText('[{ "slug": "pan", "translations": { "fr": { "name": "Poêle" } }, "stock": 3 }]', { onWarning });
    expect(warnings).toEqual([
      'columns in no language of LANGUAGES (en, de, pt-BR): name:fr',
      'columns in no language of LANGUAGES (not set): translations.fr',
    ]);
    expect(await translations()).toEqual([{ de: { name: 'Pfanne' } }]);
    const map = parseMapping(['name:fr=Titel']);
    await expect(importText('name,price,category,Titel\nPan,5,Pans,x\n', { languages, map })).rejects.toThrow(
      '--map: name:fr is in no language of LANGUAGES.',
    );
  });

  test('with a value that cannot be stored rejects its row, and is named as in the file', async () => {
    const text = `name,price,category,name-de_DE,slug:de
Pan,5,Pans,${'x'.repeat(601)},pfanne
Pot,5,Pans,Topf,der topf
`;
    expect((await importText(text, { languages })).faults).toEqual([
      {
        line: 2,
        column: 'name-de_DE',
        value: expect.stringContaining('xxx'),
        reason: expect.stringContaining('at most 600'),
      },
      { line: 3, column: 'slug:de', value: 'der topf', reason: expect.stringContaining('white space') },
    ]);
  });
});

describe('translations in JSON', () => {
  const pan = { slug: 'pan', name: 'Pan', price: 5, category: 'Pans' };

  test('are the same', async () => {
    const german = { name: 'Pfanne', slug: 'pfanne', imageAlts: ['Von oben'] };
    expect(await importText(jsonLines([{ ...pan, translations: { de: german } }]), { languages })).toMatchObject({
      created: 1,
      faults: [],
    });
    expect(await translations()).toEqual([{ de: { name: 'Pfanne', slug: 'pfanne', image_alts: ['Von oben'] } }]);
    await importText(jsonLines([{ slug: 'pan', translations: { 'pt-BR': { name: 'Frigideira' } } }]), { languages });
    expect(await translations()).toMatchObject([
      { de: german.slug ? { slug: 'pfanne' } : {}, 'pt-BR': { name: 'Frigideira' } },
    ]);
    await importText(jsonLines([{ slug: 'pan', translations: { de: null } }]), { languages });
    expect(await translations()).toEqual([{ 'pt-BR': { name: 'Frigideira' } }]);
    await importText(jsonLines([{ slug: 'pan', translations: null }]), { languages });
    expect(await translations()).toEqual([{}]);
  });

  test('are as the API returns them, and as PostgreSQL has written them', async () => {
    const slugs = [
      { language: 'en', slug: 'pan' },
      { language: 'de', slug: 'pfanne' },
    ];
    await importText(jsonLines([{ ...pan, translations: slugs }]), { languages });
    expect(await translations()).toEqual([{ de: { slug: 'pfanne' } }]);
    const csv = 'slug,stock,translations\npan,3,"{""de"": {""image_alts"": [""Von oben""]}}"\n';
    expect(await importText(csv, { languages })).toMatchObject({ changed: 1, faults: [] });
    expect(await translations()).toEqual([{ de: { slug: 'pfanne', image_alts: ['Von oben'] } }]);
  });

  test.each([
    [
      { de: { title: 'Pfanne' } },
      'translations',
      'has "title", but may have only name, slug, subtitle, description, imageAlts',
    ],
    [{ de: 'Pfanne' }, 'translations', 'must have an object for "de"'],
    ['Pfanne', 'translations', 'must be an object such as {"de": {"name": "Pfanne"}}'],
    [{ de: { name: ['a', 'b'] } }, 'name:de', 'must be a text'],
  ])('that are none reject the row: %j', async (given, field, reason) => {
    const { faults } = await importText(jsonLines([{ ...pan, translations: given }]), { languages });
    expect(faults).toEqual([{ line: 1, column: field, value: expect.anything(), reason }]);
  });
});

test('categories and notices have translations, too', async () => {
  await importText('path,name:de,slug:de\nKitchen,Küche,kueche\nKitchen > Pans,Pfannen,pfannen\n', { languages });
  expect(await column('select translations from category order by id')).toEqual([
    { de: { name: 'Küche', slug: 'kueche' } },
    { de: { name: 'Pfannen', slug: 'pfannen' } },
  ]);
  await importText('title,content,title:de,content:de\nSale,Now,Ausverkauf,Jetzt\n', { languages });
  expect(await column('select translations from notice')).toEqual([{ de: { title: 'Ausverkauf', content: 'Jetzt' } }]);
});

describe('a file of terms', () => {
  const labels = () => sql('select language, term, text from term_translation order by language, term collate "C"');

  test('says what names are called in a language', async () => {
    const text = 'language,term,text\nde,Size,Größe\nde_DE,linen,Leinen\npt-BR,Size,Tamanho\n';
    const imported = await importText(text, { languages });
    expect(imported).toMatchObject({ created: 3, faults: [], kind: { plural: 'terms' }, format: { name: 'terms' } });
    expect(await importText(text, { languages })).toMatchObject({ unchanged: 3 });
    const next = 'language,term,text\nde,Size,Weite\nde,linen,\n';
    expect(await importText(next, { languages })).toMatchObject({ created: 0, changed: 2, faults: [] });
    expect(await labels()).toEqual([
      { language: 'de', term: 'Size', text: 'Weite' },
      { language: 'de', term: 'linen', text: '' },
      { language: 'pt-BR', term: 'Size', text: 'Tamanho' },
    ]);
  });

  test('has no row of a language that is not configured, and none twice', async () => {
    const text = 'language,term,text\nfr,Size,Taille\nen,Size,Size\nde,,Größe\nde,Size,Weite\nde,Size,Größe\n';
    const { created, faults } = await importText(text, { languages });
    expect(created).toBe(1);
    expect(faults.map(({ line, column, reason }) => [line, column, reason])).toEqual([
      [2, 'language', 'must be one of de, pt-BR, as LANGUAGES has them'],
      [3, 'language', 'must be one of de, pt-BR, as LANGUAGES has them'],
      [4, 'term', 'is missing'],
      [5, 'term', 'is repeated in line 6, which is imported instead: remove one of the two'],
    ]);
    const [fault] = (await importText('language,term,text\nde,Size,Größe\n')).faults;
    expect(fault).toMatchObject({ line: 2, column: 'language', reason: 'is not in LANGUAGES, which has no other' });
  });
});

describe('slugs', () => {
  const aliases = () => sql('select slug, language, id from slug_alias order by slug, language');

  test('that products exchange leave no other behind', async () => {
    const text = (a: string, b: string) =>
      jsonLines([
        { sku: 'A', name: 'Pan', price: 5, category: 'Pans', slug: a },
        { sku: 'B', name: 'Pot', price: 5, category: 'Pans', slug: b },
      ]);
    expect(await importText(text('pan', 'pot'), { languages, key: 'sku' })).toMatchObject({ created: 2, faults: [] });
    const [, pot = 0] = (await column('select id from product order by id')) as number[];
    const exchanged = await importText(text('pot', 'pan'), { languages, key: 'sku' });
    expect(exchanged).toMatchObject({ changed: 2, faults: [] });
    // Each former slug is now that of the other.
    expect(await aliases()).toEqual([]);
    await importText(text('pot', 'pan-2'), { languages, key: 'sku' });
    expect(await aliases()).toEqual([{ slug: 'pan', language: null, id: pot }]);
  });

  test('in a language that another product has reject the row', async () => {
    const text = 'name,price,category,slug:de\nPan,5,Pans,pfanne\nPot,5,Pans,pfanne\n';
    const { created, faults } = await importText(text, { languages });
    expect({ created, faults }).toEqual({
      created: 1,
      faults: [
        {
          line: 3,
          value: 'product, pfanne, de',
          reason: expect.stringMatching(/^is refused by the database: .*slug.*pfanne, de.* already exists/),
        },
      ],
    });
  });
});
