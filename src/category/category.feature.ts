import type { Category } from '../database/generated/client/client.ts';
import type { Feature } from '../feature.ts';
import { CategoryLoaders, createCategoryReads } from './category.loader.ts';

export const category: Feature = {
  table: 'category',
  triggers: [
    'vitrine_notify',
    'vitrine_notify_truncate',
    'vitrine_slugs_insert',
    'vitrine_slugs_update',
    'vitrine_slugs_delete',
    'vitrine_slugs_truncate',
  ],
  rights: ['select'],
  register: () => import('./category.query.ts'),
  createLoaders: ({ sql, prisma, knownRows }) => {
    const known = knownRows?.of<Category>('category');
    const reads = createCategoryReads(sql, prisma, known);
    return (scope) => new CategoryLoaders(reads, scope, known);
  },
};
