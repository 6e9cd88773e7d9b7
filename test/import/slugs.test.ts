import { describe, expect, test } from 'vitest';
import { slugOfName } from '../../src/import/fields/slug.ts';
import { useImportDatabase } from '../support/import.ts';

const { sql, column, importText } = useImportDatabase();

const slugs = () => column('select slug from product order by id');

describe('a slug made from a name', () => {
  test.each([
    ['Crème brûlée, Größe 5', 'creme-brulee-große-5'],
    ['Ǆep Ĺuk — ὁ Ἀθηναῖος', 'dzep-luk-ο-αθηναιος'],
    ['Tiếng Việt', 'tieng-viet'],
    ["Men's ﬁne Ｍｕｇ №5", 'mens-fine-mug-no5'],
    ['노트북 가방', '노트북-가방'],
    ['ㄱ자 선반', 'ㄱ자-선반'],
    ['かがみ パン ｶﾞﾗｽ', 'かがみ-パン-ガラス'],
    ['Чайник Йод Ёлка', 'чайник-йод-ёлка'],
    ['हिन्दी किताब', 'हिन्दी-किताब'],
    ['น้ำแข็ง ที่รัก', 'น้ำแข็ง-ที่รัก'],
    ['كِتَاب', 'كِتَاب'],
    ['☕️ Mug 1️⃣', 'mug-1'],
    ['☕️', ''],
  ])('of %s is %s', (name, slug) => {
    expect(slugOfName(name)).toBe(slug);
    expect(slugOfName(name.normalize('NFD'))).toBe(slug);
  });

  test('has ae, oe, ue and ss where the operator wants that', async () => {
    const csv = 'name,category,price\nGroße Äpfel,Öle und Süßes,1\n';
    await importText(csv, { germanSlugs: true });
    expect(await slugs()).toEqual(['grosse-aepfel']);
    expect(await column('select slug from category')).toEqual(['oele-und-suesses']);
    await importText('path\nÖle und Süßes > Öl\nMühlen\n', { germanSlugs: true });
    expect(await column('select slug from category order by id')).toEqual([
      'oele-und-suesses',
      'oele-und-suesses-oel',
      'muehlen',
    ]);
    await importText('sku,name,category,price\nÖ1,Öl,Mühlen,1\n', { germanSlugs: true, key: 'sku' });
    expect(await slugs()).toEqual(['grosse-aepfel', 'oel']);
  });
});

describe('a product that was imported by another rule of slugs', () => {
  test('keeps its slug, and is found by its name', async () => {
    const csv = (price: string) =>
      `name,category,price\n노트북,C,${price}\nかがみ,C,${price}\nかかみ,C,2\n노트북,C,3\nЙод,C,${price}\nӦл,C,1\n`;
    await importText(csv('1'));
    const old = ['노트북'.normalize('NFD'), 'かかみ', 'かかみ-2', `${'노트북'.normalize('NFD')}-2`, 'иод', 'ол'];
    await sql(`update product set slug = 'x' || id`);
    await sql(
      'update product set slug = former.slug from unnest($1::text[]) with ordinality former (slug, id) where product.id = former.id',
      [old],
    );
    expect(await importText(csv('5'))).toMatchObject({ created: 0, changed: 3, unchanged: 3, faults: [] });
    expect(await slugs()).toEqual(old);
    expect(await column('select price::text from product order by id')).toEqual([
      '5.00',
      '5.00',
      '2.00',
      '3.00',
      '5.00',
      '1.00',
    ]);
    // A new product of one of these names gets the next number.
    expect(await importText(`${csv('5')}노트북,C,9\n`)).toMatchObject({ created: 1, unchanged: 6 });
    expect((await slugs()).at(-1)).toBe(`${'노트북'.normalize('NFD')}-3`);
  });

  test('stays where another name has its slug by the present rule', async () => {
    await sql(`insert into category (name, slug) values ('C', 'c')`);
    await sql(`insert into product (category_id, name, slug, price) values (1, 'かがみ', 'かかみ', 1)`);
    expect(await importText('name,category,price\nかかみ,C,2\n')).toMatchObject({ created: 1, changed: 0 });
    expect(await importText('name,category,price\nかがみ,C,1\nかかみ,C,2\n')).toMatchObject({
      created: 0,
      unchanged: 2,
    });
    expect(await slugs()).toEqual(['かかみ', 'かかみ-2']);
  });

  test('is found with and without --german-slugs', async () => {
    const csv = 'name,category,price\nÖl,Öle,1\n';
    await importText(csv);
    expect(await importText(csv, { germanSlugs: true })).toMatchObject({
      created: 0,
      unchanged: 1,
      createdCategories: 0,
    });
    await importText('name,category,price\nMühle,Öle,1\n', { germanSlugs: true });
    expect(await importText('name,price\nMühle,2\n')).toMatchObject({ created: 0, changed: 1 });
    expect(await slugs()).toEqual(['ol', 'muehle']);
  });

  test('is found by the end of its slug, unless that is the number of another row', async () => {
    await sql(`insert into category (name, slug) values ('C', 'c')`);
    await sql(`insert into product (category_id, name, slug, price) values (1, 'Чай', 'чаи--аи-7', 1)`);
    const key = 'sku';
    expect(await importText('sku,name,category,price\nАЙ-7,Чай,C,3\nАИ-7,Чаи,C,4\n', { key })).toMatchObject({
      created: 1,
      changed: 1,
      faults: [],
    });
    expect(await sql('select slug, price::text from product order by id')).toEqual([
      { slug: 'чаи--аи-7', price: '4.00' },
      { slug: 'чай', price: '3.00' },
    ]);
  });

  test('is found by a name whose entities were not decoded then, and again after that', async () => {
    await sql(`insert into category (name, slug) values ('C', 'c')`);
    await sql(`insert into product (category_id, name, slug, price)
      values (1, 'Salt &amp; Pepper', 'salt-amp-pepper', 1), (1, 'Salt &amp; Pepper', 'salt-amp-pepper-2', 1)`);
    const csv = 'name,category,price\nSalt &amp; Pepper,C,2\nSalt &amp; Pepper,C,3\n';
    expect(await importText(csv)).toMatchObject({ created: 0, changed: 2, faults: [] });
    expect(await importText(csv)).toMatchObject({ created: 0, unchanged: 2, faults: [] });
    expect(await sql('select slug, name, price::text from product order by id')).toEqual([
      { slug: 'salt-amp-pepper', name: 'Salt & Pepper', price: '2.00' },
      { slug: 'salt-amp-pepper-2', name: 'Salt & Pepper', price: '3.00' },
    ]);
  });

  test('has the letters of its entities with --german-slugs', async () => {
    await importText('name,category,price\n&Ouml;l,C,2\n', { germanSlugs: true });
    expect(await slugs()).toEqual(['oel']);
  });
});
