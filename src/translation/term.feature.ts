import type { Feature } from '../feature.ts';
import { createTermReads, TermLoaders } from './term.loader.ts';

export const term: Feature = {
  table: 'term_translation',
  triggers: [
    'vitrine_notify',
    'vitrine_labels_insert',
    'vitrine_labels_update',
    'vitrine_labels_delete',
    'vitrine_labels_truncate',
  ],
  rights: ['select'],
  register: () => import('./translation.type.ts'),
  createLoaders: ({ prisma }) => {
    const reads = createTermReads(prisma);
    return (scope) => new TermLoaders(reads, scope);
  },
};
