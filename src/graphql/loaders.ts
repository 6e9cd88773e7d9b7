import { type CategoryLoaders, createCategoryLoaders } from '../category/category.loader.ts';
import type { PrismaClient } from '../database/generated/client/client.ts';
import { createNoticeLoaders, type NoticeLoaders } from '../notice/notice.loader.ts';
import type { ViewCounter } from '../notice/view-counter.ts';
import { createProductLoaders, type ProductLoaders } from '../product/product.loader.ts';

export interface Loaders extends ProductLoaders, CategoryLoaders, NoticeLoaders {}

interface Deps {
  readonly prisma: PrismaClient;
  readonly viewCounter: ViewCounter;
  readonly now: Date;
  readonly countViews: boolean;
}

/** The loaders of one operation: they batch and remember within it, never beyond. */
export const createLoaders = (deps: Deps): Loaders => ({
  ...createProductLoaders(deps),
  ...createCategoryLoaders(deps),
  ...createNoticeLoaders(deps),
});
