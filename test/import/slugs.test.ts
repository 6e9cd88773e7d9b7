import { describe, expect, test } from 'vitest';
import { slugOfName } from '../../src/import/fields/values.ts';

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
