import type { Feature } from '../feature.ts';
import { inEffect, readable } from './in-effect.ts';
import { createNoticeLoaders, createNoticeReads } from './notice.loader.ts';
import { ViewCounter } from './view-counter.ts';

export const notice: Feature = {
  table: 'notice',
  nextChangeSql: inEffect.nextChangeSql,
  visibleBy: { alone: readable, inLists: inEffect, mayEnd: true },
  triggers: ['vitrine_notify', 'vitrine_notify_truncate'],
  // Without the second, notice detail would answer 500.
  rights: ['select', 'update (view_count)'],
  functions: ['vitrine_are_translations', 'vitrine_is_moment'],
  register: () => import('./notice.query.ts'),
  createLate: ({ sql, clock, timeoutMs }) => {
    const counter = new ViewCounter(sql, clock, timeoutMs);
    return { take: (id) => counter.view(id), metrics: counter.metrics };
  },
  createLoaders: ({ sql, prisma, late }) => {
    const reads = createNoticeReads(sql, prisma);
    return (scope) => createNoticeLoaders(reads, scope, late);
  },
};
