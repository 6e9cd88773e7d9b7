import pino from 'pino';
import { expect, test } from 'vitest';
import { createCategoryReads } from '../../src/category/category.loader.ts';
import { connectionConfig } from '../../src/database/connection.ts';
import { Prisma } from '../../src/database/generated/client/client.ts';
import { createDatabase, createPrisma } from '../../src/database/pool.ts';
import { createSql } from '../../src/database/sql.ts';
import { createNoticeReads } from '../../src/notice/notice.loader.ts';
import { createProductReads } from '../../src/product/product.loader.ts';
import { categoryOf } from '../../src/product/product.sql.ts';
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

  const { pool } = createDatabase({
    connection: connectionConfig(database.url),
    size: 2,
    timeoutMs: 5000,
    log: pino({ level: 'silent' }),
  });
  try {
    const prisma = await createPrisma(pool);
    const sql = createSql(pool);
    const product = await createProductReads(sql).byId.load(productId);
    if (!product) throw new Error('there is a product');
    const pairs: [object | null, object, Readonly<Record<string, string>>][] = [
      [product, await prisma.product.findUniqueOrThrow({ where: { id: productId } }), Prisma.ProductScalarFieldEnum],
      [
        categoryOf(product),
        await prisma.category.findUniqueOrThrow({ where: { id: categoryId } }),
        Prisma.CategoryScalarFieldEnum,
      ],
      [
        await createCategoryReads(sql).byId.load(parentId),
        await prisma.category.findUniqueOrThrow({ where: { id: parentId } }),
        Prisma.CategoryScalarFieldEnum,
      ],
      [
        await createNoticeReads(sql).byId.load(noticeId),
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
