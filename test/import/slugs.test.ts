import { describe, expect, test } from 'vitest';
import { slugOfName } from '../../src/import/fields/slug.ts';
import { useImportDatabase } from '../support/import.ts';

const { sql, importText } = useImportDatabase();

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
});

test('a product of an earlier version is found by the end of its slug, unless that is the number of another row', async () => {
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
