import pino from 'pino';
import { expect, test } from 'vitest';
import { Dependencies } from '../../src/cache/dependencies.ts';
import { TagVersions } from '../../src/cache/tags.ts';
import { createCategoryLoaders } from '../../src/category/category.loader.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { createPool, createPrisma } from '../../src/database/pool.ts';
import { inList } from '../../src/database/prisma.ts';
import { createSql } from '../../src/database/sql.ts';
import { FEATURES } from '../../src/features.ts';
import { InFlight, type LoaderScope, type Loaders } from '../../src/graphql/context.ts';
import { Languages } from '../../src/language/languages.ts';
import { createNoticeLoaders } from '../../src/notice/notice.loader.ts';
import { createProductLoaders, createProductReads } from '../../src/product/product.loader.ts';
import { createTestDatabase } from '../support/database.ts';
import { insertCategory, insertNotice, insertProduct } from '../support/rows.ts';

test('a row of our own SQL has the values of a row of Prisma’s, in every column', async () => {
  await using database = await createTestDatabase();
  const parentId = await insertCategory(database);
  const categoryId = await insertCategory(database, { parent_id: parentId, image_url: '/c.jpg' });
  const full = { tags: ['a', 'b, "c"'], list_price: '12.50', price: '7.05', sales: 3, brand: 'é🍵', subtitle: null };
  const productId = await insertProduct(database, { ...full, category_id: categoryId });
  const noticeId = await insertNotice(database, {
    view_count: '9007199254740990',
    ends_at: '2999-01-01',
    pinned: true,
  });

  const pool = createPool({
    connection: connectionConfig(database.url),
    size: 2,
    timeoutMs: 5000,
    log: pino({ level: 'silent' }),
  });
  try {
    const prisma = await createPrisma(pool);
    const sql = createSql(pool);
    const scope: LoaderScope = {
      dependencies: new Dependencies(new TagVersions(FEATURES)),
      now: new Date(),
      language: new Languages([]).default,
      inFlight: new InFlight(),
      loaders: {} as Loaders,
    };
    const [ofList] = await createProductLoaders({ sql, prisma })(scope).list({
      categoryIds: [],
      orderBy: 'DEFAULT',
      limit: 1,
    });
    const read = await createProductReads({ sql, prisma }).byId.load(productId);
    const category = (await createCategoryLoaders({ sql, prisma })(scope).lineage([categoryId])).get(categoryId);
    const page = { page: 1, pageSize: 1, keyword: null, type: null };
    const ofPage = await createNoticeLoaders({ sql, prisma })(scope).page(page);
    const { category: joined, ...product } = await prisma.product.findUniqueOrThrow({
      where: { id: productId },
      include: { category: true },
    });
    const pairs: [object | null | undefined, object, Readonly<Record<string, string>>][] = [
      [ofList, product, Prisma.ProductScalarFieldEnum],
      [read, product, Prisma.ProductScalarFieldEnum],
      [read?.category, joined, Prisma.CategoryScalarFieldEnum],
      [category, joined, Prisma.CategoryScalarFieldEnum],
      [
        ofPage.items[0],
        await prisma.notice.findUniqueOrThrow({ where: { id: noticeId } }),
        Prisma.NoticeScalarFieldEnum,
      ],
    ];
    for (const [own, ofPrisma, fields] of pairs) {
      for (const field of Object.values(fields)) {
        const [value, expected] = [own, ofPrisma].map((row) => row?.[field as keyof typeof row] as unknown);
        expect(String(value), field).toBe(String(expected));
        expect(Object(value), field).toBeInstanceOf(Object(expected).constructor);
      }
    }
    await prisma.$disconnect();
  } finally {
    await pool.end();
  }
});

test('lists of keys have few lengths, each of which is a statement that connections prepare', () => {
  const lengths = new Set<number>();
  for (let count = 1; count <= 256; count += 1) {
    const keys = Array.from({ length: count }, (_, index) => index);
    const list = inList(keys);
    expect(new Set(list)).toEqual(new Set(keys));
    lengths.add(list.length);
  }
  expect([...lengths]).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
  expect(inList([])).toEqual([]);
});
