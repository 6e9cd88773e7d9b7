import { describe, expect, test } from 'vitest';
import { parseMapping } from '../../src/import/formats/formats.ts';
import { jsonLines, useImportDatabase } from '../support/import.ts';

const { sql, importText } = useImportDatabase();

test('parts of objects are mapped by the path to them, as in products of DummyJSON', async () => {
  const products = [
    {
      id: 7,
      title: "Men's Shirt",
      description: 'Cotton.',
      category: 'mens-shirts',
      price: 19.99,
      discountPercentage: 10.48,
      stock: 5,
      tags: ['cotton'],
      brand: 'Halden',
      meta: { createdAt: '2025-04-30T09:41:02.053Z', updatedAt: '2025-05-30T09:41:02.053Z', barcode: '1' },
      images: ['https://cdn/1.webp'],
      thumbnail: 'https://cdn/t.webp',
    },
    { id: 8, title: "Men's Shirt", category: 'mens-shirts', price: 5, thumbnail: '' },
  ];
  const map = parseMapping([
    'name=title,imageUrl=thumbnail,imageUrls=images,publishedAt=meta.createdAt,createdAt=meta.createdAt,updatedAt=meta.updatedAt',
  ]);
  const text = JSON.stringify({ products, total: 2, skip: 0 });
  const { created, unusedColumns, format, faults } = await importText(text, { map });
  expect({ created, unusedColumns, format: format.name, faults }).toEqual({
    created: 2,
    unusedColumns: ['id', 'discountPercentage'],
    format: 'products',
    faults: [],
  });
  expect(
    await sql(
      `select p.slug, price, published_at, p.updated_at, p.image_url, c.slug as category from product p join category c on c.id = category_id order by p.id limit 1`,
    ),
  ).toEqual([
    {
      slug: 'mens-shirt',
      price: '19.99',
      published_at: new Date('2025-04-30T09:41:02.053Z'),
      updated_at: new Date('2025-05-30T09:41:02.053Z'),
      image_url: 'https://cdn/t.webp',
      category: 'mens-shirts',
    },
  ]);
  const wrong = { map: parseMapping(['name=title,createdAt=meta.created']) };
  await expect(importText(text, wrong)).rejects.toThrow('has no column meta.created');
});

describe('notices', () => {
  test('are identified by title and start, and keep their counted views', async () => {
    const csv = `title,content,type,level,pinned,startsAt,endsAt,viewCount
Sale,Half price,promotion,urgent,yes,2026-01-01T00:00:00Z,2026-02-01,10
Sale,Again,promotion,,no,2026-06-01T00:00:00Z,,
`;
    expect(await importText(csv)).toMatchObject({ created: 2, faults: [] });
    await sql('update notice set view_count = view_count + 5');
    expect(await importText(csv)).toMatchObject({ created: 0, changed: 0, unchanged: 2 });
    const changed = csv.replace('Half price', 'A third off');
    expect(await importText(changed)).toMatchObject({ created: 0, changed: 1, unchanged: 1 });
    expect(await sql('select content, type, level, pinned, view_count from notice order by id')).toEqual([
      { content: 'A third off', type: 'PROMOTION', level: 'URGENT', pinned: true, view_count: '15' },
      { content: 'Again', type: 'PROMOTION', level: 'NORMAL', pinned: false, view_count: '5' },
    ]);
  });

  test('without a start are identified by their title', async () => {
    expect(await importText('title,content\nStocktaking,Closed\n')).toMatchObject({ created: 1 });
    expect(await importText('title,content\nStocktaking,Open again\n')).toMatchObject({ created: 0, changed: 1 });
  });

  test('that end before they start are rejected, also when the file has only the end', async () => {
    const json = [
      { title: 'A', content: 'x', startsAt: '2026-02-01', endsAt: '2026-01-01T00:00:00+01:00' },
      { title: 'B', content: 'x', endsAt: '2001-01-01' },
      { title: 'C', content: 'x', endsAt: '2901-01-01' },
    ];
    const { created, faults } = await importText(jsonLines(json));
    expect(created).toBe(1);
    expect(faults.map(({ line, column }) => [line, column])).toEqual([
      [1, 'endsAt'],
      [2, undefined],
    ]);
  });
});

describe('a file of no format is refused, whatever usual columns it has', () => {
  test.each([
    ['customers', 'Name,Email,City\nAnna,a@example.com,Rome\n'],
    ['people with numbers', 'ID,Name\n7,Anna\n'],
    ['files', 'path,name,size\n/a,a,3\n'],
    ['staff', 'name,position,email\nAnna,1,a@example.com\n'],
    ['posts', 'id,title,content,author\n1,Hello,World,Anna\n'],
    ['pages', 'slug,title,body\na,A,B\n'],
  ])('%s', async (_, text) => {
    await expect(importText(text)).rejects.toThrow('is in no known format');
  });

  test('also where the operator says which column is the name', async () => {
    const map = parseMapping(['name=Kunde,imageUrl=Foto']);
    await expect(importText('Kunde,Foto,Ort\nAnna,/a.jpg,Rom\n', { map })).rejects.toThrow('is in no known format');
  });

  test.each(['status', 'subtitle', 'sku', 'imageAlts'])('but slugs with %s are products', async (name) => {
    expect((await importText(`slug,${name}\na,\n`)).kind.table).toBe('product');
    await expect(importText(`slug,${name},author\na,,\n`)).rejects.toThrow('is in no known format');
  });

  test('but categories and notices are known by columns of their own', async () => {
    const kindOf = async (text: string) => (await importText(text)).kind.table;
    expect(await kindOf('name\nPans\n')).toBe('category');
    expect(await kindOf('id,slug,name\n7,pans,Pans\n')).toBe('category');
    expect(await kindOf('slug,name,parent,description\nlids,Lids,pans,Of glass\n')).toBe('category');
    expect(await kindOf('title,content,startsAt,author\nSale,Now,2026-01-01,Anna\n')).toBe('notice');
    const mapped = await importText('Pfad,Bild\nTöpfe,a\n', { map: parseMapping(['path=Pfad']) });
    expect(mapped.kind.table).toBe('category');
  });
});
